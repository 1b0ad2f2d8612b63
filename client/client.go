package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// Errors of Publish, Flush and Close.
var (
	// ErrNotStarted is returned by the zero Client.
	ErrNotStarted = errors.New("client is not started")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("client is closed")
	// ErrUnacked is in the chain of an error that says how many events were not acknowledged.
	ErrUnacked = errors.New("events not acknowledged")
)

// unacked is an [ErrUnacked] of so many events.
type unacked uint64

func (n unacked) Error() string {
	if n == 1 {
		return "1 event not acknowledged"
	}
	return strconv.FormatUint(uint64(n), 10) + " " + ErrUnacked.Error()
}

// Is makes it an ErrUnacked.
func (n unacked) Is(target error) bool { return target == ErrUnacked }

// Client publishes events. Use [Start]; the zero Client and the nil one drop and, the zero one, count everything. All methods
// can be called from any goroutine.
type Client struct {
	cfg Config
	buf buffer0
	s   *sender
	// room bounds the bytes that Publish has under way.
	room *semaphore.Weighted
	// done is closed when the sender has ended, closed when all of the client has; cancel ends the sender and the watches, by life.
	done, closed chan struct{}
	life         context.Context
	cancel       context.CancelFunc
	// dialed is who dials, watches who watches the buckets; dialErr is why there will never be a connection.
	dialed  sync.WaitGroup
	watches sync.WaitGroup
	dialErr atomic.Pointer[error]
	// memory is what the helpers have sent, splitter remembers the arrays of tools that requests had; it is nil in a client not started.
	memory   memory
	splitter *prefix.Splitter

	// linked is closed when link is set, or will never be.
	linked chan struct{}
	link   *natsLink
	know   *knowledge
	// shown is which versions conversations were shown.
	shown sights
}

// buffer0 is a buffer that is usable as it is.
type buffer0 struct {
	*buffer
	once sync.Once
}

// get returns the buffer; that of the zero Client takes nothing.
func (b *buffer0) get() *buffer {
	b.once.Do(func() {
		if b.buffer == nil {
			b.buffer = &buffer{}
		}
	})
	return b.buffer
}

// Start returns a client that publishes from now on. It returns at once, whether NATS is there or not; an error means that the
// settings are wrong. Close it.
func Start(cfg Config) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("start client: %w", err)
	}
	c := start(cfg.completed())
	c.dialed.Go(c.connect)
	return c, nil
}

// connect dials, hands over the connection, and starts the watches of the buckets.
func (c *Client) connect() {
	l, err := dial(&c.cfg, c.s.res)
	if err != nil {
		c.cfg.Log.Error("client can not publish", slog.Any("error", err))
		c.dialErr.Store(&err)
		close(c.s.links)
		close(c.linked)
		return
	}
	if !l.up() {
		c.cfg.Log.Warn("nats is not reached yet, events wait", slog.Any("servers", l.servers()))
	}
	c.link = l
	close(c.linked)
	c.s.links <- l
	c.watch(c.life, l)
}

// start runs a sender that has no link yet.
func start(cfg Config) *Client {
	ctx, cancel := context.WithCancel(context.Background())
	c := &Client{
		cfg: cfg, done: make(chan struct{}), closed: make(chan struct{}), life: ctx, cancel: cancel,
		room: semaphore.NewWeighted(cfg.BufferBytes), linked: make(chan struct{}), know: newKnowledge(cfg.Log),
		splitter: prefix.NewSplitter(cfg.Digester),
	}
	c.buf.buffer = newBuffer(&c.cfg)
	c.s = newSender(&c.cfg, c.buf.get(), newResults())
	c.s.beat = newHeart()
	go func() {
		defer close(c.done)
		c.s.run(ctx)
	}()
	return c
}

