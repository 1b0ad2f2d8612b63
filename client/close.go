package client

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// closeGrace is how long Close waits, after its time is over, for the sender and the connection to let go.
	closeGrace = time.Second
	// farewellWait bounds the wait for the last heartbeat's acknowledgement: no event is lost without it.
	farewellWait = 2 * time.Second
)

// Close takes no more events, sends what it has and a last heartbeat, and returns when everything is acknowledged or the context
// ends; for a context without a deadline that is after [Config.CloseTimeout], so that Close always returns. An error of
// [ErrUnacked] says how many events were lost. Closing again returns nil, as for the zero Client.
func (c *Client) Close(ctx context.Context) error {
	if c == nil || c.s == nil {
		return nil
	}
	ctx, cancel := c.closing(ctx)
	defer cancel()
	before, first := c.buf.get().close()
	if first {
		go func() {
			defer close(c.closed)
			c.end(ctx)
		}()
	}
	late := c.waitClosed(ctx)
	if !first {
		return nil
	}
	if lost := c.lostSince(before); lost > 0 {
		return fmt.Errorf("close client: %w", errors.Join(unacked(lost), late, c.dialError()))
	}
	return nil
}

// closing gives a context a deadline if it has none.
func (c *Client) closing(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return context.WithCancel(ctx)
	}
	over := fmt.Errorf("no answer within the close timeout of %v: %w", c.cfg.CloseTimeout, context.DeadlineExceeded)
	return context.WithTimeoutCause(ctx, c.cfg.CloseTimeout, over)
}

// end sends what is left until the context ends, and lets go of everything.
func (c *Client) end(ctx context.Context) {
	if c.dialError() == nil && c.Flush(ctx) == nil {
		c.farewell(ctx)
	}
	c.cancel()
	<-c.done
	c.dialed.Wait()
	c.watches.Wait()
	c.s.hangUp()
}

// farewell sends the last heartbeat, if NATS is there.
func (c *Client) farewell(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, farewellWait)
	defer cancel()
	w := newWaiter()
	if err := c.request(ctx, func() { c.s.farewell(w) }); err != nil {
		return
	}
	select {
	case <-w.done:
	case <-ctx.Done():
	}
}

// waitClosed waits for the end, or until a moment after the context's; then it returns the context's cause. A socket that takes
// nothing, or an attempt to connect, is not waited for any longer.
func (c *Client) waitClosed(ctx context.Context) error {
	select {
	case <-c.closed:
		return context.Cause(ctx)
	case <-ctx.Done():
	}
	grace := time.NewTimer(closeGrace)
	defer grace.Stop()
	select {
	case <-c.closed:
	case <-grace.C:
	}
	return context.Cause(ctx)
}

// dialError says why there will never be a connection, if so.
func (c *Client) dialError() error {
	if err := c.dialErr.Load(); err != nil {
		return *err
	}
	return nil
}

// lostSince counts what was dropped since, and what is left, but for what came after Close.
func (c *Client) lostSince(before drops) uint64 {
	b := c.buf.get()
	b.mu.Lock()
	defer b.mu.Unlock()
	lost := b.emitted - b.acked - b.dropped.total()
	for i, r := range reasons {
		if r != Closed {
			lost += b.dropped[i] - before[i]
		}
	}
	return lost
}
