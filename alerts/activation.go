package alerts

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/panels"
)

// wrongNames is the query of the share of calls whose name was wrong.
const wrongNames = "wrong_names"

// share is the share of calls that broke one of some rules, where that is over a limit and they are not just a few. Calls count whoever looked
// their name up, the sender or later the analyzer, and those do not whose finding is muted or resolved.
func share(limit float64, few uint64, rules ...string) string {
	hits := "sum(" + maxBy("rule", sel(metrics.ActivationAlertCalls, oneOf("rule", rules...))) + ")"
	return fmt.Sprintf("%s\n  / sum(%s) > %s\nand\n%s >= %d", hits, maxBy("outcome", sel(metrics.AnalyzerCalls)),
		strconv.FormatFloat(limit, 'f', -1, 64), hits, few)
}

// whose names the tools and models that most hits of rules are of.
func whose(rules ...string) string {
	tools := `topk(3, sum by (tool) (max by (rule, server, tool) (` + sel(metrics.ActivationRuleHits, oneOf("rule", rules...)) + `)))`
	models := `topk(3, sum by (model) (max by (rule, model) (` + sel(metrics.ActivationRuleModels, oneOf("rule", rules...)) + `)))`
	return worst("; meant were", "tool", "humanize", tools) + worst("; models:", "model", "humanize", models)
}

// perToolHits are the hits of one rule by tool.
func perToolHits(rule string) string {
	return unlessSilenced(sumOf(perTool, metrics.ActivationRuleHits, is("rule", rule))+" > 0", perTool, rule)
}

// guesses are the rules for names that a model made up.
var guesses = []string{"guessed", "unknown", "prefix_repair", "connector_name"}

// activationAlerts are those on names, loading and arguments.
func activationAlerts(c Config) []Alert {
	return []Alert{
		{
			Name: "GuessedNames", Severity: Ticket, For: 15 * time.Minute, Expr: share(c.GuessedShare, c.FewCalls, guesses...),
			Summary: "{{ $value | humanizePercentage }} of all calls are by a name that the model guessed" + whose(guesses...),
			Next:    "Put every name into the roster as it has to be called: tooltrail roster lint, and tooltrail report for the names.",
			View:    panels.Activation, Needs: NeedsEvents, Rules: guesses, Query: wrongNames,
			Over: c.GuessedShare, Lookback: 24 * time.Hour, Plain: "Too many calls are by a name that the model guessed.",
		},
		{
			Name: "CallsBeforeActivation", Severity: Ticket, For: 15 * time.Minute, Expr: share(c.EarlyShare, c.FewCalls, "not_activated"),
			Summary: "{{ $value | humanizePercentage }} of all calls are of a tool that was not loaded yet" + whose("not_activated"),
			Next:    "Say in the roster's header to load a tool, with the one that supplies its arguments, and to call it in the next step.",
			View:    panels.Activation, Needs: NeedsEvents, Rules: []string{"not_activated"}, Query: wrongNames,
			Over: c.EarlyShare, Lookback: 24 * time.Hour, Plain: "Too many calls are of a tool that was not loaded yet.",
		},
		{
			Name: "CallLoop", Severity: Ticket, For: time.Minute, Expr: perToolHits("loop"),
			Summary: "The same failing call of " + tool + " was made again and again, {{ $value }} times in the analyzed window",
			Next:    "tooltrail findings --rule loop names the conversation; make the error say what to do instead, and stop after two.",
			View:    panels.Activation, Set: []string{"server", "tool"}, Needs: NeedsEvents, Rules: []string{"loop"},
			Lookback: seenLately, Plain: "The same failing call of {{ .Labels.server }}/{{ .Labels.tool }} was made again and again.",
		},
		{
			Name: "MadeUpIds", Severity: Ticket, For: time.Minute, Expr: perToolHits("made_up_id"),
			Summary: "{{ $value }} ids in calls of " + tool + " appeared nowhere in their conversations before",
			Next:    "Make the tool refuse ids that don't exist and name the tool that gives them; tooltrail report lists the paths.",
			View:    panels.Activation, Set: []string{"server", "tool"}, Needs: NeedsEvents, Rules: []string{"made_up_id"},
			Lookback: seenLately, Plain: "Ids in calls of {{ .Labels.server }}/{{ .Labels.tool }} appeared nowhere before.",
		},
		{
			Name: "RosterSummariesCut", Severity: Info, For: time.Hour,
			Expr: "(" + maxBy("rule", sel(metrics.AnalyzerRuleHits, is("rule", "summary_cut"))) + " > 0)\nunless on (rule) " +
				sel(metrics.FindingSilenced, is("rule", "summary_cut")),
			Summary: "The summaries of {{ $value }} tools are cut in the roster",
			Next:    "tooltrail roster lint says where each cut fell; put what has to be known before the tool is loaded first.",
			View:    panels.Activation, Needs: NeedsEvents, Rules: []string{"summary_cut"},
			Lookback: seenLately, Plain: "Summaries of tools are cut in the roster.",
		},
	}
}
