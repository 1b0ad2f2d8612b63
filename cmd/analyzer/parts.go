package main

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tooltrail/tooltrail/cmd/internal/service"
	"github.com/tooltrail/tooltrail/finding"
)

// lazyStore is the store, opened by the first call that finds it there: the analyzer's clock is what tries again.
type lazyStore struct{ *service.Store }

// Each and SaveFindings are those of the store.
func (s lazyStore) Each(ctx context.Context, query string, args []any, row any, fn func() error) error {
	db, err := s.Open(ctx)
	if err != nil {
		return err
	}
	return db.Each(ctx, query, args, row, fn)
}

func (s lazyStore) SaveFindings(ctx context.Context, fs []finding.Finding) error {
	db, err := s.Open(ctx)
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
