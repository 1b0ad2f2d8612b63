package alerts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/metrics"
)

// match is a matcher of one label.
type match struct{ label, op, value string }

// is matches one value, oneOf any of several.
func is(label, value string) match { return match{label, "=", value} }

func oneOf(label string, values ...string) match {
	return match{label, "=~", strings.Join(values, "|")}
}

// sel selects series of a metric. It panics on a label that the metric does not have: alerts are built in tests and at rendering alone.
func sel(d metrics.Def, ms ...match) string {
	var parts []string
	for _, m := range ms {
		if !slices.Contains(d.Labels, m.label) {
			panic(fmt.Sprintf("metric %s has no label %s", d.Name(), m.label))
		}
		parts = append(parts, fmt.Sprintf("%s%s%q", m.label, m.op, m.value))
	}
	if len(parts) == 0 {
		return d.Name()
	}
	return d.Name() + "{" + strings.Join(parts, ",") + "}"
}

// maxBy takes the largest of several processes' values; sumBy adds up.
func maxBy(labels, expr string) string { return "max by (" + labels + ") (" + expr + ")" }
func sumBy(labels, expr string) string { return "sum by (" + labels + ") (" + expr + ")" }

// each is a metric without the labels of the process that it is scraped from.
func each(d metrics.Def, ms ...match) string {
	return maxBy(strings.Join(d.Labels, ", "), sel(d, ms...))
}

// sumOf adds up a metric by labels, of one process.
func sumOf(labels string, d metrics.Def, ms ...match) string { return sumBy(labels, each(d, ms...)) }

// unlessSilenced leaves out what has a finding of a rule, with the same labels, that is muted or resolved. A finding on one agent, model or
// version does not silence what is said of all.
func unlessSilenced(expr, on, rule string) string {
	ms := []match{is("rule", rule)}
	for _, l := range []string{"model", "agent", "version"} {
		if !slices.Contains(strings.Split(on, ", "), l) {
			ms = append(ms, is(l, ""))
		}
	}
	return "(" + expr + ")\nunless on (" + on + ") " + sel(metrics.FindingSilenced, ms...)
}

// grew is a counter that grew within a span. A series that was not there before counts from zero, which increase() does not see, as long as
// its process was scraped before: alive is a metric that the process has from its start on.
func grew(d metrics.Def, alive metrics.Def, labels string, span time.Duration) string {
	s := promDuration(span)
	return fmt.Sprintf("%s > 0\nor\n%s > 0",
		sumBy(labels, "increase("+sel(d)+"["+s+"])"),
		sumBy(labels, fmt.Sprintf("(%s unless %s offset %s) and on (instance, job) (%s offset %s)", sel(d), sel(d), s, sel(alive), s)))
}

// promDuration writes a duration as Prometheus does.
func promDuration(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}

// tool names the tool of the labels.
const tool = "{{ with $labels.server }}{{ . }}/{{ end }}{{ $labels.tool }}"

// byModel says whose calls an alert is on, where it is not on all models'.
const byModel = "{{ with $labels.model }} by {{ . }}{{ end }}"

// ask is a template that shows the first result of a query, which is a format of the labels' values, as format shows it.
func ask(format, query string, labels ...string) string {
	args := ""
	for _, l := range labels {
		args += " $labels." + l
	}
	return "{{ with printf `" + query + "`" + args + " | query }}{{ . | first | value | " + format + " }}{{ else }}?{{ end }}"
}

// worst is a template that names the largest few series of a query by a label of theirs, with their values, behind some words; nothing where
// there are none.
func worst(words, label, format, query string, labels ...string) string {
	args := ""
	for _, l := range labels {
		args += " $labels." + l
	}
	return "{{ with printf `" + query + "`" + args + " | query }}" + words + "{{ range . }} {{ .Labels." + label + " }} ({{ .Value | " + format + " }}){{ end }}{{ end }}"
}
