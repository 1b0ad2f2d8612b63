package analyzer

import (
	"cmp"
	"context"
	_ "embed" // for the query
	"maps"
	"slices"

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

//go:embed silenced_names.sql
var silencedNamesSQL string

// wrongName is a name that a rule was broken by.
type wrongName struct{ rule, server, called string }

// setNameAlerts shows by rule how many calls were by a wrong name, those left out whose finding is muted or resolved.
func (a *Analyzer) setNameAlerts(ctx context.Context, r *activation.Report, found silenced) {
	quiet := map[wrongName]bool{}
	for _, f := range found {
		quiet[wrongName{f.Rule, f.Subject.Server, f.Subject.Tool}] = true
	}
	if err := a.addSilencedNames(ctx, quiet, slices.Sorted(maps.Keys(r.Rules))); err != nil {
		a.warn("wrong names that are muted or resolved", err)
	}
	var all rows
	for name, rule := range r.Rules {
		if !events.Resolution(name).Valid() {
			continue
		}
		left := rule.Count
		for _, n := range rule.Names {
			if quiet[wrongName{name, n.Server, n.Called}] {
				left -= min(n.Count, left)
			}
		}
		all.add(float64(left), name)
	}
	a.set(a.metrics.Window.ActivationAlertCalls, all)
}

// addSilencedNames adds the names whose finding is muted or resolved, though the run that was did not list it.
func (a *Analyzer) addSilencedNames(ctx context.Context, quiet map[wrongName]bool, rules []string) error {
	if a.keep == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	var row struct {
		Rule   string `ch:"rule"`
		Server string `ch:"server"`
		Tool   string `ch:"tool"`
	}
	return a.q.Each(ctx, silencedNamesSQL, []any{rules}, &row, func() error {
		quiet[wrongName{row.Rule, row.Server, row.Tool}] = true
		return nil
	})
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
