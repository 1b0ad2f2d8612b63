package capture

import (
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// Error types of calls that did not run.
const (
	errNoSuchTool = "no_such_tool"
	errRejected   = "rejected"
	errInput      = "input_validation"
)

// failures are what the results of failed calls say, by what that means.
var failures = []struct {
	text    string
	outcome events.Outcome
	kind    string
}{
	{"InputValidationError", events.OutcomeValidationError, errInput},
	{"Validation failed for tool", events.OutcomeValidationError, errInput},
	{"No such tool available", events.OutcomeRefused, errNoSuchTool},
	{"The user doesn't want to proceed with this tool use", events.OutcomeRefused, errRejected},
	{"The user doesn't want to take this action", events.OutcomeRefused, errRejected},
}

// maxErrorHead is how far into a result it is looked for what kind of failure it is.
const maxErrorHead = 400

// failure tells from the text of a failed call whether the call ran at all.
func failure(text string) (events.Outcome, string) {
	head := text[:min(len(text), maxErrorHead)]
	for _, f := range failures {
		if strings.Contains(head, f.text) {
			return f.outcome, f.kind
		}
	}
	if rest, ok := strings.CutPrefix(head, "Tool "); ok {
		if name, after, found := strings.Cut(rest, " not found"); found && after == "" && !strings.Contains(name, " ") {
			return events.OutcomeRefused, errNoSuchTool
		}
	}
	return events.OutcomeExecutionError, ""
}

// splitMCP takes mcp__SERVER__TOOL apart. The file does not list the servers, so a server's name is taken to hold no double
// underscore. Both are empty for any other name.
func splitMCP(name string) (server, tool string) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", ""
	}
	server, tool, ok = strings.Cut(rest, "__")
	if !ok || server == "" || tool == "" {
		return "", ""
	}
	return server, tool
}
