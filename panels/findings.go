package panels

// findingsOf is the panel at the top of a view that says what to do.
func findingsOf(detector string) []Panel {
	return []Panel{{
		ID: detector + "_findings", Title: "What to do", Section: "What to do", Kind: Table, Width: 12, Height: 7,
		Description: "The open findings of this kind, the worst first. The time range does not narrow them.",
		Empty:       "Nothing is open.",
		Columns:     findingColumnsOf(&Link{View: detector, Title: "Only this", Set: ofFinding}),
	}}
}

// ofFinding are the variables that a finding's subject gives a value.
var ofFinding = map[string]string{"server": "server", "tool": "tool", "model": "model", "agent": "agent", "conversation": "conversation"}

// findingColumnsOf are the columns of findings, of which the title has a link.
func findingColumnsOf(title *Link) []Column {
	return columns(
		Column{Name: "severity", Title: "Severity", Unit: Severity}, Column{Name: "title", Title: "What is the case", Link: title},
		texts("action", "What to do", "example", "Example", "changed", "What changed around its start", "owner", "Owner"), toolColumn, modelColumn, agentColumn,
		conversationColumn, Column{Name: "began", Title: "Began", Unit: Time}, Column{Name: "last_seen", Title: "Last seen", Unit: Time},
		texts("alert", "Alert"),
		Column{Name: "runbook", Title: "Runbook", Link: &Link{Runbook: "runbook", Title: "Runbook"}},
	)
}
