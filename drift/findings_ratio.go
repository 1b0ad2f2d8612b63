package drift

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/finding"
)

// What to do about a ratio, in the words of docs/design.md.
const (
	actionExamples = "Add examples of the new schema to the prompt."
	actionPin      = "Pin the model version or put explicit migration guidance into the system prompt."
)

// maxExamples is how many findings of one run have an example: making one can take a while.
const maxExamples = 100

// grade returns the severity of a ratio and what to do; no severity when it is not strictly over a threshold.
func (s Settings) grade(ratio float64) (finding.Severity, string) {
	switch {
	case ratio > s.CriticalRatio:
		return finding.Critical, actionPin
	case ratio > s.WarnRatio:
		return finding.Warning, actionExamples
	}
	return "", ""
}

// measured is a ratio of one span.
type measured struct {
	*ToolDrift
	span     *span
	min      uint64
	severity finding.Severity
	action   string
}

func (m *measured) enough() bool { return m.Calls >= m.min }

// ratioFindings raises a finding for each tool whose ratio is over a threshold in some span, and for each of several models; for each of
// several versions of agents where it is graver than for the tool. The same ratio over several spans is one finding.
func (a *analysis) ratioFindings() {
	keys, several := a.rowKeys()
	of := finding.Severity("")
	for _, k := range keys {
		switch {
		case k.part == byTool:
			of = a.ratioFinding(k, "")
		case several[partOf{k.part, k.Key}] < 2 || k == rowKey{part: k.part, Key: k.Key}: // one, or not known which
		case k.part == byModel:
			a.ratioFinding(k, "")
		default:
			a.ratioFinding(k, of)
		}
	}
}

// partOf is a part of one tool's calls.
type partOf struct {
	part
	Key
}

// rowKeys lists the rows of all spans, a tool after the other, and how many each part has.
func (a *analysis) rowKeys() (keys []rowKey, several map[partOf]int) {
	all := map[rowKey]bool{}
	for _, s := range a.spans {
		for k := range s.rows {
			all[k] = true
		}
	}
	several = map[partOf]int{}
	for k := range all {
		several[partOf{k.part, k.Key}]++
	}
	return slices.SortedFunc(maps.Keys(all), compareRows), several
}

func compareRows(a, b rowKey) int {
	return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.part, b.part), cmp.Compare(a.model, b.model),
		cmp.Compare(a.agent, b.agent), cmp.Compare(a.version, b.version))
}

// ratioFinding raises the worst of a ratio's spans, if it is graver than the severity over, and returns its severity.
func (a *analysis) ratioFinding(k rowKey, over finding.Severity) finding.Severity {
	all := a.measure(k)
	m := worst(all, k.part == byVersion)
	if m == nil || m.severity.Rank() <= over.Rank() {
		return ""
	}
	f := finding.Finding{
		Rule: RuleRatio, Severity: m.severity, Title: m.title(), Action: m.action, Numbers: numbers(m, all),
		Subject: finding.Subject{Server: k.Server, Tool: k.Tool, Model: k.model, Agent: k.agent, Release: k.version},
		Example: a.example(k.Key),
	}
	if !m.enough() {
		f.Severity = finding.Info
	}
	if !m.span.whole {
		f.Window = finding.Window{From: m.span.from.UTC(), To: a.end.UTC()}
	}
	a.add(f)
	return f.Severity
}

// measure grades a ratio in each span that has calls: the whole first, then the longest window first.
func (a *analysis) measure(k rowKey) []measured {
	s := a.settings.Of(k.Key)
	var all []measured
	for _, sp := range a.spans {
		t := sp.rows[k]
		if t == nil {
			continue
		}
		m := measured{ToolDrift: t, span: sp, min: s.MinCalls}
		ratio := t.Ratio
		if !sp.whole {
			w := s.window(sp.Length)
			if m.min = w.MinCalls; w.Certain {
				ratio = t.CILow
			}
		}
		m.severity, m.action = s.grade(ratio)
		if sp.whole {
			all = slices.Insert(all, 0, m)
		} else {
			all = append(all, m)
		}
	}
	return all
}

// window returns the settings of the window of a length.
func (s Settings) window(length time.Duration) WindowSettings {
	for _, w := range s.Windows {
		if w.Length == length {
			return w
		}
	}
	return WindowSettings{Length: length}
}

// worst returns the gravest ratio over a threshold, of equal ones the first; nil when there is none. Where some span has enough calls,
// those with too few say nothing; sure leaves those out in any case.
func worst(all []measured, sure bool) *measured {
	for i := range all {
		sure = sure || all[i].enough()
	}
	var w *measured
	for i := range all {
		m := &all[i]
		if m.severity == "" || sure && !m.enough() {
			continue
		}
		if w == nil || m.severity.Rank() > w.severity.Rank() {
			w = m
		}
	}
	return w
}

// title says the ratio, of what and over how long.
func (m *measured) title() string {
	within := ""
	if !m.span.whole {
		within = " within " + spanWords(m.span.Length)
	}
	t := fmt.Sprintf("%s of the calls of %s%s do not fit its schema (%d of %d%s)",
		percent(m.Ratio), named(m.Server, m.Tool), m.callers(), m.Drifted, m.Calls, within)
	if !m.enough() {
		t += fmt.Sprintf("; fewer than %d calls say little", m.min)
	}
	return t
}

// callers names whose calls a ratio is of; nothing where it is of all.
func (t *ToolDrift) callers() string {
	switch {
	case t.Model != "":
		return " by " + t.Model
	case t.Agent != "" && t.AgentVersion != "":
		return " by " + t.Agent + " " + t.AgentVersion
	case t.Agent+t.AgentVersion != "":
		return " by agent " + t.Agent + t.AgentVersion
	}
	return ""
}

// numbers are those of the worst span, and of all windows under their names.
func numbers(m *measured, all []measured) map[string]float64 {
	n := map[string]float64{
		"ratio": m.Ratio, "ci_low": m.CILow, "ci_high": m.CIHigh, "calls": float64(m.Calls), "drifted": float64(m.Drifted),
		"error_ratio": m.ErrorRatio,
	}
	if !m.span.whole {
		n["window_seconds"] = m.span.Length.Seconds()
	}
	for i := range all {
		if w := &all[i]; !w.span.whole {
			name := spanName(w.span.Length)
			n["ratio_"+name], n["calls_"+name], n["drifted_"+name] = w.Ratio, float64(w.Calls), float64(w.Drifted)
		}
	}
	return n
}

// spanWords writes a window's length in words.
func spanWords(d time.Duration) string {
	n, unit := int(d/time.Minute), "minute"
	switch {
	case d%(24*time.Hour) == 0 && d > 24*time.Hour:
		n, unit = int(d/(24*time.Hour)), "day"
	case d%time.Hour == 0:
		n, unit = int(d/time.Hour), "hour"
	}
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// example returns minimal valid arguments of a tool, made once a run.
func (a *analysis) example(k Key) string {
	if e, ok := a.examples[k]; ok {
		return e
	}
	if len(a.examples) < maxExamples {
		a.examples[k] = example(a.known, k)
	}
	return a.examples[k]
}
