package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cmd/internal/service"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
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

// SetFindingState is that of the store.
func (s lazyStore) SetFindingState(ctx context.Context, fingerprint string, state finding.State, mutedUntil time.Time) (bool, error) {
	db, err := s.Open(ctx)
	if err != nil {
		return false, err
	}
	return db.SetFindingState(ctx, fingerprint, state, mutedUntil)
}

// SaveToolChanges is that of the store.
func (s lazyStore) SaveToolChanges(ctx context.Context, changes []events.ToolChange) error {
	db, err := s.Open(ctx)
	if err != nil {
		return err
	}
	return db.SaveToolChanges(ctx, changes)
}

// SaveJudgedCalls, SaveLookedUpCalls, SaveRequestVerdicts and SaveProgress are those of the store.
func (s lazyStore) SaveJudgedCalls(ctx context.Context, rows []events.JudgedCall) error {
	db, err := s.Open(ctx)
	if err != nil {
		return err
	}
	return db.SaveJudgedCalls(ctx, rows)
}

func (s lazyStore) SaveLookedUpCalls(ctx context.Context, rows []events.LookedUpCall) error {
	db, err := s.Open(ctx)
	if err != nil {
		return err
	}
	return db.SaveLookedUpCalls(ctx, rows)
}

func (s lazyStore) SaveRequestVerdicts(ctx context.Context, rows []events.RequestVerdict) error {
	db, err := s.Open(ctx)
	if err != nil {
		return err
	}
	return db.SaveRequestVerdicts(ctx, rows)
}

func (s lazyStore) SaveProgress(ctx context.Context, detector string, rules uint64, positions map[string]uint64) error {
	db, err := s.Open(ctx)
	if err != nil {
		return err
	}
	return db.SaveProgress(ctx, detector, rules, positions)
}

// newOthers makes what runs beside the detectors: the registry, which they and the breaker use, the breaker and the history.
func newOthers(nc *nats.Conn, a *analyzer.Analyzer, s *settings, file *analyzer.SettingsFile, db lazyStore, m *metrics.Analyzer, log *slog.Logger) ([]func(context.Context) error, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("use JetStream: %w", err)
	}
	documents, switches := stream.NewBucket(js, stream.RegistryBucket), stream.NewBucket(js, stream.BreakerBucket)
	registry := analyzer.NewRegistry(documents, m, log.With(slog.String("part", "registry")))
	a.UseRegistry(registry)
	breaker, err := analyzer.NewBreaker(s.breaker, analyzer.BreakerParts{
		JetStream: js, Analyzer: a, Settings: func() drift.BreakerSettings { return file.Current().Breaker }, Registry: registry,
		Log: log.With(slog.String("part", "breaker")),
	})
	if err != nil {
		return nil, err
	}
	history := analyzer.NewHistory([]analyzer.RevisionSource{documents, switches}, db, db, m, log.With(slog.String("part", "history")))
	return []func(context.Context) error{registry.Run, breaker.Run, history.Run}, nil
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
