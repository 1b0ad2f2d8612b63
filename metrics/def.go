package metrics

// Type is what kind of number a metric is.
type Type string

// The types of metrics.
const (
	// Counter only grows while the process lives. Take increase() or rate() of it.
	Counter Type = "counter"
	// Gauge goes up and down. Those of a window are counts of what happened in it, so neither increase() nor rate() says anything of them.
	Gauge Type = "gauge"
	// Histogram is three counters: _bucket, _sum and _count.
	Histogram Type = "histogram"
)

// Def is one metric. Every metric of Tooltrail is a variable of this type, in the files table_*.go of this package.
type Def struct {
	// Component and Base make the name.
	Component, Base string
	Type            Type
	// Unit is what is counted or measured.
	Unit string
	// Help is what the metric says, in a sentence.
	Help string
	// Labels are the names of its labels, in the order in which values are given.
	Labels []string
}

// Name returns the full name: tooltrail_COMPONENT_BASE.
func (d Def) Name() string { return Namespace + "_" + d.Component + "_" + d.Base }
