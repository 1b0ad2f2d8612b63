package service

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/tooltrail/tooltrail/store"
)

// Store is the store, opened and brought forward by the first call that finds it there. So a program starts while ClickHouse is
// away, and its own tries are the only ones.
type Store struct {
	cfg   store.Config
	ready func(context.Context, *store.DB) error
	log   *slog.Logger

	mu sync.Mutex
	db *store.DB
}

// NewStore returns a store that is not open yet. What ready does, unless it is nil, belongs to opening.
func NewStore(cfg store.Config, ready func(context.Context, *store.DB) error, log *slog.Logger) *Store {
	return &Store{cfg: cfg, ready: ready, log: log}
}

// Open returns the open store. After an error the next call tries again.
func (s *Store) Open(ctx context.Context) (*store.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil {
		return s.db, nil
	}
	db, err := store.Open(ctx, s.cfg)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.log.Info("store is ready", slog.String("database", s.cfg.Database))
	s.db = db
	return db, nil
}

func (s *Store) prepare(ctx context.Context, db *store.DB) error {
	if err := db.Migrate(ctx); err != nil || s.ready == nil {
		return err
	}
	return s.ready(ctx, db)
}

// Migrate brings the store forward and closes it again: what whoever may change tables does before the programs start that may not.
func Migrate(ctx context.Context, cfg store.Config, log *slog.Logger) error {
	s := NewStore(cfg, nil, log)
	defer s.Close()
	_, err := s.Open(ctx)
	return err
}

// Close closes the store if it was opened, when nothing is under way.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil {
		_ = s.db.Close() // nothing is under way
	}
}
