package stream

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Errors of a [Bucket].
var (
	// ErrNoKey is in the chain of the error for a key that is not in a bucket.
	ErrNoKey = errors.New("no such key")
	// ErrChanged is in the chain of the error for a key that somebody else changed meanwhile.
	ErrChanged = errors.New("somebody else changed it meanwhile")
	// ErrTooLarge is in the chain of the error for a value that the server would not take.
	ErrTooLarge = errors.New("value is too large")
)

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
	// opened is the bucket as it was last opened. It serves one of the same name that takes its place, too.
	opened atomic.Pointer[jetstream.KeyValue]
}

// NewBucket returns a bucket by its name; nothing is asked of the server yet.
func NewBucket(js jetstream.JetStream, name string) *Bucket { return &Bucket{js: js, name: name} }

// bucketStream names the stream that a bucket is.
func bucketStream(bucket string) string { return "KV_" + bucket }

// Name returns the bucket's name.
func (b *Bucket) Name() string { return b.name }

func (b *Bucket) open(ctx context.Context) (jetstream.KeyValue, error) {
	kv, err := b.js.KeyValue(ctx, b.name)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", b.name, err)
	}
	b.opened.Store(&kv)
	return kv, nil
}

// with does something with the bucket as it was opened before, which saves a question to the server. Where that is gone it is opened
// anew, once: the error is then that of opening it, or of what is done.
func (b *Bucket) with(ctx context.Context, do func(jetstream.KeyValue) error) error {
	if kv := b.opened.Load(); kv != nil {
		err := do(*kv)
		if !isGone(err) {
			return err
		}
		b.opened.CompareAndSwap(kv, nil)
	}
	kv, err := b.open(ctx)
	if err != nil {
		return err
	}
	return do(kv)
}

// isGone reports an error of a bucket that is not there, or that nobody serves.
func isGone(err error) bool {
	for _, gone := range []error{
		jetstream.ErrBucketNotFound, jetstream.ErrStreamNotFound, jetstream.ErrNoStreamResponse, jetstream.ErrJetStreamNotEnabled, nats.ErrNoResponders,
	} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// Epoch returns what tells the bucket from one of the same name created before or after it, as [EpochOf] does of a stream.
func (b *Bucket) Epoch(ctx context.Context) (string, error) {
	s, err := b.js.Stream(ctx, bucketStream(b.name))
	if err != nil {
		return "", fmt.Errorf("open bucket %s: %w", b.name, err)
	}
	return EpochOf(s.CachedInfo()), nil
}

// Get returns the newest value of a key. The error has [ErrNoKey] in its chain when there is none.
func (b *Bucket) Get(ctx context.Context, key string) (e Entry, err error) {
	err = b.with(ctx, func(kv jetstream.KeyValue) error {
		e, err = get(ctx, kv, key)
		return err
	})
	return e, err
}

func get(ctx context.Context, kv jetstream.KeyValue, key string) (Entry, error) {
	e, err := kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted) {
		return Entry{}, fmt.Errorf("get %s: %w", key, ErrNoKey)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("get %s: %w", key, err)
	}
	return entryOf(e), nil
}

const (
	// maxChanges is how many times [Bucket.Change] starts over because somebody else came first.
	maxChanges = 64
	// maxChangePause bounds the pause before it does, which is random and grows, so that many who change one key take turns.
	maxChangePause = 64 * time.Millisecond
	// headerRoom is what the headers of a change take of the server's largest message, and more.
	headerRoom = 512
)

// Change replaces a key's value by what change makes of it; old is nil where there is none. When somebody else changes the key
// meanwhile, change is called again with what is there then. A nil result leaves everything as it is. It returns the revision that
// holds the result. A value over the server's largest message is an error with [ErrTooLarge] in its chain, and is not sent.
func (b *Bucket) Change(ctx context.Context, key string, change func(old []byte) ([]byte, error)) (rev uint64, err error) {
	err = b.with(ctx, func(kv jetstream.KeyValue) error {
		rev, err = b.change(ctx, kv, key, change)
		return err
	})
	return rev, err
}

