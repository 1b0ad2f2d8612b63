// Command ingest moves events from NATS JetStream into ClickHouse, each once, and takes events over HTTP. ingest -h lists its
// settings. It exits with 0 when it was stopped and had time to store what it had fetched, and with 1 otherwise.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/tooltrail/tooltrail/cmd/internal/service"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

// version is set by the linker.
var version = "dev"

func main() { service.Main("ingest", run) }

// run reads the settings and works until ctx ends.
func run(ctx context.Context, args []string, getenv func(string) string, errOut io.Writer) error {
	s, err := readSettings(args, getenv, errOut)
	if err != nil {
		return err
	}
	s.ingest.TuneCollector()
	log := service.Logger(errOut, s.logLevel)
	if s.migrate {
		return service.Migrate(ctx, s.store, log)
	}
	nc, err := stream.Connect(s.stream, log)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("use JetStream: %w", err)
	}
	reg := service.Registry()
	m := metrics.NewIngest(reg)
	*m.Limits = s.limits
	classifier := ingest.NewClassifier(log)
	classifier.UseResolver(ingest.NewResolver(s.names, m.NamesResolved))
	registrar := ingest.NewRegistrar(classifier, stream.NewBucket(js, stream.RegistryBucket), m, log.With(slog.String("part", "registry")))
	sink := lazySink{service.NewStore(s.store, func(ctx context.Context, db *store.DB) error { return classifier.Load(ctx, db) }, log)}
	defer sink.Close()
	g, err := ingest.New(ingest.Parts{JetStream: js, Sink: sink, Metrics: m, Enricher: classifier, Log: log}, s.ingest)
	if err != nil {
		return err
	}
	s.intake.Metrics, s.intake.Log = m, log
	log.Info("start", slog.String("version", version), slog.String("nats", s.stream.URL), slog.Any("partitions", s.ingest.Partitions))
	var parts errgroup.Group
	work, stop := context.WithCancel(ctx)
	defer stop()
	parts.Go(func() error { return stream.Keep(work, js, s.stream, log) })
	parts.Go(func() error { return registrar.Run(work) })
	parts.Go(func() error {
		defer stop()
		return service.Serve(work, s.listen, g.Handler(reg, ingest.NewIntake(js, s.intake)), log)
	})
	parts.Go(func() error {
		defer stop()
		return g.Run(work)
	})
	return parts.Wait()
}
