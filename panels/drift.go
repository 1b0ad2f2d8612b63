package panels

import "slices"

func driftView() View {
	return read(View{
		ID: Drift, Title: "Drift", Question: "Are models still calling tools by an old schema, and is it getting worse?", Variables: byName(byCall...),
		Panels: slices.Concat(findingsOf(Drift), driftTrends(), driftTools(), driftCosts(), driftChanges()),
	})
}

func driftTrends() []Panel {
	const (
		none   = "No calls in this window. Choose a longer one, or fewer filters."
		judged = "No call in this window was held against a schema. Register the schemas of the tools, or choose a longer window."
	)
	return []Panel{
		{
			ID: "drift_ratio", Title: "Drift", Section: "Is it getting worse?", Kind: Stat, Width: 12, Height: 4, Empty: none,
			Description: "Drifted calls by all calls, and the bounds that hold the ratio with 95 % confidence (Wilson). Not judged are calls of tools whose" +
				" schema is not registered; where none is judged there is no ratio.",
			Columns: columns(ratioColumn, lowColumn, highColumn, callsColumn, counts("drifted", "Drifted", "unjudged", "Not judged")),
		},
		{
			ID: "drift_over_time", Title: "Drift ratio by tool", Kind: TimeSeries, Width: 6, Height: 9, Unit: Ratio, Thresholds: driftThresholds, Empty: judged,
			Description: "The eight tools with the most drifted calls. Over 5 % add examples of the new schema to the prompt; over 20 % pin the model's" +
				" version, or tell it in the system prompt how to migrate.",
			Columns: []Column{{Name: "ratio", Title: "Drift ratio"}},
		},
		{
			ID: "drift_models_over_time", Title: "Drift ratio by model", Kind: TimeSeries, Width: 6, Height: 9, Unit: Ratio, Thresholds: driftThresholds,
			Description: "The eight models with the most drifted calls.", Empty: judged,
			Columns: []Column{{Name: "ratio", Title: "Drift ratio"}},
		},
		{
			ID: "drift_classes_over_time", Title: "Drifted calls by how", Kind: TimeSeries, Width: 12, Height: 7, Unit: Count, Stacked: true,
			Description: "old_version: made by an old schema. silent_default: a renamed argument was left to its default, without an error." +
				" unknown_argument: a name that the schema does not know. validation_error: refused by the schema.",
			Empty:   "No call drifted in this window.",
			Columns: []Column{callsColumn},
		},
	}
}

func driftTools() []Panel {
	how := counts(
		"drifted", "Drifted", "old_version", "Old version", "silent_default", "Silent default", "unknown_argument", "Unknown argument",
		"validation_error", "Validation error", "unjudged", "Not judged", "errors", "Errors")
	return []Panel{
		{
			ID: "drift_tools", Title: "By tool and model", Section: "Where?", Kind: Table, Width: 12, Height: 11,
			Description: "Calls and how they drifted, the highest ratio first; the bounds hold the ratio with 95 % confidence (Wilson).",
			Empty:       "No calls in this window. Choose a longer one, or fewer filters.",
			Columns: columns(
				serverColumn, Column{Name: "tool", Title: "Tool", Link: toToolOfModel}, modelColumn, ratioColumn, lowColumn, highColumn, callsColumn, how),
		},
		{
			ID: "drift_models", Title: "By model", Kind: Table, Width: 12, Height: 6,
			Description: "The same over all tools.", Empty: "No calls in this window.",
			Columns: columns(modelColumn, ratioColumn, lowColumn, highColumn, callsColumn, how),
		},
		{
			ID: "drift_calls", Title: "First drifted calls", Kind: Table, Width: 12, Height: 8,
			Description: "The first three drifted calls of each tool and model: what they gave, what they left empty, and by which version.",
			Empty:       "No call drifted in this window.",
			Columns: columns(
				Column{Name: "time", Title: "Time", Unit: Time}, serverColumn, Column{Name: "tool", Title: "Tool", Link: toToolOfModel}, modelColumn, agentColumn,
				texts("agent_version", "Agent version", "how", "How", "used", "Used", "active", "Active", "what", "What", "outcome", "Ended"), conversationColumn),
		},
		{
			ID: "drift_silent", Title: "Silent defaults", Kind: Table, Width: 6, Height: 8,
			Description: "Calls that ran with a default because they gave an argument by its old name: nothing failed, and the data is wrong. Each one counts.",
			Empty:       "No silent default in this window.",
			Columns: columns(
				toolColumn, modelColumn, Column{Name: "calls", Title: "Calls", Unit: Count, Thresholds: anyIs(Bad)},
				texts("defaulted", "Left empty", "said", "Said instead"), Column{Name: "first", Title: "First", Unit: Time}, lastColumn,
				Column{Name: "conversation", Title: "First wrong call", Link: toConversation}),
		},
		{
			ID: "drift_versions", Title: "Versions in use", Kind: Table, Width: 6, Height: 8,
			Description: "Which versions of a tool's schema calls used, in whole hours: recognised where the call was judged, claimed where it was not.",
			Empty:       "No calls in this window.",
			Columns:     columns(serverColumn, toolColumn, texts("version", "Version"), callsColumn, Column{Name: "share", Title: "Share", Unit: Ratio}, lastColumn),
		},
	}
}

