package ingest_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
)

func TestAStopStoresWhatWasFetched(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	gate, began := make(chan struct{}), make(chan struct{}, 100)
	sink.setFault(func(int, []events.Row) fault {
		began <- struct{}{}
		return fault{wait: gate}
	})
	cfg := quick()
	cfg.MaxRows = 100
	publishCalls(t, js, 0, 1000, 1)
	r := run(t, js, sink, cfg)
	<-began
	r.cancel()
	close(gate)
	if err := r.stop(); err != nil {
		t.Fatalf("a stop with time enough: %v", err)
	}
	wantOnce(t, sink, sink.count(callSubject))
	if sink.count(callSubject) == 0 {
		t.Error("the insert under way was not stored")
	}
}

func TestAStopSaysHowMuchWasNotStored(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	began := make(chan struct{}, 1)
	sink.setFault(func(int, []events.Row) fault {
		select {
		case began <- struct{}{}:
		default:
		}
		return fault{wait: make(chan struct{})}
	})
	cfg := quick()
	cfg.MaxRows, cfg.Grace = 100, 50*time.Millisecond
	publishCalls(t, js, 0, 1000, 1)
	r := run(t, js, sink, cfg)
	<-began
	var unstored *ingest.UnstoredError
	if err := r.stop(); !errors.As(err, &unstored) || unstored.Events == 0 {
		t.Fatalf("stop without storing returned %v", err)
	}
	if got := r.value(t, r.metrics.Events.WithLabelValues("tool_call")); got != 0 {
		t.Errorf("%v events were counted before the store had them", got)
	}
	sink.setFault(nil)
	run(t, js, sink, quick())
	eventually(t, "1000 stored", func() bool { return sink.count(callSubject) >= 1000 })
	wantOnce(t, sink, 1000)
}

func TestAStopLeavesNoGoroutine(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	cfg := quick()
	cfg.LeaseTTL = time.Second
	r := run(t, js, sink, cfg)
	publishCalls(t, js, 0, 10, 1)
	eventually(t, "10 stored", func() bool { return sink.count(callSubject) >= 10 })
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	stacks := make([]byte, 4<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if contains(string(stacks), "tooltrail/ingest.(*") {
		t.Errorf("goroutines are left:\n%s", stacks)
	}
}
