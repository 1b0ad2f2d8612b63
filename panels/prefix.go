package panels

func prefixView() View {
	return read(View{
		ID: Prefix, Title: "Prefix cache", Question: "What changed the prompt prefix, broke the cache, and what did that cost?", Variables: byName(byRequest...),
		Panels: []Panel{
			{
				ID: "prefix_lost_over_time", Title: "Tokens lost by verdict", Kind: TimeSeries, Width: 12, Height: 8, Unit: Tokens,
				Description: "To be read from left to right.", Empty: "Nothing of this kind in the window.",
				Columns: []Column{{Name: "tokens", Title: "Tokens lost by verdict"}},
			},
		},
	})
}
