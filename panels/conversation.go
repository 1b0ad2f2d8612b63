package panels

func conversationView() View {
	const choose = "Nothing is known of this conversation in this window. Choose another, or a longer window."
	return read(View{
		ID: Conversation, Title: "Conversation", Question: "What happened in this conversation, in order?", Variables: byName("conversation"),
		Panels: []Panel{
			{
				ID: "conversation_totals", Title: "Conversation", Kind: Stat, Width: 12, Height: 4, Empty: choose,
				Description: "What it comes to: requests to models, calls of tools, breaks of the prompt cache and what they lost, wrong names, drifted calls.",
				Columns: columns(
					counts("requests", "Requests", "calls", "Calls", "breaks", "Breaks"), tokensColumn, usdColumn,
					counts("wrong_names", "Wrong names", "drifted", "Drifted")),
			},
			{
				ID: "conversation_tokens", Title: "Prompts", Kind: TimeSeries, Width: 8, Height: 8, Unit: Tokens, Empty: choose,
				Description: "What each request's prompt held, what of it came from the cache, and what a break lost.",
				Columns:     []Column{{Name: "prompt", Title: "Prompt"}, {Name: "read", Title: "Read from cache"}, {Name: "lost", Title: "Lost"}},
			},
			{
				ID: "conversation_tools", Title: "Calls by tool", Kind: Bars, Width: 4, Height: 8, Unit: Count, Description: "The 20 tools called most.",
				Empty: "It called no tool in this window.", Columns: columns(texts("tool", "Tool"), callsColumn),
			},
			{
				ID: "conversation_timeline", Title: "Timeline", Kind: Table, Width: 12, Height: 16, Empty: choose,
				Description: "Requests, breaks, calls and activations in order, the first thousand. The tokens of a break are those that it lost.",
				Columns: columns(
					Column{Name: "time", Title: "Time", Unit: Time}, texts("what", "What"), Column{Name: "name", Title: "Name", Link: toTool},
					texts("outcome", "Outcome", "detail", "Detail"), Column{Name: "tokens", Title: "Tokens", Unit: Tokens}, Column{Name: "usd", Title: "USD", Unit: USD}),
			},
		},
	})
}
