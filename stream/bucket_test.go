package stream_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/stream"
)

// bucket returns the registry's bucket on a server.
func bucket(t *testing.T, cfg stream.Config) *stream.Bucket {
	t.Helper()
	js := connect(t, cfg)
	if err := stream.Ensure(t.Context(), js, cfg); err != nil {
		t.Fatal(err)
	}
	return stream.NewBucket(js, stream.RegistryBucket)
}

// set makes a change that puts a value.
func set(value string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(value), nil }
}

func change(t *testing.T, b *stream.Bucket, key, value string) uint64 {
	t.Helper()
	rev, err := b.Change(t.Context(), key, set(value))
	if err != nil {
		t.Fatal(err)
	}
	return rev
}

func TestOfManyChangesAtOnceNoneIsLost(t *testing.T) {
	cfg := config(serve(t, server.Options{}))
	b := bucket(t, cfg)
	const writers, each = 32, 8
	var g errgroup.Group
	for range writers {
		own := stream.NewBucket(connect(t, cfg), stream.RegistryBucket)
		g.Go(func() error {
			for range each {
				if _, err := own.Change(t.Context(), "a.b", func(old []byte) ([]byte, error) {
					n, _ := strconv.Atoi("0" + string(old))
					return []byte(strconv.Itoa(n + 1)), nil
				}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	e, err := b.Get(t.Context(), "a.b")
	if err != nil || string(e.Value) != strconv.Itoa(writers*each) {
		t.Errorf("have %s, %v, want %d", e.Value, err, writers*each)
	}
}

func TestAChangeThatSaysNothingLeavesTheValue(t *testing.T) {
	b := bucket(t, config(serve(t, server.Options{})))
	rev := change(t, b, "a.b", "1")
	same, err := b.Change(t.Context(), "a.b", func(old []byte) ([]byte, error) {
		if string(old) != "1" {
			t.Errorf("old is %q", old)
		}
		return nil, nil
	})
	if err != nil || same != rev {
		t.Errorf("have revision %d, %v, want %d", same, err, rev)
	}
	refused := errors.New("no")
	if _, err := b.Change(t.Context(), "a.b", func([]byte) ([]byte, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Errorf("have %v", err)
	}
	if _, err := b.Get(t.Context(), "a.c"); !errors.Is(err, stream.ErrNoKey) {
		t.Errorf("a key that is not there: %v", err)
	}
}

func TestADeletedKeyCanBeCreatedAgain(t *testing.T) {
	cfg := config(serve(t, server.Options{}))
	b := bucket(t, cfg)
	change(t, b, "a.b", "1")
	kv, err := connect(t, cfg).KeyValue(t.Context(), stream.RegistryBucket)
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "a.b"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), "a.b"); !errors.Is(err, stream.ErrNoKey) {
		t.Errorf("deleted: %v", err)
	}
	change(t, b, "a.b", "2")
	history, err := b.History(t.Context(), "a.b")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range history {
		have = append(have, fmt.Sprintf("%d %s %t", e.Revision, e.Value, e.Deleted))
	}
	if diff := cmp.Diff([]string{"1 1 false", "2  true", "3 2 false"}, have); diff != "" {
		t.Errorf("history (-want +have):\n%s", diff)
	}
	if _, err := b.History(t.Context(), "a.c"); !errors.Is(err, stream.ErrNoKey) {
		t.Errorf("history of a key that is not there: %v", err)
	}
}

func TestTheNewestValuesOfAllKeysAreListed(t *testing.T) {
	b := bucket(t, config(serve(t, server.Options{})))
	if all, err := b.All(t.Context()); err != nil || len(all) > 0 {
		t.Fatalf("an empty bucket has %v, %v", all, err)
	}
	for i := range 600 { // more than a watch holds ready
		change(t, b, "a.k"+strconv.Itoa(i%300), strconv.Itoa(i))
	}
	all, err := b.All(t.Context())
	if err != nil || len(all) != 300 {
		t.Fatalf("have %d values, %v", len(all), err)
	}
	for _, e := range all {
		if n, _ := strconv.Atoi(string(e.Value)); n < 300 {
			t.Errorf("%s has the old value %d", e.Key, n)
		}
	}
}

func TestAValueThatTheServerWouldNotTakeIsNotSent(t *testing.T) {
	b := bucket(t, config(serve(t, server.Options{MaxPayload: 4 << 10})))
	change(t, b, "a.b", strings.Repeat("x", 3<<10))
	_, err := b.Change(t.Context(), "a.b", set(strings.Repeat("x", 4<<10)))
	if !errors.Is(err, stream.ErrTooLarge) || !strings.Contains(err.Error(), "change a.b: 4096 bytes, the server takes 3584") {
		t.Errorf("have %v", err)
	}
	if e, err := b.Get(t.Context(), "a.b"); err != nil || e.Revision != 1 {
		t.Errorf("have %+v, %v", e, err)
	}
}

func TestALongestKeyIsTakenByTheServer(t *testing.T) {
	b := bucket(t, config(serve(t, server.Options{})))
	long := strings.Repeat("é", 160) // 6 bytes each once escaped
	key, err := stream.Key(long, long)
	if err != nil {
		t.Fatal(err)
	}
	change(t, b, key, "1")
	if e, err := b.Get(t.Context(), key); err != nil || string(e.Value) != "1" {
		t.Errorf("have %+v, %v", e, err)
	}
	if all, err := b.All(t.Context()); err != nil || len(all) != 1 || all[0].Key != key {
		t.Errorf("have %v, %v", all, err)
	}
	for _, names := range [][]string{{}, {strings.Repeat("x", 513)}, {long, long, long}} {
		if key, err := stream.Key(names...); err == nil {
			t.Errorf("%d names made a key of %d bytes", len(names), len(key))
		}
	}
}

func TestKeysOfOtherNamesAreOthersAndLegal(t *testing.T) {
	legal := regexp.MustCompile(`^[-_=a-zA-Z0-9]+(\.[-_=a-zA-Z0-9]+)*$`)
	name := rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 30), func(b []byte) string { return string(b) })
	names := rapid.SliceOfN(rapid.OneOf(name, rapid.SampledFrom([]string{"", "=", ".", "=2e", "a", "a.b", "*", ">", " "})), 1, 3)
	rapid.Check(t, func(t *rapid.T) {
		a, b := names.Draw(t, "a"), names.Draw(t, "b")
		ka, err := stream.Key(a...)
		if err != nil {
			t.Fatal(err)
		}
		kb, err := stream.Key(b...)
		if err != nil {
			t.Fatal(err)
		}
		if !legal.MatchString(ka) || (ka == kb) != (strings.Join(quoted(a), ",") == strings.Join(quoted(b), ",")) {
			t.Fatalf("%q has %q, %q has %q", a, ka, b, kb)
		}
	})
}

func quoted(names []string) []string {
	var all []string
	for _, n := range names {
		all = append(all, strconv.Quote(n))
	}
	return all
}

// seen is a [stream.Watcher] that keeps what a bucket holds by what it was told.
type seen struct {
	mu     sync.Mutex
	whole  int
	values map[string]string
	at     map[string]time.Time
}

func (s *seen) Whole(all []stream.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.whole++
	s.values, s.at = map[string]string{}, map[string]time.Time{}
	for _, e := range all {
		s.put(e)
	}
}

func (s *seen) Changed(e stream.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(e)
}

func (s *seen) put(e stream.Entry) {
	s.values[e.Key], s.at[e.Key] = string(e.Value), time.Now()
	if e.Deleted {
		delete(s.values, e.Key)
	}
}

// since is when the value was told.
func (s *seen) since(key string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at[key]
}

// holds says whether the bucket was told so many times as a whole, and now has the values.
func (s *seen) holds(whole int, values map[string]string) func() bool {
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.whole >= whole && maps.Equal(s.values, values)
	}
}

// watching watches a bucket until the test ends; the channel has what failed.
func watching(t *testing.T, b *stream.Bucket, o stream.WatchOptions) (*seen, <-chan error) {
	t.Helper()
	s, failed := &seen{}, make(chan error, 100)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.Watch(ctx, s, o, func(err error) { failed <- err })
	}()
	t.Cleanup(func() { cancel(); <-done })
	return s, failed
}

