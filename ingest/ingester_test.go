package ingest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
)

func TestEventsArriveOnceWhateverTheMessageSize(t *testing.T) {
	for _, per := range []int{1, 7, 500} {
		js := startBroker(t).connect()
		makeStreams(t, js)
		sink := newMemory()
		publishCalls(t, js, 0, 2000, per)
		r := run(t, js, sink, quick())
		publishCalls(t, js, 2000, 3000, per)
		eventually(t, "3000 stored", func() bool { return sink.count(callSubject) >= 3000 })
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
		wantOnce(t, sink, 3000)
		if got := r.value(t, r.metrics.Events.WithLabelValues("tool_call")); got != 3000 {
			t.Errorf("counted %v events", got)
		}
	}
}

func TestEachKindHasItsLane(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	run(t, js, sink, quick())
	beat := &events.Event{ID: callID(1).String(), Source: "a", Time: time.Unix(1_700_000_000, 0), Data: &events.ClientHeartbeat{ClientID: "c", ClientVersion: "1"}}
	line, err := events.AppendEvent(nil, beat)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), events.Subject(0, events.KindClientHeartbeat), line); err != nil {
		t.Fatal(err)
	}
	publish(t, js, call(1))
	eventually(t, "both stored", func() bool {
		return sink.count(callSubject) == 1 && sink.count(events.Subject(0, events.KindClientHeartbeat)) == 1
	})
}

func TestALostAnswerIsNotASecondInsert(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	sink.setFault(func(n int, _ []events.Row) fault {
		switch n % 4 {
		case 1:
			return fault{err: context.DeadlineExceeded} // stored, and the answer was lost
		case 2:
			return fault{lose: true, err: errAway}
		case 3:
			return fault{lose: true} // OK, and nothing there
		}
		return fault{}
	})
	cfg := quick()
	cfg.MaxRows = 100
	publishCalls(t, js, 0, 2000, 3)
	run(t, js, sink, cfg)
	eventually(t, "2000 stored", func() bool { return sink.count(callSubject) >= 2000 })
	wantOnce(t, sink, 2000)
}

func TestACancelledInsertLeavesNoHalfBatch(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	never := make(chan struct{})
	sink.setFault(func(n int, _ []events.Row) fault {
		if n%3 == 1 {
			return fault{wait: never}
		}
		return fault{}
	})
	cfg := quick()
	cfg.InsertTimeout, cfg.MaxRows = 50*time.Millisecond, 200
	publishCalls(t, js, 0, 1000, 1)
	run(t, js, sink, cfg)
	eventually(t, "1000 stored", func() bool { return sink.count(callSubject) >= 1000 })
	wantOnce(t, sink, 1000)
}

func TestANewIngesterWithOtherBatchesRepeatsNothing(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	publishCalls(t, js, 0, 4000, 3)
	for i := range 8 {
		cfg := quick()
		cfg.MaxRows, cfg.Grace = 50+37*i, 0
		sink.setFault(func(n int, _ []events.Row) fault {
			if n%2 == 0 {
				return fault{err: errAway}
			}
			return fault{}
		})
		r := run(t, js, sink, cfg)
		want := min(4000, 450*(i+1))
		eventually(t, "progress", func() bool { return sink.count(callSubject) >= want })
		_ = r.stop()
	}
	run(t, js, sink, quick())
	eventually(t, "4000 stored", func() bool { return sink.count(callSubject) >= 4000 })
	wantOnce(t, sink, 4000)
}

func TestTwoIngestersOnOneLaneStoreEachEventOnce(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	a, b := quick(), quick()
	a.MaxRows, b.MaxRows = 70, 110
	first, second := run(t, js, sink, a), run(t, js, sink, b)
	for i := range 20 {
		publishCalls(t, js, i*200, (i+1)*200, 1+i%5)
	}
	eventually(t, "4000 stored", func() bool { return sink.count(callSubject) >= 4000 })
	_, _ = first.stop(), second.stop()
	wantOnce(t, sink, 4000)
	if n := first.value(t, first.metrics.Events.WithLabelValues("tool_call")) + second.value(t, second.metrics.Events.WithLabelValues("tool_call")); n < 4000 {
		t.Errorf("counted %v events", n)
	}
}

func TestAnEventPublishedTwiceCountsOnceAlsoAfterARestart(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	r := run(t, js, sink, quick())
	publishCalls(t, js, 0, 300, 10)
	publishCalls(t, js, 0, 300, 7)
	eventually(t, "300 doubles seen", func() bool { return r.value(t, r.metrics.Duplicates.WithLabelValues("tool_call")) >= 300 })
	_ = r.stop()
	publishCalls(t, js, 100, 400, 9)
	r = run(t, js, sink, quick())
	eventually(t, "400 stored", func() bool { return sink.count(callSubject) >= 400 })
	wantOnce(t, sink, 400)
}

