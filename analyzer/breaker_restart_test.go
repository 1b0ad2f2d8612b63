package analyzer_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

func TestABreakerThatIsKilledGoesOnWhereItWas(t *testing.T) {
	for _, c := range []struct {
		name       string
		checkpoint bool
	}{{"before any checkpoint", false}, {"after a checkpoint", true}} {
		t.Run(c.name, func(t *testing.T) {
			s := startNATS(t)
			js := s.connect()
			first := runBreaker(t, s, func(o *breakerOptions) {
				if !c.checkpoint {
					o.cfg.CheckpointEvery = time.Hour
				}
			})
			sendCalls(t, js, "ok err err")
			if c.checkpoint {
				awaitRead(t, js)
			} else {
				eventually(t, "the calls are read", func() bool { return testutil.ToFloat64(first.metrics.Calls.WithLabelValues("counted")) == 3 })
			}
			first.kill(t)
			if got := checkpoint(t, js); (len(got.Streaks) == 1) != c.checkpoint {
				t.Errorf("checkpoint %+v", got)
			}
			runBreaker(t, s)
			seq := sendCalls(t, js, "err")
			if got := awaitState(t, js, drift.SwitchDisabled, seq); got.ErrorCount != 3 {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestARepeatAfterARestartCountsOnce(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	first := runBreaker(t, s)
	ok, failed := line(t, uuid.NewString(), orderCall(words["ok"])), line(t, uuid.NewString(), orderCall(words["err"]))
	send(t, js, ok, failed)
	sendCalls(t, js, "err")
	awaitRead(t, js)
	first.stop(t)
	second := runBreaker(t, s)
	send(t, js, ok, failed)
	awaitRead(t, js)
	if got := switchOf(t, js); got != nil {
		t.Errorf("disabled by a repeat: %+v", got)
	}
	if n := testutil.ToFloat64(second.metrics.Calls.WithLabelValues("duplicate")); n != 2 {
		t.Errorf("%v duplicates", n)
	}
	awaitState(t, js, drift.SwitchDisabled, sendCalls(t, js, "err"))
}

func TestWhatIsDecidedAndNotToldIsToldByTheNext(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	nobody, somebody := newPeople(), newPeople()
	nobody.set(errors.New("no servers"))
	first := runBreaker(t, s, func(o *breakerOptions) { o.people = nobody })
	seq := sendCalls(t, js, "err err err")
	decided := awaitState(t, js, drift.SwitchDisabled, seq)
	first.kill(t)
	if n := nobody.told(); n != 0 {
		t.Fatalf("%d told", n)
	}
	runBreaker(t, s, func(o *breakerOptions) { o.people, o.cfg.TellAfter = somebody, 10*time.Millisecond })
	eventually(t, "people are told", func() bool { return switchOf(t, js).Told })
	now := switchOf(t, js)
	now.Told = false
	if diff := cmp.Diff(decided, now); diff != "" {
		t.Errorf("the switch is another one (-decided +now):\n%s", diff)
	}
	if n := somebody.told(); n != 1 {
		t.Errorf("%d told", n)
	}
}

func TestTwoBreakersDoNotFight(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	who := newPeople()
	states := record(t, js)
	mine := func(o *breakerOptions) { o.people = who }
	a, b := runBreaker(t, s, mine), runBreaker(t, s, mine)
	both := func(n float64) {
		t.Helper()
		for _, one := range []*breaker{a, b} {
			eventually(t, "both have read", func() bool {
				return testutil.ToFloat64(one.metrics.Calls.WithLabelValues("counted"))+testutil.ToFloat64(one.metrics.Calls.WithLabelValues("ignored")) == n
			})
		}
	}
	seq := sendCalls(t, js, "err err err")
	awaitState(t, js, drift.SwitchDisabled, seq)
	enabled := enable(t, js, time.Time{})
	sendCalls(t, js, "err err")
	both(5)
	if got := switchOf(t, js); got.State != drift.SwitchEnabled || got.By != "ada" {
		t.Fatalf("it did not stay enabled: %+v", got)
	}
	again := sendCalls(t, js, "err")
	awaitState(t, js, drift.SwitchDisabled, again)
	both(6)
	eventually(t, "people are told", func() bool { return switchOf(t, js).Told })
	want := []string{
		fmt.Sprintf("disabled by breaker at %d", seq), fmt.Sprintf("enabled by ada at %d", enabled), fmt.Sprintf("disabled by breaker at %d", again),
	}
	eventually(t, "all states are recorded", func() bool { return len(states()) >= len(want) })
	if diff := cmp.Diff(want, states()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := who.told(); n != 2 {
		t.Errorf("told %d times of two decisions", n)
	}
	if n := testutil.ToFloat64(a.metrics.Trips.WithLabelValues("disabled")) + testutil.ToFloat64(b.metrics.Trips.WithLabelValues("disabled")); n != 2 {
		t.Errorf("%v trips", n)
	}
}

func TestABreakerThatComesLateLeavesWhatWasDecided(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	first := runBreaker(t, s, func(o *breakerOptions) { o.cfg.CheckpointEvery = time.Hour })
	seq := sendCalls(t, js, "err err err")
	awaitState(t, js, drift.SwitchDisabled, seq)
	first.kill(t)
	enable(t, js, time.Time{})
	runBreaker(t, s) // from the first call on: there is no checkpoint
	awaitRead(t, js)
	if got := switchOf(t, js); got.State != drift.SwitchEnabled {
		t.Errorf("disabled again: %+v", got)
	}
	awaitState(t, js, drift.SwitchDisabled, sendCalls(t, js, "err err err"))
}

// enable does what a person does who enables shop/order.
func enable(t *testing.T, js jetstream.JetStream, until time.Time) uint64 {
	t.Helper()
	s, err := js.Stream(t.Context(), stream.Name)
	if err != nil {
		t.Fatal(err)
	}
	place := drift.Place{Epoch: stream.EpochOf(s.CachedInfo()), Seq: s.CachedInfo().State.LastSeq}
	_, err = stream.NewBucket(js, stream.BreakerBucket).Change(t.Context(), orderKey, func(old []byte) ([]byte, error) {
		was, err := drift.DecodeSwitch(old)
		if err != nil {
			return nil, err
		}
		is, err := drift.Enable(was, drift.SwitchEdit{Server: "shop", Tool: "order", By: "ada", At: time.Now(), Until: until, Place: place})
		if err != nil {
			return nil, err
		}
		return is.Encode()
	})
	if err != nil {
		t.Fatal(err)
	}
	return place.Seq
}
