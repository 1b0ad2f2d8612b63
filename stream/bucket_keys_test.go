package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/stream"
)

func TestAKeyGivesBackTheNamesItWasMadeOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) string { return string(b) }), 1, 3).Draw(t, "names")
		key, err := stream.Key(names...)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := stream.SplitKey(key); !ok || !slices.Equal(got, names) {
			t.Fatalf("%q: have %q, %v, want %q", key, got, ok, names)
		}
	})
}

func TestAKeyThatNobodyMadeOfNamesIsNotSplit(t *testing.T) {
	for _, key := range []string{"a.", "a..b", "a=", "a=2", "a=zz", "a=61", "a=2E", "", "=00=", "a b"} {
		if names, ok := stream.SplitKey(key); ok {
			t.Errorf("%q: have %q", key, names)
		}
	}
}

func TestKeysAreListedWithoutTheirValues(t *testing.T) {
	s := serve(t, server.Options{})
	cfg := config(s)
	ctx, js := t.Context(), connect(t, cfg)
	if err := stream.Ensure(ctx, js, cfg); err != nil {
		t.Fatal(err)
	}
	b := stream.NewBucket(js, stream.RegistryBucket)
	if keys, err := b.Keys(ctx); err != nil || len(keys) > 0 {
		t.Fatalf("an empty bucket has %q, %v", keys, err)
	}
	var want []string
	for i := range 20 {
		key := fmt.Sprintf("server.tool%02d", i)
		want = append(want, key)
		if _, err := b.Change(ctx, key, func([]byte) ([]byte, error) { return []byte(strings.Repeat("x", 10_000)), nil }); err != nil {
			t.Fatal(err)
		}
	}
	kv, err := js.KeyValue(ctx, b.Name())
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(ctx, want[0]); err != nil {
		t.Fatal(err)
	}
	keys, err := b.Keys(ctx)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	if diff := cmp.Diff(want[1:], keys); diff != "" {
		t.Error(diff)
	}
}
