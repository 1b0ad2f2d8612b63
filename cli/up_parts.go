package cli

import (
	"context"
	"log/slog"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// part is what runs until it is stopped.
type part struct {
	name string
	run  func(ctx context.Context) error
}

// parts returns all that runs beside the HTTP server where data is kept, in the order in which it is started.
func (p *pipeline) parts(cfg stream.Config, file *analyzer.SettingsFile, log *slog.Logger) ([]part, error) {
	of := func(name string) *slog.Logger { return log.With(slog.String("part", name)) }
	registry := stream.NewBucket(p.js, stream.RegistryBucket)
	p.analyzer.FollowSettings(file)
	breaker, err := analyzer.NewBreaker(analyzer.DefaultBreakerConfig(), analyzer.BreakerParts{
		JetStream: p.js, Analyzer: p.analyzer, Registry: p.known, Log: of("breaker"),
		Settings: func() drift.BreakerSettings { return file.Current().Breaker },
	})
	if err != nil {
		return nil, err
	}
	buckets := []analyzer.RevisionSource{registry, stream.NewBucket(p.js, stream.BreakerBucket)}
	history := analyzer.NewHistory(buckets, p.db, p.db, p.analyzing, of("history"))
	return []part{
		{"stream keeper", func(ctx context.Context) error { return stream.Keep(ctx, p.js, cfg, log) }},
		{"registrar", p.registrar.Run},
		{"ingester", p.ingester.Run},
		{"analyzer", p.analyzer.Run},
		{"breaker", breaker.Run},
		{"history", history.Run},
	}, nil
}
