package analyzer

import (
	"context"
	_ "embed" // for the query
	"fmt"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

// maxUnpublished is how many new findings wait for a publisher that is away; the oldest beyond it are not published.
const maxUnpublished = 10_000

//go:embed known_findings.sql
var knownFindingsSQL string

// keepFindings stores the report's findings and publishes those that were not known before, together with what earlier runs
// could not publish.
func (a *Analyzer) keepFindings(ctx context.Context, r *Report) error {
	a.countFindings(r.Findings)
	if a.keep == nil {
		return nil
	}
	fresh, err := a.date(ctx, r.Findings)
	if err != nil {
		return fmt.Errorf("look for known findings: %w", err)
	}
	if err := a.keep.SaveFindings(ctx, r.Findings); err != nil {
		return fmt.Errorf("keep findings: %w", err)
	}
	for i := range fresh {
		a.metrics.FindingsNew.WithLabelValues(fresh[i].Detector, string(fresh[i].Severity)).Inc()
		a.log.Info("new finding", slog.String("detector", fresh[i].Detector), slog.String("rule", fresh[i].Rule),
			slog.String("severity", string(fresh[i].Severity)), slog.String("fingerprint", fresh[i].Fingerprint))
	}
	a.unpublished = append(a.unpublished, fresh...)
	return a.publishAll(ctx)
}

// date gives each finding the time it was first seen, now as the last, and its state, and returns those not known before.
func (a *Analyzer) date(ctx context.Context, fs []finding.Finding) ([]finding.Finding, error) {
	names := make([]string, len(fs))
	for i := range fs {
		names[i] = fs[i].Fingerprint
	}
	known, err := a.known(ctx, names)
	if err != nil {
		return nil, err
	}
	now := a.now().UTC()
	var fresh []finding.Finding
	for i := range fs {
		f := &fs[i]
		f.FirstSeen, f.LastSeen, f.State = now, now, finding.Open
		if k, ok := known[f.Fingerprint]; ok {
			f.FirstSeen, f.State, f.MutedUntil = k.FirstSeen, k.State, k.MutedUntil
			continue
		}
		fresh = append(fresh, *f)
		known[f.Fingerprint] = *f
	}
	return fresh, nil
}

// known returns what is stored of findings, by fingerprint.
func (a *Analyzer) known(ctx context.Context, names []string) (map[string]finding.Finding, error) {
	known := map[string]finding.Finding{}
	if len(names) == 0 {
		return known, nil
	}
	var row struct {
		Fingerprint string    `ch:"fingerprint"`
		FirstSeen   time.Time `ch:"first_seen"`
		State       string    `ch:"state"`
		MutedUntil  time.Time `ch:"muted_until"`
	}
	err := a.q.Each(ctx, knownFindingsSQL, []any{names}, &row, func() error {
		f := finding.Finding{FirstSeen: row.FirstSeen.UTC(), State: finding.State(row.State)}
		if row.MutedUntil.Unix() > 0 {
			f.MutedUntil = row.MutedUntil.UTC()
		}
		known[row.Fingerprint] = f
		return nil
	})
	return known, err
}

// publishAll publishes what waits, in order, up to the first error.
func (a *Analyzer) publishAll(ctx context.Context) error {
	if over := len(a.unpublished) - maxUnpublished; over > 0 {
		a.unpublished = a.unpublished[over:]
	}
	for len(a.unpublished) > 0 {
		if err := a.publish(ctx, &a.unpublished[0]); err != nil {
			a.metrics.PublishErrors.Inc()
			return err
		}
		a.unpublished = a.unpublished[1:]
	}
	return nil
}

// publish tells others of one new finding; its subject is outside the event stream, so that nobody listening loses nothing.
func (a *Analyzer) publish(ctx context.Context, f *finding.Finding) error {
	if a.pub == nil {
		return nil
	}
	data, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("encode finding: %w", err)
	}
	if err := a.pub.Publish(ctx, events.FindingsSubject, data); err != nil {
		return fmt.Errorf("publish finding: %w", err)
	}
	return nil
}

func (a *Analyzer) countFindings(fs []finding.Finding) {
	a.metrics.Findings.Reset()
	for i := range fs {
		a.metrics.Findings.WithLabelValues(fs[i].Detector, string(fs[i].Severity)).Inc()
	}
}
