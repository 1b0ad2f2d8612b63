package panels

func driftView() View {
	return read(View{
		ID: Drift, Title: "Drift", Question: "Are models still calling tools by an old schema, and is it getting worse?", Variables: byName(byCall...),
		Panels: []Panel{
			{
				ID: "drift_over_time", Title: "Drift ratio by tool", Kind: TimeSeries, Width: 12, Height: 8, Unit: Ratio,
				Description: "To be read from left to right.", Empty: "Nothing of this kind in the window.",
				Columns: []Column{{Name: "ratio", Title: "Drift ratio by tool"}},
			},
		},
	})
}