func TestAWatchSeesChangesWellUnderASecondLater(t *testing.T) {
	b := bucket(t, config(serve(t, server.Options{})))
	change(t, b, "a.b", "1")
	s, _ := watching(t, b, stream.WatchOptions{})
	poll(t, "what is there", s.holds(1, map[string]string{"a.b": "1"}))
	var longest time.Duration
	for i := range 20 {
		value := strconv.Itoa(i)
		before := time.Now()
		change(t, b, "a.c", value)
		poll(t, "the change", s.holds(1, map[string]string{"a.b": "1", "a.c": value}))
		longest = max(longest, s.since("a.c").Sub(before))
	}
	t.Logf("the slowest of 20 changes was seen after %v", longest)
	if longest > time.Second {
		t.Errorf("seen after %v", longest)
	}
}

func TestAWatchSurvivesARestartOfTheServer(t *testing.T) {
	dir := t.TempDir()
	srv := serve(t, server.Options{StoreDir: dir})
	cfg := config(srv)
	b := bucket(t, cfg)
	change(t, b, "a.b", "1")
	s, failed := watching(t, b, stream.WatchOptions{})
	poll(t, "what is there", s.holds(1, map[string]string{"a.b": "1"}))
	stop(srv)
	if err := <-failed; !strings.Contains(err.Error(), "watch bucket") {
		t.Errorf("have %v", err)
	}
	serve(t, server.Options{StoreDir: dir, Port: portOf(t, cfg.URL)})
	other := bucket(t, cfg)
	before := time.Now()
	change(t, other, "a.b", "2")
	poll(t, "the change after the restart", s.holds(2, map[string]string{"a.b": "2"}))
	t.Logf("seen %v after the change", time.Since(before))
	change(t, other, "a.b", "3")
	poll(t, "a change after that", s.holds(2, map[string]string{"a.b": "3"}))
}

