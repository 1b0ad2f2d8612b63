package alerts

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/grafana/grafana-foundation-sdk/go/alerting"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/expr"

	"github.com/tooltrail/tooltrail/dashboards"
)

//go:embed sql/*.sql
var queries embed.FS

// SQL returns the query of the Grafana-managed rule, with Grafana's macros: its text columns are labels, and the one number is compared. It is
// empty for an alert that has none.
func (a *Alert) SQL() string {
	b, err := queries.ReadFile("sql/" + cmp.Or(a.Query, a.Name) + ".sql")
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSpace(string(b)), "{rules}", "'"+strings.Join(a.Rules, "', '")+"'")
}

// The steps of a rule: a query, and the comparison that is its condition.
const (
	refQuery     = "A"
	refCondition = "C"
	// sourceOfExpressions is the uid by which Grafana knows its own arithmetic.
	sourceOfExpressions = "__expr__"
	// folder is where Grafana keeps the rules.
	folder = "Tooltrail"
)

// Rule builds the alert as a rule that Grafana evaluates over ClickHouse. It must have a query.
func (a *Alert) Rule(c Config) (alerting.Rule, error) {
	query := dashboards.NewQuery(a.SQL(), false)
	query.Datasource = nil
	onError := alerting.RuleExecErrStateKeepLast
	if a.Name == storeDown {
		onError = alerting.RuleExecErrStateAlerting
	}
	notes := map[string]string{
		noteSummary: a.Plain, noteNext: a.Next, noteRunbook: a.runbook(c), noteDashboard: strings.ReplaceAll(a.dashboard(c), "$labels.", ".Labels."),
	}
	r, err := alerting.NewRuleBuilder(a.Name).
		Uid("tooltrail-" + strings.ToLower(a.Name)).OrgID(1).FolderUID(folder).RuleGroup(groupOf(a.Severity)).
		Condition(refCondition).
		WithQuery(alerting.NewQueryBuilder(refQuery).DatasourceUid(c.ClickHouse).Model(query).
			RelativeTimeRange(alerting.Duration(a.Lookback.Seconds()), 0)).
		WithQuery(alerting.NewQueryBuilder(refCondition).DatasourceUid(sourceOfExpressions).Model(over(a.Over)).
			RelativeTimeRange(alerting.Duration(a.Lookback.Seconds()), 0)).
		NoDataState(alerting.RuleNoDataStateOK).ExecErrState(onError).
		For(grafanaDuration(a.For)).
		Labels(map[string]string{labelSeverity: string(a.Severity), labelNeeds: string(a.Needs)}).
		Annotations(notes).
		Build()
	if err != nil {
		return r, fmt.Errorf("build rule %s: %w", a.Name, err)
	}
	return r, nil
}

// over compares the query's value.
func over(limit float64) *expr.ExprBuilder {
	above := expr.NewExprTypeThresholdConditionsBuilder().Evaluator(
		expr.NewExprTypeThresholdConditionsEvaluatorBuilder().Type(expr.ExprTypeThresholdConditionsEvaluatorTypeGt).Params([]float64{limit}))
	return expr.NewExprBuilder().TypeThreshold(expr.NewTypeThresholdBuilder().RefId(refCondition).Expression(refQuery).
		Conditions([]cog.Builder[expr.ExprTypeThresholdConditions]{above}))
}

func groupOf(s Severity) string { return "tooltrail-" + string(s) }

// grafanaDuration writes a duration for Grafana, which wants 0s for none.
func grafanaDuration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	return promDuration(d)
}

// The form of Grafana's provisioning files, which is not that of its HTTP interface.
type grafanaFile struct {
	APIVersion int            `yaml:"apiVersion"`
	Groups     []grafanaGroup `yaml:"groups"`
}

type grafanaGroup struct {
	OrgID    int           `yaml:"orgId"`
	Name     string        `yaml:"name"`
	Folder   string        `yaml:"folder"`
	Interval string        `yaml:"interval"`
	Rules    []grafanaRule `yaml:"rules"`
}

type grafanaRule struct {
	UID          string            `yaml:"uid"`
	Title        string            `yaml:"title"`
	Condition    string            `yaml:"condition"`
	Data         []grafanaQuery    `yaml:"data"`
	NoDataState  string            `yaml:"noDataState"`
	ExecErrState string            `yaml:"execErrState"`
	For          string            `yaml:"for"`
	Annotations  map[string]string `yaml:"annotations"`
	Labels       map[string]string `yaml:"labels"`
}

type grafanaQuery struct {
	RefID             string         `yaml:"refId"`
	RelativeTimeRange map[string]int `yaml:"relativeTimeRange"`
	DatasourceUID     string         `yaml:"datasourceUid"`
	Model             any            `yaml:"model"`
}

// Grafana renders the file by which Grafana is given the rules.
func Grafana(c Config) ([]byte, error) {
	f := grafanaFile{APIVersion: 1}
	for _, a := range All(c) {
		if a.Plain == "" {
			continue
		}
		r, err := a.Rule(c)
		if err != nil {
			return nil, err
		}
		if n := len(f.Groups); n == 0 || f.Groups[n-1].Name != r.RuleGroup {
			f.Groups = append(f.Groups, grafanaGroup{int(r.OrgID), r.RuleGroup, r.FolderUID, promDuration(time.Minute), nil})
		}
		provisioned, err := provision(&r)
		if err != nil {
			return nil, fmt.Errorf("provision rule %s: %w", a.Name, err)
		}
		g := &f.Groups[len(f.Groups)-1]
		g.Rules = append(g.Rules, provisioned)
	}
	return render(f)
}

// provision brings a rule of the HTTP interface into the form of a file.
func provision(r *alerting.Rule) (grafanaRule, error) {
	out := grafanaRule{
		UID: *r.Uid, Title: r.Title, Condition: r.Condition, NoDataState: string(r.NoDataState), ExecErrState: string(r.ExecErrState),
		For: r.For, Annotations: r.Annotations, Labels: r.Labels,
	}
	for _, q := range r.Data {
		raw, err := json.Marshal(q.Model)
		if err != nil {
			return out, fmt.Errorf("write query %s: %w", *q.RefId, err)
		}
		var model yaml.MapSlice
		if err := yaml.UnmarshalWithOptions(raw, &model, yaml.UseOrderedMap()); err != nil {
			return out, fmt.Errorf("read query %s: %w", *q.RefId, err)
		}
		out.Data = append(out.Data, grafanaQuery{
			RefID: *q.RefId, DatasourceUID: *q.DatasourceUid, Model: model,
			RelativeTimeRange: map[string]int{"from": int(*q.RelativeTimeRange.From), "to": int(*q.RelativeTimeRange.To)},
		})
	}
	return out, nil
}
