package report

import (
	"strings"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/events"
)

// eventsPage is where it is written how to send events.
const eventsPage = "docs/design.md#events"

// unchecked says for each question that can't be answered what to send, so that silence is not taken for health.
func unchecked(r *analyzer.Report) []string {
	var all []string
	if r.Calls.Total == 0 {
		all = append(all, "what was called (no calls were seen: send "+string(events.KindToolCall)+")")
	}
	if r.Calls.Total > 0 && r.Drift.Calls == r.Drift.Unjudged {
		all = append(all, "whether calls fit their schemas (no schema of the tools called is known: send "+string(events.KindToolDefinition)+")")
	}
	if r.Calls.Total > 0 && r.Activation.Judged == 0 {
		all = append(all, "whether the names called exist (of none of the calls the list of tools is known that its agent had: send "+string(events.KindToolRoster)+")")
	}
	if r.Prefix.Requests == 0 {
		all = append(all, "the prompt cache (no model requests were seen: send "+string(events.KindRequestPrefix)+")")
	}
	if parts := unseenParts(&r.Prefix); len(parts) > 0 {
		all = append(all, "whether "+strings.Join(parts, ", ")+" changed at breaks that nothing explains (not in what was recorded: send them in "+
			string(events.KindRequestPrefix)+")")
	}
	return all
}

// uncheckedNote is unchecked as a sentence; empty when all was checked.
func uncheckedNote(r *analyzer.Report) string {
	all := unchecked(r)
	if len(all) == 0 {
		return ""
	}
	return "Not checked: " + strings.Join(all, "; ") + ". See " + eventsPage + "."
}

// quiet says that nothing was found, and claims no more than was looked at.
func quiet(r *analyzer.Report) string {
	what := strings.Join(parts(r), ", ")
	if len(unchecked(r)) > 0 {
		return "No findings in " + what + ", but not everything could be checked."
	}
	return "Nothing stands out: " + what + " were held against all rules."
}
