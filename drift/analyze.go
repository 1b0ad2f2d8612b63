package drift

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/tooltrail/tooltrail/finding"
)

// Querier reads stored events: it runs query with positional arguments, fills row (a pointer to a struct with ch tags) for each
// result and calls fn.
type Querier interface {
	Each(ctx context.Context, query string, args []any, row any, fn func() error) error
}

//go:embed calls.sql
var callsSQL string

//go:embed retries.sql
var retriesSQL string

//go:embed runs.sql
var runsSQL string

//go:embed rosters.sql
var rostersSQL string

// Analyze reads the calls and tool lists of a window of event time and says which have drifted. An open bound of the window is
// the zero time. A nil known is a registry that knows nothing: there are no examples, sunsets and canaries then.
func Analyze(ctx context.Context, q Querier, w finding.Window, s Settings, known Schemas) (Report, []finding.Finding, error) {
	a := analysis{q: q, window: w, settings: s.orDefault(), documents: documentsOf(known), report: newReport()}
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"count calls", a.calls},
		{"add up retries", a.retries},
		{"find errors in a row", a.runs},
		{"compare tool lists", a.definitions},
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
	// documents are those of the tools that the registry knows.
	documents map[Key]*Document
	report    Report
	found     []finding.Finding
}

// callRow is a row of calls.sql.
type callRow struct {
	Server          string   `ch:"server_name"`
	Tool            string   `ch:"tool"`
	Model           string   `ch:"model"`
	Calls           uint64   `ch:"calls"`
	OldVersion      uint64   `ch:"old_version"`
	SilentDefault   uint64   `ch:"silent_default"`
	UnknownArgument uint64   `ch:"unknown_argument"`
	ValidationError uint64   `ch:"validation_error"`
	Unjudged        uint64   `ch:"unjudged"`
	ExecutionErrors uint64   `ch:"execution_errors"`
	Defaulted       []string `ch:"defaulted"`
	Renamed         []string `ch:"renamed"`
}

// calls fills the ratios. Rows come sorted, so that a tool's models follow each other.
func (a *analysis) calls(ctx context.Context) error {
	var row callRow
	var tool []ToolDrift
	err := a.q.Each(ctx, callsSQL, a.window.Args(), &row, func() error {
		if len(tool) > 0 && (tool[0].Server != row.Server || tool[0].Tool != row.Tool) {
			a.tool(tool)
			tool = nil
		}
		tool = append(tool, newToolDrift(&row))
		return nil
	})
	if err == nil && len(tool) > 0 {
		a.tool(tool)
	}
	a.report.settle()
	return err
}

// tool takes the rows of one tool, one a model.
func (a *analysis) tool(models []ToolDrift) {
	total := sum(models)
	a.report.Tools = append(a.report.Tools, models...)
	a.report.ByTool = append(a.report.ByTool, total)
	a.report.Calls += total.Calls
	a.report.Drifted += total.Drifted
	a.report.Unjudged += total.Unjudged
	a.ratioFinding(&total)
	if len(models) > 1 {
		for i := range models {
			a.ratioFinding(&models[i])
		}
	}
	a.silentFinding(&total)
}

func (a *analysis) retries(ctx context.Context) error {
	var row struct {
		Server      string `ch:"server_name"`
		Tool        string `ch:"tool"`
		Retries     uint64 `ch:"retries"`
		RetryTokens uint64 `ch:"retry_tokens"`
		FirstTokens uint64 `ch:"first_tokens"`
	}
	return a.q.Each(ctx, retriesSQL, a.window.Args(), &row, func() error {
		r := Retry{Server: row.Server, Tool: row.Tool, Retries: row.Retries, RetryTokens: row.RetryTokens, FirstTokens: row.FirstTokens}
		if row.FirstTokens > 0 {
			r.Multiple = float64(row.RetryTokens) / float64(row.FirstTokens)
		}
		a.report.Retries = append(a.report.Retries, r)
		a.retryFinding(&r)
		return nil
	})
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
	return a.q.Each(ctx, runsSQL, a.window.Args(a.settings.ErrorsInRow), &row, func() error {
		r := ErrorRun{
			Server: row.Server, Tool: row.Tool, Version: row.Version,
			Longest: row.Longest, Latest: row.Latest, Conversations: row.Conversations,
		}
		a.report.ErrorRuns = append(a.report.ErrorRuns, r)
		a.runFinding(&r)
		return nil
	})
}

// definitions compares each list with the one before it of the same server or agent.
func (a *analysis) definitions(ctx context.Context) error {
	var row rosterRow
	var before *toolList
	return a.q.Each(ctx, rostersSQL, a.window.Args(), &row, func() error {
		list := row.list()
		if before != nil && before.server == list.server && before.agent == list.agent {
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
