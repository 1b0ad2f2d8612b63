// Command analyzer runs the detectors on a clock over what is stored in ClickHouse, keeps what they find, and publishes new
// findings on NATS. Beside them it runs the breaker, which reads tool calls from NATS and disables tools. analyzer -h lists its settings. It exits with 0 when it was stopped, and with 1 on wrong settings.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cmd/internal/service"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

// version is set by the linker.
var version = "dev"

func main() { service.Main("analyzer", run) }

// run reads the settings and works until ctx ends.
func run(ctx context.Context, args []string, getenv func(string) string, errOut io.Writer) error {
	s, err := readSettings(args, getenv, errOut)
	if err != nil {
		return err
	}
	log := service.Logger(errOut, s.logLevel)
	nc, err := stream.Connect(s.stream, log)
	if err != nil {
		return fmt.Errorf("connect to NATS: %w", err)
	}
	defer nc.Close()
	db := lazyStore{service.NewStore(s.store, nil, log)}
	defer db.Close()
	reg := service.Registry()
	m := metrics.NewAnalyzer(reg)
	m.Limits = s.limits
	file, err := analyzer.OpenSettings(s.file, s.analyzer, s.override, m, log)
	if err != nil {
		return err
	}
	a, err := analyzer.New(file.Current(), db, db, publisher{nc}, m, log)
	if err != nil {
		return err
	}
	a.FollowSettings(file)
	others, err := newOthers(nc, a, s, file, db, m, log)
	if err != nil {
		return err
	}
	log.Info("start", slog.String("version", version), slog.String("nats", s.stream.URL), slog.Duration("interval", s.analyzer.Interval))
	var parts errgroup.Group
	work, stop := context.WithCancel(ctx)
	defer stop()
	parts.Go(func() error {
		defer stop()
		return service.Serve(work, s.listen, a.Handler(reg), log)
	})
	for _, part := range append(others, a.Run) {
		parts.Go(func() error {
			defer stop()
			return part(work)
		})
	}
	return parts.Wait()
}
