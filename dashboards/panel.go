package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"

	"github.com/tooltrail/tooltrail/panels"
)

// build makes a panel of a view, without its place.
func build(p panels.Panel, v panels.View) (dashboard.Panel, error) {
	panel, err := draw(p).Build()
	if err != nil {
		return panel, err
	}
	query, err := NewQuery(p.SQL, p.Kind == panels.TimeSeries).Build()
	if err != nil {
		return panel, err
	}
	panel.Title, panel.Description, panel.Datasource = &p.Title, &p.Description, source()
	panel.Targets = []variants.Dataquery{query}
	if panel.FieldConfig == nil {
		panel.FieldConfig = dashboard.NewFieldConfigSource()
	}
	panel.FieldConfig.Defaults.NoValue = &p.Empty
	panel.FieldConfig.Defaults.Thresholds = thresholds(p.Thresholds, p.Unit)
	panel.FieldConfig.Overrides = overrides(p, v)
	if unit := unitOf(p.Unit); unit != "" {
		panel.FieldConfig.Defaults.Unit = &unit
	}
	if p.Kind == panels.TimeSeries {
		panel.Interval = cog.ToPtr("$window")
		return panel, nil
	}
	panel.Transformations = pick(p)
	return panel, nil
}

// draw returns the builder of a panel's kind, with what is the kind's own.
func draw(p panels.Panel) cog.Builder[dashboard.Panel] {
	switch p.Kind {
	case panels.Stat:
		return stat.NewPanelBuilder().ReduceOptions(rows()).ColorMode(common.BigValueColorModeValue).GraphMode(common.BigValueGraphModeNone).
			TextMode(common.BigValueTextModeValueAndName).JustifyMode(common.BigValueJustifyModeAuto).WideLayout(false)
	case panels.Bars:
		return bargauge.NewPanelBuilder().ReduceOptions(rows()).Orientation(common.VizOrientationHorizontal).
			DisplayMode(common.BarGaugeDisplayModeBasic).ValueMode(common.BarGaugeValueModeText).ShowUnfilled(false)
	case panels.TimeSeries:
		return lines(p)
	}
	// What a table has by default does not pass its own schema: a footer without calculations.
	return table.NewPanelBuilder().ShowHeader(true).CellHeight(common.TableCellHeightSm).Filterable(true).
		Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{"sum"}).CountRows(false))
}

// rows makes a figure of each value of a table, where the default makes one of each column's last.
func rows() *common.ReduceDataOptionsBuilder {
	return common.NewReduceDataOptionsBuilder().Values(true).Calcs([]string{"lastNotNull"}).Fields("/.*/").Limit(25)
}

// lines draws time series: areas where they add up, and the thresholds as dashed lines where there are any.
func lines(p panels.Panel) *timeseries.PanelBuilder {
	b := timeseries.NewPanelBuilder().
		Legend(common.NewVizLegendOptionsBuilder().ShowLegend(true).DisplayMode(common.LegendDisplayModeTable).
			Placement(common.LegendPlacementBottom).Calcs(calculations(p.Unit))).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending)).
		DrawStyle(common.GraphDrawStyleLine).LineWidth(1).ShowPoints(common.VisibilityModeAuto).AxisSoftMin(0)
	if p.Stacked {
		b.DrawStyle(common.GraphDrawStyleBars).FillOpacity(60).
			Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal).Group("A"))
	}
	if len(p.Thresholds) > 0 {
		b.ThresholdsStyle(common.NewGraphThresholdsStyleConfigBuilder().Mode(common.GraphThresholdsStyleModeDashed))
	}
	return b
}

// calculations are those that the legend shows: a sum of what adds up.
func calculations(u panels.Unit) []string {
	switch u {
	case panels.Ratio, panels.Seconds, panels.Multiple:
		return []string{"lastNotNull", "max"}
	}
	return []string{"sum", "max"}
}
