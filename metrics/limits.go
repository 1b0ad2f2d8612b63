package metrics

import (
	"errors"
	"flag"
	"fmt"
	"slices"
)

// Other is the label value of all names beyond a limit, and of tools that nobody registered.
const Other = "other"

// The labels whose values come from outside.
const (
	labelServer  = "server"
	labelTool    = "tool"
	labelModel   = "model"
	labelAgent   = "agent"
	labelVersion = "version"
)

// Limits bound how many series the names from outside can make. Past a limit the label is [Other].
type Limits struct {
	// Tools is how many servers with tools, registered ones only, a metric names.
	Tools int
	// Models and Agents are how many of each a metric names.
	Models int
	Agents int
	// Series is how many series of one metric have names from outside.
	Series int
}

// DefaultLimits keep a large site under 5,000 series a metric.
func DefaultLimits() Limits { return Limits{Tools: 500, Models: 30, Agents: 50, Series: 5_000} }

// Flags adds a flag for each limit.
func (l *Limits) Flags(fs *flag.FlagSet) {
	fs.IntVar(&l.Tools, "label-tools", l.Tools, "how many registered `tools` a metric names; the rest is \"other\"")
	fs.IntVar(&l.Models, "label-models", l.Models, "how many `models` a metric names")
	fs.IntVar(&l.Agents, "label-agents", l.Agents, "how many `agents` a metric names")
	fs.IntVar(&l.Series, "label-series", l.Series, "how many `series` with such names a metric has")
}

// Validate reports every limit that can't be.
func (l Limits) Validate() error {
	var errs []error
	for _, c := range []struct {
		name string
		n    int
	}{{"tools", l.Tools}, {"models", l.Models}, {"agents", l.Agents}, {"series", l.Series}} {
		if c.n < 1 {
			errs = append(errs, fmt.Errorf("metric label limit of %s is %d, under 1", c.name, c.n))
		}
	}
	return errors.Join(errs...)
}

// of returns how many values a label may have; a version counts with its tool.
func (l Limits) of(label string) int {
	switch label {
	case labelServer, labelTool, labelVersion:
		return l.Tools
	case labelModel:
		return l.Models
	case labelAgent:
		return l.Agents
	}
	return wordLimit
}

// wordLimit is how many values a label of this code's own words can have: outcomes, reasons, rules. An agent can send words of its own for
// some of them.
const wordLimit = 40

// bound lets the values through that came first.
type bound struct {
	limits Limits
	seen   []map[string]bool
	series map[string]bool
	labels []string
}

func newBound(labels []string, l Limits) *bound {
	b := &bound{limits: l, labels: labels, series: map[string]bool{}, seen: make([]map[string]bool, len(labels))}
	for i := range labels {
		b.seen[i] = map[string]bool{}
	}
	return b
}

// fit returns the values fit for labels, with [Other] in the place of those beyond a limit, and whether there is one. A tool and its server are
// one name.
func (b *bound) fit(values []string) (fitted []string, beyond bool) {
	values = labelValues(values)
	fitted = slices.Clone(values)
	tool := b.toolName(values)
	for i, label := range b.labels {
		name := values[i]
		if label == labelServer || label == labelTool || label == labelVersion {
			name = tool
		}
		if !b.take(i, label, name) {
			fitted[i], beyond = Other, true
		}
	}
	key := join(fitted)
	if !b.series[key] && len(b.series) >= b.limits.Series {
		return b.others(fitted), true
	}
	b.series[key] = true
	return fitted, beyond
}

// toolName is what a tool counts under: its server, name and version.
func (b *bound) toolName(values []string) string {
	var name []string
	for i, label := range b.labels {
		if label == labelServer || label == labelTool || label == labelVersion {
			name = append(name, values[i])
		}
	}
	return join(name)
}

func (b *bound) take(i int, label, name string) bool {
	if b.seen[i][name] {
		return true
	}
	if len(b.seen[i]) >= b.limits.of(label) {
		return false
	}
	b.seen[i][name] = true
	return true
}

// others replaces every name from outside.
func (b *bound) others(values []string) []string {
	for i, label := range b.labels {
		switch label {
		case labelServer, labelTool, labelVersion, labelModel, labelAgent:
			values[i] = Other
		}
	}
	return values
}

func join(values []string) string {
	n := 0
	for _, v := range values {
		n += len(v) + 1
	}
	key := make([]byte, 0, n)
	for _, v := range values {
		key = append(append(key, v...), 0xff)
	}
	return string(key)
}
