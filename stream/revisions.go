package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrReplaced is in the chain of the error when a bucket was deleted, or is another one of the same name by now.
var ErrReplaced = errReplaced

// Revisions gives fn every revision from one on that the bucket still has, the oldest first, and then each new one, until ctx ends, which
// is not an error, fn returns an error, or the bucket is not the one of that epoch any more ([ErrReplaced]). While fn takes its time the
// server holds back what follows.
func (b *Bucket) Revisions(ctx context.Context, epoch string, from uint64, fn func(Entry) error) error {
	kv, err := b.open(ctx)
	if err != nil {
		return err
	}
	w, err := kv.WatchAll(ctx, jetstream.IncludeHistory(), jetstream.ResumeFromRevision(max(from, 1)))
	if err != nil {
		return fmt.Errorf("read revisions of bucket %s: %w", b.name, err)
	}
	defer func() { _ = w.Stop() }()
	tick := time.NewTicker(watchCheck)
	defer tick.Stop()
	for {
		select {
		case e, ok := <-w.Updates():
			if !ok {
				return fmt.Errorf("read revisions of bucket %s: %w", b.name, errWatchEnded)
			}
			if e == nil {
				continue
			}
			if err := fn(entryOf(e)); err != nil {
				return err
			}
		case <-tick.C:
			now, err := b.Epoch(ctx)
			if errors.Is(err, jetstream.ErrStreamNotFound) || err == nil && now != epoch {
				return fmt.Errorf("read revisions of bucket %s: %w", b.name, ErrReplaced)
			}
		case <-ctx.Done():
			return nil
		}
	}
}
