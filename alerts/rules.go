package alerts

import (
	"fmt"
	"time"

	"github.com/goccy/go-yaml"
)

// head is the first line of each rendered file.
const head = "# Made from the package alerts by make alerts; do not edit.\n"

// How often Prometheus looks at the rules: at those that page often enough for somebody to know within a minute.
const (
	pageInterval = 15 * time.Second
	ruleInterval = time.Minute
)

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

// Rules renders the rule file of Prometheus: a group a severity.
func Rules(c Config) ([]byte, error) {
	var f ruleFile
	for _, a := range All(c) {
		name := groupOf(a.Severity)
		if n := len(f.Groups); n == 0 || f.Groups[n-1].Name != name {
			f.Groups = append(f.Groups, ruleGroup{Name: name, Interval: promDuration(intervalOf(a.Severity))})
		}
		g := &f.Groups[len(f.Groups)-1]
		g.Rules = append(g.Rules, a.rule(c))
	}
	return render(f)
}

func intervalOf(s Severity) time.Duration {
	if s == Page {
		return pageInterval
	}
	return ruleInterval
}

func (a *Alert) rule(c Config) rule {
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
	return r
}

// render writes YAML with the head line.
func render(v any) ([]byte, error) {
	b, err := yaml.MarshalWithOptions(v, yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
	if err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	return append([]byte(head), b...), nil
}
