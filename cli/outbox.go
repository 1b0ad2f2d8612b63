package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/events"
)

// outbox hands events to the client in batches.
type outbox struct {
	ctx  context.Context
	c    *client.Client
	wait []*events.Event
	sent int64
	// newest is the time of the newest event.
	newest time.Time
}

func (b *outbox) add(e *events.Event) error {
	b.wait = append(b.wait, e)
	if e.Time.After(b.newest) {
		b.newest = e.Time
	}
	if len(b.wait) < sendBatch {
		return nil
	}
	return b.flush()
}

func (b *outbox) flush() error {
	if len(b.wait) == 0 {
		return nil
	}
	if err := b.c.Publish(b.ctx, b.wait...); err != nil {
		return fmt.Errorf("publish events: %w", err)
	}
	b.sent += int64(len(b.wait))
	b.wait = b.wait[:0]
	return nil
}
