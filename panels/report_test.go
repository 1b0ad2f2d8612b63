package panels_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/panels"
)

// figures are numbers by what they are of.
type figures map[string]float64

// TestPanelsSayWhatTheReportSays holds what panels say of the sample against the analyzer's report of it: of the sample whose agents looked names up,
// and of one whose agents did not.
func TestPanelsSayWhatTheReportSays(t *testing.T) {
	t.Run("names looked up by agents", func(t *testing.T) { holdAgainstReport(t, openSample(t)) })
	t.Run("names looked up by the analyzer", func(t *testing.T) { holdAgainstReport(t, openUnresolved(t)) })
}

func holdAgainstReport(t *testing.T, s sample) {
	for panel, want := range s.reported() {
		t.Run(panel, func(t *testing.T) {
			p := find(t, panel)
			got := want.read(run(t, s, p, s.whole))
			if diff := cmp.Diff(want.figures, got, cmpopts.EquateApprox(1e-9, 1e-9)); diff != "" {
				t.Errorf("figures (-report +panel):\n%s", diff)
			}
			if len(want.figures) == 0 {
				t.Error("the report says nothing: the comparison proves nothing")
			}
		})
	}
}

func find(t testing.TB, id string) panels.Panel {
	t.Helper()
	for _, v := range panels.Views() {
		if p, ok := v.Panel(id); ok {
			return p
		}
	}
	t.Fatalf("no panel %s", id)
	return panels.Panel{}
}

// expected is what a panel must say, and how its rows become figures.
type expected struct {
	figures
	read func([]map[string]any) figures
}

// reported is what the report says, by panel.
func (s sample) reported() map[string]expected {
	all := map[string]expected{}
	for _, part := range []map[string]expected{s.reportedTotals(), s.reportedDrift(), s.reportedPrefix(), s.reportedActivation()} {
		for id, e := range part {
			all[id] = e
		}
	}
	return all
}

func (s sample) reportedTotals() map[string]expected {
	r := s.report
	findings := figures{"critical": 0, "warning": 0, "info": 0}
	for _, f := range r.Findings {
		findings[string(f.Severity)]++
	}
	var wrong, events float64
	for _, n := range s.wrongNames() {
		wrong += n
	}
	for _, n := range r.Events {
		events += float64(n)
	}
	calls := figures{
		"calls": float64(r.Drift.Calls), "ratio": r.Drift.Ratio, "wrong_names": wrong, "made_up_ids": float64(r.Activation.Rules["made_up_id"].Count),
	}
	lost := figures{"tokens": float64(r.Prefix.TokensLost), "usd": *r.Prefix.LostUSD}
	outcomes := figures{}
	for outcome, n := range r.Calls.ByOutcome {
		outcomes[outcome] = float64(n)
	}
	return map[string]expected{
		"overview_findings":         {findings, only("critical", "warning", "info")},
		"drift_findings":            {s.findings("drift"), sumBy("severity", "one")},
		"prefix_findings":           {s.findings("prefix"), sumBy("severity", "one")},
		"activation_findings":       {s.findings("activation"), sumBy("severity", "one")},
		"overview_calls":            {calls, only("calls", "ratio", "wrong_names", "made_up_ids")},
		"overview_lost":             {lost, only("tokens", "usd")},
		"overview_lost_over_time":   {figures{"usd": lost["usd"]}, sum("usd")},
		"overview_calls_over_time":  {outcomes, sumBy("series", "calls")},
		"overview_names_over_time":  {figures{"wrong_names": wrong, "made_up_ids": calls["made_up_ids"]}, sum("wrong_names", "made_up_ids")},
		"overview_agents":           {s.agents(lost["tokens"]), by([]string{"agent"}, "calls", "tokens")},
		"pipeline_totals":           {figures{"events": events, "letters": float64(r.DeadLetters)}, only("events", "letters")},
		"pipeline_kinds":            {kinds(r.Events), by([]string{"kind"}, "events")},
		"pipeline_events_over_time": {figures{"events": events}, sum("events")},
	}
}

// findings are those of a detector, by severity.
func (s sample) findings(detector string) figures {
	f := figures{}
	for i := range s.report.Findings {
		if s.report.Findings[i].Detector == detector {
			f[string(s.report.Findings[i].Severity)]++
		}
	}
	return f
}

func kinds(events map[string]int64) figures {
	f := figures{}
	for kind, n := range events {
		f[kind+" events"] = float64(n)
	}
	return f
}

