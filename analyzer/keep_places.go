package analyzer

import (
	"context"
	_ "embed" // for the queries
	"slices"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
)

//go:embed facts_calls.sql
var factsCallsSQL string

//go:embed facts_names.sql
var factsNamesText string

var factsNamesSQL = activation.WithCalledName(factsNamesText)

//go:embed facts_requests.sql
var factsRequestsSQL string

//go:embed facts_loads.sql
var factsLoadsSQL string

const (
	// maxFacts is how many rows are read of what findings' events are of: tools, models, agents and their versions.
	maxFacts = 100_000
	// placeTimeout ends the search for where events were: findings are kept all the same.
	placeTimeout = time.Minute
	// beforeWindow is how far before what a run looks at the start of a new finding is looked for.
	beforeWindow = 7 * 24 * time.Hour
	// startMargin is how long after the beginning of what was looked at the first event of a fact has to be: nearer to it nobody knows whether it
	// was the first.
	startMargin = time.Hour
)

// ofName begins the kinds of calls whose name was not simply right; the rule follows.
const ofName = "name:"

// fact is what the events of one kind, of one tool, caller or conversation, come to.
type fact struct {
	Part         uint8     `ch:"part"`
	Kind         string    `ch:"kind"`
	Server       string    `ch:"server_name"`
	Name         string    `ch:"name"`
	Model        string    `ch:"model"`
	Agent        string    `ch:"agent"`
	Version      string    `ch:"version"`
	Conversation string    `ch:"conversation"`
	First        time.Time `ch:"first"`
	Last         time.Time `ch:"last"`
	// StartAgent, StartVersion and StartModel are those of the first event.
	StartAgent   string   `ch:"start_agent"`
	StartVersion string   `ch:"start_version"`
	StartModel   string   `ch:"start_model"`
	Agents       []string `ch:"agents"`
	Environments []string `ch:"environments"`
	Teams        []string `ch:"teams"`
}

// evidence is by which events a rule's findings are known.
type evidence struct {
	// kind is that of the facts; empty is any of a conversation.
	kind string
	// ratio says that single events prove nothing: what it is taken over has to be.
	ratio bool
	// among says that the rule's events are among those of the kind: they say where it was, not when it began.
	among bool
}

// evidences are those of all rules but names and verdicts, whose kinds are their own. What is not here is known by no single events.
var evidences = map[string]evidence{
	drift.RuleRatio:             {kind: "drifted", ratio: true},
	drift.RuleSilentDefault:     {kind: "silent_default"},
	drift.RuleErrorsInRow:       {kind: "invalid"},
	drift.RuleToolDisabled:      {kind: "invalid"},
	drift.RuleRetries:           {kind: "repeated", ratio: true},
	drift.RuleCanaryWorse:       {kind: "drifted", ratio: true, among: true},
	activation.RuleMadeUpID:     {kind: "made_up_id"},
	activation.RuleLoop:         {kind: "failed", ratio: true, among: true},
	activation.RuleRepeatedLoad: {kind: "loaded", ratio: true, among: true},
	activation.RuleNeverCalled:  {kind: "loaded", ratio: true, among: true},
	activation.RuleRefused:      {kind: "refused"},
	activation.RuleRemoved:      {kind: ofName + string(events.ResolvedUnknown), ratio: true, among: true},
}

// evidenceOf says by which events a finding is known.
func evidenceOf(f *finding.Finding) evidence {
	switch e, ok := evidences[f.Rule]; {
	case ok:
		return e
	case f.Detector == activation.Detector:
		return evidence{kind: ofName + f.Rule}
	case slices.Contains(prefix.Verdicts(), prefix.Verdict(f.Rule)):
		return evidence{kind: "verdict:" + f.Rule}
	}
	return evidence{ratio: true}
}

// shows reports whether a fact is of a finding's subject, and whether its events are the finding's own.
func (e evidence) shows(x *fact, s *finding.Subject) (of, own bool) {
	switch {
	case s.Conversation != "":
		of = x.Conversation == s.Conversation && (s.Agent == "" || x.Agent == s.Agent)
	case x.Conversation == "":
		of = e.kind == x.Kind && x.Name == s.Tool && (x.Server == s.Server || e.kind == "loaded" || e.kind == "refused") &&
			x.Model == s.Model && x.Agent == s.Agent && (x.Agent == "" || x.Version == s.Release)
	}
	return of, of && e.kind == x.Kind && !e.among
}

