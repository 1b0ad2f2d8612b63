package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/drift"
)

// windowsNote says how much drifted over each window; nothing where none of them holds a drifted call, or all that was looked at.
func windowsNote(r *drift.Report) string {
	var parts []string
	for i := range r.Windows {
		if w := &r.Windows[i]; w.Calls > 0 && w.Calls < r.Calls {
			parts = append(parts, fmt.Sprintf("%s of %s within %s", Percent(w.Ratio), Plural(int64(w.Calls), "call"), w.Window)) //nolint:gosec // a count
		}
	}
	if r.Drifted == 0 || len(parts) == 0 {
		return ""
	}
	return "Up to " + minute(r.Windows[0].To) + " UTC drifted " + strings.Join(parts, ", ") + "."
}

// writeVersions says how canaries fare and which old versions can go.
func writeVersions(w io.Writer, r *drift.Report, s Style) error {
	if err := canaryTable(r.Canaries).write(w, s); err != nil {
		return err
	}
	old := sunsetsToShow(r.Sunsets)
	if len(old) == 0 {
		return nil
	}
	if err := note(w, s, "Versions that were replaced, and whether they can go:"); err != nil {
		return err
	}
	if err := sunsetTable(old[:s.most(maxTools, len(old))]).write(w, s); err != nil {
		return err
	}
	return more(w, s, len(old), maxTools, "version")
}

// canaryWords say a canary's verdict.
var canaryWords = map[drift.CanaryVerdict]string{drift.CanaryWorse: "worse", drift.CanaryNoWorse: "no worse", drift.CanaryTooEarly: "too early"}

// canaryTable has a row a canary.
func canaryTable(all []drift.CanaryReport) *table {
	t := &table{columns: []column{
		{title: "canary", flex: true}, {title: "version", flex: true}, {title: "calls", right: true, drop: 2}, {title: "drift", right: true, drop: 3},
		{title: "errors", right: true, drop: 1}, {title: "verdict"},
	}}
	for i := range all {
		c := &all[i]
		t.row(tool(c.Server, c.Tool), c.Version+" beside "+c.Baseline, Count(int64(c.CanaryCalls.Calls))+" and "+Count(int64(c.BaselineCalls.Calls)), //nolint:gosec // counts
			points(c.Drift.Value), points(c.Errors.Value), canaryWords[c.Verdict])
		t.under(sureOf(c))
	}
	return t
}

// points says a difference of shares, in percentage points.
func points(d float64) string { return fmt.Sprintf("%+.1f", 100*d) }

// sureOf says what the verdict rests on and, where it is too early, what it waits for.
func sureOf(c *drift.CanaryReport) string {
	text := fmt.Sprintf("percentage points more than the others: drift %s to %s, errors %s to %s (95 %%)",
		points(c.Drift.Low), points(c.Drift.High), points(c.Errors.Low), points(c.Errors.High))
	switch {
	case c.Verdict != drift.CanaryTooEarly:
		return text
	case c.ConversationsNeeded > 0:
		return text + "; " + Plural(c.ConversationsNeeded, "conversation") + " more are needed at least"
	case c.CallsNeeded > 0:
		return text + "; about " + Plural(c.CallsNeeded, "call") + " more of the canary would decide"
	}
	return text + "; so near the margin that more calls would not decide"
}

// sunsetsToShow leaves out versions of tools that were not called, and puts those that can go first.
func sunsetsToShow(all []drift.SunsetReport) []drift.SunsetReport {
	var out []drift.SunsetReport
	for i := range all {
		if all[i].Calls > 0 {
			out = append(out, all[i])
		}
	}
	slices.SortStableFunc(out, func(a, b drift.SunsetReport) int { return len(a.NotYet) - len(b.NotYet) })
	return out
}

// sunsetTable has a row a version that was replaced.
func sunsetTable(all []drift.SunsetReport) *table {
	t := &table{columns: []column{
		{title: "tool", flex: true}, {title: "version", flex: true}, {title: "replaced", drop: 1}, {title: "calls", right: true, drop: 2},
		{title: "share", right: true, drop: 3}, {title: "can go"},
	}}
	for i := range all {
		r := &all[i]
		can := "not yet"
		if r.Ready {
			can = "yes"
		}
		t.row(tool(r.Server, r.Tool), r.Version, day(r.ReplacedAt), Count(int64(r.OldCalls))+" of "+Count(int64(r.Calls)), Percent(r.Share), can) //nolint:gosec // counts
		t.under(strings.Join(r.NotYet, "; "))
	}
	return t
}
