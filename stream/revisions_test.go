package stream_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/tooltrail/tooltrail/stream"
)

func TestRevisionsAreGivenFromOneOnAndThenAsTheyCome(t *testing.T) {
	cfg := config(serve(t, server.Options{}))
	ctx, js := t.Context(), connect(t, cfg)
	if err := stream.Ensure(ctx, js, cfg); err != nil {
		t.Fatal(err)
	}
	b := stream.NewBucket(js, stream.RegistryBucket)
	change := func(key string, n int) {
		t.Helper()
		if _, err := b.Change(ctx, key, func([]byte) ([]byte, error) { return fmt.Append(nil, n), nil }); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 3 {
		change("s.a", n)
		change("s.b", n)
	}
	epoch, err := b.Epoch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	enough := errors.New("enough")
	err = b.Revisions(ctx, epoch, 4, func(e stream.Entry) error {
		got = append(got, fmt.Sprintf("%d %s=%s", e.Revision, e.Key, e.Value))
		switch len(got) {
		case 3: // all that was there
			change("s.c", 7)
		case 4:
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"4 s.b=1", "5 s.a=2", "6 s.b=2", "7 s.c=7"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRevisionsOfABucketThatIsDeletedEnd(t *testing.T) {
	cfg := config(serve(t, server.Options{}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	js := connect(t, cfg)
	if err := stream.Ensure(ctx, js, cfg); err != nil {
		t.Fatal(err)
	}
	b := stream.NewBucket(js, stream.BreakerBucket)
	epoch, err := b.Epoch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteKeyValue(ctx, stream.BreakerBucket); err != nil {
		t.Fatal(err)
	}
	if err := stream.Ensure(ctx, js, cfg); err != nil {
		t.Fatal(err)
	}
	if err := b.Revisions(ctx, epoch, 1, func(stream.Entry) error { return nil }); !errors.Is(err, stream.ErrReplaced) {
		t.Errorf("have %v, want that the bucket is another one", err)
	}
}