func TestAWatchGoesOnWithABucketThatWasDeletedAndCreatedAnew(t *testing.T) {
	cfg := config(serve(t, server.Options{}))
	b := bucket(t, cfg)
	for i := range 5 {
		change(t, b, "a.b", strconv.Itoa(i))
	}
	s, _ := watching(t, b, stream.WatchOptions{})
	poll(t, "what is there", s.holds(1, map[string]string{"a.b": "4"}))
	epoch, err := b.Epoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	js := connect(t, cfg)
	if err := js.DeleteKeyValue(t.Context(), b.Name()); err != nil {
		t.Fatal(err)
	}
	if err := stream.Ensure(t.Context(), js, cfg); err != nil {
		t.Fatal(err)
	}
	change(t, b, "a.c", "new")
	poll(t, "the new bucket", s.holds(2, map[string]string{"a.c": "new"}))
	if after, err := b.Epoch(t.Context()); err != nil || after == epoch {
		t.Errorf("epoch %s, %v, was %s", after, err, epoch)
	}
}

func TestAWatchBeginsOnceThereIsABucket(t *testing.T) {
	cfg := config(serve(t, server.Options{}))
	js := connect(t, cfg)
	s, failed := watching(t, stream.NewBucket(js, stream.RegistryBucket), stream.WatchOptions{History: true})
	if err := <-failed; !strings.Contains(err.Error(), "open bucket tooltrail_registry") {
		t.Errorf("have %v", err)
	}
	b := bucket(t, cfg)
	change(t, b, "a.b", "1")
	poll(t, "the bucket", s.holds(1, map[string]string{"a.b": "1"}))
}

func TestAWatchWithHistoryIsToldOfEveryRevisionAtFirst(t *testing.T) {
	b := bucket(t, config(serve(t, server.Options{})))
	for i := range 5 {
		change(t, b, "a.b", strconv.Itoa(i))
	}
	var have []string
	ctx, cancel := context.WithCancel(t.Context())
	b.Watch(ctx, whole(func(all []stream.Entry) {
		for _, e := range all {
			have = append(have, string(e.Value))
		}
		cancel()
	}), stream.WatchOptions{History: true}, func(err error) { t.Error(err) })
	if diff := cmp.Diff([]string{"0", "1", "2", "3", "4"}, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

// whole is a [stream.Watcher] of what is there at first.
type whole func(all []stream.Entry)

func (w whole) Whole(all []stream.Entry) { w(all) }
func (whole) Changed(stream.Entry)       {}

func TestAWatchIsEndedWhileALargeBucketIsRead(t *testing.T) {
	b := bucket(t, config(serve(t, server.Options{})))
	for i := range 1000 {
		change(t, b, "a.k"+strconv.Itoa(i), strings.Repeat("x", 100))
	}
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Millisecond)
		b.Watch(ctx, whole(func([]stream.Entry) {}), stream.WatchOptions{}, func(error) {})
		cancel()
	}
}

func TestABucketThatIsDeletedIsCreatedAnew(t *testing.T) {
	cfg := config(serve(t, server.Options{}))
	js := connect(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- stream.Keep(ctx, js, cfg, slog.New(slog.DiscardHandler)) }()
	there := func() bool {
		_, err := js.KeyValue(ctx, stream.BreakerBucket)
		return err == nil
	}
	poll(t, "the bucket to be created", there)
	if err := js.DeleteKeyValue(ctx, stream.BreakerBucket); err != nil {
		t.Fatal(err)
	}
	poll(t, "the bucket to be created anew", there)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Keep returned %v", err)
	}
}
