package main

import (
	"context"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/cmd/internal/service"
	"github.com/tooltrail/tooltrail/events"
)

// lazySink is the store, opened by the first call that finds it there: the ingester's own tries are the only ones.
type lazySink struct{ *service.Store }

// Position, RecentIDs and Insert are those of the store.
func (s lazySink) Position(ctx context.Context, lane string) (uint64, error) {
	db, err := s.Open(ctx)
	if err != nil {
		return 0, err
	}
	return db.Position(ctx, lane)
}

func (s lazySink) RecentIDs(ctx context.Context, lane string, n int, above uint64) ([]uuid.UUID, error) {
	db, err := s.Open(ctx)
	if err != nil {
		return nil, err
	}
	return db.RecentIDs(ctx, lane, n, above)
}

func (s lazySink) Insert(ctx context.Context, lane, token string, rows []events.Row) error {
	db, err := s.Open(ctx)
	if err != nil {
		return err
	}
	return db.Insert(ctx, lane, token, rows)
}

// Prepare is that of the store, which is open by the time that there are rows.
func (s lazySink) Prepare(rows []events.Row) (func(ctx context.Context, lane, token string) error, error) {
	db, err := s.Open(context.Background())
	if err != nil {
		return nil, err
	}
	return db.Prepare(rows)
}
