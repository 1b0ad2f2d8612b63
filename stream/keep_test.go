package stream_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tooltrail/tooltrail/stream"
)

func TestAStreamThatIsDeletedIsCreatedAnew(t *testing.T) {
	cfg := config(serve(t, server.Options{}))
	js := connect(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- stream.Keep(ctx, js, cfg, slog.New(slog.DiscardHandler)) }()
	there := func() bool {
		_, err := js.Stream(ctx, stream.Name)
		return err == nil
	}
	poll(t, "the stream to be created", there)
	if err := js.DeleteStream(ctx, stream.Name); err != nil {
		t.Fatal(err)
	}
	poll(t, "the stream to be created anew", there)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Keep returned %v", err)
	}
}

func poll(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("waited for %s", what)
		case <-tick.C:
		}
	}
}