func (b *Bucket) change(ctx context.Context, kv jetstream.KeyValue, key string, change func(old []byte) ([]byte, error)) (uint64, error) {
	for n := range maxChanges {
		rev, lost, err := b.changeOnce(ctx, kv, key, change)
		if !lost {
			return rev, err
		}
		if err := pause(ctx, rand.N(min(time.Millisecond<<min(n, 16), maxChangePause))); err != nil { //nolint:gosec // no secret
			return 0, fmt.Errorf("change %s: %w", key, err)
		}
	}
	return 0, fmt.Errorf("change %s: others changed it %d times meanwhile", key, maxChanges)
}

// changeOnce reports whether somebody else came first.
func (b *Bucket) changeOnce(ctx context.Context, kv jetstream.KeyValue, key string, change func([]byte) ([]byte, error)) (rev uint64, lost bool, err error) {
	was, err := get(ctx, kv, key)
	if err != nil && !errors.Is(err, ErrNoKey) {
		return 0, false, err
	}
	next, err := change(was.Value)
	if err != nil || next == nil {
		return was.Revision, false, err
	}
	if max := b.js.Conn().MaxPayload(); max > 0 && int64(len(next)) > max-headerRoom {
		return 0, false, fmt.Errorf("change %s: %d bytes, the server takes %d: %w", key, len(next), max-headerRoom, ErrTooLarge)
	}
	if rev, err = put(ctx, kv, key, next, was.Revision); err == nil {
		return rev, false, nil
	}
	return 0, isLost(err), fmt.Errorf("change %s: %w", key, err)
}

// put writes a value if the key's revision is still the one that was read; 0 is a key that is not there.
func put(ctx context.Context, kv jetstream.KeyValue, key string, value []byte, revision uint64) (uint64, error) {
	if revision == 0 {
		return kv.Create(ctx, key, value)
	}
	return kv.Update(ctx, key, value, revision)
}

// Delete takes a key away where its revision is still the one given; its history stays as long as the bucket keeps it. The error has
// [ErrNoKey] in its chain when the key is not there, and [ErrChanged] when somebody else changed it meanwhile.
func (b *Bucket) Delete(ctx context.Context, key string, revision uint64) error {
	return b.with(ctx, func(kv jetstream.KeyValue) error { return deleteKey(ctx, kv, key, revision) })
}

func deleteKey(ctx context.Context, kv jetstream.KeyValue, key string, revision uint64) error {
	if _, err := get(ctx, kv, key); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	err := kv.Delete(ctx, key, jetstream.LastRevision(revision))
	if isLost(err) {
		return fmt.Errorf("delete %s: %w", key, ErrChanged)
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", key, err)
	}
	return nil
}

// isLost reports that somebody else was first.
func isLost(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// pause waits, or returns the context's cause when that ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// All returns the newest value of every key, in no order.
func (b *Bucket) All(ctx context.Context) ([]Entry, error) {
	kv, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	w, stop, err := watch(ctx, kv, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("list bucket %s: %w", b.name, err)
	}
	defer stop()
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

func entryOf(e jetstream.KeyValueEntry) Entry {
	return Entry{Key: e.Key(), Value: e.Value(), Revision: e.Revision(), At: e.Created(), Deleted: e.Operation() != jetstream.KeyValuePut}
}

const (
	// maxKeyPart is how long a name in a key may be, in bytes.
	maxKeyPart = 512
	// maxKey is how long a key may be, in bytes: a NATS server takes 4,096 for a whole command line, subject and reply included.
	maxKey = 2048
)

// Key makes a bucket's key of names such as a server's and a tool's: they are joined by dots, and a byte that is not a letter, digit, - or
// _ is written as = and two hexadecimal digits. An empty name is a lone =.
func Key(names ...string) (string, error) {
	var out []byte
	if len(names) == 0 {
		return "", errors.New("make key: no names")
	}
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
	if len(out) > maxKey {
		return "", fmt.Errorf("make key: %d bytes, want %d at most", len(out), maxKey)
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
