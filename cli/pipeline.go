package cli

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/metrics"
)

// pipeline is the ingester and the analyzer on a backend.
type pipeline struct {
	*backend
	registry *prometheus.Registry
	metrics  *metrics.Ingest
	ingester *ingest.Ingester
	analyzer *analyzer.Analyzer
}

// newPipeline makes both and starts nothing.
func newPipeline(ctx context.Context, b *backend, in ingest.Config, an analyzer.Config, log *slog.Logger) (*pipeline, error) {
	p := &pipeline{backend: b, registry: prometheus.NewRegistry()}
	p.metrics = metrics.NewIngest(p.registry)
	classifier := ingest.NewClassifier(log)
	err := classifier.Load(ctx, b.db)
	if err != nil {
		return nil, err
	}
	p.ingester, err = ingest.New(ingest.Parts{
		JetStream: b.js, Sink: b.db, Metrics: p.metrics, Enricher: classifier, Log: log.With(slog.String("part", "ingest")),
	}, in)
	if err != nil {
		return nil, err
	}
	p.analyzer, err = newAnalyzer(b, an, p.registry, log)
	return p, err
}

// newAnalyzer makes an analyzer that keeps its findings and publishes the new ones.
func newAnalyzer(b *backend, cfg analyzer.Config, reg prometheus.Registerer, log *slog.Logger) (*analyzer.Analyzer, error) {
	return analyzer.New(cfg, b.db, b.db, publisher{b}, metrics.NewAnalyzer(reg), log.With(slog.String("part", "analyzer")))
}

// newBreaker makes the breaker that runs beside the analyzer, which keeps and publishes what it finds.
func newBreaker(b *backend, a *analyzer.Analyzer, cfg analyzer.Config, log *slog.Logger) (*analyzer.Breaker, error) {
	return analyzer.NewBreaker(analyzer.DefaultBreakerConfig(), analyzer.BreakerParts{
		JetStream: b.js, Analyzer: a, Settings: func() drift.BreakerSettings { return cfg.Breaker }, Log: log.With(slog.String("part", "breaker")),
	})
}

// lanes says how far the ingester in this process is.
func (p *pipeline) lanes(context.Context) ([]ingest.Lane, error) { return p.ingester.Lanes(), nil }

// publisher publishes findings on plain NATS, where nobody needs to listen.
type publisher struct{ b *backend }

// publishTimeout is how long the server may take to say that it has a message.
const publishTimeout = 10 * time.Second

// Publish returns when the server has the message.
func (p publisher) Publish(ctx context.Context, subject string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	if err := p.b.nc.Publish(subject, data); err != nil {
		return fmt.Errorf("publish on %s: %w", subject, err)
	}
	if err := p.b.nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("publish on %s: %w", subject, err)
	}
	return nil
}
