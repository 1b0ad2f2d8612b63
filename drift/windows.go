package drift

import (
	"cmp"
	"context"
	_ "embed" // for the queries
	"slices"
	"strconv"
	"time"
)

//go:embed calls.sql
var callsSQL string

//go:embed retries.sql
var retriesSQL string

// maxSpans is how many windows calls.sql and retries.sql tell apart: those of the settings, and the whole.
const maxSpans = MaxWindows + 1

// part is what ratios are by, beside the tool.
type part uint8

const (
	byTool part = 1 + iota
	byModel
	byVersion
)

// rowKey names one ratio: the fields that its part does not have are empty.
type rowKey struct {
	part
	Key
	model, agent, version string
}

// span is a stretch of event time that ratios are said for, the whole or one of the settings' windows.
type span struct {
	WindowSettings
	whole bool
	from  time.Time
	rows  map[rowKey]*ToolDrift
}

// makeSpans lists the whole and the windows of the settings, the earliest start first: all end together, so that a call in one is in all
// before it.
func (a *analysis) makeSpans() {
	a.spans = []*span{{whole: true, from: a.window.From, rows: map[rowKey]*ToolDrift{}}}
	for _, w := range a.settings.Windows {
		a.spans = append(a.spans, &span{WindowSettings: w, from: a.end.Add(-w.Length), rows: map[rowKey]*ToolDrift{}})
	}
	slices.SortStableFunc(a.spans, func(x, y *span) int { return x.from.Compare(y.from) })
}

// bounds are the arguments of calls.sql and retries.sql: the end, and the starts in order, filled up with the end.
func (a *analysis) bounds() []any {
	starts := make([]int64, maxSpans)
	for i := range starts {
		starts[i] = a.end.UnixMicro()
		if i < len(a.spans) {
			starts[i] = max(0, a.spans[i].from.UnixMicro())
		}
	}
	return []any{a.end.UnixMicro(), starts}
}

// placeRow is what rows of calls.sql and retries.sql begin with.
type placeRow struct {
	Part    uint8  `ch:"part"`
	Server  string `ch:"server_name"`
	Tool    string `ch:"tool"`
	Model   string `ch:"model"`
	Agent   string `ch:"agent"`
	Version string `ch:"version"`
	// Band is in how many of the spans the calls lie, from the first on.
	Band uint8 `ch:"band"`
}

// callRow is a row of calls.sql.
type callRow struct {
	placeRow
	Calls              uint64 `ch:"calls"`
	OldVersion         uint64 `ch:"old_version"`
	SilentDefault      uint64 `ch:"silent_default"`
	UnknownArgument    uint64 `ch:"unknown_argument"`
	ValidationError    uint64 `ch:"validation_error"`
	Unjudged           uint64 `ch:"unjudged"`
	ExecutionErrors    uint64 `ch:"execution_errors"`
	ValidationOutcomes uint64 `ch:"validation_outcomes"`
}

// retryRow is a row of retries.sql.
type retryRow struct {
	placeRow
	Retries     uint64 `ch:"retries"`
	RetryTokens uint64 `ch:"retry_tokens"`
	FirstTokens uint64 `ch:"first_tokens"`
}

// ratios counts the calls and the retries of all spans, in one pass each, and says what follows.
func (a *analysis) ratios(ctx context.Context) error {
	a.makeSpans()
	if a.end.IsZero() {
		a.tell()
		return nil
	}
	var call callRow
	err := a.q.Each(ctx, callsSQL, a.bounds(), &call, func() error {
		a.each(&call.placeRow, call.addTo)
		return nil
	})
	if err != nil {
		return err
	}
	var retry retryRow
	err = a.q.Each(ctx, retriesSQL, a.bounds(), &retry, func() error {
		a.each(&retry.placeRow, retry.addTo)
		return nil
	})
	if err == nil {
		a.tell()
	}
	return err
}

// each calls fn with the row of every span that a row's calls lie in.
func (a *analysis) each(r *placeRow, fn func(*ToolDrift)) {
	k := rowKey{part(r.Part), Key{r.Server, r.Tool}, r.Model, r.Agent, r.Version}
	for _, s := range a.spans[:min(int(r.Band), len(a.spans))] {
		t := s.rows[k]
		if t == nil {
			t = &ToolDrift{Server: k.Server, Tool: k.Tool, Model: k.model, Agent: k.agent, AgentVersion: k.version}
			s.rows[k] = t
		}
		fn(t)
	}
}

func (r *callRow) addTo(t *ToolDrift) {
	t.Calls += r.Calls
	t.OldVersion += r.OldVersion
	t.SilentDefault += r.SilentDefault
	t.UnknownArgument += r.UnknownArgument
	t.ValidationError += r.ValidationError
	t.Unjudged += r.Unjudged
	t.ExecutionErrors += r.ExecutionErrors
	t.ValidationOutcomes += r.ValidationOutcomes
}

func (r *retryRow) addTo(t *ToolDrift) {
	t.Retries += r.Retries
	t.RetryTokens += r.RetryTokens
	t.FirstTokens += r.FirstTokens
}

// tell fills the report from the spans and raises what they say.
func (a *analysis) tell() {
	for _, s := range a.spans {
		for _, t := range s.rows {
			t.settle()
		}
	}
	for _, w := range a.settings.Windows {
		i := slices.IndexFunc(a.spans, func(s *span) bool { return !s.whole && s.Length == w.Length })
		a.report.Windows = append(a.report.Windows, a.spans[i].report(a.end))
	}
	whole := a.spans[slices.IndexFunc(a.spans, func(s *span) bool { return s.whole })]
	a.report.tell(whole)
	for i := range a.report.Retries {
		a.retryFinding(&a.report.Retries[i])
	}
	a.ratioFindings()
}

// list returns a part of the rows, the worst first.
func (s *span) list(p part) []ToolDrift {
	all := []ToolDrift{}
	for k, t := range s.rows {
		if k.part == p {
			all = append(all, *t)
		}
	}
	slices.SortFunc(all, func(a, b ToolDrift) int {
		return cmp.Or(
			cmp.Compare(b.Ratio, a.Ratio), cmp.Compare(b.Drifted, a.Drifted), cmp.Compare(b.Calls, a.Calls),
			cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Model, b.Model),
			cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.AgentVersion, b.AgentVersion),
		)
	})
	return all
}

// report says all ratios of a window.
func (s *span) report(end time.Time) WindowReport {
	w := WindowReport{
		Window: spanName(s.Length), Seconds: int64(s.Length / time.Second),
		ByTool: s.list(byTool), ByModel: s.list(byModel), ByAgentVersion: s.list(byVersion),
	}
	if !end.IsZero() {
		w.From, w.To = s.from.UTC(), end.UTC()
	}
	for i := range w.ByTool {
		t := &w.ByTool[i]
		w.Calls, w.Drifted, w.Unjudged = w.Calls+t.Calls, w.Drifted+t.Drifted, w.Unjudged+t.Unjudged
	}
	w.Ratio = NewRatio(w.Drifted, w.Calls).Value
	return w
}

// spanName writes a window's length: 5m, 1h, 24h, 7d.
func spanName(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d > day && d%day == 0:
		return strconv.Itoa(int(d/day)) + "d"
	case d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/time.Minute)) + "m"
}
