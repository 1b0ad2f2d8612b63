package client

import (
	"bytes"
	"cmp"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
)

// headerRoom is what a message's headers take of the server's limit, and more.
const headerRoom = 256

// lane is what the events of one message have in common.
type lane struct {
	partition int
	kind      events.Kind
}

// message is one NATS message: events of one lane, newline-delimited. Only the sender touches it.
type message struct {
	lane   lane
	id     string
	seq    uint64 // the order of sending
	data   []byte
	events int // heartbeats are not counted
	res    reserved
	since  time.Time // when its first event came

	// uncertain is when the first attempt was made that may have been stored; zero when there is none.
	uncertain time.Time
	// fresh says that the attempt under way is that one.
	fresh     bool
	abandoned bool
	heartbeat bool
	history   bool // its events are of long ago
	shared    bool // data is part of another message's
	waiters   []*waiter
}

// waiter waits for messages to be settled. Only the sender touches it until done is closed.
type waiter struct {
	pending int
	failed  int // events
	reason  Reason
	done    chan struct{}
}

func newWaiter() *waiter { return &waiter{done: make(chan struct{})} }

func (w *waiter) watch(m *message) {
	w.pending++
	m.waiters = append(m.waiters, w)
}

// settled tells the waiter that one of its messages, or a part of it, is done.
func (w *waiter) settled(events int, r Reason) {
	w.pending--
	if r != "" {
		w.failed += events
		w.reason = r
	}
	if w.pending == 0 {
		close(w.done)
	}
}

// msg makes the NATS message of one attempt.
func (m *message) msg() *nats.Msg {
	msg := &nats.Msg{
		Subject: events.Subject(m.lane.partition, m.lane.kind),
		Header:  nats.Header{jetstream.MsgIDHeader: []string{m.id}},
		Data:    m.data,
	}
	if m.history {
		msg.Header.Set(events.HistoryHeader, "1")
	}
	return msg
}

// compare orders messages by when they are to be sent; the halves of one have the same number and its id with a letter more.
func (m *message) compare(other *message) int {
	return cmp.Or(cmp.Compare(m.seq, other.seq), cmp.Compare(m.id, other.id))
}

// split cuts a message of several lines in two at a line's end near the middle; false when it has one line.
func (m *message) split() (first, second *message, ok bool) {
	at := bytes.LastIndexByte(m.data[:len(m.data)/2], '\n') + 1
	if at == 0 {
		at = bytes.IndexByte(m.data, '\n') + 1
	}
	if at == 0 || at == len(m.data) {
		return nil, nil, false
	}
	a, b := *m, *m
	a.shared, b.shared = true, true
	a.data, b.data = m.data[:at:at], m.data[at:]
	a.events = min(m.events, bytes.Count(a.data, []byte{'\n'}))
	b.events = m.events - a.events
	a.res = reserved{min(m.res.events, a.events), m.res.bytes * int64(at) / int64(len(m.data))}
	b.res = reserved{m.res.events - a.res.events, m.res.bytes - a.res.bytes}
	a.id, b.id = m.id+"a", m.id+"b"
	for _, w := range m.waiters {
		w.pending++
	}
	return &a, &b, true
}

// complete fills in what the event leaves empty.
func (c *Config) complete(e *events.Event) error {
	if e.ID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("make event id: %w", err)
		}
		e.ID = id.String()
	}
	if e.Source == "" {
		e.Source = c.Source
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	c.completeContext(e.Data.Common())
	return nil
}

func (c *Config) completeContext(x *events.Context) {
	d := &c.Context
	for _, f := range [...]struct {
		to   *string
		from string
	}{
		{&x.AgentName, d.AgentName}, {&x.AgentVersion, d.AgentVersion}, {&x.Environment, d.Environment}, {&x.Team, d.Team},
		{&x.ConversationID, d.ConversationID}, {&x.RequestID, d.RequestID}, {&x.ProviderName, d.ProviderName},
		{&x.RequestModel, d.RequestModel}, {&x.TraceID, d.TraceID}, {&x.SpanID, d.SpanID}, {&x.Cohort, d.Cohort},
	} {
		if *f.to == "" {
			*f.to = f.from
		}
	}
	if x.Turn == 0 {
		x.Turn = d.Turn
	}
}

// encode checks an event and appends it as a line.
func (c *Config) encode(dst []byte, e *events.Event) ([]byte, error) {
	if empty(e.Data) {
		return dst, fmt.Errorf("check event: %w", &events.Error{Path: "/data", Reason: "missing"})
	}
	if err := c.complete(e); err != nil {
		return dst, err
	}
	if err := e.Validate(); err != nil {
		return dst, fmt.Errorf("check event: %w", err)
	}
	out, err := events.AppendEvent(dst, e)
	if err != nil {
		return dst, err
	}
	return append(out, '\n'), nil
}

// laneOf returns the lane of a checked event.
func (c *Config) laneOf(e *events.Event) lane {
	return lane{events.Partition(e.Data.Common().ConversationID, c.Partitions), e.Kind()}
}
