package alerts

import (
	"time"

	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/panels"
)

// The labels that alerts on tools have.
const (
	perTool    = "server, tool"
	perModel   = "server, tool, model"
	perVersion = "server, tool, version"
)

// lastHour is the window that says whether a ratio is still over a limit.
const lastHour = "1h"

// ratioOver is a drift ratio strictly over one of the tool's own limits, of enough calls, over the last hour or the analyzed window. Where the
// last hour has enough calls and is not over the limit, the trouble is over, and what the longer window says is old.
func ratioOver(limit string) string {
	max := "\n  > on (" + perTool + ") group_left () " + maxBy(perTool, sel(metrics.DriftLimit, is("limit", limit)))
	enough := func(window match) string {
		return each(metrics.DriftWindowCalls, window) + " >= on (server, tool, window) group_left () " +
			each(metrics.DriftMinimumCalls, window)
	}
	both := oneOf("window", lastHour, metrics.WindowAnalyzed)
	over := maxBy(perModel, each(metrics.DriftRatio, both)+max+
		"\n  and on (server, tool, model, window) ("+enough(both)+")")
	fine := "\nunless on (" + perModel + ") (" + each(metrics.DriftRatio, is("window", lastHour)) +
		" <= on (" + perTool + ") group_left () " + maxBy(perTool, sel(metrics.DriftLimit, is("limit", limit))) +
		"\n  and on (server, tool, model, window) (" + enough(is("window", lastHour)) + "))"
	return unlessSilenced(over+fine, perModel, "drift_ratio")
}

// driftWords are the words of both alerts on ratios.
const driftWords = "{{ $value | humanizePercentage }} of the calls of " + tool + byModel + " do not fit its schema"

func driftNumbers() string {
	return ", of " + ask("humanize", `max(`+metrics.DriftWindowCalls.Name()+`{server=%q,tool=%q,model=%q,window="`+metrics.WindowAnalyzed+`"})`,
		"server", "tool", "model") + " calls in the analyzed window" +
		worst("; worst models:", "model", "humanizePercentage", `topk(3, max by (model) (`+metrics.DriftRatio.Name()+`{server=%q,tool=%q,model!="",window="`+
			metrics.WindowAnalyzed+`"}))`, "server", "tool")
}

// driftAlerts are those on how tools are called.
func driftAlerts() []Alert {
	return []Alert{
		{
			Name: driftOver20, Severity: Page, For: 5 * time.Minute, Expr: ratioOver("critical_ratio"),
			Summary: driftWords + driftNumbers(),
			Next:    "Pin the model version or put explicit migration guidance into the system prompt; tooltrail schema show SERVER/TOOL says what changed.",
			View:    panels.Drift, Set: []string{"server", "tool", "model"}, Needs: NeedsEvents, Rules: []string{"drift_ratio"},
			Lookback: seenLately, Plain: "More than 20 % of the calls of {{ .Labels.server }}/{{ .Labels.tool }} do not fit its schema.",
		},
		{
			Name: "SilentDefault", Severity: Page, Expr: unlessSilenced(each(metrics.DriftSilentDefaults)+" > 0", perTool, "silent_default"),
			Summary: "{{ $value }} calls of " + tool + byModel + " used an old name of an argument, so the tool took its default and reported no error",
			Next:    "Make the argument required or map the old name to it, and check what these calls wrote: it holds the default.",
			View:    panels.Drift, Set: []string{"server", "tool", "model"}, Needs: NeedsEvents, Rules: []string{"silent_default"},
			Lookback: seenLately, Plain: "Calls of {{ .Labels.server }}/{{ .Labels.tool }} used an old name of an argument, so the tool took its default and reported no error.",
		},
		{
			Name: "ToolDisabled", Severity: Page, Expr: sumOf(perTool, metrics.BreakerToolState, oneOf("state", "disabled", "probing")) + " > 0",
			Summary: "{{ if eq $labels.tool `other` }}{{ $value }} tools that nobody registered are disabled{{ else }}" + tool + " is disabled{{ end }} for every agent, after validation errors in a row or by hand",
			Next:    "tooltrail tools list says why and which arguments failed; after the fix, tooltrail tools enable SERVER/TOOL.",
			View:    panels.Drift, Set: []string{"server", "tool"}, Needs: NeedsStream, Rules: []string{"tool_disabled"},
			Lookback: 24 * time.Hour, Plain: "{{ .Labels.server }}/{{ .Labels.tool }} is disabled for every agent.",
		},
		{
			Name: "ToolFailing", Severity: Page, Expr: sumOf(perTool, metrics.BreakerToolState, is("state", "alerted")) + " > 0",
			Summary: "Calls of " + tool + " fail validation in a row, and the tool stays enabled: it is critical, kept enabled by hand, or on trial",
			Next:    "tooltrail tools list says which arguments failed; tooltrail tools disable SERVER/TOOL takes it away from all agents.",
			View:    panels.Drift, Set: []string{"server", "tool"}, Needs: NeedsStream, Rules: []string{"tool_disabled"},
			Lookback: time.Hour, Plain: "Calls of {{ .Labels.server }}/{{ .Labels.tool }} fail validation in a row, and the tool stays enabled.",
		},
		{
			Name: driftOver5, Severity: Ticket, For: 15 * time.Minute, Expr: ratioOver("warn_ratio"),
			Summary: driftWords + driftNumbers(),
			Next:    "Add examples of the new schema to the prompt; tooltrail findings --rule drift_ratio shows one that fits.",
			View:    panels.Drift, Set: []string{"server", "tool", "model"}, Needs: NeedsEvents, Rules: []string{"drift_ratio"},
			Lookback: seenLately, Plain: "More than 5 % of the calls of {{ .Labels.server }}/{{ .Labels.tool }} do not fit its schema.",
		},
		{
			Name: "RetryCost", Severity: Ticket, For: 15 * time.Minute,
			Expr: unlessSilenced(each(metrics.DriftRetryMultiple)+" >= on ("+perTool+") "+maxBy(perTool, sel(metrics.DriftLimit, is("limit", "retry_multiple"))),
				perTool, "retry_tokens"),
			Summary: "Trying " + tool + " again took {{ $value | humanize }} times the tokens of the first attempts (" +
				ask("humanize", `max(`+metrics.DriftRetryTokens.Name()+`{server=%q,tool=%q})`, "server", "tool") + " tokens)",
			Next: "Return an error that says which argument to change, and limit how often the call is tried again.",
			View: panels.Drift, Set: []string{"server", "tool"}, Needs: NeedsEvents, Rules: []string{"retry_tokens"},
			Lookback: seenLately, Plain: "Trying {{ .Labels.server }}/{{ .Labels.tool }} again took three times the tokens of the first attempts, or more.",
		},
	}
}
