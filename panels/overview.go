package panels

func overviewView() View {
	return read(View{
		ID: Overview, Title: "Overview", Question: "Is anything wrong, and what does it cost?", Variables: byName(byCall...),
		Panels: append(overviewNow(), overviewTrends()...),
	})
}

func overviewNow() []Panel {
	return []Panel{
		{
			ID: "overview_findings", Title: "Open findings", Section: "Is anything wrong?", Kind: Stat, Width: 4, Height: 4, Unit: Count,
			Description: "Findings that nobody acknowledged, muted or resolved, by severity. The time range does not narrow them. What no run sees any more stays until" +
				" somebody resolves it.",
			Empty: "The analyzer has stored no findings yet. Check on Pipeline health that it runs.",
			Columns: []Column{
				{Name: "critical", Title: "Critical", Thresholds: anyIs(Bad)},
				{Name: "warning", Title: "Warning", Thresholds: anyIs(Warn)},
				{Name: "info", Title: "Info"},
			},
		},
		{
			ID: "overview_calls", Title: "Calls", Kind: Stat, Width: 4, Height: 4, Unit: Count,
			Description: "Calls of tools, the share of all of them that drifted from the active schema (calls that no schema is known for have not), calls whose tool" +
				" name was wrong, and ids that the model made up.",
			Empty: "No calls in this window. Choose a longer one, or check on Pipeline health whether events arrive.",
			Columns: []Column{
				callsColumn, ratioColumn,
				{Name: "wrong_names", Title: "Wrong names", Link: &Link{View: Activation, Title: "Activation"}},
				{Name: "made_up_ids", Title: "Made-up ids", Link: &Link{View: Activation, Title: "Activation"}},
			},
		},
		{
			ID: "overview_lost", Title: "Lost to cache breaks", Kind: Stat, Width: 3, Height: 4,
			Description: "Tokens that were sent again because the prompt cache broke, and what they cost. Breaks of models without a price are not in the dollars.",
			Empty:       "No request broke the cache in this window.",
			Columns: []Column{
				tokensColumn, usdColumn, {Name: "breaks", Title: "Breaks", Unit: Count, Link: &Link{View: Prefix, Title: "Prefix cache"}},
			},
		},
		{
			ID: "overview_letters", Title: "Dead letters", Kind: Stat, Width: 1, Height: 4, Unit: Count,
			Description: "Events that were refused because they can't be read or break their schema.",
			Empty:       "None.",
			Columns: []Column{
				{Name: "letters", Title: "Dead letters", Thresholds: anyIs(Warn), Link: &Link{View: Pipeline, Title: "Pipeline health"}},
			},
		},
		{
			ID: "overview_worst", Title: "Open findings and what to do", Kind: Table, Width: 12, Height: 10,
			Description: "The worst first, and of one severity those seen lately and the largest. The time range does not narrow them.",
			Empty: "Nothing is open. The analyzer looks once a minute, and back a day of event time: older recordings raise findings where it looks at all" +
				" of time (tooltrail up --window 0).",
			Columns: findingColumnsOf(&Link{ViewFrom: "detector", Title: "Where to see it", Set: ofFinding}),
		},
	}
}

func overviewTrends() []Panel {
	return []Panel{
		{
			ID: "overview_ratio_over_time", Title: "Drift ratio", Section: "Is it getting worse?", Kind: TimeSeries, Width: 6, Height: 8,
			Description: "The share of calls that drifted: over 5 % the prompt needs examples, over 20 % the model must be pinned or told.",
			Unit:        Ratio, Thresholds: driftThresholds, Empty: "No call in this window was held against a schema.",
			Columns: []Column{{Name: "ratio", Title: "Drift ratio"}},
		},
		{
			ID: "overview_lost_over_time", Title: "USD lost to cache breaks, by agent", Kind: TimeSeries, Width: 6, Height: 8, Unit: USD, Stacked: true,
			Description: "What it cost to send again what the cache had held. Breaks of models without a price are not in it.",
			Empty:       "No request broke the cache in this window.",
			Columns:     []Column{{Name: "usd", Title: "USD lost"}},
		},
		{
			ID: "overview_names_over_time", Title: "Wrong names and made-up ids", Kind: TimeSeries, Width: 6, Height: 8, Unit: Count, Stacked: true,
			Description: "Calls whose tool name was not simply right, and ids in arguments that appeared nowhere before.",
			Empty:       "No wrong name and no made-up id in this window.",
			Columns:     counts("wrong_names", "Wrong names", "made_up_ids", "Made-up ids"),
		},
		{
			ID: "overview_calls_over_time", Title: "Calls by how they ended", Kind: TimeSeries, Width: 6, Height: 8, Unit: Count, Stacked: true,
			Description: "All calls of tools by outcome.",
			Empty:       "No calls in this window. Choose a longer one, or check on Pipeline health whether events arrive.",
			Columns:     []Column{callsColumn},
		},
		{
			ID: "overview_letters_over_time", Title: "Dead letters by reason", Kind: TimeSeries, Width: 6, Height: 8, Unit: Count, Stacked: true,
			Description: "Events that were refused, by when they were.", Empty: "No event was refused in this window.",
			Columns: counts("letters", "Dead letters"),
		},
		{
			ID: "overview_agents", Title: "By agent", Kind: Table, Width: 6, Height: 8,
			Description: "What each agent calls, what of it drifted or was wrong, and what its cache breaks cost.",
			Empty:       "No agent sent anything in this window.",
			Columns:     columns(agentColumn, callsColumn, ratioColumn, counts("wrong_names", "Wrong names"), tokensColumn, usdColumn),
		},
	}
}
