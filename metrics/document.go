package metrics

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Component is a part of Tooltrail and its metrics.
type Component struct {
	Name    string
	Metrics []Def
}

// Components returns every program's metrics, each program's sorted by name.
func Components() []Component {
	return []Component{
		{"ingest", describe(func(f factory) { newIngest(f) })},
		{"analyzer", describe(func(f factory) { newAnalyzer(f) })},
	}
}

// describe returns what build registers, sorted by name.
func describe(build func(factory)) []Def {
	var defs []Def
	build(factory{prometheus.NewRegistry(), func(d Def) { defs = append(defs, d) }})
	slices.SortFunc(defs, func(a, b Def) int { return strings.Compare(a.Name(), b.Name()) })
	return defs
}

// Document writes docs/metrics.md.
func Document(w io.Writer) error {
	var b strings.Builder
	l := DefaultLimits()
	fmt.Fprintf(&b, documentHead, l.Tools, l.Models, l.Agents, l.Series, maxValue)
	for _, c := range Components() {
		fmt.Fprintf(&b, "\n## %s\n\n| metric | type | unit | labels | what it says |\n|---|---|---|---|---|\n", c.Name)
		for _, d := range c.Metrics {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.Name(), d.Type, d.Unit, strings.Join(d.Labels, ", "), d.Help)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const documentHead = `# Metrics

Made from the package ` + "`metrics`" + ` by its tests (` + "`go test ./metrics -update`" + `); do not edit.

Counters grow with the events that are stored, each once, and with nothing else; take ` + "`increase()`" + ` or ` + "`rate()`" + ` of them. Gauges of a window say what the
analyzer's last run found in it, and go down again as it moves on; take them as they are. Names from outside are bounded: tools are those of the
registry, and tools, models, agents and series beyond the limits (%d, %d, %d and %d a metric; ` + "`-label-tools`, `-label-models`, `-label-agents`" + ` and
` + "`-label-series`" + `) are "other". A name of more than %d bytes is cut, and what can't be shown in it is replaced; a part of its hash follows then. Both
programs serve OpenMetrics to those who ask for it; counters of failed and drifted calls and of made-up ids carry the id of a trace as their exemplar.
`
