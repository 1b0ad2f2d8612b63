package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tooltrail/tooltrail/stream"
)

// knowGrace is how long after its start a client may not know the switches yet before the log hears of it.
const knowGrace = 5 * time.Second

// watch starts to keep the client's knowledge up to date, until ctx ends.
func (c *Client) watch(ctx context.Context, l *natsLink) {
	if c.cfg.NoRegistry {
		return
	}
	follow := func(bucket string, s *source, w stream.Watcher) {
		c.watches.Go(func() {
			stream.NewBucket(l.js, bucket).Watch(ctx, w, stream.WatchOptions{}, func(err error) { c.unwatched(s, bucket, err) })
		})
	}
	follow(stream.RegistryBucket, c.know.documents, documentWatch{c.know})
	follow(stream.BreakerBucket, c.know.breaker, switchWatch{c.know})
}

// unwatched takes note of a watch that failed, and tells the log once until it is back.
func (c *Client) unwatched(s *source, bucket string, err error) {
	s.lost(time.Now())
	level := slog.LevelWarn
	if s.told.Swap(true) {
		level = slog.LevelDebug
	}
	c.cfg.Log.Log(context.Background(), level, "bucket is not watched, will be tried again", slog.String("bucket", bucket), slog.Any("error", err))
}

// switchesKnown reports whether the breaker's switches are known well enough to rely on.
func (c *Client) switchesKnown(now time.Time) bool {
	b := c.know.breaker
	if b.fresh(now, c.cfg.SwitchesFor) {
		return true
	}
	if now.Sub(b.start) > knowGrace && !b.doubted.Swap(true) {
		c.cfg.Log.Warn("the switches of tools are not known", slog.Bool("refused", c.cfg.FailClosed))
	}
	return false
}

// WaitRegistry returns when the registry and the switches are known for the first time, which takes some milliseconds where NATS is
// there; with the context's error when that ends first. An agent that starts may wait for it for a second or two, so as not to call a
// disabled tool before it knows.
func (c *Client) WaitRegistry(ctx context.Context) error {
	if c == nil || c.s == nil {
		return ErrNotStarted
	}
	if c.cfg.NoRegistry {
		return fmt.Errorf("wait for the registry: %w", errNoRegistry)
	}
	for _, known := range []<-chan struct{}{c.linked, c.know.documents.first, c.know.breaker.first} {
		select {
		case <-known:
		case <-c.done:
			return ErrClosed
		case <-ctx.Done():
			return fmt.Errorf("wait for the registry: %w", context.Cause(ctx))
		}
		if err := c.dialError(); err != nil {
			return fmt.Errorf("wait for the registry: %w", err)
		}
	}
	return nil
}

var errNoRegistry = errors.New("the client was told to do without")
