package drift

import (
	"fmt"
	"strings"

	"github.com/tooltrail/tooltrail/finding"
)

// Detector is the detector of this package's findings.
const Detector = "drift"

// The rules of this package's findings; the flags of definitions are rules too, see [FlagBreakingMinor].
const (
	RuleRatio         = "drift_ratio"
	RuleSilentDefault = "silent_default"
	RuleDefinitions   = "definition_change"
	RuleRetries       = "retry_tokens"
	RuleErrorsInRow   = "validation_errors_in_a_row"
	RuleCanaryWorse   = "canary_worse"
	RuleSunsetReady   = "sunset_ready"
)

// add signs and keeps a finding; its window is what was looked at, unless it says another.
func (a *analysis) add(f finding.Finding) {
	f.Detector = Detector
	if f.Window == (finding.Window{}) {
		f.Window = a.window
	}
	f.Sign()
	a.found = append(a.found, f)
}

// silentFinding holds from the first silent default on: it corrupts data without an error.
func (a *analysis) silentFinding(t *ToolDrift) {
	if t.SilentDefault == 0 {
		return
	}
	old, now := quoted(t.Renamed, "an old name"), quoted(t.Defaulted, "the new one")
	a.add(finding.Finding{
		Rule: RuleSilentDefault, Severity: finding.Critical,
		Title: fmt.Sprintf("%d of %d calls of %s gave %s, so that %s took its default", t.SilentDefault, t.Calls, named(t.Server, t.Tool), old, now),
		Action: fmt.Sprintf("Make %s required or map %s to it before the tool runs, and check what these calls wrote: it holds the default.",
			now, old),
		Subject: finding.Subject{Server: t.Server, Tool: t.Tool},
		Numbers: map[string]float64{"silent_defaults": float64(t.SilentDefault), "calls": float64(t.Calls)},
	})
}

func (a *analysis) definitionFinding(c *DefinitionChange) {
	enough := c.ToolsBefore >= a.settings.MinTools
	severity, action := a.settings.grade(c.SchemaRatio)
	switch {
	case severity == "":
		return
	case !enough:
		severity = finding.Info
	}
	title := fmt.Sprintf("%s of the tools of %s changed their schema or were removed from %s to %s (%d changed, %d removed of %d)",
		percent(c.SchemaRatio), named(c.Server, c.Agent), c.From, c.To, c.SchemaChanged, c.Removed, c.ToolsBefore)
	if !enough {
		title += fmt.Sprintf("; fewer than %d tools say little", a.settings.MinTools)
	}
	a.add(finding.Finding{
		Rule: RuleDefinitions, Severity: severity, Title: title, Action: action,
		Subject: finding.Subject{Server: c.Server, Agent: c.Agent, Release: c.To}, Began: c.At, LastEvent: c.At,
		Numbers: map[string]float64{
			"schema_ratio": c.SchemaRatio, "definition_ratio": c.DefinitionRatio, "wire_ratio": c.WireRatio,
			"tools_before": float64(c.ToolsBefore), "tools_after": float64(c.ToolsAfter),
			"added": float64(c.Added), "removed": float64(c.Removed), "schema_changed": float64(c.SchemaChanged),
		},
	})
}

func (a *analysis) retryFinding(r *Retry) {
	if r.FirstTokens == 0 || r.Multiple < a.settings.Of(Key{r.Server, r.Tool}).RetryMultiple {
		return
	}
	a.add(finding.Finding{
		Rule: RuleRetries, Severity: finding.Warning,
		Title: fmt.Sprintf("Trying %s again took %.1f times the tokens of the first attempts (%d tokens, %d retries)",
			named(r.Server, r.Tool), r.Multiple, r.RetryTokens, r.Retries),
		Action:  "Return an error that says which argument to change, and limit how often the call is tried again.",
		Subject: finding.Subject{Server: r.Server, Tool: r.Tool},
		Numbers: map[string]float64{
			"multiple": r.Multiple, "retry_tokens": float64(r.RetryTokens), "first_tokens": float64(r.FirstTokens), "retries": float64(r.Retries),
		},
	})
}

func (a *analysis) runFinding(r *ErrorRun, limit uint64) {
	severity := finding.Warning
	if r.Latest >= limit {
		severity = finding.Critical
	}
	a.add(finding.Finding{
		Rule: RuleErrorsInRow, Severity: severity,
		Title:   fmt.Sprintf("%d calls of %s in a row failed validation%s", r.Longest, named(r.Server, r.Tool), of(r.Version)),
		Action:  "Take the tool away from agents until its callers know the schema, then see which arguments failed.",
		Subject: finding.Subject{Server: r.Server, Tool: r.Tool, Release: r.Version},
		Numbers: map[string]float64{
			"longest": float64(r.Longest), "latest": float64(r.Latest), "conversations": float64(r.Conversations),
		},
	})
}

func percent(ratio float64) string { return fmt.Sprintf("%.1f %%", 100*ratio) }

// named writes a tool with its server, or either alone.
func named(server, tool string) string {
	if server == "" || tool == "" {
		return server + tool
	}
	return server + "/" + tool
}

func of(version string) string {
	if version == "" {
		return ""
	}
	return " against version " + version
}

func quoted(names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}
