package analyzer_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

func TestABreakerWaitsForNATSAndGoesOnWhenItIsBack(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	s.stop()
	b := runBreaker(t, s)
	s.start()
	sendAgain := func(script string) (seq uint64) {
		eventually(t, "the stream takes calls", func() bool {
			_, err := js.Stream(t.Context(), stream.Name)
			return err == nil
		})
		return sendCalls(t, js, script)
	}
	sendAgain("err err")
	awaitRead(t, js)
	s.stop()
	s.start()
	seq := sendAgain("err")
	awaitState(t, js, drift.SwitchDisabled, seq)
	eventually(t, "the trip is counted", func() bool { return testutil.ToFloat64(b.metrics.Trips.WithLabelValues("disabled")) == 1 })
}

func TestAStreamThatIsMadeAnewIsReadFromItsStart(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	b := runBreaker(t, s)
	awaitState(t, js, drift.SwitchDisabled, sendCalls(t, js, "ok ok ok ok err err err"))
	enable(t, js, time.Time{})
	sendCalls(t, js, "err err")
	awaitRead(t, js)
	if err := js.DeleteStream(t.Context(), stream.Name); err != nil {
		t.Fatal(err)
	}
	if err := stream.Ensure(t.Context(), js, stream.DefaultConfig()); err != nil {
		t.Fatal(err)
	}
	sendCalls(t, js, "err")
	eventually(t, "the new stream is read", func() bool { return testutil.ToFloat64(b.metrics.Calls.WithLabelValues("counted")) == 10 })
	if got := switchOf(t, js); got.State != drift.SwitchEnabled {
		t.Errorf("errors of two streams disabled it: %+v", got)
	}
	seq := sendCalls(t, js, "err err")
	got := awaitState(t, js, drift.SwitchDisabled, seq)
	if seq != 3 || got.ErrorCount != 3 {
		t.Errorf("at %d: %+v", seq, got)
	}
}

