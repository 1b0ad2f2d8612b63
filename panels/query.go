package panels

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed sql/*.sql
var files embed.FS

// query returns the query of sql/ID.sql, with what many of them have in common filled in.
func query(id string) string {
	b, err := files.ReadFile("sql/" + id + ".sql")
	if err != nil {
		panic(fmt.Sprintf("panels: %v", err)) // the file belongs to the program
	}
	return strings.TrimSpace(shared.Replace(string(b)))
}

// tool is the name by which reports know the tool of a call.
const tool = "if(resolved_name = '', tool_name, resolved_name)"

// drifted is what tells that a call has drifted; a call that failed validation has, classified or not.
const drifted = "(drift_class IN ('old_version', 'silent_default', 'unknown_argument', 'validation_error')" +
	" OR drift_class IN ('', 'unregistered') AND outcome = 'validation_error')"

// breaks are the verdicts of requests that broke the cache.
const breaks = "('model_changed', 'tools_changed', 'system_changed', 'params_changed', 'compaction', 'messages_changed'," +
	" 'breakpoints_changed', 'ttl_expired', 'unattributed')"

// shared fills in what is written in braces in the files: the tool of a call, what has drifted, what broke, and the conditions that narrow a
// table to what the variables say.
var shared = strings.NewReplacer(
	"{tool}", tool,
	"{drifted}", drifted,
	"{breaks}", breaks,
	"{scope of calls}", narrow(
		"agent", "agent_name", "model", "request_model", "server", "server", "tool", tool, "environment", "environment", "team", "team"),
	"{scope of requests}", narrow("agent", "agent_name", "model", "request_model", "environment", "environment", "team", "team"),
	"{scope of events}", narrow("agent", "agent_name", "environment", "environment", "team", "team"),
	"{scope of changes}", narrow("server", "server", "tool", "tool"),
	"{scope of findings}", narrowSubject("agent", "model", "server", "tool"),
	"{conversation}", equal("conversation", "conversation_id"),
)

// narrow returns the conditions that columns have the values of variables, given in pairs of variable and column.
func narrow(pairs ...string) string {
	var conditions []string
	for i := 0; i+1 < len(pairs); i += 2 {
		conditions = append(conditions, fmt.Sprintf("$__conditionalAll(%s, $%s)", equal(pairs[i], pairs[i+1]), pairs[i]))
	}
	return strings.Join(conditions, " AND ")
}

// narrowSubject returns the conditions that a finding is about the values of variables; one that does not name a variable is about all of them.
func narrowSubject(names ...string) string {
	var conditions []string
	for _, n := range names {
		conditions = append(conditions, fmt.Sprintf("$__conditionalAll((%s = '' OR %s), $%s)", n, equal(n, n), n))
	}
	return strings.Join(conditions, " AND ")
}

// equal is the condition that a column has the value of a variable.
func equal(variable, column string) string {
	return fmt.Sprintf("%s = decodeURLComponent('${%s:percentencode}')", column, variable)
}
