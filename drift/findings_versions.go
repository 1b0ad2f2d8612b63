package drift

import (
	"fmt"
	"strings"

	"github.com/tooltrail/tooltrail/finding"
)

// canaryFinding says that a canary does worse.
func (a *analysis) canaryFinding(r *CanaryReport) {
	if r.Verdict != CanaryWorse {
		return
	}
	var worse []string
	largest := 0.0
	for _, m := range []struct {
		what             string
		d                Difference
		verdict          CanaryVerdict
		canary, baseline float64
	}{
		{"drift", r.Drift, r.DriftVerdict, r.CanaryCalls.DriftRatio, r.BaselineCalls.DriftRatio},
		{"errors", r.Errors, r.ErrorVerdict, r.CanaryCalls.ErrorRatio, r.BaselineCalls.ErrorRatio},
	} {
		if m.verdict == CanaryWorse {
			largest = max(largest, m.d.Value)
			worse = append(worse, fmt.Sprintf("%s %s, %s of the others", m.what, percent(m.canary), percent(m.baseline)))
		}
	}
	severity := finding.Warning
	if largest > a.settings.Canary.CriticalDifference {
		severity = finding.Critical
	}
	a.add(finding.Finding{
		Rule: RuleCanaryWorse, Severity: severity,
		Title: fmt.Sprintf("The canary %s of %s does worse than %s: %s (%d and %d calls)", r.Version, named(r.Server, r.Tool), r.Baseline,
			strings.Join(worse, "; "), r.CanaryCalls.Calls, r.BaselineCalls.Calls),
		Action:  "Abort the canary, and see by which arguments its calls drift or fail before the next one.",
		Subject: finding.Subject{Server: r.Server, Tool: r.Tool, Release: r.Version},
		Window:  finding.Window{From: r.From, To: a.end.UTC()},
		Numbers: map[string]float64{
			"drift_difference": r.Drift.Value, "drift_ci_low": r.Drift.Low, "drift_ci_high": r.Drift.High,
			"error_difference": r.Errors.Value, "error_ci_low": r.Errors.Low, "error_ci_high": r.Errors.High,
			"canary_calls": float64(r.CanaryCalls.Calls), "baseline_calls": float64(r.BaselineCalls.Calls),
		},
	})
}

// sunsetFinding says that a version can go, and what that rests on.
func (a *analysis) sunsetFinding(r *SunsetReport) {
	if !r.Ready {
		return
	}
	a.add(finding.Finding{
		Rule: RuleSunsetReady, Severity: finding.Info,
		Title: fmt.Sprintf("%s of %s can go: %d of %d calls in %d days were of it, and %s was replaced on %s (calls are stored since %s, %d of these days)",
			r.Version, named(r.Server, r.Tool), r.OldCalls, r.Calls, a.settings.Sunset.OverDays, r.Version, r.ReplacedAt.Format("2006-01-02"),
			r.StoredSince.Format("2006-01-02"), r.DaysCovered),
		Action:  fmt.Sprintf("Remove the branch that serves %s, and retire it: tooltrail schema retire.", r.Version),
		Subject: finding.Subject{Server: r.Server, Tool: r.Tool, Release: r.Version},
		Window:  finding.Window{From: r.From, To: r.To},
		Numbers: map[string]float64{
			"calls": float64(r.Calls), "old_calls": float64(r.OldCalls), "unknown_calls": float64(r.UnknownCalls), "share": r.Share,
			"days_covered": float64(r.DaysCovered), "days_since_replaced": r.To.Sub(r.ReplacedAt).Hours() / 24,
		},
	})
}

// flagFinding says of a release what its version does not.
func (a *analysis) flagFinding(f *DefinitionFlag) {
	who := named(f.Server, f.Agent)
	if f.Release == "" || len(f.Tools) == 1 {
		who = named(who, f.Tools[0])
	}
	of := strings.TrimSpace(f.Release + " of " + who)
	if f.Release == "" {
		of = who
	}
	severity, title, action := finding.Warning, "", ""
	switch f.Rule {
	case FlagBreakingMinor:
		title = fmt.Sprintf("%s breaks calls of %s without a new major version: %s", of, f.Previous, f.where())
		action = "Pin the release before, or bring its calls over first; a change that breaks calls needs a new major version."
		if strings.HasPrefix(strings.TrimPrefix(f.Release, "v"), "0.") {
			severity, action = finding.Info, "Pin the release: a version 0.x promises nothing, and its calls break with any of them."
		}
	case FlagUnversioned:
		title = fmt.Sprintf("The schema of %s changed and its version did not: %s", of, f.where())
		action = "Give each schema a version of its own, so that calls can say which one they are of."
		if f.Release == "" {
			severity = finding.Info
		}
	default:
		title = fmt.Sprintf("%s came again with other definitions: %s", of, f.where())
		action = "Compare it with what was reviewed, and do not load it before somebody explains the difference."
	}
	subject := finding.Subject{Server: f.Server, Agent: f.Agent, Release: f.Release}
	if f.single {
		subject.Tool = f.Tools[0]
	}
	a.add(finding.Finding{
		Rule: f.Rule, Severity: severity, Title: title, Action: action, Subject: subject, LastEvent: f.At,
		Numbers: map[string]float64{"tools": float64(len(f.Tools))},
	})
}

// where names the first change by its tool and path, and how many tools more.
func (f *DefinitionFlag) where() string {
	c := f.Changes[0]
	text := c.Text
	if c.Path != "" {
		text = c.Path + " (" + c.Text + ")"
	}
	if len(f.Tools) == 1 {
		return text
	}
	text = c.Tool + " " + text
	return fmt.Sprintf("%s, and %d more", text, len(f.Tools)-1)
}
