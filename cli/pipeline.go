package cli

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

// pipeline is the ingester and the analyzer on a backend.
type pipeline struct {
	*backend
	registry  *prometheus.Registry
	metrics   *metrics.Ingest
	ingester  *ingest.Ingester
	analyzing *metrics.Analyzer
	analyzer  *analyzer.Analyzer
	// known is what the ingester judges calls by, for the analyzer and the breaker too.
	known *analyzer.Registry
	// registrar fills the registry's bucket; nil where the registry is in memory alone.
	registrar *ingest.Registrar
}

// newPipeline makes both and starts nothing. The ingester looks names up by the activation settings of an. Where data is kept, calls are judged by the registry's bucket; else by the definitions that
// come by, which is the same for a bucket that would start empty and nobody else could reach.
func newPipeline(ctx context.Context, b *backend, in ingest.Config, an analyzer.Config, kept bool, log *slog.Logger) (*pipeline, error) {
	p := &pipeline{backend: b, registry: prometheus.NewRegistry()}
	p.metrics, p.analyzing = metrics.NewIngest(p.registry), metrics.NewAnalyzer(p.registry)
	classifier := ingest.NewClassifier(log)
	names := ingest.DefaultResolverConfig()
	names.Settings = an.Activation
	classifier.UseResolver(ingest.NewResolver(names, p.metrics.NamesResolved))
	p.known = analyzer.RegistryOf(classifier.Registry())
	if kept {
		bucket := stream.NewBucket(b.js, stream.RegistryBucket)
		p.registrar = ingest.NewRegistrar(classifier, bucket, p.metrics, log.With(slog.String("part", "registry")))
	}
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
	p.analyzer, err = analyzer.New(an, b.db, b.db, publisher{b}, p.analyzing, log.With(slog.String("part", "analyzer")))
	if err != nil {
		return nil, err
	}
	p.analyzer.UseRegistry(p.known)
	return p, nil
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
