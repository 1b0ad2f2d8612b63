package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/tooltrail/tooltrail/panels"
)

// windows are the widths that points of time series may have, beside the one that Grafana chooses.
const windows = "5m,1h,1d,7d"

// variables are those of a view, the data source, the width of points, and where runbooks are.
func variables(cfg Config, v panels.View) []cog.Builder[dashboard.VariableModel] {
	list := []cog.Builder[dashboard.VariableModel]{
		dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type(SourceType).Current(option(cfg.Source, cfg.Source)),
	}
	for _, variable := range v.Variables {
		list = append(list, choice(variable))
	}
	return append(list,
		dashboard.NewIntervalVariableBuilder("window").Label("Window").Description("How wide the points of time series are at least.").
			Values(text(windows)).Auto(true).MinInterval("10s").StepCount(120).Current(option("auto", "$__auto_interval_window")),
		dashboard.NewConstantVariableBuilder("runbooks").Label("Runbooks").Description("Where the runbooks are.").Value(text(cfg.Runbooks)),
	)
}

// choice lets one value be chosen, or all of them. More than one at a time can't be: their encoding would not tell them apart.
func choice(v panels.Variable) cog.Builder[dashboard.VariableModel] {
	b := dashboard.NewQueryVariableBuilder(v.Name).Label(v.Title).Query(text(v.SQL)).Definition(v.SQL).Datasource(*source()).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).Sort(dashboard.VariableSortDisabled).Multi(false).AllowCustomValue(true)
	if v.Name == "conversation" {
		return b
	}
	return b.IncludeAll(true).Current(option("All", "$__all"))
}

func text(s string) dashboard.StringOrMap { return dashboard.StringOrMap{String: &s} }

func option(label, value string) dashboard.VariableOption {
	return dashboard.VariableOption{
		Selected: cog.ToPtr(true), Text: dashboard.StringOrArrayOfString{String: &label}, Value: dashboard.StringOrArrayOfString{String: &value},
	}
}
