package drift

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/finding"
)

// Querier reads stored events: it runs query with positional arguments, fills row (a pointer to a struct with ch tags) for each
// result and calls fn.
type Querier interface {
	Each(ctx context.Context, query string, args []any, row any, fn func() error) error
}

//go:embed newest.sql
var newestSQL string

//go:embed silent.sql
var silentSQL string

//go:embed runs.sql
var runsSQL string

//go:embed rosters.sql
var rostersSQL string

// Analyze reads the calls and tool lists of a window of event time and says which have drifted. An open bound of the window is
// the zero time. Windows of the settings, canaries and sunsets end where the window does, or with the newest call where it is open, and
// look back as far as they say whatever the window. A nil known is a registry that knows nothing: there are no examples, canaries and
// sunsets then.
func Analyze(ctx context.Context, q Querier, w finding.Window, s Settings, known Schemas) (Report, []finding.Finding, error) {
	a := analysis{q: q, window: w, settings: s.orDefault(), known: known, report: newReport(), examples: map[Key]string{}}
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"find the newest call", a.findEnd},
		{"count calls", a.ratios},
		{"list silent defaults", a.silent},
		{"find errors in a row", a.runs},
		{"compare tool lists", a.definitions},
		{"compare definitions", a.flags},
		{"compare canaries", a.canaries},
		{"look for versions that can go", a.sunsets},
	} {
		if err := step.run(ctx); err != nil {
			return Report{}, nil, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return a.report, a.found, nil
}

// analysis is one run of Analyze.
type analysis struct {
	q        Querier
	window   finding.Window
	settings Settings
	known    Schemas
	// end is where windows end; zero when there are no calls and the window is open.
	end    time.Time
	spans  []*span
	report Report
	found  []finding.Finding
	// releases are the names of each server's or agent's releases, in the order in which they were seen.
	releases map[listKey][]string
	examples map[Key]string
}

// findEnd finds where windows end: where the window does, else just after the newest call.
func (a *analysis) findEnd(ctx context.Context) error {
	a.end = a.window.To
	if !a.end.IsZero() {
		return nil
	}
	var row struct {
		Newest time.Time `ch:"newest"`
		Calls  uint64    `ch:"calls"`
	}
	return a.q.Each(ctx, newestSQL, a.window.Args()[1:], &row, func() error {
		if row.Calls > 0 {
			a.end = row.Newest.UTC().Add(time.Microsecond)
		}
		return nil
	})
}

// silent lists the arguments of silent defaults, where there are any.
func (a *analysis) silent(ctx context.Context) error {
	if !slices.ContainsFunc(a.report.ByTool, func(t ToolDrift) bool { return t.SilentDefault > 0 }) {
		return nil
	}
	var row struct {
		Server    string   `ch:"server_name"`
		Tool      string   `ch:"tool"`
		Model     string   `ch:"model"`
		Defaulted []string `ch:"defaulted"`
		Renamed   []string `ch:"renamed"`
	}
	rows := a.report.find()
	err := a.q.Each(ctx, silentSQL, a.window.Args(), &row, func() error {
		k := Key{row.Server, row.Tool}
		for _, at := range []rowKey{{part: byTool, Key: k}, {part: byModel, Key: k, model: row.Model}} {
			if t := rows[at]; t != nil {
				t.Defaulted, t.Renamed = union(t.Defaulted, row.Defaulted), union(t.Renamed, row.Renamed)
			}
		}
		return nil
	})
	for i := range a.report.ByTool {
		a.silentFinding(&a.report.ByTool[i])
	}
	return err
}

func (a *analysis) runs(ctx context.Context) error {
	var row struct {
		Server        string `ch:"server_name"`
		Tool          string `ch:"tool"`
		Version       string `ch:"version"`
		Longest       uint64 `ch:"longest"`
		Latest        uint64 `ch:"latest"`
		Conversations uint64 `ch:"conversations"`
	}
	return a.q.Each(ctx, runsSQL, a.window.Args(a.settings.leastErrorsInRow()), &row, func() error {
		r := ErrorRun{
			Server: row.Server, Tool: row.Tool, Version: row.Version,
			Longest: row.Longest, Latest: row.Latest, Conversations: row.Conversations,
		}
		if limit := a.settings.Of(Key{r.Server, r.Tool}).ErrorsInRow; r.Longest >= limit {
			a.report.ErrorRuns = append(a.report.ErrorRuns, r)
			a.runFinding(&r, limit)
		}
		return nil
	})
}

// definitions compares each list with the one before it of the same server or agent.
func (a *analysis) definitions(ctx context.Context) error {
	var row rosterRow
	var before *toolList
	a.releases = map[listKey][]string{}
	return a.q.Each(ctx, rostersSQL, a.window.Args(), &row, func() error {
		list := row.list()
		a.releases[list.listKey] = append(a.releases[list.listKey], row.Release)
		if before != nil && before.listKey == list.listKey {
			change := compare(before, list)
			if a.window.From.IsZero() || !list.at.Before(a.window.From) {
				a.report.Definitions = append(a.report.Definitions, change)
				a.definitionFinding(&change)
			}
		}
		before = list
		return nil
	})
}
