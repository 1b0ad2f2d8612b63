package stream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrNoKey is in the chain of the error for a key that is not in a bucket.
var ErrNoKey = errors.New("no such key")

// Entry is one revision of a bucket's value.
type Entry struct {
	Key      string
	Value    []byte
	Revision uint64
	At       time.Time
	// Deleted says that the key is gone with this revision; there is no value then.
	Deleted bool
}

// Bucket is one of the buckets that [Ensure] makes. It is for any number of goroutines.
type Bucket struct {
	js   jetstream.JetStream
	name string
}

// NewBucket returns a bucket by its name; nothing is asked of the server yet.
func NewBucket(js jetstream.JetStream, name string) *Bucket { return &Bucket{js, name} }

// Name returns the bucket's name.
func (b *Bucket) Name() string { return b.name }

func (b *Bucket) open(ctx context.Context) (jetstream.KeyValue, error) {
	kv, err := b.js.KeyValue(ctx, b.name)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", b.name, err)
	}
	return kv, nil
}

// Epoch returns what tells the bucket from one of the same name created before or after it, as [EpochOf] does of a stream.
func (b *Bucket) Epoch(ctx context.Context) (string, error) {
	s, err := b.js.Stream(ctx, "KV_"+b.name)
	if err != nil {
		return "", fmt.Errorf("open bucket %s: %w", b.name, err)
	}
	return EpochOf(s.CachedInfo()), nil
}

// Get returns the newest value of a key. The error has [ErrNoKey] in its chain when there is none.
func (b *Bucket) Get(ctx context.Context, key string) (Entry, error) {
	kv, err := b.open(ctx)
	if err != nil {
		return Entry{}, err
	}
	e, err := kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted) {
		return Entry{}, fmt.Errorf("get %s: %w", key, ErrNoKey)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("get %s: %w", key, err)
	}
	return entryOf(e), nil
}

// maxChanges is how many times [Bucket.Change] starts over because somebody else came first.
const maxChanges = 64

// Change replaces a key's value by what change makes of it; old is nil where there is none. When somebody else changes the key
// meanwhile, change is called again with what is there then. A nil result leaves everything as it is. It returns the revision that
// holds the result.
func (b *Bucket) Change(ctx context.Context, key string, change func(old []byte) ([]byte, error)) (uint64, error) {
	kv, err := b.open(ctx)
	if err != nil {
		return 0, err
	}
	for range maxChanges {
		was, err := b.Get(ctx, key)
		if err != nil && !errors.Is(err, ErrNoKey) {
			return 0, err
		}
		next, err := change(was.Value)
		if err != nil || next == nil {
			return was.Revision, err
		}
		rev, err := put(ctx, kv, key, next, was.Revision)
		if err == nil {
			return rev, nil
		}
		if !isLost(err) {
			return 0, fmt.Errorf("change %s: %w", key, err)
		}
	}
	return 0, fmt.Errorf("change %s: others changed it %d times meanwhile", key, maxChanges)
}

// put writes a value if the key's revision is still the one that was read; 0 is a key that is not there.
func put(ctx context.Context, kv jetstream.KeyValue, key string, value []byte, revision uint64) (uint64, error) {
	if revision == 0 {
		return kv.Create(ctx, key, value)
	}
	return kv.Update(ctx, key, value, revision)
}

// isLost reports that somebody else was first.
func isLost(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// All returns the newest value of every key, in no order.
func (b *Bucket) All(ctx context.Context) ([]Entry, error) {
	kv, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	w, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("list bucket %s: %w", b.name, err)
	}
	defer func() { _ = w.Stop() }()
	all, err := initial(ctx, w)
	if err != nil {
		return nil, fmt.Errorf("list bucket %s: %w", b.name, err)
	}
	return all, nil
}

// History returns the revisions of a key that the bucket still has, the oldest first.
func (b *Bucket) History(ctx context.Context, key string) ([]Entry, error) {
	kv, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	all, err := kv.History(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, fmt.Errorf("list history of %s: %w", key, ErrNoKey)
	}
	if err != nil {
		return nil, fmt.Errorf("list history of %s: %w", key, err)
	}
	out := make([]Entry, len(all))
	for i, e := range all {
		out[i] = entryOf(e)
	}
	return out, nil
}