// place says of findings where their events were, when they last happened, and whose they are. What can't be read is logged and left out.
func (a *Analyzer) place(ctx context.Context, r *Report) {
	ctx, cancel := context.WithTimeout(ctx, placeTimeout)
	defer cancel()
	facts, err := a.facts(ctx, r.Findings, r.Window)
	if err != nil {
		a.warn("where the events of findings were", err)
	}
	for i := range r.Findings {
		placeOne(&r.Findings[i], facts, r.Window)
	}
	a.own(r.Findings)
}

// placeOne says it of one. Of what single events do not prove, it happened last when what proves it begins.
func placeOne(f *finding.Finding, facts []fact, w finding.Window) {
	e := evidenceOf(f)
	for i := range facts {
		x := &facts[i]
		of, own := e.shows(x, &f.Subject)
		if !of {
			continue
		}
		f.Seen.Agents, f.Seen.Environments, f.Seen.Teams = with(f.Seen.Agents, x.Agents), with(f.Seen.Environments, x.Environments), with(f.Seen.Teams, x.Teams)
		if own && !e.ratio && x.Last.After(f.LastEvent) {
			f.LastEvent = x.Last.UTC()
		}
	}
	if len(f.Seen.Environments) == 1 {
		f.Environment = f.Seen.Environments[0]
	}
	if e.ratio && f.LastEvent.IsZero() { // a detector says of what has a time of its own when it happened
		if f.LastEvent = f.Window.From; f.LastEvent.IsZero() {
			f.LastEvent = w.From
		}
	}
}

// with adds names to a list in order, those that are not there, unless there are too many.
func with(list, names []string) []string {
	for _, name := range names {
		if i, there := slices.BinarySearch(list, name); !there && name != "" && len(list) < finding.MaxPlaces {
			list = slices.Insert(list, i, name)
		}
	}
	return list
}

// own says whose findings are.
func (a *Analyzer) own(fs []finding.Finding) {
	owners := a.cfg.Owners
	if a.settings != nil {
		owners = a.settings.Current().Owners
	}
	for i := range fs {
		o := owners.Of(&fs[i])
		fs[i].Owner, fs[i].Team = o.Owner, o.Team
	}
}

// facts reads what the events of findings are of.
func (a *Analyzer) facts(ctx context.Context, fs []finding.Finding, w finding.Window) ([]fact, error) {
	var tools, names, loads, conversations []string
	parts := map[int64]bool{1: true}
	for i := range fs {
		s, e := &fs[i].Subject, evidenceOf(&fs[i])
		parts[2], parts[3] = parts[2] || s.Model != "", parts[3] || s.Agent != "" && s.Conversation == ""
		switch {
		case s.Conversation != "":
			conversations = append(conversations, s.Conversation)
		case e.kind == "loaded" || e.kind == "refused":
			loads = append(loads, s.Tool)
		case strings.HasPrefix(e.kind, ofName):
			names = append(names, s.Tool)
		case e.kind != "" && s.Tool != "":
			tools = append(tools, s.Tool)
		}
	}
	var all []fact
	read := func(query string, names []string, args ...any) error {
		if len(names) == 0 {
			return nil
		}
		var row fact
		return a.q.Each(ctx, query, w.Args(append(args, maxFacts)...), &row, func() error {
			all = append(all, row)
			return nil
		})
	}
	var asked []int64
	for _, part := range []int64{1, 2, 3} {
		if parts[part] {
			asked = append(asked, part)
		}
	}
	if err := read(factsCallsSQL, tools, tools, asked, tools, tools); err != nil {
		return all, err
	}
	if err := read(factsNamesSQL, names, names); err != nil {
		return all, err
	}
	if err := read(factsLoadsSQL, loads, loads); err != nil {
		return all, err
	}
	return all, read(factsRequestsSQL, conversations, conversations, conversations)
}

// startOf returns the first event of a finding's fact in facts, zero where none is known.
func startOf(f *finding.Finding, facts []fact) finding.Start {
	var start finding.Start
	e := evidenceOf(f)
	for i := range facts {
		x := &facts[i]
		if _, own := e.shows(x, &f.Subject); own && (start.At.IsZero() || x.First.Before(start.At)) {
			start = finding.Start{At: x.First.UTC(), Agent: x.StartAgent, AgentVersion: x.StartVersion, Model: x.StartModel}
		}
	}
	return start
}
