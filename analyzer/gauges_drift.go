package analyzer

import (
	"cmp"
	"slices"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
)

// unknownModel is the label of calls whose model nobody told; an empty one stands for all models.
const unknownModel = "unknown"

// The values of the label limit of [metrics.DriftLimit].
const (
	limitWarn     = "warn_ratio"
	limitCritical = "critical_ratio"
	limitRetries  = "retry_multiple"
)

// driftGauges collects the series of drift.
type driftGauges struct {
	*Analyzer
	settings                                                drift.Settings
	ratio, calls, minimum, limit, silent, multiple, retries rows
}

// setDrift shows ratios over each window, what the settings say of each tool, and the rest of the report on drift. The tools with the most calls
// come first.
func (a *Analyzer) setDrift(r *Report) {
	g := driftGauges{Analyzer: a, settings: a.driftSettings()}
	tools := byCalls(r.Drift.ByTool)
	for _, t := range tools {
		g.tool(t)
	}
	g.ratios(metrics.WindowAnalyzed, 0, tools, byCalls(r.Drift.Tools))
	for i := range r.Drift.Windows {
		w := &r.Drift.Windows[i]
		g.ratios(w.Window, w.Seconds, byCalls(w.ByTool), byCalls(w.ByModel))
	}
	for i := range r.Drift.Tools {
		t := &r.Drift.Tools[i]
		if server, tool := a.tool(t.Server, t.Tool); t.SilentDefault > 0 {
			g.silent.add(float64(t.SilentDefault), server, tool, cmp.Or(t.Model, unknownModel))
		}
	}
	g.show()
	a.setCanaries(&r.Drift)
}

func (a *Analyzer) driftSettings() drift.Settings {
	if a.settings != nil {
		return a.settings.Current().Drift
	}
	return a.cfg.Drift
}

// byCalls returns rows with the most calls first.
func byCalls(all []drift.ToolDrift) []*drift.ToolDrift {
	sorted := make([]*drift.ToolDrift, len(all))
	for i := range all {
		sorted[i] = &all[i]
	}
	slices.SortStableFunc(sorted, func(a, b *drift.ToolDrift) int { return cmp.Compare(b.Calls, a.Calls) })
	return sorted
}

// tool adds what there is once a tool.
func (g *driftGauges) tool(t *drift.ToolDrift) {
	if !g.knows(t.Server, t.Tool) {
		return
	}
	s := g.settings.Of(drift.Key{Server: t.Server, Tool: t.Tool})
	g.limit.add(s.WarnRatio, t.Server, t.Tool, limitWarn)
	g.limit.add(s.CriticalRatio, t.Server, t.Tool, limitCritical)
	g.limit.add(s.RetryMultiple, t.Server, t.Tool, limitRetries)
	if t.Retries > 0 {
		g.retries.add(float64(t.RetryTokens), t.Server, t.Tool)
	}
	if t.FirstTokens > 0 {
		g.multiple.add(t.RetryMultiple, t.Server, t.Tool)
	}
}

// ratios adds those of one window, by its name and length: each tool with all models together, then each with each of several models.
func (g *driftGauges) ratios(window string, seconds int64, tools, models []*drift.ToolDrift) {
	several := map[drift.Key]int{}
	for _, t := range models {
		several[drift.Key{Server: t.Server, Tool: t.Tool}]++
	}
	for _, t := range tools {
		if g.knows(t.Server, t.Tool) {
			g.ratioOf(t, "", window)
			g.minimum.add(float64(g.minimumCalls(t, seconds)), t.Server, t.Tool, window)
		}
	}
	for _, t := range models {
		if g.knows(t.Server, t.Tool) && several[drift.Key{Server: t.Server, Tool: t.Tool}] > 1 {
			g.ratioOf(t, cmp.Or(t.Model, unknownModel), window)
		}
	}
}