func TestAStoreThatIsAwayHoldsBackWithBoundedMemory(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	sink.setFault(func(int, []events.Row) fault { return fault{lose: true, err: errAway} })
	cfg := quick()
	cfg.Memory, cfg.PullBytes = 8<<20, 1
	r := run(t, js, sink, cfg)
	const n = 12_000 // 4 MB, which count as 16
	publishCalls(t, js, 0, n, 100)
	eventually(t, "the budget is used", func() bool { return r.value(t, r.metrics.MemoryBytes) > 7<<20 })
	if used := r.value(t, r.metrics.MemoryBytes); used > 8<<20 {
		t.Errorf("%v bytes of 8 MiB in use", used)
	}
	eventually(t, "lag is shown", func() bool { return r.value(t, r.metrics.LagMessages.WithLabelValues("0", "tool_call")) == n/100 })
	sink.setFault(nil)
	eventually(t, "all stored", func() bool { return sink.count(callSubject) >= n })
	wantOnce(t, sink, n)
	eventually(t, "lag is gone", func() bool { return r.value(t, r.metrics.LagMessages.WithLabelValues("0", "tool_call")) == 0 })
	_ = r.stop()
	if used := r.value(t, r.metrics.MemoryBytes); used != 0 {
		t.Errorf("%v bytes in use after the stop", used)
	}
}

func TestManyLanesShareALittleMemory(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	cfg := quick()
	cfg.Partitions, cfg.Memory, cfg.MaxAge = []int{0, 1, 2, 3}, 8<<20, time.Hour
	const n = 4000
	for i := range 4 {
		for m := 0; m < n; m += 100 {
			var batch [][]byte
			for k := range 100 {
				batch = append(batch, call(i*n+m+k))
			}
			if _, err := js.PublishAsync(events.Subject(i, events.KindToolCall), lines(batch...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	<-js.PublishAsyncComplete()
	r := run(t, js, sink, cfg)
	eventually(t, "more than the budget holds is stored", func() bool {
		total := 0
		for i := range 4 {
			total += sink.count(events.Subject(i, events.KindToolCall))
		}
		return total > 2*n
	})
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
}

func TestDroppedMessagesAreCountedAsAGap(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js, func(c *jetstream.StreamConfig) { c.MaxMsgs = 100 })
	sink := newMemory()
	r := run(t, js, sink, quick())
	publishCalls(t, js, 0, 50, 1)
	eventually(t, "50 stored", func() bool { return sink.count(callSubject) >= 50 })
	_ = r.stop()
	publishCalls(t, js, 50, 350, 1)
	r = run(t, js, sink, quick())
	eventually(t, "the rest stored", func() bool { return sink.count(callSubject) >= 150 })
	if gaps, lost := r.value(t, r.metrics.Gaps.WithLabelValues("tool_call")), r.value(t, r.metrics.GapMessages.WithLabelValues("tool_call")); gaps != 1 || lost != 200 {
		t.Errorf("counted %v gaps of %v messages, want 1 of 200", gaps, lost)
	}
	if got := r.value(t, r.metrics.Gaps.WithLabelValues("activation")); got != 0 {
		t.Errorf("counted %v gaps of a lane that never had a message", got)
	}
}

func TestReadinessSaysWhatIsWrong(t *testing.T) {
	b := startBroker(t)
	js := b.connect()
	r := run(t, js, newMemory(), quick())
	h := httptest.NewServer(r.Handler(r.reg, nil))
	defer h.Close()
	get := func(path string) (int, string) {
		resp, err := http.Get(h.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var sb strings.Builder
		_, _ = io.Copy(&sb, resp.Body)
		return resp.StatusCode, sb.String()
	}
	if status, body := get("/readyz"); status != http.StatusServiceUnavailable || !contains(body, `"ok":false`) {
		t.Errorf("without streams: %d %s", status, body)
	}
	if n := r.value(t, r.metrics.LanesDown); n != float64(len(r.Lanes())) {
		t.Errorf("without streams %v lanes are down", n)
	}
	makeStreams(t, js)
	eventually(t, "ready", func() bool { status, _ := get("/readyz"); return status == http.StatusOK })
	if n := r.value(t, r.metrics.LanesDown); n != 0 {
		t.Errorf("with streams %v lanes are down", n)
	}
	b.stop()
	eventually(t, "not ready", func() bool {
		status, body := get("/readyz")
		return status == http.StatusServiceUnavailable && contains(body, "not connected")
	})
	if status, _ := get("/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d", status)
	}
	if status, body := get("/metrics"); status != http.StatusOK || !contains(body, "tooltrail_ingest_lag_messages") {
		t.Errorf("/metrics: %d", status)
	}
	b.start()
}
