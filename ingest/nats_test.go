package ingest_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

func TestALaneGoesOnWhenItsConsumerIsDeleted(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	r := run(t, js, sink, quick())
	for i := range 5 {
		publishCalls(t, js, i*100, (i+1)*100, 3)
		eventually(t, "stored", func() bool { return sink.count(callSubject) >= (i+1)*100 })
		deleteConsumers(t, js)
	}
	publishCalls(t, js, 500, 600, 3)
	eventually(t, "600 stored", func() bool { return sink.count(callSubject) >= 600 })
	wantOnce(t, sink, 600)
	if r.value(t, r.metrics.Restarts.WithLabelValues("tool_call")) == 0 {
		t.Error("no restart was counted")
	}
}

func deleteConsumers(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	s, err := js.Stream(t.Context(), streamName)
	if err != nil {
		t.Fatal(err)
	}
	for name := range s.ConsumerNames(t.Context()).Name() {
		_ = s.DeleteConsumer(t.Context(), name)
	}
}

func TestALaneGoesOnWhenNATSIsRestarted(t *testing.T) {
	b := startBroker(t)
	js := b.connect()
	makeStreams(t, js)
	sink := newMemory()
	run(t, js, sink, quick())
	for i := range 4 {
		publishCalls(t, b.connect(), i*500, (i+1)*500, 3)
		b.stop()
		b.start()
	}
	publishCalls(t, b.connect(), 2000, 2100, 3)
	eventually(t, "2100 stored", func() bool { return sink.count(callSubject) >= 2100 })
	wantOnce(t, sink, 2100)
}

func TestNATSMayBeAbsentAtTheStart(t *testing.T) {
	b := startBroker(t)
	js := b.connect()
	makeStreams(t, js)
	publishCalls(t, js, 0, 100, 1)
	b.stop()
	sink := newMemory()
	run(t, js, sink, quick())
	b.start()
	eventually(t, "100 stored", func() bool { return sink.count(callSubject) >= 100 })
	wantOnce(t, sink, 100)
}

func TestAStreamThatWasRecreatedStartsFromItsBeginning(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	run(t, js, sink, quick())
	publishCalls(t, js, 0, 500, 1)
	eventually(t, "500 stored", func() bool { return sink.count(callSubject) >= 500 })
	old := laneOf(t, js)
	if err := js.DeleteStream(t.Context(), streamName); err != nil {
		t.Fatal(err)
	}
	makeStreams(t, js)
	if laneOf(t, js) == old {
		t.Fatal("the new stream has the old one's name")
	}
	publishCalls(t, js, 500, 600, 1)
	eventually(t, "600 stored", func() bool { return sink.count(callSubject) >= 600 })
	wantOnce(t, sink, 600)
}

func TestAStreamBehindTheStoreIsNotReadOn(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	publishCalls(t, js, 0, 10, 1)
	sink.rows[laneOf(t, js)] = rowsUpTo(50)
	r := run(t, js, sink, quick())
	eventually(t, "the lane says so", func() bool {
		l := r.Lanes()[0]
		return !l.OK && contains(l.State, "restored from an older state")
	})
}

func TestADelivererThatSkipsIsNoticed(t *testing.T) {
	b := startBroker(t)
	js := b.connect()
	makeStreams(t, js)
	sink := newMemory()
	r := run(t, js, sink, quick())
	publishCalls(t, js, 0, 100, 1)
	eventually(t, "100 stored", func() bool { return sink.count(callSubject) >= 100 })
	stealOne(t, js, call(100))
	publishCalls(t, js, 101, 150, 1)
	eventually(t, "150 stored", func() bool { return sink.count(callSubject) >= 150 })
	wantOnce(t, sink, 150)
	if r.value(t, r.metrics.Restarts.WithLabelValues("tool_call")) == 0 {
		t.Error("no restart was counted")
	}
}

func TestAMessageLostOnTheWayIsFetchedAgainThoughNoneFollows(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	run(t, js, sink, quick())
	publishCalls(t, js, 0, 100, 1)
	eventually(t, "100 stored", func() bool { return sink.count(callSubject) >= 100 })
	stealOne(t, js, call(100))
	eventually(t, "101 stored", func() bool { return sink.count(callSubject) >= 101 })
	wantOnce(t, sink, 101)
}

// stealOne makes the lane's consumer hand a message to somebody else, as if it were lost on its way to the ingester. It
// publishes until it has got one.
func stealOne(t *testing.T, js jetstream.JetStream, data []byte) {
	t.Helper()
	s, err := js.Stream(t.Context(), streamName)
	if err != nil {
		t.Fatal(err)
	}
	for info := range s.ListConsumers(t.Context()).Info() {
		if info.Config.FilterSubject != callSubject {
			continue
		}
		// The server serves waiting requests in turn: publish copies of one event until this request's turn comes.
		c, err := s.Consumer(t.Context(), info.Name)
		if err != nil {
			t.Fatal(err)
		}
		batch, err := c.Fetch(1, jetstream.FetchMaxWait(5*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		stolen := false
		for range 10 {
			publish(t, js, data)
			select {
			case m := <-batch.Messages():
				stolen = m != nil
			case <-time.After(50 * time.Millisecond): // the ingester got it
			}
			if stolen {
				return
			}
		}
	}
	t.Skip("the server gave none away")
}

func TestLeasesShareLanesAndPassThemOn(t *testing.T) {
	b := startBroker(t)
	js := b.connect()
	makeStreams(t, js)
	sink := newMemory()
	cfg := quick()
	cfg.LeaseTTL = time.Second
	first, second := run(t, js, sink, cfg), run(t, b.connect(), sink, cfg)
	eventually(t, "each lane has one holder", func() bool { return working(first)+working(second) == len(first.Lanes()) })
	publishCalls(t, js, 0, 500, 5)
	eventually(t, "500 stored", func() bool { return sink.count(callSubject) >= 500 })
	if n := first.value(t, first.metrics.LostRaces.WithLabelValues("tool_call")) + second.value(t, second.metrics.LostRaces.WithLabelValues("tool_call")); n != 0 {
		t.Errorf("%v batches were in vain", n)
	}
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other has all lanes", func() bool { return working(second) == len(second.Lanes()) })
	publishCalls(t, js, 500, 600, 5)
	eventually(t, "600 stored", func() bool { return sink.count(callSubject) >= 600 })
	wantOnce(t, sink, 600)
}

func working(r *running) int {
	n := 0
	for _, l := range r.Lanes() {
		if l.State == "running" {
			n++
		}
	}
	return n
}

func TestASubjectThatNothingReadsIsShown(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	r := run(t, js, newMemory(), quick())
	for _, subject := range []string{"tooltrail.v1.7.tool_call", "tooltrail.v1.0.tool_of_the_future", callSubject} {
		if _, err := js.Publish(t.Context(), subject, call(1)); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "two are shown", func() bool { return r.value(t, r.metrics.UnassignedSubjects) == 2 })
}