func (g *driftGauges) ratioOf(t *drift.ToolDrift, model, window string) {
	g.ratio.add(t.Ratio, t.Server, t.Tool, model, window)
	g.calls.add(float64(t.Calls), t.Server, t.Tool, model, window)
}

// minimumCalls is how many calls the settings want of a tool in a window of a length; 0 is all that is looked at.
func (g *driftGauges) minimumCalls(t *drift.ToolDrift, seconds int64) uint64 {
	s := g.settings.Of(drift.Key{Server: t.Server, Tool: t.Tool})
	for _, w := range s.Windows {
		if int64(w.Length.Seconds()) == seconds {
			return w.MinCalls
		}
	}
	return s.MinCalls
}

func (g *driftGauges) show() {
	w := g.metrics.Window
	g.setEach(w.DriftRatio, g.ratio)
	g.setEach(w.DriftWindowCalls, g.calls)
	g.setEach(w.DriftMinimumCalls, g.minimum)
	g.setEach(w.DriftLimit, g.limit)
	g.set(w.DriftSilentDefaults, g.silent)
	g.setEach(w.DriftRetryMultiple, g.multiple)
	g.set(w.DriftRetryTokens, g.retries)
}

// setReleases shows what findings say of releases: whose version does not say what changed, and how much of a server's tools did. Notes do not
// count, such as on versions 0.x, which promise nothing, nor do findings that are muted or resolved: another release is another finding.
func (a *Analyzer) setReleases(fs []finding.Finding) {
	var flags, ratios rows
	largest := map[string]float64{}
	for i := range fs {
		f := &fs[i]
		if f.Severity.Rank() < finding.Warning.Rank() || f.State == finding.Muted || f.State == finding.Resolved {
			continue
		}
		switch f.Rule {
		case drift.FlagBreakingMinor, drift.FlagUnversioned, drift.FlagRugPull:
			server, tool := f.Subject.Server, f.Subject.Tool
			if tool != "" {
				server, tool = a.tool(server, tool)
			}
			flags.add(1, f.Rule, server, tool)
		case drift.RuleDefinitions:
			largest[f.Subject.Server] = max(largest[f.Subject.Server], f.Numbers["schema_ratio"])
		}
	}
	for server, ratio := range largest {
		ratios.add(ratio, server)
	}
	a.set(a.metrics.Window.DriftDefinitionFlags, flags)
	a.setEach(a.metrics.Window.DriftDefinitionRatio, ratios.heaviest())
}

// The values of the labels cohort and ratio of a canary's metrics.
const (
	cohortCanary   = "canary"
	cohortBaseline = "baseline"
	ratioDrift     = "drift"
	ratioError     = "error"
)

// setCanaries shows how versions on trial do, and which versions can go. Both are of registered tools alone.
func (a *Analyzer) setCanaries(r *drift.Report) {
	var ratio, calls, worse, ready rows
	for i := range r.Canaries {
		c := &r.Canaries[i]
		for _, of := range []struct {
			cohort string
			drift.CohortCalls
		}{{cohortCanary, c.CanaryCalls}, {cohortBaseline, c.BaselineCalls}} {
			ratio.add(of.DriftRatio, c.Server, c.Tool, c.Version, of.cohort, ratioDrift)
			ratio.add(of.ErrorRatio, c.Server, c.Tool, c.Version, of.cohort, ratioError)
			calls.add(float64(of.Calls), c.Server, c.Tool, c.Version, of.cohort)
		}
		worse.add(metrics.One(c.Verdict == drift.CanaryWorse), c.Server, c.Tool, c.Version)
	}
	for i := range r.Sunsets {
		if s := &r.Sunsets[i]; s.Ready {
			ready.add(1, s.Server, s.Tool, s.Version)
		}
	}
	w := a.metrics.Window
	a.setEach(w.DriftCanaryRatio, ratio)
	a.setEach(w.DriftCanaryCalls, calls)
	a.setEach(w.DriftCanaryWorse, worse)
	a.setEach(w.DriftSunsetReady, ready)
}
