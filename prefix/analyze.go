package prefix

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/tooltrail/tooltrail/finding"
)

//go:embed requests.sql
var requestsSQL string

//go:embed definitions.sql
var definitionsSQL string

//go:embed rosters.sql
var rostersSQL string

// Querier runs a query with ? for its arguments, fills row - a pointer to a struct with ch:"column" tags - with each row of the
// answer as it comes, and calls fn for it.
type Querier interface {
	Each(ctx context.Context, query string, args []any, row any, fn func() error) error
}

// Analyze judges all requests in a window and says what to do about the breaks. It holds one conversation at a time; a request's
// predecessor may lie before the window.
func Analyze(ctx context.Context, q Querier, w finding.Window, s Settings) (Report, []finding.Finding, error) {
	if err := s.Validate(); err != nil {
		return Report{}, nil, err
	}
	known, err := readKnown(ctx, q)
	if err != nil {
		return Report{}, nil, err
	}
	s.Known = known
	a := &analysis{settings: s, window: w, report: NewReport(), facts: facts{settings: s, window: w}}
	var row requestRow
	err = q.Each(ctx, requestsSQL, a.window.Args(), &row, func() error {
		a.take(row.observed(), row.Time)
		return ctx.Err()
	})
	if err != nil {
		return Report{}, nil, fmt.Errorf("judge requests: %w", err)
	}
	a.flush()
	if err := a.watchRosters(ctx, q); err != nil {
		return Report{}, nil, err
	}
	a.report.settle(s.MaxConversations)
	return a.report, a.facts.findings(), nil
}

// analysis adds up one conversation after the other.
type analysis struct {
	settings Settings
	window   finding.Window
	report   Report
	facts    facts

	group  []Observed
	shared trails
	// early says which of the group's requests are before the window.
	early []bool
}

// take adds a request to its conversation's group; requests come a conversation after the other.
func (a *analysis) take(o Observed, at time.Time) {
	if n := len(a.group); n > 0 {
		first := &a.group[0]
		if first.ConversationID != o.ConversationID || o.ConversationID == "" && n >= a.settings.MaxGroup {
			a.flush()
		}
	}
	o.share(&a.shared)
	a.group = append(a.group, o)
	a.early = append(a.early, at.Before(a.window.From))
}

// flush judges the group and starts another.
func (a *analysis) flush() {
	if len(a.group) == 0 {
		return
	}
	judged := Judge(a.group, a.settings)
	c := a.report.add(a.group, judged, a.early)
	c.Flux = findFlux(a.group, judged, a.settings.FluxRequests)
	a.facts.add(&c)
	a.report.keep(c, a.settings.MaxConversations)
	clear(a.group)
	a.group, a.early, a.shared = a.group[:0], a.early[:0], trails{}
}

// readKnown reads what rosters and definitions say of tools.
func readKnown(ctx context.Context, q Querier) (KnownTools, error) {
	known := KnownTools{Definitions: map[string]string{}, Deferred: map[string]map[string]bool{}}
	var def struct {
		Wire       string `ch:"wire_digest"`
		Definition string `ch:"definition_digest"`
	}
	err := q.Each(ctx, definitionsSQL, nil, &def, func() error {
		known.Definitions[def.Wire] = def.Definition
		return nil
	})
	if err != nil {
		return known, fmt.Errorf("read tool definitions: %w", err)
	}
	var entry struct {
		Roster   string `ch:"roster"`
		Tool     string `ch:"tool"`
		Deferred bool   `ch:"deferred"`
	}
	err = q.Each(ctx, rostersSQL, nil, &entry, func() error {
		if known.Deferred[entry.Roster] == nil {
			known.Deferred[entry.Roster] = map[string]bool{}
		}
		known.Deferred[entry.Roster][entry.Tool] = entry.Deferred
		return nil
	})
	if err != nil {
		return known, fmt.Errorf("read rosters: %w", err)
	}
	return known, nil
}
