package panels

// Variable is something that a view can be narrowed by.
type Variable struct {
	// Name is agent, model, server, tool, environment, team or conversation.
	Name, Title string
	// SQL lists the values to choose from in one column value, in order; see [Expand].
	SQL string
}

// byName returns variables in the order of their names.
func byName(names ...string) []Variable {
	titles := map[string]string{
		"agent": "Agent", "model": "Model", "server": "Server", "tool": "Tool", "environment": "Environment", "team": "Team",
		"conversation": "Conversation",
	}
	list := make([]Variable, len(names))
	for i, n := range names {
		list[i] = Variable{Name: n, Title: titles[n], SQL: query("variable_" + n)}
	}
	return list
}

var (
	byCall    = []string{"agent", "model", "server", "tool", "environment", "team"}
	byRequest = []string{"agent", "model", "environment", "team"}
	byEvent   = []string{"agent", "environment", "team"}
)
