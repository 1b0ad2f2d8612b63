package analyzer

import (
	"cmp"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
)

// setActivation shows what broke each rule by the tool that was meant and by model. What a model called is never a label.
func (a *Analyzer) setActivation(r *activation.Report) {
	var hits, models rows
	for name, rule := range r.Rules {
		left := rule.Count
		for _, n := range hitsOf(r, name) {
			server, tool := a.tool(n.Server, cmp.Or(n.Meant, n.Called))
			hits.add(float64(n.Count), name, server, tool)
			left -= min(n.Count, left)
		}
		if left > 0 {
			hits.add(float64(left), name, metrics.Other, metrics.Other)
		}
		for _, p := range rule.Models {
			models.add(float64(p.Count), name, cmp.Or(p.Name, unknownModel))
		}
	}
	a.set(a.metrics.Window.ActivationRuleHits, hits)
	a.set(a.metrics.Window.ActivationRuleModels, models)
}

// setNameAlerts shows by rule how many calls were by a wrong name, those left out whose finding is muted or resolved.
func (a *Analyzer) setNameAlerts(r *activation.Report, quiet silenced) {
	calls := map[string]float64{}
	for name, rule := range r.Rules {
		if events.Resolution(name).Valid() {
			calls[name] = float64(rule.Count)
		}
	}
	for _, f := range quiet {
		if n, ok := calls[f.Rule]; ok {
			calls[f.Rule] = max(n-f.Numbers["calls"], 0)
		}
	}
	var all rows
	for name, n := range calls {
		all.add(n, name)
	}
	a.set(a.metrics.Window.ActivationAlertCalls, all)
}

// hitsOf lists what broke a rule by name; loops and made-up ids have lists of their own in a report.
func hitsOf(r *activation.Report, rule string) []activation.Name {
	var names []activation.Name
	switch rule {
	case activation.RuleLoop:
		for _, l := range r.Loops {
			names = append(names, activation.Name{Server: l.Server, Called: l.Tool, Count: 1})
		}
	case activation.RuleMadeUpID:
		for _, m := range r.MadeUpIDs {
			names = append(names, activation.Name{Server: m.Server, Called: m.Tool, Count: 1})
		}
	case activation.RuleNameCollision, activation.RuleSummaryCut, activation.RuleIdlePermission:
		for _, n := range r.Rules[rule].Names { // whose count is that of rosters
			names = append(names, activation.Name{Server: n.Server, Called: n.Called, Count: 1})
		}
	default:
		return r.Rules[rule].Names
	}
	return names
}
