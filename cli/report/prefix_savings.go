package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/prefix"
)

// maxSavings is how many savings the table shows.
const maxSavings = 5

// writeSavings says what to fix first.
func writeSavings(w io.Writer, r *prefix.Report, s Style) error {
	if len(r.Savings) == 0 {
		return nil
	}
	if err := note(w, s, "What to fix, and what it saves:"); err != nil {
		return err
	}
	several := len(r.Agents) > 1
	t := savingsTable(several)
	for i := range r.Savings[:s.most(maxSavings, len(r.Savings))] {
		x := &r.Savings[i]
		cells := []string{savingText(x), named(x.Agent), Count(x.Breaks), Tokens(x.TokensLost), leastUSD(x.CostUSD, x.Unpriced), optionalUSD(x.USDPerDay)}
		if !several {
			cells = slices.Delete(cells, 1, 2)
		}
		t.row(cells...)
		t.under(x.Fix)
	}
	if err := t.write(w, s); err != nil {
		return err
	}
	return more(w, s, len(r.Savings), maxSavings, "saving")
}

// savingsTable names the agents where there are several.
func savingsTable(several bool) *table {
	t := &table{columns: []column{
		{title: "what changed", flex: true}, {title: "agent", flex: true, drop: 1}, {title: "breaks", right: true, drop: 2},
		{title: "tokens lost", right: true}, {title: "cost", right: true}, {title: "a day", right: true, drop: 3},
	}}
	if !several {
		t.columns = slices.Delete(t.columns, 1, 2)
	}
	return t
}

// savingText says what changed at the breaks of a saving, and why.
func savingText(x *prefix.Saving) string {
	text := string(x.Verdict)
	var parts []string
	if x.SystemBlock != nil {
		parts = append(parts, fmt.Sprintf("block %d", *x.SystemBlock))
	}
	if len(x.Names) > 0 {
		parts = append(parts, listSome(x.Names))
	}
	for _, p := range []string{string(x.Kind), string(x.Rhythm)} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if x.Cause != "" {
		parts = append(parts, "by "+string(x.Cause))
	}
	if len(parts) == 0 {
		return text
	}
	return text + ": " + strings.Join(parts, ", ")
}

// listSome writes up to maxListed names.
func listSome(names []string) string {
	if n := len(names) - maxListed; n > 0 {
		return strings.Join(names[:maxListed], " ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, " ")
}

// causesOf says how many breaks of a verdict have a known cause, the most frequent first; "" where none has.
func causesOf(r *prefix.Report, v prefix.Verdict) string {
	counts := map[prefix.CauseKind]int64{}
	var kinds []prefix.CauseKind
	for i := range r.Savings {
		x := &r.Savings[i]
		if x.Verdict != v || x.Cause == prefix.CauseNone {
			continue
		}
		if counts[x.Cause] == 0 {
			kinds = append(kinds, x.Cause)
		}
		counts[x.Cause] += x.Breaks
	}
	slices.SortStableFunc(kinds, func(a, b prefix.CauseKind) int { return int(counts[b] - counts[a]) })
	var parts []string
	for _, k := range kinds {
		parts = append(parts, Count(counts[k])+" by "+string(k))
	}
	return strings.Join(parts, ", ")
}
