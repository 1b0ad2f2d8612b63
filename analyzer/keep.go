package analyzer

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/go-json-experiment/json"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

// maxUnpublished is how many new findings wait for a publisher that is away; the oldest beyond it are not published.
const maxUnpublished = 10_000

// keepFindings stores the report's findings and publishes those that were not known before, together with what earlier runs
// could not publish.
func (a *Analyzer) keepFindings(ctx context.Context, r *Report) error {
	a.countFindings(r.Findings)
	if a.keep == nil {
		return nil
	}
	fresh, err := a.keep.SaveFindings(ctx, r.Findings, a.now().UTC())
	if err != nil {
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
