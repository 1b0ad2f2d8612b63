package analyzer

import (
	"cmp"
	"context"
	_ "embed" // for the queries
	"slices"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/stream"
)

//go:embed happenings_agents.sql
var happeningsAgentsSQL string

//go:embed happenings_tools.sql
var happeningsToolsSQL string

//go:embed happenings_changes.sql
var happeningsChangesSQL string

const (
	// firstsBefore is how long a version or model must not have been seen to count as first seen.
	firstsBefore = 7 * 24 * time.Hour
	// maxHappenings is how many rows of each kind are read.
	maxHappenings = 20_000
	// explainTimeout ends the search for what changed: findings are kept all the same.
	explainTimeout = 20 * time.Second
)

// explain says of findings that are new when they began and what changed around then.
func (a *Analyzer) explain(ctx context.Context, fs []finding.Finding, before map[string]finding.Finding, l look) {
	var fresh []*finding.Finding
	for i := range fs {
		if _, old := before[fs[i].Fingerprint]; !old {
			fresh = append(fresh, &fs[i])
		}
	}
	if len(fresh) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, explainTimeout)
	defer cancel()
	starts, err := a.starts(ctx, fresh, l.window)
	if err != nil {
		a.warn("when findings began", err)
		return
	}
	happenings, err := a.happenings(ctx, fresh, starts)
	if err != nil {
		a.warn("what changed when findings began", err)
	}
	changed := a.settingsChanged(l.last)
	for i, f := range fresh {
		if starts[i].At.IsZero() {
			continue
		}
		f.Began = starts[i].At
		f.Changes = slices.DeleteFunc(finding.Changes(f.Subject, starts[i], happenings), func(c finding.Change) bool {
			return f.Rule == drift.RuleToolDisabled && c.Kind == finding.ChangedSwitch && c.Seconds <= 0 // that is the fact itself
		})
		if !changed.IsZero() && f.Began.Before(changed) && len(f.Changes) < finding.MaxChanges {
			f.Changes = append(f.Changes, finding.SettingsChange(changed, starts[i]))
		}
	}
}

// settingsChanged is when the settings file was read anew, where that was after the last run.
func (a *Analyzer) settingsChanged(last time.Time) time.Time {
	if a.settings == nil || last.IsZero() {
		return time.Time{}
	}
	if at := a.settings.changedAt(); at.After(last) {
		return at
	}
	return time.Time{}
}

// starts returns the first event of each finding's fact. It looks further back than the detectors do; a fact that was there at the beginning of
// that began nobody knows when.
func (a *Analyzer) starts(ctx context.Context, fresh []*finding.Finding, w finding.Window) ([]finding.Start, error) {
	var fs []finding.Finding
	if !w.From.IsZero() {
		w.From = w.From.Add(-beforeWindow)
	}
	for _, f := range fresh {
		fs = append(fs, *f)
	}
	facts, err := a.facts(ctx, fs, w)
	if err != nil {
		return nil, err
	}
	starts := make([]finding.Start, len(fresh))
	for i, f := range fresh {
		if f.Began.IsZero() {
			starts[i] = startOf(f, facts)
		} else {
			starts[i] = finding.Start{At: f.Began, Agent: f.Subject.Agent}
		}
		if !w.From.IsZero() && starts[i].At.Before(w.From.Add(startMargin)) {
			starts[i] = finding.Start{}
		}
	}
	return starts, nil
}

// happenings reads what changed around the starts of findings.
func (a *Analyzer) happenings(ctx context.Context, fresh []*finding.Finding, starts []finding.Start) ([]finding.Happening, error) {
	var w finding.Window
	var tools, servers, agents []string
	for i, f := range fresh {
		s := starts[i]
		if s.At.IsZero() {
			continue
		}
		if w.From.IsZero() || s.At.Before(w.From) {
			w.From = s.At
		}
		if s.At.After(w.To) {
			w.To = s.At
		}
		tools, servers, agents = withAny(tools, f.Subject.Tool), withAny(servers, f.Subject.Server), withAny(agents, s.Agent)
	}
	if w.To.IsZero() {
		return nil, nil
	}
	w.From, w.To = w.From.Add(-finding.ChangesBefore), w.To.Add(finding.ChangesAfter)
	firsts, err := a.agentFirsts(ctx, w, agents)
	if err != nil {
		return nil, err
	}
	lists, err := a.toolFirsts(ctx, w, tools, servers, agents)
	if err != nil {
		return firsts, err
	}
	changes, err := a.toolChanges(ctx, w, tools)
	return slices.Concat(firsts, lists, changes), err
}

