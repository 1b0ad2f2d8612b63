package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// outcomes says in parentheses how many calls did not end well: (48 failed, 3 invalid, 34 refused).
func outcomes(c *analyzer.Calls) string {
	var all []string
	for _, o := range []struct {
		outcome events.Outcome
		word    string
	}{{events.OutcomeExecutionError, "failed"}, {events.OutcomeValidationError, "invalid"}, {events.OutcomeRefused, "refused"}} {
		if n := c.ByOutcome[string(o.outcome)]; n > 0 {
			all = append(all, Count(n)+" "+o.word)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// writeFailures answers: which tools fail? It is left out when none did.
func writeFailures(w io.Writer, r *analyzer.Report, s Style) error {
	failed := failing(r.Drift.ByTool)
	if len(failed) == 0 {
		return nil
	}
	if err := section(w, s, "Failures", "which tools ran and failed?"); err != nil {
		return err
	}
	t := &table{columns: []column{
		{title: "tool", flex: true}, {title: "calls", right: true}, {title: "failed", right: true}, {title: "ratio", right: true},
	}}
	for i := range failed[:s.most(maxTools, len(failed))] {
		d := &failed[i]
		t.row(tool(d.Server, d.Tool), Count(int64(d.Calls)), Count(int64(d.ExecutionErrors)), Percent(float64(d.ExecutionErrors)/float64(max(d.Calls, 1))))
	}
	if err := t.write(w, s); err != nil {
		return err
	}
	return more(w, s, len(failed), maxTools, "tool")
}

// failing are the tools that failed, the most often failing first.
func failing(all []drift.ToolDrift) []drift.ToolDrift {
	var failed []drift.ToolDrift
	for i := range all {
		if all[i].ExecutionErrors > 0 {
			failed = append(failed, all[i])
		}
	}
	slices.SortStableFunc(failed, func(a, b drift.ToolDrift) int { return -cmp.Compare(a.ExecutionErrors, b.ExecutionErrors) })
	return failed
}

// most is how many of n rows are listed: all with [Style.All], else limit at most.
func (s Style) most(limit, n int) int {
	if s.All {
		return n
	}
	return min(limit, n)
}

// andMore says that there are rows that are not listed, and how to see them.
func andMore(n int, word string) string {
	if n == 1 {
		return fmt.Sprintf("And 1 more %s; --all lists it.", word)
	}
	return fmt.Sprintf("And %s more %ss; --all lists them.", Count(int64(n)), word)
}

// more says how many of n rows were left out beyond limit, and how to see them.
func more(w io.Writer, s Style, n, limit int, word string) error {
	rest := n - s.most(limit, n)
	if rest == 0 {
		return nil
	}
	return note(w, s, andMore(rest, word))
}
