package client

import (
	"sync"

	"github.com/tooltrail/tooltrail/events"
)

// item is an event that waits to be encoded.
type item struct {
	event  *events.Event
	weight int64
}

// buffer is what Emit and the sender share: the events that wait, and the counts. The zero buffer takes nothing.
type buffer struct {
	wake chan struct{} // has room for one; the sender listens

	mu      sync.Mutex
	started bool
	closed  bool
	// limits
	maxEvents int
	maxBytes  int64
	nudge     int // the sender is woken at the first event and at every so many
	// what Emit took and the sender has not settled
	events int
	bytes  int64
	items  []item
	spare  []item

	emitted, acked uint64
	dropped        drops
}

func newBuffer(cfg *Config) *buffer {
	return &buffer{
		wake: make(chan struct{}, 1), started: true,
		maxEvents: cfg.BufferEvents, maxBytes: cfg.BufferBytes, nudge: cfg.BatchEvents,
	}
}

// add takes an event or drops it, and reports which. It holds the lock for some nanoseconds.
func (b *buffer) add(it item) bool {
	b.mu.Lock()
	b.emitted++
	if r := b.refuse(it.weight); r != "" {
		b.dropped.add(r, 1)
		b.mu.Unlock()
		return false
	}
	b.events++
	b.bytes += it.weight
	b.items = append(b.items, it)
	n := len(b.items)
	b.mu.Unlock()
	if n == 1 || n%b.nudge == 0 {
		b.signal()
	}
	return true
}

// refuse says why there is no room, and "" when there is.
func (b *buffer) refuse(weight int64) Reason {
	switch {
	case !b.started:
		return NotStarted
	case b.closed:
		return Closed
	case b.events >= b.maxEvents || b.bytes+weight > b.maxBytes:
		return BufferFull
	}
	return ""
}

// signal wakes the sender and never blocks.
func (b *buffer) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take hands the waiting events to the sender, which gives the slice back.
func (b *buffer) take() []item {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.items
	b.items, b.spare = b.spare[:0], nil
	return taken
}

func (b *buffer) giveBack(taken []item) {
	clear(taken)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spare = taken
}

// resize corrects the guess of an event's size.
func (b *buffer) resize(by int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes += by
}

// settle counts the events of a message as acknowledged, or dropped for a reason, and frees what they had reserved.
func (b *buffer) settle(n int, res reserved, r Reason) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events -= res.events
	b.bytes -= res.bytes
	if r == "" {
		b.acked += uint64(n) //nolint:gosec // n >= 0
		return
	}
	b.dropped.add(r, n)
}

// published counts events that Publish took.
func (b *buffer) published(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.emitted += uint64(n) //nolint:gosec // n >= 0
}

// close refuses what comes from now on, and returns how much was dropped before.
func (b *buffer) close() (before drops, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first = !b.closed
	b.closed = true
	return b.dropped, first
}

func (b *buffer) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

func (b *buffer) stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Stats{Emitted: b.emitted, Acked: b.acked, QueuedBytes: b.bytes, Dropped: map[Reason]uint64{}}
	for i, n := range b.dropped {
		if n > 0 {
			s.Dropped[reasons[i]] = n
		}
	}
	s.Queued = b.emitted - b.acked - b.dropped.total()
	return s
}

// reserved is what the events of a message take of the buffer's room; nothing for those of Publish and for heartbeats.
type reserved struct {
	events int
	bytes  int64
}
