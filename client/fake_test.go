package client

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
)

// fakeLink is a link whose server does what answer says.
type fakeLink struct {
	res  *results
	max  int
	away chan nats.Status

	mu   sync.Mutex
	down bool
	sent []*nats.Msg
	at   []time.Time
	// answer returns the result of the nth attempt, and false when there comes none.
	answer func(n int, m *nats.Msg) (error, bool)
}

func (f *fakeLink) up() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.down
}

func (f *fakeLink) changed() <-chan nats.Status { return f.away }
func (f *fakeLink) limit() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.max
}

// leave takes the connection away, and set changes the limit.
func (f *fakeLink) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = true
}

func (f *fakeLink) set(limit int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.max = limit
}

func (f *fakeLink) reconnects() uint64 { return 3 }
func (f *fakeLink) close()             {}

func (f *fakeLink) send(m *nats.Msg) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.sent)
	f.sent = append(f.sent, &nats.Msg{Subject: m.Subject, Header: m.Header, Data: bytes.Clone(m.Data)})
	f.at = append(f.at, time.Now())
	err, answered := error(nil), true
	if f.answer != nil {
		err, answered = f.answer(n, m)
	}
	if answered {
		f.res.add(result{m, err})
	}
	return nil
}

// come brings the connection back.
func (f *fakeLink) come() {
	f.mu.Lock()
	f.down = false
	f.mu.Unlock()
	f.away <- nats.CONNECTED
}

// calls returns the attempts so far, heartbeats left out.
func (f *fakeLink) calls() []*nats.Msg {
	f.mu.Lock()
	defer f.mu.Unlock()
	var calls []*nats.Msg
	for _, m := range f.sent {
		if m.Subject != events.Subject(0, events.KindClientHeartbeat) {
			calls = append(calls, m)
		}
	}
	return calls
}

// fake starts a client with a fake link. No heartbeat comes for a year unless change says so.
func fake(t *testing.T, change func(*Config), answer func(n int, m *nats.Msg) (error, bool)) (*Client, *fakeLink) {
	t.Helper()
	cfg := DefaultConfig().completed()
	cfg.Log = slog.New(slog.DiscardHandler)
	cfg.HeartbeatEvery = 365 * 24 * time.Hour
	if change != nil {
		change(&cfg)
	}
	c := start(cfg)
	l := &fakeLink{res: c.s.res, max: 1 << 20, away: make(chan nats.Status, 10), answer: answer}
	c.s.links <- l
	return c, l
}

func call(name string) *events.Event {
	return &events.Event{Data: &events.ToolCall{ToolName: name, Outcome: events.OutcomeOK}}
}

// lines counts the events of messages.
func lines(msgs []*nats.Msg) []int {
	var n []int
	for _, m := range msgs {
		n = append(n, bytes.Count(m.Data, []byte{'\n'}))
	}
	return n
}

func ids(msgs []*nats.Msg) []string {
	var all []string
	for _, m := range msgs {
		all = append(all, m.Header.Get(jetstream.MsgIDHeader))
	}
	return all
}

// names returns the tool names in messages, in order.
func names(t *testing.T, msgs []*nats.Msg) []string {
	t.Helper()
	var all []string
	for _, m := range msgs {
		for _, line := range events.Lines(m.Data) {
			e, err := events.Decode(line)
			if err != nil {
				t.Fatal(err)
			}
			if c, ok := e.Data.(*events.ToolCall); ok {
				all = append(all, c.ToolName)
			}
		}
	}
	return all
}
