package prefix

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

//go:embed roster_changes.sql
var rosterChangesSQL string

// RosterFlux is a roster that goes back and forth between a few values, in a conversation or at an agent, though nobody said that tools or
// permissions had changed outside.
type RosterFlux struct {
	Conversation string `json:"conversation,omitzero"`
	Agent        string `json:"agent,omitzero"`
	Version      string `json:"agent_version,omitzero"`
	Server       string `json:"server,omitzero"`
	// Changes counts how often it changed for no known reason, Values the different ones that it changed between so.
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

// flux looks for rosters that flap. A roster may change when tools or permissions change, and says so; one that comes back for no such
// reason does not follow them.
func (w *rosterWatch) flux(ctx context.Context, q Querier, args []any) error {
	var row struct {
		Conversation string   `ch:"conversation"`
		Agent        string   `ch:"agent"`
		Version      string   `ch:"of_version"`
		Server       string   `ch:"of_server"`
		Digests      []string `ch:"digests"`
		Reasons      []string `ch:"reasons"`
	}
	err := q.Each(ctx, rosterChangesSQL, args, &row, func() error {
		if changes, values, back := comesBack(row.Digests, row.Reasons); back && len(w.report.Rosters) < maxRosters {
			w.report.Rosters = append(w.report.Rosters, RosterFlux{
				Conversation: row.Conversation, Agent: row.Agent, Version: row.Version, Server: row.Server, Changes: changes, Values: values,
			})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("watch rosters: %w", err)
	}
	return nil
}

// comesBack counts the changes of a series that have no reason from outside, and the different values that they are between, and says whether
// one came back by them after another. A change with such a reason begins anew: what was before it is no value to come back to.
func comesBack(values, reasons []string) (changes, different int, back bool) {
	seen, moved := map[string]bool{}, map[string]bool{}
	for i, v := range values {
		switch {
		case i == 0 || v == values[i-1]:
		case outsideReason(reasons[i]):
			clear(seen)
		default:
			changes++
			back = back || seen[v]
			moved[v], moved[values[i-1]] = true, true
		}
		seen[v] = true
	}
	return changes, len(moved), back
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
func (w *rosterWatch) orders(ctx context.Context, q Querier, args []any) (err error) {
	if w.report.OrdersUnsearched, err = readUnsearched(ctx, q, args); err != nil {
		return err
	}
	return readNondeterminism(ctx, q, args, w.known.Definitions, func(n Nondeterminism) {
		if len(w.report.Nondeterminism) < maxRosters {
			w.report.Nondeterminism = append(w.report.Nondeterminism, n)
		}
	})
}

// tell makes the findings.
func (w *rosterWatch) tell() {
	for _, r := range w.report.Rosters {
		w.facts.keep(w.facts.roster(r))
	}
	type where struct{ conversation, agent, version, server string }
	for _, group := range groupBy(w.report.RosterChanges, func(c *RosterChange) where { return where{c.Conversation, c.Agent, c.Version, c.Server} }) {
		w.facts.keep(w.facts.rosterChanges(group))
	}
	var against []ArrayChange
	for _, c := range w.report.ToolArrays {
		if !c.Legal {
			against = append(against, c)
		}
	}
	for _, group := range groupBy(against, func(c *ArrayChange) where { return where{c.Conversation, c.Agent, "", ""} }) {
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
