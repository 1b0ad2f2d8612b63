package activation

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

// actions say what to do about rules that are not resolutions of a name; see [analysis.concrete] for {tool}, {meant} and {agent}.
var actions = map[string]string{
	RuleMadeUpID: "Tell the model of {agent} to take ids from results only, name the tool that gives them, and make {tool} refuse ids that " +
		"don't exist.",
	RuleLoop:         "Make the error of {tool} say what to do instead, and stop {agent} after the same call has failed twice.",
	RuleRepeatedLoad: "Say in the header of the roster of {agent} that {tool}, once loaded, stays loaded and is called, not loaded again.",
	RuleNeverCalled:  "Make the summary of {tool} say what it is not for, so that it is loaded by {agent} only where it is needed.",
	RuleRefused:      "Compare {tool} with the roster of {agent}, and the roster with what may be used there.",
	RuleActivationFailed: "Answer {agent} with the reason for each name, and compare what was asked for with the roster and the permissions " +
		"there.",
	RuleRoundTrips: "Say in the header of the roster of {agent} to load the tool that does the work together with the one that supplies its " +
		"arguments, in one request.",
	RuleRemoved: "Replace {tool} in the prompts, examples and saved conversations of {agent}, and record a rename where another tool took its " +
		"place.",
	RuleIdlePermission: "Delete the permission rule for {tool} of {agent}, or write the name that the tool has now: a rule that matches nothing " +
		"forbids nothing.",
	RuleNameCollision: "Rename all but one of {tool}: a model can't tell them apart, and some APIs make one name of them.",
}

// actionOf returns what to do about a rule.
func (a *analysis) actionOf(rule string) string {
	if text, ok := adviceFor[events.Resolution(rule)]; ok {
		return text.action
	}
	if rule == RuleSummaryCut {
		return fmt.Sprintf("Write the summary of {tool} in at most %d characters, with what has to be known before the tool is loaded first.",
			a.settings.Roster.Text.SummaryLimit)
	}
	return actions[rule]
}

// concrete names the tool and the agents in an action: those of the finding, for a rule as a whole those that broke it most.
func (a *analysis) concrete(action, rule string, of finding.Subject) string {
	r, top := a.report.Rules[rule], Name{}
	if r == nil {
		r = &Rule{}
	}
	if len(r.Names) > 0 {
		top = r.Names[0]
	}
	return strings.NewReplacer(
		"{tool}", nameOr(cmp.Or(of.Tool, top.Called), "the tool"), "{meant}", nameOr(top.Meant, "the tool"), "{agent}", a.agentsOf(r, rule, of),
	).Replace(action)
}

// agentsOf names an agent and how many others there are: of a finding those that its calls are of, else those that broke the rule, the one first that
// did so most. Where it is not known which of those a finding is of, it names none.
func (a *analysis) agentsOf(r *Rule, rule string, of finding.Subject) string {
	callers := a.callers[caller{rule, of.Server, of.Tool}]
	var names []string
	for _, p := range r.Agents {
		if len(callers) == 0 || callers[p.Name] {
			names = append(names, p.Name)
		}
	}
	switch {
	case of.Agent != "":
		return printable(of.Agent)
	case len(names) == 0 || names[0] == "":
		return "the agent"
	case len(names) == 1:
		return printable(names[0])
	case len(callers) == 0 && of.Tool != "":
		return "its agents"
	}
	return printable(names[0]) + " and " + several(uint64(len(names)-1), "more agent")
}

// nameOr returns a name as it can be printed, or what stands for none.
func nameOr(name, none string) string {
	if name == "" {
		return none
	}
	return printable(name)
}

// advise says of each broken rule what to do, and names who in each finding, now that all parts are known.
func (a *analysis) advise() {
	for i := range a.found {
		f := &a.found[i]
		f.Action = a.concrete(f.Action, f.Rule, f.Subject)
	}
	for name, r := range a.report.Rules {
		if r.Count > 0 {
			r.Action = a.concrete(a.actionOf(name), name, finding.Subject{})
		}
	}
}

// ruleFinding begins a note on a rule with the rule's own numbers.
func (a *analysis) ruleFinding(r *Rule, rule, title string) finding.Finding {
	f := finding.Finding{
		Rule: rule, Severity: finding.Info, Title: title, Action: a.actionOf(rule),
		Numbers: map[string]float64{
			"count": float64(r.Count), "conversations": float64(r.Conversations), "tokens": float64(r.Tokens),
		},
	}
	if r.CostUSD != nil {
		f.Numbers["cost_usd"] = *r.CostUSD
	}
	return f
}

func (a *analysis) failedFinding() {
	r := a.report.rule(RuleActivationFailed)
	switch {
	case r.Count == 1:
		a.add(a.ruleFinding(r, RuleActivationFailed, "An activation loaded nothing of what was asked for"))
	case r.Count > 1:
		a.add(a.ruleFinding(r, RuleActivationFailed, fmt.Sprintf("%d activations loaded nothing of what was asked for", r.Count)))
	}
}

// roundTripFindings has a finding an agent, or one for all where no agent has a name.
func (a *analysis) roundTripFindings() {
	r := a.report.rule(RuleRoundTrips)
	const title = " asked for tools%s in the answer right after one that did"
	if r.Count > 0 && len(r.Agents) == 0 {
		a.add(a.ruleFinding(r, RuleRoundTrips, fmt.Sprintf("Models"+title, times(r.Count))))
	}
	for _, p := range r.Agents[:min(len(r.Agents), a.settings.Findings)] {
		f := a.ruleFinding(r, RuleRoundTrips, printable(p.Name)+fmt.Sprintf(title, times(p.Count)))
		f.Subject.Agent = p.Name
		f.Numbers = map[string]float64{"count": float64(p.Count), "tokens": float64(p.Tokens)}
		a.add(f)
	}
}

func (a *analysis) removedFindings() {
	r := a.report.rule(RuleRemoved)
	for _, n := range r.Names[:min(len(r.Names), a.settings.Findings)] {
		f := a.ruleFinding(r, RuleRemoved, fmt.Sprintf("%s was called%s after it was removed", printable(n.Called), times(n.Count)))
		f.Severity, f.Subject.Tool = a.grade(r.Count), n.Called
		f.Numbers = map[string]float64{"calls": float64(n.Count), "conversations": float64(n.Conversations), "tokens": float64(n.Tokens)}
		a.add(f)
	}
}

func (a *analysis) idlePermissionFindings() {
	r := a.report.rule(RuleIdlePermission)
	for _, n := range r.Names[:min(len(r.Names), a.settings.Findings)] {
		f := a.ruleFinding(r, RuleIdlePermission, fmt.Sprintf("%s is not permitted, but %s has no tool of that name", printable(n.Called), printable(n.Server)))
		f.Subject.Server, f.Subject.Tool = n.Server, n.Called
		f.Numbers = map[string]float64{"rosters": float64(n.Count)}
		a.add(f)
	}
}
