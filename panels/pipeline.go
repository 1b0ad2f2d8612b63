package panels

func pipelineView() View {
	return read(View{
		ID: Pipeline, Title: "Pipeline health", Question: "Does everything that agents send arrive, and in time?", Variables: byName(byEvent...),
		Panels: []Panel{
			{
				ID: "pipeline_events_over_time", Title: "Events stored", Kind: TimeSeries, Width: 12, Height: 8, Unit: Count,
				Description: "To be read from left to right.", Empty: "Nothing of this kind in the window.",
				Columns: []Column{{Name: "events", Title: "Events stored"}},
			},
		},
	})
}