// Emit takes an event to be published. It never blocks and never fails; what finds no room is dropped and counted. The event
// and all that it points to belong to the client from now on and must not be changed or read. Empty id, source, time and
// context are filled in. Names and ids of more than 256 bytes and texts of more than 4096 are cut, and what in them is not UTF-8 is replaced.
func (c *Client) Emit(e *events.Event) { c.emit(e) }

// emit reports whether the event found room.
func (c *Client) emit(e *events.Event) bool {
	if c == nil || e == nil {
		return false
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	fit(e)
	return c.buf.get().add(item{e, weigh(e)})
}

// Publish publishes events and returns when JetStream has acknowledged all of them, waiting for room, for NATS and for retries
// until the context ends. An error of [ErrUnacked] says how many are not acknowledged; they may have been stored all the same, and
// publishing them again is safe: Publish has set their ids, and an id counts once. An invalid event is an error before anything
// is sent. Empty id, source, time and context are filled in, and strings made to fit as by [Client.Emit]; the events may be used again afterwards.
func (c *Client) Publish(ctx context.Context, evs ...*events.Event) error {
	if c == nil || c.s == nil {
		return ErrNotStarted
	}
	if c.buf.get().isClosed() {
		return ErrClosed
	}
	msgs, size, err := c.messages(evs)
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	room := min(size, c.cfg.BufferBytes)
	if err := c.room.Acquire(ctx, room); err != nil {
		return fmt.Errorf("publish: wait for room: %w", err)
	}
	defer c.room.Release(room)
	w := newWaiter()
	if err := c.request(ctx, func() {
		c.buf.get().published(len(evs))
		c.s.publish(msgs, w)
	}); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	if err := c.wait(ctx, w); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

// messages makes messages of events.
func (c *Client) messages(evs []*events.Event) ([]*message, int64, error) {
	b := newBatcher(&c.cfg)
	var size int64
	for i, e := range evs {
		if e == nil {
			return nil, 0, fmt.Errorf("event %d is nil", i)
		}
		fit(e)
		n, err := b.add(item{event: e}, 0, time.Time{})
		if err != nil {
			return nil, 0, fmt.Errorf("event %d: %w", i, err)
		}
		size += int64(n)
	}
	b.completeAll()
	return b.take(), size, nil
}

// wait waits for messages to be settled, or gives them up when the context ends.
func (c *Client) wait(ctx context.Context, w *waiter) error {
	select {
	case <-w.done:
		return w.err()
	case <-ctx.Done():
	}
	var lost int
	if err := c.request(context.WithoutCancel(ctx), func() { lost = c.s.abandon(w) }); err != nil {
		<-w.done // the sender has ended and has settled everything
		return w.err()
	}
	return fmt.Errorf("%w: %w", unacked(lost), context.Cause(ctx))
}

// err says what was lost; w is done.
func (w *waiter) err() error {
	if w.failed == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", unacked(w.failed), w.reason)
}

// request lets the sender run f and returns when it has.
func (c *Client) request(ctx context.Context, f func()) error {
	ran := make(chan struct{})
	select {
	case c.s.requests <- func() { defer close(ran); f() }:
		<-ran
		return nil
	case <-c.done:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Flush returns when everything that was given so far is acknowledged or dropped; with an error of [ErrUnacked] when something was
// dropped meanwhile, and with the context's when that ends first. Nothing is given up then. Without NATS it waits for as long as
// the context lets it.
func (c *Client) Flush(ctx context.Context) error {
	if c == nil || c.s == nil {
		return ErrNotStarted
	}
	w := newWaiter()
	if err := c.request(ctx, func() { c.s.flush(w) }); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		return fmt.Errorf("flush: %w", context.Cause(ctx))
	}
	if err := w.err(); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	return nil
}

// Stats says how the client does.
func (c *Client) Stats() Stats {
	if c == nil {
		return Stats{}
	}
	st := c.buf.get().stats()
	if c.s != nil {
		if l := c.s.shared.Load(); l != nil {
			st.Connected, st.Reconnects = (*l).up(), (*l).reconnects()
		}
	}
	return st
}
