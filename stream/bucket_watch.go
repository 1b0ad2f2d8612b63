package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Watcher hears of a bucket. Its methods are called by one goroutine at a time and should return soon.
type Watcher interface {
	// Whole gives all that is in the bucket, deleted keys included: at first, and again when the connection or the bucket was lost
	// and it is watched anew. What it does not have any more is not in the bucket.
	Whole(all []Entry)
	// Changed gives one change after that.
	Changed(e Entry)
}

const (
	// watchPause and maxWatchPause are the first and the longest pause before a watch that failed starts again.
	watchPause    = 100 * time.Millisecond
	maxWatchPause = 5 * time.Second
	// watchCheck is how often a watch looks whether the bucket is still the one it watches: NATS says nothing when it is deleted.
	watchCheck = 10 * time.Second
	// watchStart bounds the start of a watch, and each pause between the entries that are there at first.
	watchStart = 15 * time.Second
	// watchStop bounds the wait for what a watch that is stopped has still got to say.
	watchStop = time.Second
)

// WatchOptions say what a watch is told.
type WatchOptions struct {
	// History gives all revisions that the bucket has at first, not only the newest.
	History bool
}

// Watch tells w of the keys of tools that are in the bucket, which have two names or more, and of every change until ctx ends, whatever
// happens to the server or the bucket meanwhile; failed hears of what it has to start again for, at once when the connection is lost.
func (b *Bucket) Watch(ctx context.Context, w Watcher, o WatchOptions, failed func(error)) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = watchPause, maxWatchPause
	for ctx.Err() == nil {
		if err := b.watchOnce(ctx, w, o, pauses.Reset); err != nil && ctx.Err() == nil {
			failed(err)
		}
		_ = pause(ctx, pauses.NextBackOff()) // the loop looks at the context
	}
}

// watchOnce watches until something goes wrong; started is called when all that was there at first is told.
func (b *Bucket) watchOnce(ctx context.Context, w Watcher, o WatchOptions, started func()) error {
	if err := WaitConnected(ctx, b.js.Conn()); err != nil {
		return err
	}
	lost := b.js.Conn().StatusChanged(nats.RECONNECTING, nats.DISCONNECTED, nats.CLOSED)
	defer b.js.Conn().RemoveStatusListener(lost)
	epoch, err := b.Epoch(ctx)
	if err != nil {
		return err
	}
	kv, err := b.open(ctx)
	if err != nil {
		return err
	}
	kw, stop, err := watch(ctx, kv, o.options()...)
	if err != nil {
		return fmt.Errorf("watch bucket %s: %w", b.name, err)
	}
	defer stop()
	all, err := initial(ctx, kw)
	if err != nil {
		return fmt.Errorf("watch bucket %s: %w", b.name, err)
	}
	w.Whole(all)
	started()
	tell := func(e Entry) error {
		w.Changed(e)
		return nil
	}
	if err := b.follow(ctx, kw, tell, epoch, lost); err != nil {
		return fmt.Errorf("watch bucket %s: %w", b.name, err)
	}
	return nil
}

func (o WatchOptions) options() []jetstream.WatchOpt {
	if o.History {
		return []jetstream.WatchOpt{jetstream.IncludeHistory()}
	}
	return nil
}

// namedKeys are the keys of two names and more. Those of one name are what the analyzer keeps for itself: it writes them every second, and
// nobody else needs to hear of that.
const namedKeys = "*.>"

// watch starts a watch of all keys of tools, within a time. The function it returns ends it. The watch's own Stop would wait for the
// server's answer, for seconds when there is none; the end of its context does the same in the background.
func watch(ctx context.Context, kv jetstream.KeyValue, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	late := time.AfterFunc(watchStart, cancel)
	kw, err := kv.Watch(ctx, namedKeys, opts...)
	late.Stop()
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return kw, func() {
		cancel()
		drain(kw)
	}, nil
}

// drain reads what a stopped watch still has: it waits for somebody to take it.
func drain(kw jetstream.KeyWatcher) {
	enough := time.NewTimer(watchStop)
	defer enough.Stop()
	for {
		select {
		case _, ok := <-kw.Updates():
			if !ok {
				return
			}
		case <-enough.C:
			return
		}
	}
}

// follow hands on changes until the watch ends, fn fails, the connection is lost or the bucket is another one.
func (b *Bucket) follow(ctx context.Context, kw jetstream.KeyWatcher, fn func(Entry) error, epoch string, lost <-chan nats.Status) error {
	tick := time.NewTicker(watchCheck)
	defer tick.Stop()
	for {
		select {
		case e, ok := <-kw.Updates():
			if !ok {
				return errWatchEnded
			}
			if e == nil {
				continue // all that was there at first is given
			}
			if err := fn(entryOf(e)); err != nil {
				return err
			}
		case <-tick.C:
			now, err := b.Epoch(ctx)
			if errors.Is(err, jetstream.ErrStreamNotFound) || err == nil && now != epoch {
				return errReplaced
			}
		case <-lost:
			return nats.ErrDisconnected
		case <-ctx.Done():
			return nil
		}
	}
}

var (
	errWatchEnded = errors.New("the watch ended")
	errReplaced   = errors.New("the bucket was deleted")
	errSilent     = errors.New("no answer")
)

// initial reads what a new watch has before it waits.
func initial(ctx context.Context, w jetstream.KeyWatcher) ([]Entry, error) {
	silent := time.NewTimer(watchStart)
	defer silent.Stop()
	var all []Entry
	for {
		select {
		case e, ok := <-w.Updates():
			if !ok {
				return nil, errWatchEnded
			}
			if e == nil {
				return all, nil
			}
			all = append(all, entryOf(e))
			silent.Reset(watchStart)
		case <-silent.C:
			return nil, errSilent
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
