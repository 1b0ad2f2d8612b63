package panels

import "slices"

func prefixView() View {
	return read(View{
		ID: Prefix, Title: "Prefix cache", Question: "What changed the prompt prefix, broke the cache, and what did that cost?",
		Variables: byName(byRequest...), Panels: slices.Concat(findingsOf(Prefix), prefixTrends(), prefixReasons(), prefixDetails()),
	})
}

// noBreaks is what panels of breaks say where there are none.
const noBreaks = "No request broke the cache in this window."

func prefixTrends() []Panel {
	return []Panel{
		{
			ID: "prefix_totals", Title: "Prompt cache", Section: "What does it cost?", Kind: Stat, Width: 12, Height: 4,
			Description: "Requests, those that read less than 95 % of what was to be expected (breaks), the tokens that were sent again for that and their" +
				" price, and the share of all prompts that came from the cache.",
			Empty: "No requests in this window. Choose a longer one, or check that the agent reports request_prefix events.",
			Columns: columns(
				counts("requests", "Requests", "breaks", "Breaks"), tokensColumn, usdColumn, Column{Name: "cost", Title: "USD of all requests", Unit: USD},
				Column{Name: "read_share", Title: "Read from cache", Unit: Ratio}),
		},
		{
			ID: "prefix_breaks_over_time", Title: "Breaks by verdict", Kind: TimeSeries, Width: 6, Height: 8, Unit: Count, Stacked: true,
			Description: "Requests that broke the cache, by the first reason that applies.", Empty: noBreaks, Columns: counts("breaks", "Breaks"),
		},
		{
			ID: "prefix_lost_over_time", Title: "Tokens lost by verdict", Kind: TimeSeries, Width: 6, Height: 8, Unit: Tokens, Stacked: true,
			Description: "Tokens that the cache had held and that were sent again.", Empty: noBreaks, Columns: []Column{tokensColumn},
		},
		{
			ID: "prefix_usd_over_time", Title: "USD lost by model", Kind: TimeSeries, Width: 6, Height: 8, Unit: USD, Stacked: true,
			Description: "The price of those tokens. Breaks of models without a price are not in it.", Empty: noBreaks, Columns: []Column{usdColumn},
		},
		{
			ID: "prefix_read_over_time", Title: "Share of prompts read from the cache, by model", Kind: TimeSeries, Width: 6, Height: 8, Unit: Ratio,
			Description: "Tokens read from the cache by all tokens of prompts, where usage is reported.",
			Empty:       "No request reported its usage in this window.",
			Columns:     []Column{{Name: "read_share", Title: "Read from cache"}},
		},
	}
}

func prefixReasons() []Panel {
	lost := columns(counts("breaks", "Breaks", "conversations", "Conversations"), tokensColumn, usdColumn, counts("unpriced", "Without a price"))
	return []Panel{
		{
			ID: "prefix_verdicts", Title: "By verdict", Section: "What broke it?", Kind: Table, Width: 6, Height: 9,
			Description: "All requests by verdict, and what their breaks lost.", Empty: "No requests in this window.",
			Columns: columns(texts("verdict", "Verdict"), counts("requests", "Requests"), tokensColumn, usdColumn, counts("unpriced", "Without a price")),
		},
		{
			ID: "prefix_causes", Title: "By cause", Kind: Table, Width: 6, Height: 9,
			Description: "What made the prefix change, where that is known: an activation, a server's list, a deploy, a permission.", Empty: noBreaks,
			Columns: columns(texts("cause", "Cause"), lost),
		},
		{
			ID: "prefix_agents", Title: "By agent", Kind: Table, Width: 6, Height: 8, Description: "Breaks by agent, and what they lost.", Empty: noBreaks,
			Columns: columns(Column{Name: "agent", Title: "Agent", Link: toPrefixAgent}, lost),
		},
		{
			ID: "prefix_models", Title: "By model", Kind: Table, Width: 6, Height: 8, Description: "Breaks by model, and what they lost.", Empty: noBreaks,
			Columns: columns(Column{Name: "model", Title: "Model", Link: toPrefixModel}, lost),
		},
		{
			ID: "prefix_tools", Title: "By tool that broke it", Kind: Table, Width: 12, Height: 9,
			Description: "Breaks for changed tools. A break that several tools made counts under each of them, so these do not add up.",
			Empty:       "No change of tools broke the cache in this window.",
			Columns: columns(
				Column{Name: "tool", Title: "Tool", Link: &Link{View: Drift, Title: "Drift of this tool", Set: map[string]string{"tool": "tool"}}},
				texts("change", "Change"), counts("breaks", "Breaks", "conversations", "Conversations"), tokensColumn, usdColumn, texts("causes", "Causes")),
		},
	}
}

func prefixDetails() []Panel {
	return []Panel{
		{
			ID: "prefix_conversations", Title: "Dearest conversations", Section: "Where?", Kind: Table, Width: 6, Height: 10,
			Description: "The conversations whose breaks lost most.", Empty: noBreaks,
			Columns: columns(
				conversationColumn, Column{Name: "agent", Title: "Agent", Link: toPrefixAgent}, counts("breaks", "Breaks"), tokensColumn, usdColumn,
				texts("dearest", "Dearest verdict"), lastColumn),
		},
		{
			ID: "prefix_flux", Title: "What keeps changing", Kind: Table, Width: 6, Height: 10,
			Description: "Parts of the prefix that flap between a few values, or are another at each request.",
			Empty:       "Nothing keeps changing in this window.",
			Columns: columns(
				conversationColumn, Column{Name: "agent", Title: "Agent", Link: toPrefixAgent}, texts("kind", "Kind", "part", "Part", "name", "Name"),
				counts("requests", "Requests", "changes", "Changes", "values", "Values"),
				Column{Name: "could_read", Title: "Could have been read", Unit: Tokens}, Column{Name: "could_read_usd", Title: "Its USD", Unit: USD}),
		},
		{
			ID: "prefix_breaks", Title: "Breaks", Kind: Table, Width: 12, Height: 12,
			Description: "The 200 breaks that lost most, with all that is known of each: every other reason that also holds, the cause, what changed.",
			Empty:       noBreaks,
			Columns: columns(
				Column{Name: "time", Title: "Time", Unit: Time}, conversationColumn, counts("request", "Request"),
				Column{Name: "agent", Title: "Agent", Link: toPrefixAgent}, Column{Name: "model", Title: "Model", Link: toPrefixModel},
				texts("verdict", "Verdict", "secondary", "Also", "cause", "Cause", "changed", "Changed"), tokensColumn, usdColumn,
				Column{Name: "gap", Title: "Gap", Unit: Seconds}, texts("diagnosis", "The provider says")),
		},
	}
}
