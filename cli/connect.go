package cli

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

// backend is connections to NATS and ClickHouse, with the streams and tables made.
type backend struct {
	nc *nats.Conn
	js jetstream.JetStream
	db *store.DB
}

// openBackend connects to both side by side and makes what is missing there.
func (s *settings) openBackend(ctx context.Context, stops *stack, at endpoints, log *slog.Logger) (*backend, error) {
	var b backend
	opening, ctx := errgroup.WithContext(ctx)
	opening.Go(func() (err error) {
		b.nc, b.js, err = s.openStream(ctx, at.NATS, log)
		return err
	})
	opening.Go(func() (err error) {
		b.db, err = s.openStore(ctx, at.ClickHouse)
		return err
	})
	err := opening.Wait()
	if b.nc != nil {
		stops.push(func(context.Context) error { b.nc.Close(); return nil })
	}
	if b.db != nil {
		stops.push(func(context.Context) error { return b.db.Close() })
	}
	return &b, err
}

// openStream connects to NATS and makes the streams.
func (s *settings) openStream(ctx context.Context, url string, log *slog.Logger) (*nats.Conn, jetstream.JetStream, error) {
	cfg := s.stream(url)
	nc, err := stream.Connect(cfg, log)
	if err != nil {
		return nil, nil, fmt.Errorf("connect to NATS: %w", err)
	}
	if err := stream.WaitConnected(ctx, nc); err != nil {
		return nc, nil, fmt.Errorf("connect to NATS at %s: %w", url, err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nc, nil, fmt.Errorf("connect to JetStream: %w", err)
	}
	return nc, js, stream.Ensure(ctx, js, cfg)
}

// openStore connects to ClickHouse and makes the tables.
func (s *settings) openStore(ctx context.Context, url string) (*store.DB, error) {
	db, err := store.Open(ctx, s.store(url))
	if err != nil {
		return nil, err
	}
	if err := db.Migrate(ctx); err != nil {
		return db, err
	}
	return db, nil
}
