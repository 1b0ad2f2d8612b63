package ingest

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// leaseBucket is the key-value bucket of leases; its entries live for the lease's TTL.
const leaseBucket = "tooltrail_ingest_leases"

// lease is the right to work on a lane, so that two ingesters don't do the same work. Nothing breaks when both do.
type lease struct {
	ttl    time.Duration
	key    string
	holder []byte
}

func newLease(ttl time.Duration, subject, holder string) *lease {
	return &lease{ttl, strings.ReplaceAll(subject, ".", "/"), []byte(holder)}
}

// hold waits for the lease and returns a context that ends when it is lost, and what gives it back. Without a TTL there is
// no lease and the context is ctx.
func (l *lease) hold(ctx context.Context, js jetstream.JetStream) (context.Context, func(), error) {
	if l.ttl == 0 {
		return ctx, func() {}, nil
	}
	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: leaseBucket, TTL: l.ttl, Storage: jetstream.MemoryStorage})
	if err != nil {
		return nil, nil, err
	}
	revision, err := l.take(ctx, kv)
	if err != nil {
		return nil, nil, err
	}
	held, lose := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer lose()
		l.renew(held, kv, revision)
	}()
	return held, func() { lose(); <-ended }, nil
}

// take tries to create the entry until it works. The waits differ, so that ingesters that start together share the lanes.
func (l *lease) take(ctx context.Context, kv jetstream.KeyValue) (uint64, error) {
	for {
		if err := wait(ctx, rand.N(l.ttl/4)); err != nil {
			return 0, err
		}
		revision, err := kv.Create(ctx, l.key, l.holder)
		if err == nil {
			return revision, nil
		}
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return 0, err
		}
	}
}

// renew updates the entry three times a TTL and returns when ctx ends, which gives it back, or when it is lost.
func (l *lease) renew(ctx context.Context, kv jetstream.KeyValue, revision uint64) {
	until := time.Now().Add(l.ttl)
	for wait(ctx, l.ttl/3) == nil {
		now := time.Now()
		next, err := kv.Update(ctx, l.key, l.holder, revision)
		switch {
		case err == nil:
			revision, until = next, now.Add(l.ttl)
		case errors.Is(err, jetstream.ErrKeyExists) || now.After(until):
			return
		}
	}
	free, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = kv.Delete(free, l.key, jetstream.LastRevision(revision))
}
