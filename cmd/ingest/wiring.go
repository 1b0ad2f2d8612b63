package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

// lazySink is the store, opened and brought forward by the first call that finds it there. So the ingester starts while
// ClickHouse is away, and its own tries are the only ones.
type lazySink struct {
	cfg        store.Config
	classifier *ingest.Classifier
	log        *slog.Logger

	mu sync.Mutex
	db *store.DB
}

func (s *lazySink) open(ctx context.Context) (*store.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil {
		return s.db, nil
	}
	db, err := store.Open(ctx, s.cfg)
	if err != nil {
		return nil, err
	}
	if err := db.Migrate(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := s.classifier.Load(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.log.Info("store is ready", slog.String("database", s.cfg.Database))
	s.db = db
	return db, nil
}

func (s *lazySink) close() {
	if s.db != nil {
		_ = s.db.Close() // nothing is under way
	}
}

// Position, RecentIDs and Insert are those of the store.
func (s *lazySink) Position(ctx context.Context, lane string) (uint64, error) {
	db, err := s.open(ctx)
	if err != nil {
		return 0, err
	}
	return db.Position(ctx, lane)
}

func (s *lazySink) RecentIDs(ctx context.Context, lane string, n int, above uint64) ([]uuid.UUID, error) {
	db, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	return db.RecentIDs(ctx, lane, n, above)
}

func (s *lazySink) Insert(ctx context.Context, lane, token string, rows []events.Row) error {
	db, err := s.open(ctx)
	if err != nil {
		return err
	}
	return db.Insert(ctx, lane, token, rows)
}

// Prepare is that of the store, which is open by the time that there are rows.
func (s *lazySink) Prepare(rows []events.Row) (func(ctx context.Context, lane, token string) error, error) {
	db, err := s.open(context.Background())
	if err != nil {
		return nil, err
	}
	return db.Prepare(rows)
}

// ensureStreams creates streams and buckets, for as long as it takes NATS to be there.
func ensureStreams(ctx context.Context, js jetstream.JetStream, s *settings, log *slog.Logger) error {
	for {
		err := ensureOnce(ctx, js, s.stream)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		log.Warn("create streams again", slog.Any("error", err))
		select {
		case <-time.After(s.ingest.RetryMax):
		case <-ctx.Done():
			return nil
		}
	}
}

func ensureOnce(ctx context.Context, js jetstream.JetStream, cfg stream.Config) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := stream.WaitConnected(ctx, js.Conn()); err != nil {
		return err
	}
	return stream.Ensure(ctx, js, cfg)
}

// serve answers HTTP until ctx ends.
func serve(ctx context.Context, addr string, h http.Handler, log *slog.Logger) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	log.Info("listening", slog.String("address", l.Addr().String()))
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := srv.Shutdown(ending); err != nil {
		_ = srv.Close()
	}
	return nil
}