func (s sample) reportedDrift() map[string]expected {
	r := s.report.Drift
	tools, classes, retries, releases := figures{}, figures{}, figures{}, figures{}
	for i := range r.Tools {
		d := &r.Tools[i]
		for name, n := range ofTool(d) {
			tools[fmt.Sprintf("%s %s %s %s", d.Server, d.Tool, d.Model, name)] = n
		}
		for class, n := range map[string]uint64{
			"old_version": d.OldVersion, "silent_default": d.SilentDefault, "unknown_argument": d.UnknownArgument, "validation_error": d.ValidationError,
		} {
			if n > 0 {
				classes[class] += float64(n)
			}
		}
	}
	for _, x := range r.Retries {
		k := x.Server + " " + x.Tool
		retries[k+" retries"], retries[k+" retry_tokens"] = float64(x.Retries), float64(x.RetryTokens)
		retries[k+" first_tokens"], retries[k+" multiple"] = float64(x.FirstTokens), x.Multiple
	}
	for _, d := range r.Definitions {
		k := fmt.Sprintf("%s %s %s %s ", d.Server, d.Agent, d.From, d.To)
		releases[k+"tools_before"], releases[k+"tools_after"] = float64(d.ToolsBefore), float64(d.ToolsAfter)
		releases[k+"added"], releases[k+"removed"], releases[k+"ratio"] = float64(d.Added), float64(d.Removed), d.SchemaRatio
		releases[k+"definition_changed"], releases[k+"schema_changed"] = float64(d.DefinitionChanged), float64(d.SchemaChanged)
	}
	whole := drift.NewRatio(r.Drifted, r.Calls)
	return map[string]expected{
		"drift_ratio": {
			figures{"ratio": whole.Value, "ci_low": whole.Low, "ci_high": whole.High, "calls": float64(r.Calls), "drifted": float64(r.Drifted), "unjudged": float64(r.Unjudged)},
			only("ratio", "ci_low", "ci_high", "calls", "drifted", "unjudged"),
		},
		"drift_tools":             {tools, by([]string{"server", "tool", "model"}, toolFigures...)},
		"drift_classes_over_time": {classes, sumBy("series", "calls")},
		"drift_retries":           {retries, by([]string{"server", "tool"}, "retries", "retry_tokens", "first_tokens", "multiple")},
		"drift_releases": {releases, by([]string{"server", "agent", "from_release", "to_release"},
			"tools_before", "tools_after", "added", "removed", "definition_changed", "schema_changed", "ratio")},
		"drift_versions": {figures{"calls": float64(r.Calls)}, sum("calls")},
	}
}

// toolFigures are the figures that the report and the panel have of a tool as a model calls it.
var toolFigures = []string{
	"calls", "drifted", "ratio", "ci_low", "ci_high", "old_version", "silent_default", "unknown_argument", "validation_error", "unjudged", "errors",
}

func ofTool(d *drift.ToolDrift) figures {
	high := d.CIHigh
	if d.Calls == d.Unjudged {
		high = 0 // panels show no ratio where nothing is known
	}
	return figures{
		"calls": float64(d.Calls), "drifted": float64(d.Drifted), "ratio": d.Ratio, "ci_low": d.CILow, "ci_high": high,
		"old_version": float64(d.OldVersion), "silent_default": float64(d.SilentDefault), "unknown_argument": float64(d.UnknownArgument),
		"validation_error": float64(d.ValidationError), "unjudged": float64(d.Unjudged), "errors": float64(d.ExecutionErrors + d.ValidationOutcomes),
	}
}

func (s sample) reportedPrefix() map[string]expected {
	r := s.report.Prefix
	verdicts, lost, agents, talks, flux := figures{}, figures{}, figures{}, figures{}, figures{}
	var breaks float64
	for v, total := range r.Verdicts {
		verdicts[string(v)+" requests"], verdicts[string(v)+" tokens"] = float64(total.Count), float64(total.TokensLost)
		verdicts[string(v)+" unpriced"] = float64(total.Unpriced)
		if v.Break() {
			lost[string(v)] = float64(total.TokensLost)
			breaks += float64(total.Count)
		}
	}
	for _, a := range r.Agents {
		agents[a.Agent+" tokens"], agents[a.Agent+" usd"] = float64(a.TokensLost), *a.LostUSD
	}
	for _, c := range r.Conversations {
		if len(c.Breaks) > 0 {
			talks[c.ID+" breaks"], talks[c.ID+" tokens"], talks[c.ID+" usd"] = float64(len(c.Breaks)), float64(c.TokensLost), *c.LostUSD
		}
		for _, f := range c.Flux {
			flux[fmt.Sprintf("%s %s %s changes", c.ID, f.Kind, f.Part)] = float64(f.Changes)
		}
	}
	return map[string]expected{
		"prefix_totals": {
			figures{"requests": float64(r.Requests), "breaks": breaks, "tokens": float64(r.TokensLost), "usd": *r.LostUSD, "cost": *r.CostUSD},
			only("requests", "breaks", "tokens", "usd", "cost"),
		},
		"prefix_verdicts":         {verdicts, by([]string{"verdict"}, "requests", "tokens", "unpriced")},
		"prefix_lost_over_time":   {lost, sumBy("series", "tokens")},
		"prefix_breaks_over_time": {figures{"breaks": breaks}, sum("breaks")},
		"prefix_usd_over_time":    {figures{"usd": *r.LostUSD}, sum("usd")},
		"prefix_causes":           {figures{"breaks": breaks, "tokens": float64(r.TokensLost)}, sum("breaks", "tokens")},
		"prefix_models":           {figures{"breaks": breaks, "tokens": float64(r.TokensLost)}, sum("breaks", "tokens")},
		"prefix_breaks":           {figures{"tokens": float64(r.TokensLost), "usd": *r.LostUSD}, sum("tokens", "usd")},
		"prefix_agents":           {agents, by([]string{"agent"}, "tokens", "usd")},
		"prefix_conversations":    {talks, by([]string{"conversation"}, "breaks", "tokens", "usd")},
		"prefix_flux":             {flux, by([]string{"conversation", "kind", "part"}, "changes")},
	}
}

