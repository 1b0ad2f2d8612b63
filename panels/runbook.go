package panels

import (
	"slices"
	"strings"
)

// runbooks are the runbooks of docs/alerts by the rule of a finding; drift_ratio has one for each severity.
var runbooks = [][2]string{
	{"silent_default", "SilentDefault"}, {"retry_tokens", "RetryCost"}, {"tool_disabled", "ToolDisabled"}, {"validation_errors_in_a_row", "ToolDisabled"},
	{"canary_worse", "CanaryWorse"}, {"sunset_ready", "SunsetReady"}, {"definition_change", "DefinitionsChanged"},
	{"breaking_in_minor", "BreakingChangeInMinor"}, {"change_without_version", "SchemaChangedWithoutVersion"},
	{"rug_pull", "SchemaChangedWithoutVersion"},
	{"tools_changed", "CacheTokensLost"}, {"system_changed", "CacheTokensLost"}, {"messages_changed", "CacheTokensLost"},
	{"model_changed", "CacheTokensLost"}, {"params_changed", "CacheTokensLost"}, {"compaction", "CacheTokensLost"},
	{"breakpoints_changed", "CacheTokensLost"}, {"ttl_expired", "CacheTokensLost"}, {"unattributed", "CacheTokensLost"},
	{"flapping_tools", "CacheFlapping"}, {"flapping_tool_order", "CacheFlapping"}, {"flapping_system", "CacheFlapping"},
	{"volatile_tools", "CacheFlapping"}, {"volatile_tool_order", "CacheFlapping"}, {"volatile_system", "CacheFlapping"},
	{"flapping_roster", "CacheFlapping"}, {"serialization_nondeterminism", "CacheFlapping"},
	{"roster_changed_in_conversation", "RosterChangedInConversation"}, {"tools_array_changed", "RosterChangedInConversation"},
	{"guessed", "GuessedNames"}, {"unknown", "GuessedNames"}, {"prefix_repair", "GuessedNames"}, {"connector_name", "GuessedNames"},
	{"not_activated", "CallsBeforeActivation"}, {"loop", "CallLoop"}, {"made_up_id", "MadeUpIds"}, {"summary_cut", "RosterSummariesCut"},
}

// Runbook returns the name of the runbook of a finding's rule, that of docs/alerts/NAME.md; empty where the rule has none.
func Runbook(rule, severity string) string {
	if rule == "drift_ratio" {
		return map[string]string{"critical": "DriftOver20", "warning": "DriftOver5"}[severity]
	}
	for _, r := range runbooks {
		if r[0] == rule {
			return r[1]
		}
	}
	return ""
}

// urgencies are the severities of the alerts that are in runbooks: page wakes somebody, ticket is for the next working day, info is good to know.
var urgencies = [][2]string{
	{"DriftOver20", "page"}, {"SilentDefault", "page"}, {"ToolDisabled", "page"}, {"DriftOver5", "ticket"}, {"RetryCost", "ticket"}, {"CanaryWorse", "ticket"},
	{"SunsetReady", "info"}, {"DefinitionsChanged", "ticket"}, {"BreakingChangeInMinor", "ticket"}, {"SchemaChangedWithoutVersion", "ticket"},
	{"CacheTokensLost", "ticket"}, {"CacheFlapping", "ticket"}, {"RosterChangedInConversation", "ticket"}, {"GuessedNames", "ticket"},
	{"CallsBeforeActivation", "ticket"}, {"CallLoop", "ticket"}, {"MadeUpIds", "ticket"}, {"RosterSummariesCut", "info"},
}

// unalerted are the rules whose findings have a runbook that helps, but are nothing that its alert counts.
var unalerted = []string{
	"validation_errors_in_a_row", "model_changed", "params_changed", "breakpoints_changed", "ttl_expired", "unattributed", "volatile_tools",
	"volatile_tool_order", "volatile_system", "serialization_nondeterminism", "tools_array_changed",
}

// Urgency returns whether the alert on a finding's rule is a page, a ticket or an info; empty where there is none.
func Urgency(rule, severity string) string {
	if slices.Contains(unalerted, rule) {
		return ""
	}
	name := Runbook(rule, severity)
	for _, u := range urgencies {
		if u[0] == name {
			return u[1]
		}
	}
	return ""
}

// urgencyOf is [Urgency] in SQL.
func urgencyOf() string {
	var names, values []string
	for _, u := range urgencies {
		names, values = append(names, "'"+u[0]+"'"), append(values, "'"+u[1]+"'")
	}
	return "if(f.rule IN ('" + strings.Join(unalerted, "', '") + "'), '', transform(" + runbookOf() +
		", [" + strings.Join(names, ", ") + "], [" + strings.Join(values, ", ") + "], ''))"
}

// runbookOf is [Runbook] in SQL.
func runbookOf() string {
	var rules, names []string
	for _, r := range runbooks {
		rules, names = append(rules, "'"+r[0]+"'"), append(names, "'"+r[1]+"'")
	}
	return "multiIf(f.rule = 'drift_ratio' AND f.severity = 'critical', 'DriftOver20', f.rule = 'drift_ratio' AND f.severity = 'warning', 'DriftOver5'," +
		" transform(toString(f.rule), [" + strings.Join(rules, ", ") + "], [" + strings.Join(names, ", ") + "], ''))"
}
