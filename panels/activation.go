package panels

import "slices"

func activationView() View {
	return read(View{
		ID: Activation, Title: "Activation", Question: "Which tool names were guessed, unknown, called before they were loaded, or not permitted?",
		Variables: byName(byCall...), Panels: slices.Concat(findingsOf(Activation), activationTrends(), activationNames(), activationLoads(), activationCosts()),
	})
}

func activationTrends() []Panel {
	return []Panel{
		{
			ID: "activation_totals", Title: "Names", Section: "Is it getting worse?", Kind: Stat, Width: 12, Height: 4,
			Description: "Calls whose name was looked up, those whose name was not simply right, the tokens of these, ids that were made up, and names that" +
				" were asked for and not loaded.",
			Empty: "No calls in this window.",
			Columns: columns(
				counts("judged", "Looked up", "wrong", "Wrong names"), Column{Name: "share", Title: "Share", Unit: Ratio},
				Column{Name: "tokens", Title: "Tokens of wrong names", Unit: Tokens}, counts("made_up_ids", "Made-up ids", "refused", "Not loaded")),
		},
		{
			ID: "activation_rules_over_time", Title: "Wrong names by rule", Kind: TimeSeries, Width: 6, Height: 8, Unit: Count, Stacked: true,
			Description: "not_activated: called before it was loaded. guessed: like a name that exists. unknown: like none. connector_name: a server's own name.",
			Empty:       "No name was wrong in this window.", Columns: []Column{callsColumn},
		},
		{
			ID: "activation_refused_over_time", Title: "Asked for and not loaded, by reason", Kind: TimeSeries, Width: 6, Height: 8, Unit: Count, Stacked: true,
			Description: "Names that a model asked to load and did not get.", Empty: "Nothing was refused in this window.", Columns: counts("names", "Names"),
		},
	}
}

func activationNames() []Panel {
	return []Panel{
		{
			ID: "activation_rules", Title: "By rule", Section: "Which?", Kind: Bars, Width: 4, Height: 9, Unit: Count,
			Description: "Calls whose name was wrong, by rule.", Empty: "No name was wrong in this window.",
			Columns: columns(texts("rule", "Rule"), callsColumn),
		},
		{
			ID: "activation_names", Title: "Wrong names and what was meant", Kind: Table, Width: 8, Height: 9,
			Description: "The most frequent first. What was meant is for people to read: an agent never gets a guess.",
			Empty:       "No name was wrong in this window.",
			Columns: columns(
				texts("rule", "Rule", "how", "How"), serverColumn, texts("called", "Called"),
				Column{Name: "meant", Title: "Meant", Link: &Link{View: Drift, Title: "Drift of this tool", Set: map[string]string{"server": "server", "tool": "meant"}}},
				callsColumn, Column{Name: "tokens", Title: "Tokens", Unit: Tokens}, counts("conversations", "Conversations"), texts("models", "Models"),
				lastColumn, Column{Name: "conversation", Title: "Latest in", Link: toConversation}),
		},
		{
			ID: "activation_refused", Title: "Asked for and not loaded", Kind: Table, Width: 6, Height: 8,
			Description: "Names that were asked for, why they were not loaded, and how often.", Empty: "Nothing was refused in this window.",
			Columns: columns(
				texts("name", "Name", "reason", "Reason"), counts("times", "Times", "conversations", "Conversations"), lastColumn,
				Column{Name: "conversation", Title: "Latest in", Link: toConversation}),
		},
		{
			ID: "activation_made_up", Title: "Made-up ids", Kind: Table, Width: 6, Height: 8,
			Description: "Ids in arguments that appeared nowhere before, the latest first. Only their digests are kept.",
			Empty:       "No id was made up in this window.",
			Columns: columns(
				Column{Name: "time", Title: "Time", Unit: Time}, serverColumn, toolColumn, modelColumn, agentColumn, conversationColumn,
				texts("place", "Place", "digest", "Digest")),
		},
	}
}

func activationLoads() []Panel {
	return []Panel{
		{
			ID: "activation_loads", Title: "Loaded and never called", Section: "What is in the way?", Kind: Table, Width: 6, Height: 8,
			Description: "Tools that were loaded and not called in the same conversation, or loaded again.",
			Empty:       "No tool was loaded in this window.",
			Columns: columns(
				texts("tool", "Tool"), counts("loaded", "Conversations", "never_called", "Never called"), Column{Name: "share", Title: "Share", Unit: Ratio},
				counts("repeated", "Loaded again")),
		},
		{
			ID: "activation_loops", Title: "Loops", Kind: Table, Width: 6, Height: 8,
			Description: "The same failing call with the same arguments, three times in a row or more.", Empty: "No loop in this window.",
			Columns: columns(
				serverColumn, toolColumn, conversationColumn, callsColumn, Column{Name: "tokens", Title: "Tokens", Unit: Tokens}, texts("ended", "Ended"),
				agentColumn, lastColumn),
		},
		{
			ID: "activation_rosters", Title: "Summaries that were cut", Kind: Table, Width: 12, Height: 7,
			Description: "Tools whose summary was longer than a roster shows, so that a model may miss what they are for.",
			Empty:       "No roster with a cut summary was seen in this window.",
			Columns: columns(
				serverColumn, toolColumn, counts("longest", "Characters", "rosters", "Rosters"), texts("agents", "Agents"), lastColumn),
		},
	}
}

func activationCosts() []Panel {
	return []Panel{{
		ID: "activation_pays", Title: "Does loading on demand pay?", Section: "Does it pay?", Kind: Table, Width: 12, Height: 6,
		Description: "What models read with tools loaded on demand, round trips and wrong names included, beside what they would read with all of them" +
			" loaded. Texts are taken at four bytes a token.",
		Empty: "No agent loads tools on demand in this window.",
		Columns: columns(
			agentColumn, texts("pays", "Pays"), counts("requests", "Requests"),
			Column{Name: "saved_tokens", Title: "Saved", Unit: Tokens}, Column{Name: "on_demand_tokens", Title: "On demand", Unit: Tokens},
			Column{Name: "all_loaded_tokens", Title: "All loaded", Unit: Tokens}, counts("tools", "Tools", "loads", "Loads", "round_trips", "Round trips"),
			Column{Name: "roster_tokens", Title: "Roster, a request", Unit: Tokens}, Column{Name: "loaded_tokens", Title: "Loaded, a request", Unit: Tokens},
			Column{Name: "everything_tokens", Title: "All, a request", Unit: Tokens}),
	}}
}
