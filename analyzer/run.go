package analyzer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/tooltrail/tooltrail/finding"
)

// Run looks at once and then every interval until ctx is done, which is not an error. A run that fails is logged and counted;
// the next one comes at the next tick.
func (a *Analyzer) Run(ctx context.Context) error {
	a.started.Store(a.now().UnixNano())
	if a.registry != nil {
		a.registry.wait(ctx)
	}
	if a.keep != nil {
		a.setSilenced(ctx) // before anything is shown that they silence
	}
	tick := time.NewTicker(a.cfg.Interval)
	defer tick.Stop()
	for {
		a.tick(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// tick is one run on the clock.
func (a *Analyzer) tick(ctx context.Context) {
	start := a.now()
	r, err := a.Once(ctx, a.window(start))
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		a.metrics.Runs.WithLabelValues("error").Inc()
		a.log.Error("run ended with errors", slog.Any("error", err))
	default:
		a.metrics.Runs.WithLabelValues("ok").Inc()
		a.healthy.Store(a.now().UnixNano())
	}
	a.log.Debug("run ended", slog.Duration("took", a.now().Sub(start)), slog.Int("findings", len(r.Findings)))
}

// warn says what a run goes on without. That it was stopped is no trouble.
func (a *Analyzer) warn(what string, err error) {
	if !errors.Is(err, context.Canceled) {
		a.log.Warn("run goes on without what it could not read", slog.String("for", what), slog.Any("error", err))
	}
}

// window is the configured span that ends at now; a window of 0 is all of time.
func (a *Analyzer) window(now time.Time) finding.Window {
	if a.cfg.Window == 0 {
		return finding.Window{}
	}
	return finding.Window{From: now.Add(-a.cfg.Window).UTC(), To: now.UTC()}
}