// agentFirsts says when versions and models of agents were first seen. The first of all of an agent is no change.
func (a *Analyzer) agentFirsts(ctx context.Context, w finding.Window, agents []string) ([]finding.Happening, error) {
	if len(agents) == 0 {
		return nil, nil
	}
	w.From = w.From.Add(-firstsBefore)
	var row struct {
		Agent   string    `ch:"agent"`
		Version string    `ch:"version"`
		Model   string    `ch:"model"`
		At      time.Time `ch:"at"`
	}
	var all []finding.Happening
	firsts := newFirsts()
	err := a.q.Each(ctx, happeningsAgentsSQL, w.Args(agents, agents, maxHappenings), &row, func() error {
		if row.Version != "" && firsts.isChange("version "+row.Agent, row.Version) {
			all = append(all, finding.Happening{Kind: finding.ChangedAgent, At: row.At.UTC(), Agent: row.Agent, Version: row.Version})
		}
		if row.Model != "" && firsts.isChange("model "+row.Agent, row.Model) {
			all = append(all, finding.Happening{Kind: finding.ChangedModel, At: row.At.UTC(), Agent: row.Agent, Model: row.Model})
		}
		return nil
	})
	return all, err
}

// firsts tells what is seen for the first time after something else of the same was, as rows come in order of time.
type firsts struct{ seen map[string]map[string]bool }

func newFirsts() *firsts { return &firsts{map[string]map[string]bool{}} }

func (f *firsts) isChange(of, what string) bool {
	known := f.seen[of]
	if known == nil {
		known = map[string]bool{}
		f.seen[of] = known
	}
	change := len(known) > 0 && !known[what]
	known[what] = true
	return change
}

// toolFirsts says when definitions of tools and releases of servers were first seen, and lists of tools changed.
func (a *Analyzer) toolFirsts(ctx context.Context, w finding.Window, tools, servers, agents []string) ([]finding.Happening, error) {
	var row struct {
		Happened string    `ch:"happened"`
		Server   string    `ch:"server_name"`
		Tool     string    `ch:"tool"`
		Agent    string    `ch:"agent"`
		Version  string    `ch:"version"`
		Reason   string    `ch:"reason"`
		Of       string    `ch:"of"`
		At       time.Time `ch:"at"`
	}
	var all []finding.Happening
	firsts := newFirsts()
	args := w.Args(orNone(tools), orNone(servers), orNone(agents), orNone(servers), maxHappenings)
	err := a.q.Each(ctx, happeningsToolsSQL, args, &row, func() error {
		h := finding.Happening{At: row.At.UTC(), Server: row.Server, Tool: row.Tool, Agent: row.Agent, Version: row.Version, Did: row.Reason}
		switch row.Happened {
		case "definition":
			h.Kind = finding.ChangedDefinition
		case "release":
			h.Kind = finding.ChangedRelease
		default:
			h.Kind = finding.ChangedRoster
		}
		if firsts.isChange(strings.Join([]string{row.Happened, row.Server, row.Tool, row.Agent}, "\x00"), row.Of) {
			all = append(all, h)
		}
		return nil
	})
	return all, err
}

// toolChanges says what was done to tools in the registry and to their switches.
func (a *Analyzer) toolChanges(ctx context.Context, w finding.Window, tools []string) ([]finding.Happening, error) {
	if len(tools) == 0 {
		return nil, nil
	}
	var row struct {
		Of      string    `ch:"of"`
		At      time.Time `ch:"at"`
		Server  string    `ch:"server_name"`
		Tool    string    `ch:"name"`
		Agent   string    `ch:"of_agent"`
		Did     string    `ch:"did"`
		Version string    `ch:"of_version"`
		By      string    `ch:"done_by"`
	}
	var all []finding.Happening
	err := a.q.Each(ctx, happeningsChangesSQL, w.Args(tools, maxHappenings), &row, func() error {
		h := finding.Happening{Kind: finding.ChangedSchema, At: row.At.UTC(), Server: row.Server, Tool: row.Tool, Agent: row.Agent, By: row.By}
		h.Version, h.Did = row.Version, cmp.Or(edits[drift.Action(row.Did)], "changed")
		if row.Of == stream.BreakerBucket {
			h.Kind, h.Did = finding.ChangedSwitch, row.Did
		}
		all = append(all, h)
		return nil
	})
	return all, err
}

// edits say what was done to a tool in the registry.
var edits = map[drift.Action]string{
	drift.ActionRegister: "registered", drift.ActionActivate: "activated", drift.ActionRetire: "retired", drift.ActionSetFallback: "made the fallback",
	drift.ActionStartCanary: "put on trial", drift.ActionPromoteCanary: "promoted from its trial", drift.ActionAbortCanary: "taken off trial",
	drift.ActionAddMigration: "given a migration", drift.ActionRemoveMigration: "bereft of a migration", drift.ActionAddRenames: "given renames",
}

// withAny adds a name to a list, unless it is there.
func withAny(list []string, name string) []string {
	if name == "" || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// orNone returns a list that a query can take where there is none.
func orNone(list []string) []string {
	if len(list) == 0 {
		return []string{""}
	}
	return list
}
