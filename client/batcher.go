package client

import (
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// batcher makes messages of events: one that is being filled a lane, complete ones in the order in which they were completed.
type batcher struct {
	cfg  *Config
	open map[lane]*message
	// full are the complete messages, not yet taken.
	full []*message
	// free are buffers of messages that are settled.
	free [][]byte
	// limit is how large a message may grow.
	limit int
}

func newBatcher(cfg *Config) *batcher {
	return &batcher{cfg: cfg, open: map[lane]*message{}, limit: cfg.BatchBytes}
}

// add puts an event into its lane's message and returns the size of its line. Where the message would grow over the limit, it
// is complete without the event, which starts the next.
func (b *batcher) add(it item, res int, now time.Time) (int, error) {
	scratch := b.buffer()
	line, err := b.cfg.encode(scratch, it.event)
	if err != nil {
		b.recycle(scratch)
		return 0, err
	}
	l := b.cfg.laneOf(it.event)
	m := b.open[l]
	if m != nil && len(m.data)+len(line) > b.limit {
		b.complete(m)
		m = nil
	}
	if m == nil {
		m = &message{lane: l, data: line, since: now, history: b.cfg.History}
		b.open[l] = m
	} else {
		m.data = append(m.data, line...)
		b.recycle(line)
	}
	m.events++
	m.res.events += res
	if res > 0 {
		m.res.bytes += int64(len(line))
	}
	if m.events >= b.cfg.BatchEvents || len(m.data) >= b.limit {
		b.complete(m)
	}
	return len(line), nil
}

// single makes a message of one event that is not counted.
func (b *batcher) single(e *events.Event) (*message, error) {
	line, err := b.cfg.encode(b.buffer(), e)
	if err != nil {
		return nil, err
	}
	return &message{lane: b.cfg.laneOf(e), data: line}, nil
}

func (b *batcher) complete(m *message) {
	delete(b.open, m.lane)
	b.full = append(b.full, m)
}

// completeOlder completes the messages that were started at or before a time.
func (b *batcher) completeOlder(than time.Time) {
	for _, m := range b.open {
		if !m.since.After(than) {
			b.complete(m)
		}
	}
}

// completeAll completes every message.
func (b *batcher) completeAll() {
	for _, m := range b.open {
		b.complete(m)
	}
}

// oldest returns when the oldest message that is being filled was started; false when there is none.
func (b *batcher) oldest() (at time.Time, ok bool) {
	for _, m := range b.open {
		if !ok || m.since.Before(at) {
			at, ok = m.since, true
		}
	}
	return at, ok
}

// take returns the complete messages.
func (b *batcher) take() []*message {
	full := b.full
	b.full = nil
	return full
}

// maxFree bounds how many buffers are kept, and maxFreeBytes how large one that is kept may be.
const (
	maxFree      = 16
	maxFreeBytes = 1 << 20
)

func (b *batcher) buffer() []byte {
	if n := len(b.free); n > 0 {
		buf := b.free[n-1]
		b.free = b.free[:n-1]
		return buf[:0]
	}
	return make([]byte, 0, 4<<10)
}

func (b *batcher) recycle(buf []byte) {
	if len(b.free) < maxFree && cap(buf) <= maxFreeBytes {
		b.free = append(b.free, buf)
	}
}
