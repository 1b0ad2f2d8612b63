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

// keepFindings stores the report's findings and queues those to be published that people do not know of yet. It says of each finding where its
// events were, whose it is, and what state it is in; of a new one what changed around its start.
func (a *Analyzer) keepFindings(ctx context.Context, r *Report) error {
	if a.keep == nil {
		a.own(r.Findings)
		a.countFindings(r.Findings)
		return nil
	}
	a.place(ctx, r)
	l := look{r.Window, a.looked}
	a.looked = a.now()
	news, err := a.save(ctx, r.Findings, l)
	a.countFindings(r.Findings)
	if err != nil {
		return err
	}
	for i := range news {
		a.log.Info("new finding", slog.String("detector", news[i].Detector), slog.String("rule", news[i].Rule), slog.String("state", string(news[i].State)),
			slog.String("severity", string(news[i].Severity)), slog.String("fingerprint", news[i].Fingerprint), slog.Int("reopened", news[i].Reopened))
	}
	a.unpublished = append(a.unpublished, news...)
	return nil
}

// look is a run's look at events.
type look struct {
	window finding.Window
	// last is when the run before this one looked.
	last time.Time
}

// save stores findings, dates them and sets the state that each is in. It returns those that people are to be told of: new ones, and those that
// were resolved or acknowledged and are open again.
func (a *Analyzer) save(ctx context.Context, fs []finding.Finding, l look) ([]finding.Finding, error) {
	before, err := a.known(ctx, fs)
	if err != nil {
		return nil, fmt.Errorf("look for known findings: %w", err)
	}
	a.date(fs, before)
	a.explain(ctx, fs, before, l)
	if err := a.keep.SaveFindings(ctx, fs); err != nil {
		return nil, fmt.Errorf("keep findings: %w", err)
	}
	after, err := a.known(ctx, fs)
	if err != nil {
		return nil, fmt.Errorf("look for the states of findings: %w", err)
	}
	var news []finding.Finding
	told := map[string]bool{}
	for i := range fs {
		f := &fs[i]
		if k, ok := after[f.Fingerprint]; ok {
			f.Live(k.Life())
		}
		was, old := before[f.Fingerprint]
		if told[f.Fingerprint] || !f.State.Alerts() || old && (was.State != finding.Resolved && was.State != finding.Acknowledged || f.State != finding.Open) {
			continue
		}
		told[f.Fingerprint] = true
		news = append(news, *f)
		if !old {
			a.metrics.FindingsNew.WithLabelValues(f.Detector, string(f.Severity)).Inc()
		}
	}
	return news, nil
}

// date gives each finding the time it was first seen, and now as the last.
func (a *Analyzer) date(fs []finding.Finding, before map[string]finding.Finding) {
	now := a.now().UTC()
	for i := range fs {
		f := &fs[i]
		f.FirstSeen, f.LastSeen, f.State = now, now, finding.Open
		if k, ok := before[f.Fingerprint]; ok {
			f.FirstSeen = k.FirstSeen
		}
	}
}

// known returns what is stored of findings, by fingerprint.
func (a *Analyzer) known(ctx context.Context, fs []finding.Finding) (map[string]finding.Finding, error) {
	known := map[string]finding.Finding{}
	if len(fs) == 0 {
		return known, nil
	}
	names := make([]string, len(fs))
	for i := range fs {
		names[i] = fs[i].Fingerprint
	}
	var row struct {
		Fingerprint string    `ch:"fingerprint"`
		FirstSeen   time.Time `ch:"first_seen"`
		LastSeen    time.Time `ch:"last_seen"`
		State       string    `ch:"state"`
		MutedUntil  time.Time `ch:"muted_until"`
		Since       time.Time `ch:"state_since"`
		By          string    `ch:"state_by"`
		Why         string    `ch:"state_why"`
		Reopened    uint64    `ch:"reopened"`
		Began       time.Time `ch:"began"`
	}
	err := a.q.Each(ctx, knownFindingsSQL, []any{names}, &row, func() error {
		f := finding.Finding{FirstSeen: row.FirstSeen.UTC(), LastSeen: row.LastSeen.UTC(), Began: dated(row.Began)}
		f.Live(finding.Life{
			State: finding.State(row.State), Since: dated(row.Since), Until: dated(row.MutedUntil), By: row.By, Why: row.Why, Reopened: int(row.Reopened), //nolint:gosec // a count
		})
		known[row.Fingerprint] = f
		return nil
	})
	return known, err
}

// dated returns t, and the zero time for 1970, which stands for it.
func dated(t time.Time) time.Time {
	if t.Unix() <= 0 {
		return time.Time{}
	}
	return t.UTC()
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

// publish tells others of one finding; its subject is outside the event stream, so that nobody listening loses nothing.
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

// countFindings counts those of the last run that are neither muted nor resolved.
func (a *Analyzer) countFindings(fs []finding.Finding) {
	a.metrics.Findings.Reset()
	for i := range fs {
		if fs[i].State.Alerts() {
			a.metrics.Findings.WithLabelValues(fs[i].Detector, string(fs[i].Severity)).Inc()
		}
	}
}
