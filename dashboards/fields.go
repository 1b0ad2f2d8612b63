package dashboards

import (
	"math"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/tooltrail/tooltrail/panels"
)

// unitOf is Grafana's name of a unit.
func unitOf(u panels.Unit) string {
	return map[panels.Unit]string{
		panels.Count: "locale", panels.Tokens: "short", panels.Ratio: "percentunit", panels.Multiple: "suffix:x", panels.USD: "currencyUSD",
		panels.Seconds: "s", panels.Bytes: "bytes", panels.Time: "dateTimeAsLocal",
	}[u]
}

// colours are those of levels; the plain one is that of values without thresholds.
const plain = "text"

var colours = map[panels.Level]string{panels.Good: "green", panels.Warn: "orange", panels.Bad: "red"}

// thresholds makes Grafana's steps. A step begins at its value, so that one that values must be over begins at the next value there is.
func thresholds(list []panels.Threshold, u panels.Unit) *dashboard.ThresholdsConfig {
	base := colours[panels.Good]
	if len(list) == 0 {
		base = plain
	}
	steps := []dashboard.Threshold{{Color: base}}
	for _, t := range list {
		from := math.Nextafter(t.Over, math.Inf(1))
		switch {
		case t.OrEqual:
			from = t.Over
		case u == panels.Count || u == panels.Tokens:
			from = t.Over + 1
		}
		steps = append(steps, dashboard.Threshold{Value: &from, Color: colours[t.Level]})
	}
	return &dashboard.ThresholdsConfig{Mode: dashboard.ThresholdsModeAbsolute, Steps: steps}
}

// overrides say what is a column's own: title, unit, thresholds, link; and hide those that are there for links alone.
func overrides(p panels.Panel, v panels.View) []dashboard.DashboardFieldConfigSourceOverrides {
	list := []dashboard.DashboardFieldConfigSourceOverrides{}
	for _, c := range p.Columns {
		if props := properties(p, c, v); len(props) > 0 {
			list = append(list, override(c.Name, props...))
		}
	}
	if p.Kind == panels.TimeSeries && len(p.Columns) == 1 {
		return []dashboard.DashboardFieldConfigSourceOverrides{} // its lines are named by their series
	}
	for _, name := range hidden(p) {
		list = append(list, override(name, property("custom.hidden", true)))
	}
	return list
}

func override(name string, props ...dashboard.DynamicConfigValue) dashboard.DashboardFieldConfigSourceOverrides {
	return dashboard.DashboardFieldConfigSourceOverrides{Matcher: dashboard.MatcherConfig{Id: "byName", Options: name}, Properties: props}
}

func property(id string, value any) dashboard.DynamicConfigValue {
	return dashboard.DynamicConfigValue{Id: id, Value: value}
}

// properties are what a column has that its panel has not.
func properties(p panels.Panel, c panels.Column, v panels.View) []dashboard.DynamicConfigValue {
	props := []dashboard.DynamicConfigValue{property("displayName", c.Title)}
	if unit := unitOf(c.Unit); unit != "" && c.Unit != panels.Time || p.Kind == panels.Stat && unit != "" {
		props = append(props, property("unit", unit))
	}
	if len(c.Thresholds) > 0 {
		unit := c.Unit
		if unit == panels.Text {
			unit = p.Unit
		}
		props = append(props, property("thresholds", thresholds(c.Thresholds, unit)), property("color", map[string]any{"mode": "thresholds"}))
		if p.Kind == panels.Table {
			props = append(props, property("custom.cellOptions", map[string]any{"type": "color-text"}))
		}
	}
	if c.Unit == panels.Severity {
		props = append(props, property("mappings", severities()), property("custom.cellOptions", map[string]any{"type": "color-background", "mode": "basic"}))
	}
	if c.Link != nil {
		props = append(props, property("links", []any{link(c.Link, v)}))
	}
	return props
}

// severities colour severities.
func severities() []dashboard.ValueMap {
	result := func(colour string, index int32) dashboard.ValueMappingResult {
		return dashboard.ValueMappingResult{Color: &colour, Index: &index}
	}
	return []dashboard.ValueMap{{Type: "value", Options: map[string]dashboard.ValueMappingResult{
		"critical": result("red", 0), "warning": result("orange", 1), "info": result("blue", 2),
	}}}
}

// hidden are the columns that links alone need.
func hidden(p panels.Panel) []string {
	var names []string
	seen := map[string]bool{}
	for _, c := range p.Columns {
		seen[c.Name] = true
	}
	for _, c := range p.Columns {
		for _, name := range needs(c.Link) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// pick leaves the columns that the panel shows or needs, in its order.
func pick(p panels.Panel) []dashboard.DataTransformerConfig {
	names, order := []string{}, map[string]int{}
	for _, c := range p.Columns {
		order[c.Name] = len(names)
		names = append(names, c.Name)
	}
	names = append(names, hidden(p)...)
	return []dashboard.DataTransformerConfig{
		{Id: "filterFieldsByName", Options: map[string]any{"include": map[string]any{"names": names}}},
		{Id: "organize", Options: map[string]any{"indexByName": order, "excludeByName": map[string]any{}, "renameByName": map[string]any{}}},
	}
}
