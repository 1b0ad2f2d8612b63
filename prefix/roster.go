package prefix

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/tooltrail/tooltrail/finding"
)

//go:embed roster_changes.sql
var rosterChangesSQL string

// RosterFlux is a roster that goes back and forth between a few values, in a conversation or at an agent.
type RosterFlux struct {
	Conversation string `json:"conversation,omitzero"`
	Agent        string `json:"agent,omitzero"`
	Server       string `json:"server,omitzero"`
	// Changes counts how often it changed, Values how many different ones there were.
	Changes int `json:"changes"`
	Values  int `json:"values"`
}

// maxRosters bounds the rosters of a report.
const maxRosters = 1000

// watchRosters looks for rosters that flap. A roster may change when tools or permissions change; one that comes back does not follow
// any such change.
func (a *analysis) watchRosters(ctx context.Context, q Querier) error {
	var row struct {
		Conversation string   `ch:"conversation"`
		Agent        string   `ch:"agent"`
		Server       string   `ch:"of_server"`
		Digests      []string `ch:"digests"`
	}
	err := q.Each(ctx, rosterChangesSQL, a.window.Args(), &row, func() error {
		s := series{seen: map[string]bool{}}
		for _, d := range row.Digests {
			s.add(d)
		}
		if s.back && len(a.report.Rosters) < maxRosters {
			r := RosterFlux{Conversation: row.Conversation, Agent: row.Agent, Server: row.Server, Changes: s.changes, Values: len(s.seen)}
			a.report.Rosters = append(a.report.Rosters, r)
			a.facts.keep(a.facts.roster(r))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("watch rosters: %w", err)
	}
	return nil
}

// roster makes a finding of a roster that flaps.
func (f *facts) roster(r RosterFlux) fact {
	c := Conversation{ID: r.Conversation, Agent: r.Agent}
	return fact{Finding: f.sign(&c, finding.Finding{
		Rule: string(Flapping) + "_roster", Severity: finding.Warning, Subject: finding.Subject{Server: r.Server},
		Numbers: map[string]float64{"changes": float64(r.Changes), "values": float64(r.Values)},
		Title:   fmt.Sprintf("The roster goes back and forth between %d values: %s", r.Values, plural(r.Changes, "change", "changes")),
		Action:  "Write the roster once per conversation, sorted by server and name, and change it only when tools or permissions change.",
	})}
}