// agents are the calls of each agent, and the tokens that cache breaks cost, all of which are one agent's.
func (s sample) agents(tokens float64) figures {
	f := figures{"support-desk tokens": tokens, "release-bot tokens": 0}
	for _, e := range s.events {
		if c, ok := e.Data.(*events.ToolCall); ok {
			f[c.AgentName+" calls"]++
		}
	}
	return f
}

// wrongNames are the calls whose name was wrong, by rule.
func (s sample) wrongNames() figures {
	f := figures{}
	for _, rule := range []string{
		"not_activated", "renamed", "not_connected", "not_permitted", "connector_name", "prefix_repair", "guessed", "unknown",
	} {
		if n := s.report.Activation.Rules[rule].Count; n > 0 {
			f[rule] = float64(n)
		}
	}
	return f
}

func (s sample) reportedActivation() map[string]expected {
	r := s.report.Activation
	names, loads, loops, pays, rules := figures{}, figures{}, figures{}, figures{}, figures{}
	for rule, n := range s.wrongNames() {
		rules[rule+" calls"] = n
		for _, name := range r.Rules[rule].Names {
			k := fmt.Sprintf("%s %s %s %s ", rule, name.Server, name.Called, name.Meant)
			names[k+"calls"], names[k+"tokens"], names[k+"conversations"] = float64(name.Count), float64(name.Tokens), float64(name.Conversations)
		}
	}
	for _, l := range r.Loads {
		loads[l.Tool+" loaded"], loads[l.Tool+" never_called"], loads[l.Tool+" repeated"] = float64(l.Loaded), float64(l.NeverCalled), float64(l.Repeated)
	}
	for _, l := range r.Loops {
		loops[fmt.Sprintf("%s %s %s calls", l.Server, l.Tool, l.Conversation)] = float64(l.Calls)
	}
	for _, p := range r.Pays {
		pays[p.Agent+" requests"], pays[p.Agent+" on_demand_tokens"] = float64(p.Requests), p.OnDemandTokens
		pays[p.Agent+" all_loaded_tokens"], pays[p.Agent+" saved_tokens"] = p.AllLoadedTokens, p.SavedTokens
	}
	wrong := 0.0
	for _, n := range s.wrongNames() {
		wrong += n
	}
	cut := r.Rules["summary_cut"]
	return map[string]expected{
		"activation_totals": {
			figures{"judged": float64(r.Judged), "wrong": wrong, "refused": float64(r.Rules["activation_refused"].Count)}, only("judged", "wrong", "refused"),
		},
		"activation_rules":           {rules, by([]string{"rule"}, "calls")},
		"activation_rules_over_time": {s.wrongNames(), sumBy("series", "calls")},
		"activation_names":           {names, by([]string{"rule", "server", "called", "meant"}, "calls", "tokens", "conversations")},
		"activation_refused":         {figures{"times": float64(r.Rules["activation_refused"].Count)}, sum("times")},
		"activation_loads":           {loads, by([]string{"tool"}, "loaded", "never_called", "repeated")},
		"activation_loops":           {loops, by([]string{"server", "tool", "conversation"}, "calls")},
		"activation_made_up":         {figures{"rows": float64(len(r.MadeUpIDs))}, countRows},
		"activation_rosters":         {figures{"rows": float64(cut.Count)}, countRows},
		"activation_pays":            {pays, by([]string{"agent"}, "requests", "on_demand_tokens", "all_loaded_tokens", "saved_tokens")},
	}
}

// TestNamesLookedUpLaterAreCountedWithinAScope narrows the calls that the analyzer looked up by what their own table says, and by what it does not.
func TestNamesLookedUpLaterAreCountedWithinAScope(t *testing.T) {
	s := openUnresolved(t)
	all := number(run(t, s, find(t, "activation_totals"), s.whole)[0]["judged"])
	for _, c := range []struct{ variable, value string }{
		{"agent", "support-desk"}, {"environment", "production"}, {"model", "gpt-5.1"}, {"server", "orders"}, {"tool", "create_order"}, {"tool", "no such tool"},
	} {
		scope := s.whole
		scope.Set(c.variable, c.value)
		calls := number(run(t, s, find(t, "overview_calls"), scope)[0]["calls"])
		judged := number(run(t, s, find(t, "activation_totals"), scope)[0]["judged"])
		if judged > calls || judged > all || calls > 0 && judged < calls*0.9 {
			t.Errorf("%s %s: %v of %v calls were looked up", c.variable, c.value, judged, calls)
		}
	}
}
