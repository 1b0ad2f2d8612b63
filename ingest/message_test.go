package ingest

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
)

func TestPlaceIsReadFromEveryFormOfReply(t *testing.T) {
	for reply, want := range map[string]message{
		"$JS.ACK.TOOLTRAIL.c1.1.42.7.1700000000000000001.3":                    {seq: 42, delivered: 7, time: time.Unix(0, 1700000000000000001)},
		"$JS.ACK.hub.ACCOUNT.TOOLTRAIL.c1.1.42.7.1700000000000000001.3":        {seq: 42, delivered: 7, time: time.Unix(0, 1700000000000000001)},
		"$JS.ACK._.ACCOUNT.TOOLTRAIL.c1.1.42.7.1700000000000000001.3.RANDOMLY": {seq: 42, delivered: 7, time: time.Unix(0, 1700000000000000001)},
	} {
		var m message
		if err := m.placeOf(reply); err != nil || m.seq != want.seq || m.delivered != want.delivered || !m.time.Equal(want.time) {
			t.Errorf("%s: %+v, %v", reply, m, err)
		}
	}
	for _, reply := range []string{"", "_INBOX.1", "$JS.ACK.", "$JS.ACK.a.b.c.d.e.f.g", "$JS.ACK.a.b.1.-1.2.3.4"} {
		if new(message).placeOf(reply) == nil {
			t.Errorf("%q has a place", reply)
		}
	}
}

func TestReadingAPlaceAllocatesNothing(t *testing.T) {
	var m message
	if n := testing.AllocsPerRun(100, func() { _ = m.placeOf("$JS.ACK.TOOLTRAIL.c1.1.42.7.1700000000000000001.3") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzPlace(f *testing.F) {
	f.Add("$JS.ACK.TOOLTRAIL.c1.1.42.7.1700000000000000001.3")
	f.Add("$JS.ACK.hub.A.TOOLTRAIL.c1.1.42.7.17.3")
	f.Fuzz(func(_ *testing.T, reply string) { _ = new(message).placeOf(reply) })
}

// Whatever a message holds, each of its lines becomes a row, a duplicate or a dead letter.
func FuzzReadEvents(f *testing.F) {
	e := &events.Event{ID: "0190b3a0-0000-7000-8000-000000000001", Source: "a", Time: time.Unix(1_700_000_000, 0), Data: &events.ToolCall{ToolName: "t", Outcome: "ok"}}
	line, err := events.AppendEvent(nil, e)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add(append(append(bytes.Clone(line), '\n'), line...))
	f.Add([]byte("{}\n\n[1]\r\n\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := 0
		for range events.Lines(data) {
			lines++
		}
		b := &batch{}
		r := &eventReader{subject: "s", kind: events.KindToolCall, recent: newRecent(10), maxLetters: 10}
		r.read(b, message{data: data, seq: 1})
		if got := len(b.rows) + len(b.dead) + b.duplicates; got != lines || len(b.ids) != len(b.rows) {
			t.Fatalf("%d lines became %d", lines, got)
		}
		for i := range b.dead {
			if b.dead[i].reason == "" {
				t.Fatal("a dead letter without a reason")
			}
		}
	})
}

// What goes into a dead letter's message comes out of it, whatever it is.
func FuzzDeadLetter(f *testing.F) {
	f.Add([]byte("{"), "/data/x", "not JSON", uint64(7), uint32(1))
	f.Add([]byte{0xff, 0}, "", "line\nbreak", uint64(0), uint32(0))
	f.Fuzz(func(t *testing.T, payload []byte, path, reason string, seq uint64, pos uint32) {
		d := deadLetter{"s", seq, pos, path, reason, payload}
		msg := d.message("1/s", 1<<20)
		letter, id := openLetter(message{data: msg.Data, header: msg.Header})
		if id.String() != msg.Header.Get(jetstream.MsgIDHeader) || letter.StreamSeq != seq || letter.StreamPos != pos {
			t.Fatalf("%+v", letter)
		}
		if len(payload) <= 1<<20-headerRoom && !bytes.Equal(letter.Payload, payload) {
			t.Fatal("another payload")
		}
		if again := d.message("1/s", 1<<20); again.Header.Get(headerID) != msg.Header.Get(headerID) {
			t.Fatal("the same place has two ids")
		}
	})
}

func TestHeadersOfADeadLetterHoldOneLineEach(t *testing.T) {
	d := deadLetter{subject: "s", reason: "two\r\nlines " + strings.Repeat("x", 1000), path: "/a\nb", payload: []byte("p")}
	msg := d.message("1/s", 1<<20)
	for name, values := range msg.Header {
		if strings.ContainsAny(values[0], "\r\n") || len(values[0]) > 2*maxHeader {
			t.Errorf("%s: %q", name, values[0])
		}
	}
}

func TestALetterWithoutHeadersIsStillOne(t *testing.T) {
	letter, id := openLetter(message{data: []byte("x"), header: nats.Header{}, seq: 3})
	if letter.Reason == "" || string(letter.Payload) != "x" || id.String() == "" {
		t.Errorf("%+v", letter)
	}
}

type stamp struct{}

func (stamp) Enrich(e *events.Event) { e.Data.(*events.ToolCall).DriftClass = events.DriftUnregistered }

func TestAnEnricherSeesEachEventOnce(t *testing.T) {
	e := &events.Event{ID: "0190b3a0-0000-7000-8000-000000000001", Source: "a", Time: time.Unix(1_700_000_000, 0), Data: &events.ToolCall{ToolName: "t", Outcome: "ok"}}
	line, err := events.AppendEvent(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	b := &batch{}
	r := &eventReader{subject: "s", kind: events.KindToolCall, recent: newRecent(10), enricher: stamp{}, maxLetters: 10}
	r.read(b, message{data: append(append(bytes.Clone(line), '\n'), line...), seq: 1})
	if len(b.rows) != 1 || b.duplicates != 1 || b.rows[0].Event.Data.(*events.ToolCall).DriftClass != events.DriftUnregistered {
		t.Errorf("%+v", b)
	}
}

// TestAFloodOfBrokenLinesIsFewLetters: half a million lines of one message once became as many dead letters, and held up the lane.
func TestAFloodOfBrokenLinesIsFewLetters(t *testing.T) {
	r := &eventReader{subject: "s", kind: events.KindToolCall, recent: newRecent(10), maxLetters: 100}
	b := &batch{}
	data := bytes.Repeat([]byte("x\n"), 500_000)
	r.read(b, message{data: data, seq: 7})
	if len(b.dead) != 101 {
		t.Fatalf("%d dead letters, want 101", len(b.dead))
	}
	lines := 0
	for i := range b.dead {
		lines += bytes.Count(b.dead[i].payload, []byte("x"))
	}
	if last := b.dead[100]; lines != 500_000 || last.pos != 100 || !strings.Contains(last.reason, "further lines") {
		t.Errorf("%d lines kept, the last letter is of line %d: %s", lines, last.pos, last.reason)
	}
}