func TestMessagesThatAreGoneStartAllStreaksAnew(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	first := runBreaker(t, s)
	sendCalls(t, js, "err err")
	awaitRead(t, js)
	first.stop(t)
	sendCalls(t, js, "ok")
	gone, err := js.Stream(t.Context(), stream.Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := runBreaker(t, s)
	sendCalls(t, js, "err")
	awaitRead(t, js)
	if got := switchOf(t, js); got != nil {
		t.Errorf("disabled across what is gone: %+v", got)
	}
	if n := testutil.ToFloat64(second.metrics.Gaps); n != 1 {
		t.Errorf("%v gaps", n)
	}
	awaitState(t, js, drift.SwitchDisabled, sendCalls(t, js, "err err"))
}

func TestOtherEventsMoveTheCheckpointOn(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	b := runBreaker(t, s)
	sendCalls(t, js, "err err")
	for range 3 {
		if _, err := js.Publish(t.Context(), events.Subject(3, events.KindActivation), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	awaitRead(t, js)
	if st := checkpoint(t, js); len(st.Streaks) != 1 || len(st.Streaks[0].Failures) != 2 {
		t.Errorf("%+v", st)
	}
	// Both are told after the checkpoint is kept.
	eventually(t, "no message is behind", func() bool { return testutil.ToFloat64(b.metrics.LagMessages) == 0 })
	eventually(t, "the checkpoint is counted", func() bool { return testutil.ToFloat64(b.metrics.CheckpointTime) != 0 })
}

func TestPartitionsAreReadTogetherInTheStreamsOrder(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	runBreaker(t, s)
	var seq uint64
	for partition := range 3 {
		ack, err := js.Publish(t.Context(), events.Subject(partition, events.KindToolCall), line(t, uuid.NewString(), orderCall(words["err"])))
		if err != nil {
			t.Fatal(err)
		}
		seq = ack.Sequence
	}
	awaitState(t, js, drift.SwitchDisabled, seq)
}

func TestALateReaderWaitsForOneMoreError(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	sendCalls(t, js, "err err err")
	eventually(t, "that was a while ago", func() bool {
		m, err := lastMessage(t, js)
		return err == nil && time.Since(m.Time) > 300*time.Millisecond
	})
	b := runBreaker(t, s, func(o *breakerOptions) { o.cfg.Late = 250 * time.Millisecond })
	awaitRead(t, js)
	if got := switchOf(t, js); got != nil {
		t.Errorf("disabled for what was long ago: %+v", got)
	}
	if n := testutil.ToFloat64(b.metrics.Late); n != 1 {
		t.Errorf("%v late", n)
	}
	seq := sendCalls(t, js, "err")
	if got := awaitState(t, js, drift.SwitchDisabled, seq); got.ErrorCount != 4 {
		t.Errorf("%+v", got)
	}
}

func lastMessage(t *testing.T, js jetstream.JetStream) (*jetstream.RawStreamMsg, error) {
	st, err := js.Stream(t.Context(), stream.Name)
	if err != nil {
		return nil, err
	}
	return st.GetMsg(t.Context(), st.CachedInfo().State.LastSeq)
}

func TestChangedSettingsHoldFromThenOn(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	var dry atomic.Bool
	dry.Store(true)
	who := newPeople()
	b := runBreaker(t, s, func(o *breakerOptions) {
		o.people = who
		o.rules = func() drift.BreakerSettings {
			r := drift.DefaultBreakerSettings()
			r.DryRun = dry.Load()
			return r
		}
	})
	got := awaitState(t, js, drift.SwitchEnabled, sendCalls(t, js, "err err err"))
	if got.AlertOnly != drift.AlertDryRun || got.Refuses(time.Now()) {
		t.Errorf("%+v", got)
	}
	eventually(t, "people are told", func() bool { return who.told() == 1 && switchOf(t, js).Told })
	sendCalls(t, js, "err err err err")
	awaitRead(t, js)
	if n := who.told(); n != 1 {
		t.Errorf("told %d times within an hour", n)
	}
	dry.Store(false)
	eventually(t, "the tool is disabled", func() bool {
		sendCalls(t, js, "err")
		return switchOf(t, js).State == drift.SwitchDisabled
	})
	if n := testutil.ToFloat64(b.metrics.Trips.WithLabelValues("dry_run")); n != 1 {
		t.Errorf("%v trips of the dry run", n)
	}
}

func TestACheckpointIsNeverSetBack(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	behind := runBreaker(t, s, func(o *breakerOptions) { o.cfg.CheckpointEvery = time.Hour }) // it stores one when it stops
	awaitState(t, js, drift.SwitchDisabled, sendCalls(t, js, "err err err"))
	pauseConsumers(t, js)
	further := drift.Place{Epoch: epochOf(t, js), Seq: sendCalls(t, js, "err err")}
	data, _, err := drift.BreakerState{Place: further}.Encode(1 << 10)
	if err != nil {
		t.Fatal(err)
	}
	put(t, js, stream.BreakerBucket, string(data), "_checkpoint")
	behind.stop(t)
	if st := checkpoint(t, js); st.Place != further {
		t.Errorf("at %v, want %v", st.Place, further)
	}
}

// pauseConsumers stops what reads the stream from getting more of it.
func pauseConsumers(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	all, err := js.Stream(t.Context(), stream.Name)
	if err != nil {
		t.Fatal(err)
	}
	names := all.ConsumerNames(t.Context())
	for name := range names.Name() {
		if _, err := js.PauseConsumer(t.Context(), stream.Name, name, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := names.Err(); err != nil {
		t.Fatal(err)
	}
}

func TestACheckpointThatCannotBeReadIsPassedOver(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	if _, err := stream.NewBucket(js, stream.BreakerBucket).Change(t.Context(), "_checkpoint", func([]byte) ([]byte, error) { return []byte("?"), nil }); err != nil {
		t.Fatal(err)
	}
	put(t, js, stream.BreakerBucket, "no switch", "shop", "order")
	runBreaker(t, s)
	awaitStateOver := sendCalls(t, js, "err err err")
	eventually(t, "the tool is disabled", func() bool {
		e, err := stream.NewBucket(js, stream.BreakerBucket).Get(t.Context(), orderKey)
		if err != nil {
			t.Fatal(err)
		}
		got, err := drift.DecodeSwitch(e.Value)
		return err == nil && got.State == drift.SwitchDisabled && got.Seq == awaitStateOver
	})
}

func TestImportedCallsDisableNothing(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	b := runBreaker(t, s)
	cfg := client.DefaultConfig()
	cfg.NATS.URL, cfg.History = s.srv.ClientURL(), true
	c, err := client.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	for range 5 {
		if err := c.Publish(t.Context(), &events.Event{ID: uuid.NewString(), Source: "file", Time: time.Now(), Data: orderCall(words["err"])}); err != nil {
			t.Fatal(err)
		}
	}
	sendCalls(t, js, "err err")
	awaitRead(t, js)
	if got := switchOf(t, js); got != nil {
		t.Errorf("disabled: %+v", got)
	}
	if n := testutil.ToFloat64(b.metrics.Calls.WithLabelValues("history")); n != 5 {
		t.Errorf("%v calls passed over", n)
	}
}
