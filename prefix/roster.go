package prefix

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

//go:embed roster_changes.sql
var rosterChangesSQL string

//go:embed roster_arrays.sql
var rosterArraysSQL string

// RosterFlux is a roster that goes back and forth between a few values, in a conversation or at an agent.
type RosterFlux struct {
	Conversation string `json:"conversation,omitzero"`
	Agent        string `json:"agent,omitzero"`
	Server       string `json:"server,omitzero"`
	// Changes counts how often it changed, Values how many different ones there were.
	Changes int `json:"changes"`
	Values  int `json:"values"`
}

// maxRosters bounds the rosters, the changes of rosters and arrays, and the sets of tools of a report, each.
const maxRosters = 1000

// watchRosters looks at rosters and tools arrays, and adds up what the stored verdicts come to.
func (a *analysis) watchRosters(ctx context.Context, q Querier) error {
	if err := a.addMoney(ctx, q); err != nil {
		return err
	}
	w := rosterWatch{window: a.window, known: a.settings.Known, report: &a.report, facts: &a.facts, stored: len(a.totals) > 0}
	return w.run(ctx, q)
}

// rosterWatch looks for rosters and tools arrays that change in a conversation, and for lists that are not the same in all conversations
// of an agent's version.
type rosterWatch struct {
	window finding.Window
	known  KnownTools
	report *Report
	facts  *facts
	places pendingPlaces
	// stored says that the verdicts on the window's requests are.
	stored bool
}

func (w *rosterWatch) run(ctx context.Context, q Querier) error {
	args := w.window.Args()
	for _, step := range []func(context.Context, Querier, []any) error{w.flux, w.texts, w.arrays, w.orders} {
		if err := step(ctx, q, args); err != nil {
			return err
		}
	}
	if err := w.places.find(ctx, q); err != nil {
		return err
	}
	w.tell()
	return nil
}

// flux looks for rosters that flap. A roster may change when tools or permissions change; one that comes back does not follow any such
// change.
func (w *rosterWatch) flux(ctx context.Context, q Querier, args []any) error {
	var row struct {
		Conversation string   `ch:"conversation"`
		Agent        string   `ch:"agent"`
		Server       string   `ch:"of_server"`
		Digests      []string `ch:"digests"`
	}
	err := q.Each(ctx, rosterChangesSQL, args, &row, func() error {
		if changes, values, back := comesBack(row.Digests); back && len(w.report.Rosters) < maxRosters {
			w.report.Rosters = append(w.report.Rosters, RosterFlux{
				Conversation: row.Conversation, Agent: row.Agent, Server: row.Server, Changes: changes, Values: values,
			})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("watch rosters: %w", err)
	}
	return nil
}

// comesBack counts the changes and the different values of a series, and says whether a value came back after another.
func comesBack(values []string) (changes, different int, back bool) {
	seen := map[string]bool{}
	for i, v := range values {
		if i > 0 && v != values[i-1] {
			changes++
			back = back || seen[v]
		}
		seen[v] = true
	}
	return changes, len(seen), back
}

// texts looks for rosters whose text changed in a conversation.
func (w *rosterWatch) texts(ctx context.Context, q Querier, args []any) error {
	w.report.RosterChanges = make([]RosterChange, 0, maxRosters) // places point into it
	return readRosterTexts(ctx, q, args, func(c RosterChange, before, after []events.PrefixTool) {
		if n := len(w.report.RosterChanges); n < maxRosters {
			w.report.RosterChanges = append(w.report.RosterChanges, c)
			w.places.add(&w.report.RosterChanges[n].Place, before, after)
		}
	})
}

// orders looks for one set of tools in several orders or encodings.
func (w *rosterWatch) orders(ctx context.Context, q Querier, args []any) error {
	return readNondeterminism(ctx, q, args, w.known.Definitions, func(n Nondeterminism) {
		if len(w.report.Nondeterminism) < maxRosters {
			w.report.Nondeterminism = append(w.report.Nondeterminism, n)
		}
	})
}

// arrayRow is a row of roster_arrays.sql.
type arrayRow struct {
	Conversation string   `ch:"conversation"`
	Agent        string   `ch:"agent"`
	Number       int64    `ch:"number"`
	Why          string   `ch:"why"`
	Tokens       *uint64  `ch:"tokens"`
	USD          *float64 `ch:"usd"`
	Roster       string   `ch:"roster"`
	NamesBefore  []string `ch:"names_before"`
	WiresBefore  []string `ch:"wires_before"`
	NamesAfter   []string `ch:"names_after"`
	WiresAfter   []string `ch:"wires_after"`
}

// arrays looks for tools arrays that changed along a conversation. Which request is to be held against which is what verdicts say.
func (w *rosterWatch) arrays(ctx context.Context, q Querier, args []any) error {
	if !w.stored {
		return nil
	}
	w.report.ToolArrays = make([]ArrayChange, 0, maxRosters) // places point into it
	var row arrayRow
	err := q.Each(ctx, rosterArraysSQL, append(slices.Clone(args), maxRosters), &row, func() error {
		before, after := zipTools(row.NamesBefore, row.WiresBefore), zipTools(row.NamesAfter, row.WiresAfter)
		c := row.change(before, after, w.known)
		if n := len(w.report.ToolArrays); n < maxRosters && c.Kind != ArraySame {
			w.report.ToolArrays = append(w.report.ToolArrays, c)
			w.places.add(&w.report.ToolArrays[n].Place, before, after)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("watch tools arrays: %w", err)
	}
	return nil
}

// change says how the row's array changed.
func (r *arrayRow) change(before, after []events.PrefixTool, known KnownTools) ArrayChange {
	c := ArrayChange{
		Conversation: r.Conversation, Agent: r.Agent, Request: r.Number, Kind: arrayKind(before, after), Cause: CauseKind(r.Why),
		Before: arrayDigest(before), After: arrayDigest(after), TokensLost: signed(r.Tokens), CostUSD: r.USD,
	}
	for _, deferred := range known.Deferred[r.Roster] {
		c.Deferred = c.Deferred || deferred
	}
	c.Legal = c.Kind.legal(c.Deferred, c.Cause)
	return c
}

// tell makes the findings.
func (w *rosterWatch) tell() {
	for _, r := range w.report.Rosters {
		w.facts.keep(w.facts.roster(r))
	}
	type where struct{ conversation, agent, server string }
	for _, group := range groupBy(w.report.RosterChanges, func(c *RosterChange) where { return where{c.Conversation, c.Agent, c.Server} }) {
		w.facts.keep(w.facts.rosterChanges(group))
	}
	var against []ArrayChange
	for _, c := range w.report.ToolArrays {
		if !c.Legal {
			against = append(against, c)
		}
	}
	for _, group := range groupBy(against, func(c *ArrayChange) string { return c.Conversation }) {
		w.facts.keep(w.facts.arrayChanges(group))
	}
	told := map[string]bool{}
	for i := range w.report.Nondeterminism {
		if x := w.facts.nondeterminism(&w.report.Nondeterminism[i]); !told[x.Fingerprint] {
			told[x.Fingerprint] = true
			w.facts.keep(x)
		}
	}
}