func driftCosts() []Panel {
	return []Panel{
		{
			ID: "drift_retries", Title: "What trying again costs", Section: "What does it cost?", Kind: Table, Width: 6, Height: 8,
			Description: "Tokens of attempts after the first, as a multiple of the first attempts that they repeat. Three times and over is a finding.",
			Empty:       "No call was tried again in this window.",
			Columns: columns(
				serverColumn, toolColumn, Column{Name: "multiple", Title: "Multiple", Unit: Multiple, Thresholds: retryThresholds},
				counts("retries", "Retries"), Column{Name: "retry_tokens", Title: "Tokens of retries", Unit: Tokens},
				Column{Name: "first_tokens", Title: "Tokens of first attempts", Unit: Tokens}),
		},
		{
			ID: "drift_errors", Title: "Validation errors by place", Kind: Table, Width: 6, Height: 8,
			Description: "Where in the arguments the schema was broken, and by which keyword.",
			Empty:       "No call failed validation in this window.",
			Columns: columns(
				toolColumn, texts("place", "Place", "keyword", "Keyword"), Column{Name: "errors", Title: "Errors", Unit: Count},
				texts("models", "Models", "example", "Latest message"), lastColumn),
		},
	}
}

func driftChanges() []Panel {
	return []Panel{
		{
			ID: "drift_disabled", Title: "Tools disabled now", Section: "What changed?", Kind: Table, Width: 6, Height: 6,
			Description: "Tools that the breaker disabled after validation errors in a row, or that somebody did. The time range does not narrow them.",
			Empty:       "No tool is disabled.",
			Columns: columns(
				serverColumn, toolColumn, agentColumn, texts("state", "State"), Column{Name: "since", Title: "Since", Unit: Time},
				texts("changed_by", "By", "reason", "Why")),
		},
		{
			ID: "drift_switches", Title: "Switches and registry", Kind: Table, Width: 6, Height: 6,
			Description: "Who or what enabled, disabled, registered or activated what, when and why.",
			Empty:       "Nothing was switched or registered in this window.",
			Columns: columns(
				Column{Name: "at", Title: "At", Unit: Time}, texts("of", "Of", "action", "Action"), serverColumn, toolColumn, agentColumn,
				texts("version", "Version", "changed_by", "By", "reason", "Why")),
		},
		{
			ID: "drift_canary", Title: "Versions on trial", Kind: Table, Width: 12, Height: 6,
			Description: "Calls of a new schema version in the canary's share of conversations beside the baseline's.",
			Empty:       "No version is on trial in this window. Start one with tooltrail schema canary.",
			Columns: columns(
				serverColumn, toolColumn, texts("cohort", "Cohort", "version", "On trial"), callsColumn, counts("conversations", "Conversations"), ratioColumn,
				Column{Name: "error_ratio", Title: "Error ratio", Unit: Ratio}),
		},
		{
			ID: "drift_releases", Title: "Releases", Kind: Table, Width: 12, Height: 7,
			Description: "What changed from one list of tools to the next of the same server. The ratio is tools with another schema and tools removed, by tools before.",
			Empty:       "No list of tools changed in this window.",
			Columns: columns(
				Column{Name: "at", Title: "At", Unit: Time}, serverColumn, agentColumn, texts("from_release", "From", "to_release", "To"),
				Column{Name: "ratio", Title: "Schema ratio", Unit: Ratio, Thresholds: driftThresholds},
				counts("tools_before", "Tools before", "tools_after", "Tools after", "added", "Added", "removed", "Removed",
					"definition_changed", "Definition changed", "schema_changed", "Schema changed")),
		},
		{
			ID: "drift_definitions", Title: "Definitions that changed", Kind: Table, Width: 12, Height: 7,
			Description: "Tools with another definition than before: another schema, or another description alone.",
			Empty:       "No definition changed in this window.",
			Columns: columns(
				Column{Name: "at", Title: "First seen", Unit: Time}, serverColumn, toolColumn, agentColumn,
				texts("version", "Version", "release", "Release", "changed", "Changed")),
		},
	}
}
