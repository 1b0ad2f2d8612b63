package drift

import (
	"context"
	_ "embed" // for the query
	"math"
	"time"

	"github.com/tooltrail/tooltrail/finding"
)

//go:embed canary.sql
var canarySQL string

const (
	// maxCanaryDays is how far back a canary's calls are looked at: one that takes longer is judged by its last days.
	maxCanaryDays = 14
	// maxCanaries is how many canaries one run compares, the first by the names of their tools.
	maxCanaries = 200
)

// CanaryReport compares the calls of a version on trial with the others.
type CanaryReport struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Version is on trial, Baseline is the active one.
	Version   string    `json:"version"`
	Baseline  string    `json:"baseline"`
	Share     float64   `json:"share"`
	StartedAt time.Time `json:"started_at"`
	// From is from when on calls are compared: since it started, and 14 days at most.
	From time.Time `json:"from"`

	CanaryCalls   CohortCalls `json:"canary_calls"`
	BaselineCalls CohortCalls `json:"baseline_calls"`
	// LeftOut counts calls of clients that judged by the other cohort's version.
	LeftOut uint64 `json:"left_out"`

	// Drift and Errors are the canary's ratios less the baseline's.
	Drift        Difference    `json:"drift"`
	DriftVerdict CanaryVerdict `json:"drift_verdict"`
	Errors       Difference    `json:"errors"`
	ErrorVerdict CanaryVerdict `json:"error_verdict"`
	// Verdict is worse where either is, no_worse where both are.
	Verdict CanaryVerdict `json:"verdict"`
	// CallsNeeded is about how many more calls of the canary would decide, were the ratios to stay; 0 where it is decided, -1 where the
	// difference lies so near the margin that no reasonable number would.
	CallsNeeded int64 `json:"calls_needed"`
	// ConversationsNeeded is how many more conversations of the smaller cohort are needed at least.
	ConversationsNeeded int64 `json:"conversations_needed"`
}

// CohortCalls counts the calls of one cohort.
type CohortCalls struct {
	Calls uint64 `json:"calls"`
	// Judged were held against a schema, Ran were not refused.
	Judged        uint64  `json:"judged"`
	Drifted       uint64  `json:"drifted"`
	DriftRatio    float64 `json:"drift_ratio"`
	Ran           uint64  `json:"ran"`
	Errors        uint64  `json:"errors"`
	ErrorRatio    float64 `json:"error_ratio"`
	Conversations uint64  `json:"conversations"`
}

// canaries compares each canary that is under way.
func (a *analysis) canaries(ctx context.Context) error {
	var docs []*Document
	eachDocument(a.known, func(d *Document) {
		if d.Canary != nil && len(docs) < maxCanaries {
			docs = append(docs, d)
		}
	})
	for _, d := range docs {
		if err := a.canary(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

func (a *analysis) canary(ctx context.Context, d *Document) error {
	r := CanaryReport{Server: d.Server, Tool: d.Tool, Version: d.Canary.Version, Share: d.Canary.Share, StartedAt: d.Canary.StartedAt.UTC()}
	if v := d.Active(); v != nil {
		r.Baseline = v.Version
	}
	r.From = r.StartedAt
	if first := a.end.AddDate(0, 0, -maxCanaryDays); !a.end.IsZero() && r.From.Before(first) {
		r.From = first.UTC()
	}
	if err := a.cohorts(ctx, &r); err != nil {
		return err
	}
	r.compare(a.settings.Canary)
	a.report.Canaries = append(a.report.Canaries, r)
	a.canaryFinding(&r)
	return nil
}

// cohorts counts the calls of both cohorts.
func (a *analysis) cohorts(ctx context.Context, r *CanaryReport) error {
	var row struct {
		Cohort        string `ch:"cohort_name"`
		Calls         uint64 `ch:"calls"`
		Judged        uint64 `ch:"judged"`
		Drifted       uint64 `ch:"drifted"`
		Ran           uint64 `ch:"ran"`
		Errors        uint64 `ch:"errors"`
		Conversations uint64 `ch:"conversations"`
	}
	args := finding.Window{From: r.From, To: a.end}.Args(r.Version, r.Server, r.Tool)
	return a.q.Each(ctx, canarySQL, args, &row, func() error {
		c := CohortCalls{
			Calls: row.Calls, Judged: row.Judged, Drifted: row.Drifted, Ran: row.Ran, Errors: row.Errors, Conversations: row.Conversations,
			DriftRatio: NewRatio(row.Drifted, row.Judged).Value, ErrorRatio: NewRatio(row.Errors, row.Ran).Value,
		}
		switch row.Cohort {
		case CohortCanary:
			r.CanaryCalls = c
		case CohortBaseline:
			r.BaselineCalls = c
		default:
			r.LeftOut = row.Calls
		}
		return nil
	})
}

// compare judges the canary by its calls.
func (r *CanaryReport) compare(s CanarySettings) {
	c, b := &r.CanaryCalls, &r.BaselineCalls
	r.Drift = NewDifference(c.Drifted, c.Judged, b.Drifted, b.Judged)
	r.Errors = NewDifference(c.Errors, c.Ran, b.Errors, b.Ran)
	r.DriftVerdict, r.ErrorVerdict = CanaryTooEarly, CanaryTooEarly
	fewest := min(c.Conversations, b.Conversations)
	if fewest < s.MinConversations {
		r.ConversationsNeeded = int64(s.MinConversations - fewest) //nolint:gosec // small
	} else {
		if min(c.Judged, b.Judged) >= s.MinCalls {
			r.DriftVerdict = r.Drift.verdict(s.Margin)
		}
		if min(c.Ran, b.Ran) >= s.MinCalls {
			r.ErrorVerdict = r.Errors.verdict(s.Margin)
		}
	}
	switch {
	case r.DriftVerdict == CanaryWorse || r.ErrorVerdict == CanaryWorse:
		r.Verdict = CanaryWorse
	case r.DriftVerdict == CanaryNoWorse && r.ErrorVerdict == CanaryNoWorse:
		r.Verdict = CanaryNoWorse
	default:
		r.Verdict, r.CallsNeeded = CanaryTooEarly, r.needed(s)
	}
}

// needed estimates how many more calls of the canary would decide both ratios.
func (r *CanaryReport) needed(s CanarySettings) int64 {
	c, b := &r.CanaryCalls, &r.BaselineCalls
	most := 0.0
	for _, m := range []struct{ p, canary, q, baseline float64 }{
		{c.DriftRatio, float64(c.Judged), b.DriftRatio, float64(b.Judged)}, {c.ErrorRatio, float64(c.Ran), b.ErrorRatio, float64(b.Ran)},
	} {
		want := float64(s.MinCalls)
		if m.canary > 0 && m.baseline > 0 {
			want = max(want, m.canary*max(growth(m.p, m.canary, m.q, m.baseline, s.Margin), want/m.baseline))
		}
		most = max(most, want-m.canary)
	}
	if math.IsInf(most, 1) {
		return -1
	}
	return int64(math.Ceil(most))
}
