package prefix

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/progress"
)

//go:embed requests.sql
var requestsText string

var requestsSQL = withColumns(requestsText)

//go:embed definitions.sql
var definitionsSQL string

//go:embed rosters.sql
var rostersSQL string

// Querier runs a query with ? for its arguments, fills row - a pointer to a struct with ch:"column" tags - with each row of the
// answer as it comes, and calls fn for it.
type Querier interface {
	Each(ctx context.Context, query string, args []any, row any, fn func() error) error
}

// Analyze says what became of all requests in a window, and what to do about the breaks. It keeps nothing: where a [Settler] by the same
// settings has judged requests of the store, it reports what that one kept. Else it judges them all anew, a conversation at a time, and says
// nothing of agents, days, savings and diagnoses; a request's predecessor may lie before the window.
func Analyze(ctx context.Context, q Querier, w finding.Window, s Settings) (Report, []finding.Finding, error) {
	if err := s.Validate(); err != nil {
		return Report{}, nil, err
	}
	known, err := readKnown(ctx, q)
	if err != nil {
		return Report{}, nil, err
	}
	s.Known = known
	settled, err := progress.Kept(ctx, q, detector, rulesOf(s))
	if err != nil {
		return Report{}, nil, err
	}
	if len(settled) > 0 {
		return analyzeStored(ctx, q, w, s)
	}
	return analyzeAll(ctx, q, w, s)
}

// Analyze judges what is new, and says what became of all requests in a window and what to do about the breaks.
func (s *Settler) Analyze(ctx context.Context, w finding.Window, set Settings) (Report, []finding.Finding, error) {
	if err := set.Validate(); err != nil {
		return Report{}, nil, err
	}
	set, err := s.Settle(ctx, set)
	if err != nil {
		return Report{}, nil, fmt.Errorf("judge new requests: %w", err)
	}
	return analyzeStored(ctx, s.q, w, set)
}

// analyzeAll judges all requests of a window.
func analyzeAll(ctx context.Context, q Querier, w finding.Window, s Settings) (Report, []finding.Finding, error) {
	a := newAnalysis(w, s)
	servers, err := readServerHappenings(ctx, q)
	if err != nil {
		return Report{}, nil, err
	}
	a.servers = servers
	var row requestRow
	err = q.Each(ctx, requestsSQL, a.window.Args(), &row, func() error { return a.take(ctx, q, row.observed(), row.Time) })
	if err == nil {
		err = a.flush(ctx, q)
	}
	if err != nil {
		return Report{}, nil, fmt.Errorf("judge requests: %w", err)
	}
	if err := a.watchRosters(ctx, q); err != nil {
		return Report{}, nil, err
	}
	a.report.settle(s.MaxConversations)
	a.report.settleFluxRisks()
	return a.report, a.facts.findings(), nil
}

// analysis adds up one conversation after the other.
type analysis struct {
	settings Settings
	window   finding.Window
	report   Report
	facts    facts
	// totals are what the requests come to by agent, day and verdict, where they are stored.
	totals []verdictTotal

	servers []Happening
	groups  []*windowed
	waiting int
}

func newAnalysis(w finding.Window, s Settings) *analysis {
	return &analysis{settings: s, window: w, report: NewReport(), facts: facts{settings: s, window: w}}
}

// windowed is a conversation that waits to be judged.
type windowed struct {
	reqs   []Observed
	shared trails
	last   []string // the messages of the request taken last
	// early says which of the requests are before the window.
	early []bool
}

// take adds a request to its conversation; requests come a conversation after the other.
func (a *analysis) take(ctx context.Context, q Querier, o Observed, at time.Time) error {
	var g *windowed
	if n := len(a.groups); n > 0 {
		g = a.groups[n-1]
	}
	if g == nil || g.reqs[0].ConversationID != o.ConversationID || o.ConversationID == "" && len(g.reqs) >= a.settings.MaxGroup {
		if a.waiting >= batchRequests {
			if err := a.flush(ctx, q); err != nil {
				return err
			}
		}
		g = &windowed{}
		a.groups = append(a.groups, g)
	}
	a.waiting++
	repeat(o.Messages, g.last)
	g.last = o.Messages
	o.share(&g.shared)
	g.reqs, g.early = append(g.reqs, o), append(g.early, at.Before(a.window.From))
	return ctx.Err()
}

// flush judges the conversations that wait.
func (a *analysis) flush(ctx context.Context, q Querier) error {
	var ids []string
	for _, g := range a.groups {
		if id := g.reqs[0].ConversationID; id != "" {
			ids = append(ids, id)
		}
	}
	happened := map[string][]Happening{}
	if len(ids) > 0 {
		var err error
		if happened, err = readHappenings(ctx, q, ids); err != nil {
			return err
		}
	}
	for _, g := range a.groups {
		judged := Judge(g.reqs, a.settings, slices.Concat(happened[g.reqs[0].ConversationID], happenedAmong(a.servers, g.reqs))...)
		c := a.report.add(g.reqs, judged, g.early)
		c.Flux = findFlux(g.reqs, judged, a.settings.FluxRequests)
		a.tell(&c)
		a.report.keep(c, a.settings.MaxConversations)
	}
	a.groups, a.waiting = nil, 0
	return nil
}

// tell adds what is to be said of one conversation.
func (a *analysis) tell(c *Conversation) {
	a.facts.add(c)
	a.report.addFluxRisks(c)
}

// happenedAmong returns what happened, of a list in order of time, while requests in order of start went on.
func happenedAmong(list []Happening, reqs []Observed) []Happening {
	from, to := reqs[0].StartTime, reqs[len(reqs)-1].StartTime.Add(happeningSlack)
	first, _ := slices.BinarySearchFunc(list, from, func(h Happening, t time.Time) int { return h.Time.Compare(t) })
	end := first
	for end < len(list) && !list[end].Time.After(to) {
		end++
	}
	return list[first:end]
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
