package dashboards

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/tooltrail/tooltrail/panels"
)

// Dashboard is Grafana's classic form of a dashboard, which files that provision any version of Grafana may hold. The SDK prefers the new one,
// which Grafana before 13 does not read.
type Dashboard = dashboard.Dashboard //nolint:staticcheck // it is deprecated for those who have the newest Grafana alone

// newBuilder makes one of the classic form.
var newBuilder = dashboard.NewDashboardBuilder //nolint:staticcheck // see Dashboard

// Build makes the dashboard of a view.
func Build(cfg Config, v panels.View) (Dashboard, error) {
	b := newBuilder("Tooltrail: "+v.Title).
		Uid(UID(v.ID)).Description(v.Question).Tags([]string{"tooltrail"}).Timezone("browser").Editable().
		Time(cfg.From, "now").Refresh(cfg.Refresh).Tooltip(dashboard.DashboardCursorSyncCrosshair)
	for _, variable := range variables(cfg, v) {
		b.WithVariable(variable)
	}
	for _, other := range panels.Views() {
		if other.ID != v.ID {
			b.Link(toView(other))
		}
	}
	d, err := b.Build()
	if err != nil {
		return d, fmt.Errorf("build dashboard %s: %w", v.ID, err)
	}
	d.Panels, err = layOut(v)
	return d, err
}

// toView is the link to another dashboard in the head of each.
func toView(v panels.View) *dashboard.DashboardLinkBuilder {
	return dashboard.NewDashboardLinkBuilder(v.Title).Type(dashboard.DashboardLinkTypeLink).Url("/d/" + UID(v.ID)).
		Tooltip(v.Question).Icon("dashboard").IncludeVars(true).KeepTime(true)
}

// gridColumns is how wide Grafana's grid is; panels are in twelfths.
const gridColumns = 24

// layOut places the panels from left to right, a row before each section. The SDK's builder sets neither ids nor the positions of a row's
// panels.
func layOut(v panels.View) ([]dashboard.PanelOrRowPanel, error) {
	var all []dashboard.PanelOrRowPanel
	var x, y, line, id uint32
	for _, p := range v.Panels {
		width, height := uint32(p.Width)*gridColumns/12, uint32(p.Height)
		if p.Section != "" || x+width > gridColumns {
			x, y, line = 0, y+line, 0
		}
		if p.Section != "" {
			id++
			all = append(all, dashboard.PanelOrRowPanel{RowPanel: row(p.Section, id, y)})
			y++
		}
		id++
		panel, err := build(p, v)
		if err != nil {
			return nil, fmt.Errorf("build panel %s: %w", p.ID, err)
		}
		panel.Id, panel.GridPos = cog.ToPtr(id), &dashboard.GridPos{X: x, Y: y, W: width, H: height}
		all = append(all, dashboard.PanelOrRowPanel{Panel: &panel})
		x, line = x+width, max(line, height)
	}
	return all, nil
}

// row is the heading of a section.
func row(title string, id, y uint32) *dashboard.RowPanel {
	return &dashboard.RowPanel{
		Type: "row", Title: &title, Id: id, GridPos: &dashboard.GridPos{X: 0, Y: y, W: gridColumns, H: 1}, Panels: []dashboard.Panel{},
	}
}
