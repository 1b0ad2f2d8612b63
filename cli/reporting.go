package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

func (p *program) reportCommand() *cobra.Command {
	var asJSON, all bool
	var since string
	c := &cobra.Command{
		Use:   "report",
		Short: "Report on what a running tooltrail has stored",
		Args:  argCount(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			w, err := windowSince(since, time.Now())
			if err != nil {
				return err
			}
			return p.report(c.Context(), w, asJSON, all)
		},
	}
	p.set.runningFlags(c.Flags())
	p.set.pricesFlag(c.Flags())
	p.set.settingsFlag(c.Flags())
	p.set.scopeFlags(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.Flags().BoolVar(&all, "all", false, "list everything, not only the worst")
	c.Flags().StringVar(&since, "since", "", "look back this `duration`, in event time, such as 90m, 24h or 7d; everything where it is not given")
	return c
}

// report looks once, and keeps and publishes nothing.
func (p *program) report(ctx context.Context, w finding.Window, asJSON, all bool) (err error) {
	log, err := p.logger(slog.LevelError)
	if err != nil {
		return err
	}
	cfg, err := p.runningAnalyzer()
	if err != nil {
		return err
	}
	return p.withStore(ctx, func(db *store.DB) error {
		m := metrics.NewAnalyzer(prometheus.NewRegistry())
		a, err := analyzer.New(cfg, db.Within(p.set.Scope), nil, nil, m, log)
		if err != nil {
			return err
		}
		a.UseRegistry(p.readRegistry(ctx, m, log))
		r, err := a.Once(ctx, w)
		if err != nil && len(r.Incomplete) == 0 {
			return err
		}
		r.Scope = p.set.Scope
		return errors.Join(p.print(&r, asJSON, all), err)
	})
}

// onceWithin looks once at what a pipeline has stored of the scope of the flags, and keeps nothing.
func (p *program) onceWithin(ctx context.Context, line *pipeline, cfg analyzer.Config, log *slog.Logger) (analyzer.Report, error) {
	a, err := analyzer.New(cfg, line.db.Within(p.set.Scope), nil, nil, metrics.NewAnalyzer(prometheus.NewRegistry()), log)
	if err != nil {
		return analyzer.Report{}, err
	}
	a.UseRegistry(line.known)
	r, err := a.Once(ctx, finding.Window{})
	r.Scope = p.set.Scope
	return r, err
}

// registryWait is how long a report waits for the registry.
const registryWait = 3 * time.Second

// readRegistry reads the registry of the running tooltrail. Where it is not reached the report says so, and has all the rest.
func (p *program) readRegistry(ctx context.Context, m *metrics.Analyzer, log *slog.Logger) *analyzer.Registry {
	ctx, cancel := context.WithTimeout(ctx, registryWait)
	defer cancel()
	s, err := p.runningNATS()
	if err != nil {
		return analyzer.NoRegistry(err)
	}
	var stops stack
	defer func() { _ = stops.stop() }() // a connection that was read from
	b, err := p.set.dialStream(ctx, &stops, s.NATS, log)
	if err != nil {
		return analyzer.NoRegistry(err)
	}
	r := analyzer.NewRegistry(stream.NewBucket(b.js, stream.RegistryBucket), m, log)
	_ = r.Load(ctx) // the registry itself says why it is not known
	return r
}

// withStore connects to the running ClickHouse for fn.
func (p *program) withStore(ctx context.Context, fn func(db *store.DB) error) (err error) {
	s, err := p.runningStore()
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, p.set.store(s.ClickHouse))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(db)
}

// windowSince reads --since; an empty one is all of time.
func windowSince(s string, now time.Time) (finding.Window, error) {
	if s == "" {
		return finding.Window{}, nil
	}
	d, err := parseSpan(s)
	if err != nil || d == 0 {
		return finding.Window{}, usageError{fmt.Errorf("--since %q: %w", s, errSpan)}
	}
	return finding.Window{From: now.Add(-d).UTC(), To: now.UTC()}, nil
}
