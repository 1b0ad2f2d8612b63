package panels

func activationView() View {
	return read(View{
		ID: Activation, Title: "Activation", Question: "Which tool names were guessed, unknown, called before they were loaded, or not permitted?", Variables: byName(byCall...),
		Panels: []Panel{
			{
				ID: "activation_rules_over_time", Title: "Wrong names by rule", Kind: TimeSeries, Width: 12, Height: 8, Unit: Count,
				Description: "To be read from left to right.", Empty: "Nothing of this kind in the window.",
				Columns: []Column{{Name: "calls", Title: "Wrong names by rule"}},
			},
		},
	})
}
