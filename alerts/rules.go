package alerts

import (
	"fmt"
	"time"

	"github.com/goccy/go-yaml"
)

// head is the first line of each rendered file.
const head = "# Made from the package alerts by make alerts; do not edit.\n"

// ruleInterval is how often Prometheus looks at the rules.
const ruleInterval = 15 * time.Second

// The names of what each alert carries beside the labels of its expression.
const (
	labelSeverity = "severity"
	labelNeeds    = "needs"
	noteSummary   = "summary"
	noteNext      = "next"
	noteRunbook   = "runbook_url"
	noteDashboard = "dashboard_url"
)

type ruleFile struct {
	Groups []ruleGroup `yaml:"groups"`
}

type ruleGroup struct {
	Name     string `yaml:"name"`
	Interval string `yaml:"interval"`
	Rules    []rule `yaml:"rules"`
}

type rule struct {
	Alert       string        `yaml:"alert"`
	Expr        string        `yaml:"expr"`
	For         string        `yaml:"for,omitempty"`
	Labels      yaml.MapSlice `yaml:"labels"`
	Annotations yaml.MapSlice `yaml:"annotations"`
}

// Rules renders the rule file of Prometheus.
func Rules(c Config) ([]byte, error) {
	g := ruleGroup{Name: "tooltrail", Interval: promDuration(ruleInterval)}
	for _, a := range All(c) {
		r := rule{
			Alert: a.Name, Expr: a.Expr,
			Labels: yaml.MapSlice{{Key: labelSeverity, Value: string(a.Severity)}, {Key: labelNeeds, Value: string(a.Needs)}},
			Annotations: yaml.MapSlice{
				{Key: noteSummary, Value: a.Summary}, {Key: noteNext, Value: a.Next}, {Key: noteRunbook, Value: a.runbook(c)},
				{Key: noteDashboard, Value: a.dashboard(c)},
			},
		}
		if a.For > 0 {
			r.For = promDuration(a.For)
		}
		g.Rules = append(g.Rules, r)
	}
	return render(ruleFile{Groups: []ruleGroup{g}})
}

// render writes YAML with the head line.
func render(v any) ([]byte, error) {
	b, err := yaml.MarshalWithOptions(v, yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
	if err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	return append([]byte(head), b...), nil
}
