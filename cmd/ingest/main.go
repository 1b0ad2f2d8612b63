// Command ingest moves events from NATS JetStream into ClickHouse, each once, and takes events over HTTP. ingest -h lists its
// settings. It exits with 0 when it was stopped and had time to store what it had fetched, and with 1 otherwise.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal stops in order; the second one at once.
	context.AfterFunc(ctx, stop)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "ingest:", err)
		os.Exit(1)
	}
}

// run reads the settings and works until ctx ends.
func run(ctx context.Context, args []string, getenv func(string) string, errOut io.Writer) error {
	s, err := readSettings(args, getenv, errOut)
	if err != nil {
		return err
	}
	s.ingest.TuneCollector()
	log := slog.New(slog.NewJSONHandler(errOut, &slog.HandlerOptions{Level: s.logLevel}))
	nc, err := stream.Connect(s.stream, log)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("use JetStream: %w", err)
	}
	sink := &lazySink{cfg: s.store, classifier: ingest.NewClassifier(log), log: log}
	defer sink.close()
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m := metrics.NewIngest(reg)
	g, err := ingest.New(ingest.Parts{JetStream: js, Sink: sink, Metrics: m, Enricher: sink.classifier, Log: log}, s.ingest)
	if err != nil {
		return err
	}
	s.intake.Metrics, s.intake.Log = m, log
	log.Info("start", slog.String("version", version), slog.String("nats", s.stream.URL), slog.Any("partitions", s.ingest.Partitions))
	var parts errgroup.Group
	work, stop := context.WithCancel(ctx)
	defer stop()
	parts.Go(func() error { return ensureStreams(work, js, s, log) })
	parts.Go(func() error {
		defer stop()
		return serve(work, s.listen, g.Handler(reg, ingest.NewIntake(js, s.intake)), log)
	})
	parts.Go(func() error {
		defer stop()
		return g.Run(work)
	})
	return parts.Wait()
}
