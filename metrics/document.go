package metrics

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Def describes one metric.
type Def struct {
	Name   string
	Type   string // counter, gauge or histogram
	Labels []string
	Help   string
}

// Component is a part of Tooltrail and its metrics.
type Component struct {
	Name    string
	Metrics []Def
}

// Components returns every component's metrics, each component's sorted by name.
func Components() []Component {
	return []Component{
		{"ingest", describe(func(r prometheus.Registerer) { NewIngest(r) })},
		{"analyzer", describe(func(r prometheus.Registerer) { NewAnalyzer(r) })},
	}
}

// Document writes docs/metrics.md.
func Document(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Metrics\n\nMade from the package `metrics` by its tests (`go test ./metrics -update`); do not edit.\n")
	for _, c := range Components() {
		fmt.Fprintf(&b, "\n## %s\n\n| metric | type | labels | what it says |\n|---|---|---|---|\n", c.Name)
		for _, d := range c.Metrics {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.Name, d.Type, strings.Join(d.Labels, ", "), d.Help)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// recorder is a registerer that notes what is registered with it.
type recorder struct{ defs []Def }

func describe(build func(prometheus.Registerer)) []Def {
	var r recorder
	build(&r)
	slices.SortFunc(r.defs, func(a, b Def) int { return strings.Compare(a.Name, b.Name) })
	return r.defs
}

func (r *recorder) MustRegister(cs ...prometheus.Collector) {
	for _, c := range cs {
		_ = r.Register(c)
	}
}

func (r *recorder) Unregister(prometheus.Collector) bool { return false }

// Register notes the metrics of c.
func (r *recorder) Register(c prometheus.Collector) error {
	ch := make(chan *prometheus.Desc, 16)
	c.Describe(ch)
	close(ch)
	for d := range ch {
		r.defs = append(r.defs, parseDesc(d, typeOf(c)))
	}
	return nil
}

func typeOf(c prometheus.Collector) string {
	switch c.(type) {
	case *prometheus.CounterVec:
		return "counter"
	case *prometheus.HistogramVec, prometheus.Histogram:
		return "histogram"
	case *prometheus.GaugeVec, prometheus.Gauge:
		return "gauge"
	case prometheus.Counter:
		return "counter"
	}
	return "" // a function, whose type its name gives away
}

var descPattern = regexp.MustCompile(`fqName: "([^"]*)", help: "((?:[^"\\]|\\.)*)", (?:unit: "[^"]*", )?constLabels: {[^}]*}, variableLabels: {([^}]*)}`)

// parseDesc reads what a Desc gives away only as text.
func parseDesc(d *prometheus.Desc, typ string) Def {
	m := descPattern.FindStringSubmatch(d.String())
	if m == nil {
		return Def{Name: d.String(), Type: typ}
	}
	def := Def{Name: m[1], Type: typ, Help: m[2]}
	if typ == "" {
		def.Type = "gauge"
		if strings.HasSuffix(def.Name, "_total") {
			def.Type = "counter"
		}
	}
	if m[3] != "" {
		def.Labels = strings.Split(m[3], ",")
	}
	return def
}