// Watcher hears of a bucket. Its methods are called by one goroutine at a time and should return soon.
type Watcher interface {
	// Whole gives all that is in the bucket: at first, and again when the bucket was lost and is watched anew.
	Whole(all []Entry)
	// Changed gives one change after that.
	Changed(e Entry)
}

const (
	// watchRetry is the pause before a watch that failed starts again.
	watchRetry = 500 * time.Millisecond
	// watchCheck is how often a watch looks whether the bucket is still the one it watches.
	watchCheck = 5 * time.Second
)

// WatchOptions say what a watch is told.
type WatchOptions struct {
	// History gives all revisions that the bucket has at first, not only the newest.
	History bool
}

// Watch tells w of what is in the bucket and of every change until ctx ends, whatever happens to the server or the bucket meanwhile;
// failed hears of what it has to start again for.
func (b *Bucket) Watch(ctx context.Context, w Watcher, o WatchOptions, failed func(error)) {
	for ctx.Err() == nil {
		if err := b.watchOnce(ctx, w, o); err != nil && ctx.Err() == nil {
			failed(err)
		}
		select {
		case <-time.After(watchRetry):
		case <-ctx.Done():
		}
	}
}

func (b *Bucket) watchOnce(ctx context.Context, w Watcher, o WatchOptions) error {
	kv, err := b.open(ctx)
	if err != nil {
		return err
	}
	epoch, err := b.Epoch(ctx)
	if err != nil {
		return err
	}
	var opts []jetstream.WatchOpt
	if o.History {
		opts = append(opts, jetstream.IncludeHistory())
	}
	kw, err := kv.WatchAll(ctx, opts...)
	if err != nil {
		return fmt.Errorf("watch bucket %s: %w", b.name, err)
	}
	defer func() { _ = kw.Stop() }()
	all, err := initial(ctx, kw)
	if err != nil {
		return fmt.Errorf("watch bucket %s: %w", b.name, err)
	}
	w.Whole(all)
	return b.follow(ctx, kw, w, epoch)
}

// follow hands on changes until the watch ends or the bucket is another one.
func (b *Bucket) follow(ctx context.Context, kw jetstream.KeyWatcher, w Watcher, epoch string) error {
	tick := time.NewTicker(watchCheck)
	defer tick.Stop()
	for {
		select {
		case e, ok := <-kw.Updates():
			if !ok {
				return fmt.Errorf("watch bucket %s: %w", b.name, errWatchEnded)
			}
			if e != nil {
				w.Changed(entryOf(e))
			}
		case <-tick.C:
			now, err := b.Epoch(ctx)
			if errors.Is(err, jetstream.ErrStreamNotFound) || err == nil && now != epoch {
				return fmt.Errorf("watch bucket %s: %w", b.name, errReplaced)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

var (
	errWatchEnded = errors.New("the watch ended")
	errReplaced   = errors.New("the bucket was deleted")
)

// initial reads what a new watch has before it waits.
func initial(ctx context.Context, w jetstream.KeyWatcher) ([]Entry, error) {
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
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func entryOf(e jetstream.KeyValueEntry) Entry {
	return Entry{Key: e.Key(), Value: e.Value(), Revision: e.Revision(), At: e.Created(), Deleted: e.Operation() != jetstream.KeyValuePut}
}

// maxKeyPart is how long a name in a key may be, in bytes.
const maxKeyPart = 512

// Key makes a bucket's key of names such as a server's and a tool's: they are joined by dots, and a byte that is not a letter, digit, - or
// _ is written as = and two hexadecimal digits. An empty name is a lone =.
func Key(names ...string) (string, error) {
	var out []byte
	for i, name := range names {
		if len(name) > maxKeyPart {
			return "", fmt.Errorf("make key: a name of %d bytes, want %d at most", len(name), maxKeyPart)
		}
		if i > 0 {
			out = append(out, '.')
		}
		if name == "" {
			out = append(out, '=')
		}
		for _, c := range []byte(name) {
			out = appendKeyByte(out, c)
		}
	}
	return string(out), nil
}

func appendKeyByte(out []byte, c byte) []byte {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		return append(out, c)
	}
	out = append(out, '=')
	if c < 16 {
		out = append(out, '0')
	}
	return strconv.AppendUint(out, uint64(c), 16)
}
