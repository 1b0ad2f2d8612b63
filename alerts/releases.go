package alerts

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/panels"
)

// flagged is a release whose version does not say what changed.
func flagged(rules ...string) string {
	return sumOf(perTool, metrics.DriftDefinitionFlags, oneOf("rule", rules...)) + " > 0"
}

// ofServer names the server or the tool of the labels.
const ofServer = "{{ $labels.server }}{{ with $labels.tool }}/{{ . }}{{ end }}"

// releaseAlerts are those on how tools change.
func releaseAlerts(c Config) []Alert {
	cohort := func(cohort, ratio string) string {
		return ask("humanizePercentage", `max(`+metrics.DriftCanaryRatio.Name()+`{server=%q,tool=%q,version=%q,cohort="`+cohort+`",ratio="`+ratio+`"})`,
			"server", "tool", "version")
	}
	return []Alert{
		{
			Name: "BreakingChangeInMinor", Severity: Ticket, For: time.Minute, Expr: flagged("breaking_in_minor"),
			Summary: "{{ $value }} releases of " + ofServer + " break calls without a new major version",
			Next:    "Pin the release before, or bring its calls over first; tooltrail findings --rule breaking_in_minor says what broke.",
			View:    panels.Drift, Set: []string{"server"}, Needs: NeedsEvents, Rules: []string{"breaking_in_minor"},
			Lookback: seenLately, Plain: "A release of {{ .Labels.server }} breaks calls without a new major version.",
		},
		{
			Name: "SchemaChangedWithoutVersion", Severity: Ticket, For: time.Minute, Expr: flagged("change_without_version", "rug_pull"),
			Summary: "{{ $value }} times the schema of " + ofServer + " changed and its version did not",
			Next:    "Compare it with what was reviewed: tooltrail findings --rule change_without_version, and --rule rug_pull.",
			View:    panels.Drift, Set: []string{"server"}, Needs: NeedsEvents, Rules: []string{"change_without_version", "rug_pull"},
			Lookback: seenLately, Plain: "The schema of a tool of {{ .Labels.server }} changed and its version did not.",
		},
		{
			Name: "DefinitionsChanged", Severity: Ticket, For: time.Minute,
			Expr:    fmt.Sprintf("%s > %s", each(metrics.DriftDefinitionRatio), strconv.FormatFloat(c.DefinitionShare, 'f', -1, 64)),
			Summary: "A release of {{ $labels.server }} changed the schema of {{ $value | humanizePercentage }} of its tools, or removed them",
			Next:    "Pin the release before until prompts and examples know the new schemas; tooltrail findings --rule definition_change names it.",
			View:    panels.Drift, Set: []string{"server"}, Needs: NeedsEvents, Rules: []string{"definition_change"},
			Over: c.DefinitionShare, Lookback: seenLately, Plain: "A release of {{ .Labels.server }} changed the schema of many of its tools.",
		},
		{
			Name: "CanaryWorse", Severity: Ticket, Expr: unlessSilenced(each(metrics.DriftCanaryWorse)+" == 1", perTool+", version", "canary_worse"),
			Summary: "The canary {{ $labels.version }} of " + tool + " does worse: drift " + cohort("canary", "drift") + " against " + cohort("baseline", "drift") +
				", errors " + cohort("canary", "error") + " against " + cohort("baseline", "error"),
			Next: "tooltrail schema canary abort SERVER/TOOL, then see by which arguments its calls drift or fail.",
			View: panels.Drift, Set: []string{"server", "tool"}, Needs: NeedsEvents, Rules: []string{"canary_worse"},
			Lookback: seenLately, Plain: "The canary of {{ .Labels.server }}/{{ .Labels.tool }} does worse than the active version.",
		},
		{
			Name: "SunsetReady", Severity: Info, For: time.Hour, Expr: unlessSilenced(each(metrics.DriftSunsetReady)+" == 1", perTool+", version", "sunset_ready"),
			Summary: "{{ $labels.version }} of " + tool + " can go: hardly any call is of it any more",
			Next:    "Remove the branch that serves it, then tooltrail schema retire SERVER/TOOL VERSION.",
			View:    panels.Drift, Set: []string{"server", "tool"}, Needs: NeedsEvents, Rules: []string{"sunset_ready"},
			Lookback: seenLately, Plain: "An old version of {{ .Labels.server }}/{{ .Labels.tool }} can go.",
		},
	}
}
