package ingest_test

import (
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

func TestAnUndecodableLineIsADeadLetterAndHoldsUpNothing(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	r := run(t, js, sink, quick())
	bad := []byte(`{"specversion":"1.0","id":"x","secret":"hunter2"`)
	publish(t, js, call(0))
	publish(t, js, bad)
	publish(t, js, lines(call(1), []byte("not json"), call(2), []byte(strings.Replace(string(callOf(9, "t")), `"ok"`, `"hunter2"`, 1))))
	publish(t, js, call(3))
	eventually(t, "the good ones", func() bool { return sink.count(callSubject) >= 4 })
	eventually(t, "the bad ones", func() bool { return len(sink.letters()) >= 3 })
	wantOnce(t, sink, 4)
	letters := sink.letters()
	first, second, third := letters[0], letters[1], letters[2]
	if first.Subject != callSubject || first.StreamSeq != 2 || first.StreamPos != 0 || string(first.Payload) != string(bad) || first.Reason == "" {
		t.Errorf("first letter: %+v", first)
	}
	if second.StreamSeq != 3 || second.StreamPos != 1 || string(second.Payload) != "not json" {
		t.Errorf("second letter: %+v", second)
	}
	if third.Path != "/data/outcome" || third.StreamPos != 3 {
		t.Errorf("third letter: %+v", third)
	}
	if got := r.value(t, r.metrics.DeadLetters.WithLabelValues("tool_call")); got != 3 {
		t.Errorf("counted %v dead letters", got)
	}
	if strings.Contains(r.log.String(), "hunter2") {
		t.Error("the log quotes what was refused")
	}
}

func TestALineRefusedAgainAfterACrashIsOneDeadLetter(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	publish(t, js, lines([]byte("{"), []byte("[")))
	for range 3 { // the position does not move, so each ingester refuses the lines again
		r := run(t, js, sink, quick())
		eventually(t, "refused", func() bool { return r.value(t, r.metrics.DeadLetters.WithLabelValues("tool_call")) == 2 })
		_ = r.stop()
	}
	run(t, js, sink, quick())
	publish(t, js, call(0))
	eventually(t, "the good one", func() bool { return sink.count(callSubject) == 1 })
	eventually(t, "both letters", func() bool { return len(sink.letters()) >= 2 })
	if n := len(sink.letters()); n != 2 {
		t.Errorf("%d dead letters are stored", n)
	}
}

// refuseTool makes the store refuse inserts with a call of a tool.
func refuseTool(name string) func(int, []events.Row) fault {
	return func(_ int, rows []events.Row) fault {
		for _, r := range rows {
			if c, ok := r.Event.Data.(*events.ToolCall); ok && c.ToolName == name {
				return fault{lose: true, err: refusal{}}
			}
		}
		return fault{}
	}
}

func TestARowThatTheStoreRefusesIsFoundAmongMany(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	publishCalls(t, js, 0, 500, 1)
	publish(t, js, callOf(1000, "poison"))
	publishCalls(t, js, 500, 700, 1)
	publish(t, js, callOf(1001, "poison"))
	publishCalls(t, js, 700, 701, 1)
	sink.setFault(refuseTool("poison"))
	run(t, js, sink, quick())
	eventually(t, "701 stored", func() bool { return sink.count(callSubject) >= 701 })
	eventually(t, "two letters", func() bool { return len(sink.letters()) >= 2 })
	wantOnce(t, sink, 701)
	l := sink.letters()[0]
	if string(l.Payload) != string(callOf(1000, "poison")) || l.StreamSeq != 501 || !contains(l.Reason, "refused by the store") {
		t.Errorf("letter: %+v", l)
	}
}

func TestOneRefusedRowOfAMessageDoesNotTakeTheOthersAlong(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	sink.setFault(refuseTool("poison"))
	run(t, js, sink, quick())
	publish(t, js, call(0))
	eventually(t, "the store is proven", func() bool { return sink.count(callSubject) == 1 })
	publish(t, js, lines(call(1), callOf(1000, "poison"), call(2)))
	publish(t, js, call(3))
	eventually(t, "4 stored", func() bool { return sink.count(callSubject) >= 4 })
	eventually(t, "one letter", func() bool { return len(sink.letters()) >= 1 })
	wantOnce(t, sink, 4)
	if n := len(sink.letters()); n != 1 {
		t.Errorf("%d letters", n)
	}
}

func TestADeadLetterThatTheStoreRefusesMakesNoOther(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	sink.setFault(func(_ int, rows []events.Row) fault {
		if rows[0].Event.Kind() == events.KindDeadLetter {
			return fault{lose: true, err: refusal{}}
		}
		return fault{}
	})
	r := run(t, js, sink, quick())
	publish(t, js, []byte("{"))
	eventually(t, "given up", func() bool { return contains(r.log.String(), "give up a dead letter") })
	if _, err := js.Publish(t.Context(), events.DeadLetterSubject, []byte("without headers")); err != nil {
		t.Fatal(err)
	}
	sink.setFault(nil)
	if _, err := js.Publish(t.Context(), events.DeadLetterSubject, []byte("without headers")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "stored", func() bool { return len(sink.letters()) >= 1 })
	if l := sink.letters()[0]; string(l.Payload) != "without headers" || l.Reason != "not known" {
		t.Errorf("letter: %+v", l)
	}
}

func TestAStoreThatRefusesEverythingIsWaitedFor(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	sink.setFault(func(_ int, rows []events.Row) fault {
		if rows[0].Event.Kind() == events.KindToolCall {
			return fault{lose: true, err: refusal{}}
		}
		return fault{}
	})
	cfg := quick()
	cfg.MaxRefused = 10
	publishCalls(t, js, 0, 400, 4)
	r := run(t, js, sink, cfg)
	eventually(t, "the lane says so", func() bool {
		l := r.Lanes()[0]
		return !l.OK && contains(l.State, "refuses row after row")
	})
	sink.setFault(nil)
	eventually(t, "400 stored", func() bool { return sink.count(callSubject) >= 400 })
	wantOnce(t, sink, 400)
}

func TestALineOverTheLimitOfAnEventIsCut(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	run(t, js, sink, quick())
	huge := make([]byte, js.Conn().MaxPayload())
	for i := range huge {
		huge[i] = 'x'
	}
	publish(t, js, huge)
	eventually(t, "a letter", func() bool { return len(sink.letters()) >= 1 })
	l := sink.letters()[0]
	if len(l.Payload) >= len(huge) || !contains(l.Reason, "over 524288 bytes", "cut from 1048576 bytes") {
		t.Errorf("letter of %d bytes: %s", len(l.Payload), l.Reason)
	}
}
