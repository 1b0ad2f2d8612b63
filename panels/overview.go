package panels

func overviewView() View {
	return read(View{
		ID: Overview, Title: "Overview", Question: "Is anything wrong, and what does it cost?", Variables: byName(byCall...),
		Panels: []Panel{
			{
				ID: "overview_findings", Title: "Open findings", Section: "Is anything wrong?", Kind: Stat, Width: 6, Height: 4,
				Description: "Findings that nobody acknowledged, muted or resolved, by severity.",
				Unit:        Count, Empty: "No finding is stored: the analyzer has not run yet.",
				Columns: []Column{
					{Name: "critical", Title: "Critical", Thresholds: anyIs(Bad)},
					{Name: "warning", Title: "Warning", Thresholds: anyIs(Warn)},
					{Name: "info", Title: "Info"},
				},
			},
		},
	})
}
