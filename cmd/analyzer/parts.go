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

	"github.com/nats-io/nats.go"

	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
)

// lazyStore is the store, opened and brought forward by the first call that finds it there. So the analyzer starts while
// ClickHouse is away, and its clock is what tries again.
type lazyStore struct {
	cfg store.Config
	log *slog.Logger

	mu sync.Mutex
	db *store.DB
}

func (s *lazyStore) open(ctx context.Context) (*store.DB, error) {
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
	s.log.Info("store is ready", slog.String("database", s.cfg.Database))
	s.db = db
	return db, nil
}

func (s *lazyStore) close() {
	if s.db != nil {
		_ = s.db.Close() // nothing is under way
	}
}

// Each and SaveFindings are those of the store.
func (s *lazyStore) Each(ctx context.Context, query string, args []any, row any, fn func() error) error {
	db, err := s.open(ctx)
	if err != nil {
		return err
	}
	return db.Each(ctx, query, args, row, fn)
}

func (s *lazyStore) SaveFindings(ctx context.Context, fs []finding.Finding) error {
	db, err := s.open(ctx)
	if err != nil {
		return err
	}
	return db.SaveFindings(ctx, fs)
}

// publisher publishes findings on plain NATS, where nobody needs to listen.
type publisher struct{ nc *nats.Conn }

// publishTimeout is how long the server may take to say that it has a message.
const publishTimeout = 10 * time.Second

func (p publisher) Publish(ctx context.Context, subject string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	if !p.nc.IsConnected() {
		return nats.ErrDisconnected
	}
	if err := p.nc.Publish(subject, data); err != nil {
		return err
	}
	return p.nc.FlushWithContext(ctx)
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
