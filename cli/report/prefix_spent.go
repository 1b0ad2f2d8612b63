package report

import (
	"cmp"
	"io"
	"slices"

	"github.com/tooltrail/tooltrail/prefix"
)

const (
	// maxAgents and maxDays are how many agents and days the tables show: those that lost most.
	maxAgents = 5
	maxDays   = 7
)

// writeSpent says what agents and days came to, where there are several.
func writeSpent(w io.Writer, r *prefix.Report, s Style) error {
	if len(r.Agents) > 1 {
		t := spentTable("agent")
		for i := range r.Agents[:s.most(maxAgents, len(r.Agents))] {
			spentRow(t, r.Agents[i].Agent, &r.Agents[i].Spent)
		}
		if err := titled(w, s, "By agent:", t, len(r.Agents), maxAgents, "agent"); err != nil {
			return err
		}
	}
	days := brokenDays(r, s)
	if len(r.Days) < 2 || len(days) == 0 {
		return nil
	}
	t := spentTable("day")
	for _, d := range days {
		spentRow(t, d.Day, &d.Spent)
	}
	title := "By day, in UTC:"
	if len(days) < len(r.Days) {
		title = "The days that lost most, in UTC:"
	}
	return titled(w, s, title, t, len(r.Days), len(days), "day")
}

// brokenDays are the days that lost most, in order; with [Style.All] all of them.
func brokenDays(r *prefix.Report, s Style) []prefix.DaySpent {
	days := slices.Clone(r.Days)
	if s.All {
		return days
	}
	days = slices.DeleteFunc(days, func(d prefix.DaySpent) bool { return d.Breaks == 0 })
	slices.SortStableFunc(days, func(a, b prefix.DaySpent) int {
		return cmp.Or(-cmp.Compare(dollars(a.LostUSD), dollars(b.LostUSD)), -cmp.Compare(a.TokensLost, b.TokensLost))
	})
	days = days[:min(maxDays, len(days))]
	slices.SortFunc(days, func(a, b prefix.DaySpent) int { return cmp.Compare(a.Day, b.Day) })
	return days
}

func spentTable(of string) *table {
	return &table{columns: []column{
		{title: of, flex: of == "agent"}, {title: "requests", right: true, drop: 2}, {title: "breaks", right: true, drop: 3},
		{title: "tokens lost", right: true, drop: 4}, {title: "lost", right: true}, {title: "of all", right: true, drop: 1},
	}}
}

func spentRow(t *table, name string, x *prefix.Spent) {
	lost := optionalUSD(x.LostUSD)
	if x.Breaks == 0 {
		lost = USD(0)
	}
	t.row(named(name), Count(x.Requests), Count(x.Breaks), Tokens(x.TokensLost), lost, optionalUSD(x.CostUSD))
}

// titled prints a table under a line, and says what it leaves out.
func titled(w io.Writer, s Style, title string, t *table, n, limit int, word string) error {
	if err := note(w, s, title); err != nil {
		return err
	}
	if err := t.write(w, s); err != nil {
		return err
	}
	return more(w, s, n, limit, word)
}
