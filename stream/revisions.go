package stream

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrReplaced is in the chain of the error when a bucket was deleted, or is another one of the same name by now.
var ErrReplaced = errReplaced

// Revisions gives fn every revision from one on that the bucket still has, the oldest first, and then each new one, until ctx ends, which
// is not an error, fn returns an error, or the bucket is not the one of that epoch any more ([ErrReplaced]). While fn takes its time the
// server holds back what follows.
func (b *Bucket) Revisions(ctx context.Context, epoch string, from uint64, fn func(Entry) error) error {
	if err := b.revisions(ctx, epoch, from, fn); err != nil {
		return fmt.Errorf("read revisions of bucket %s: %w", b.name, err)
	}
	return nil
}

func (b *Bucket) revisions(ctx context.Context, epoch string, from uint64, fn func(Entry) error) error {
	lost := b.js.Conn().StatusChanged(nats.RECONNECTING, nats.DISCONNECTED, nats.CLOSED)
	defer b.js.Conn().RemoveStatusListener(lost)
	kv, err := b.open(ctx)
	if err != nil {
		return err
	}
	w, stop, err := watch(ctx, kv, jetstream.IncludeHistory(), jetstream.ResumeFromRevision(max(from, 1)))
	if err != nil {
		return err
	}
	defer stop()
	return b.follow(ctx, w, fn, epoch, lost)
}
