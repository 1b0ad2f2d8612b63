package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tooltrail/tooltrail/prefix"
)

const (
	// maxAgents and maxDays are how many agents and days the tables show: the agents that lost most, and the last days.
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
	return writeDays(w, r, s)
}

// writeDays shows the last days, where there are several, and compares them with the dearest.
func writeDays(w io.Writer, r *prefix.Report, s Style) error {
	if len(r.Days) < 2 {
		return nil
	}
	t := spentTable("day")
	n := s.most(maxDays, len(r.Days))
	for i := range r.Days[len(r.Days)-n:] {
		d := &r.Days[len(r.Days)-n+i]
		spentRow(t, d.Day, &d.Spent)
	}
	title := "By day, in UTC:"
	if n < len(r.Days) {
		title = "The last " + strconv.Itoa(n) + " days with requests, in UTC:"
	}
	if err := titled(w, s, title, t, len(r.Days), n, "day"); err != nil {
		return err
	}
	return Note(w, dearestDay(r.Days), s)
}

// dearestDay names the day that cost most and holds it against the others, and the day that lost most where it is another.
func dearestDay(days []prefix.DaySpent) string {
	dear := slices.MaxFunc(days, func(a, b prefix.DaySpent) int { return cmp.Compare(dollars(a.CostUSD), dollars(b.CostUSD)) })
	worst := slices.MaxFunc(days, func(a, b prefix.DaySpent) int {
		return cmp.Or(cmp.Compare(dollars(a.LostUSD), dollars(b.LostUSD)), cmp.Compare(a.TokensLost, b.TokensLost))
	})
	var text string
	if dear.CostUSD != nil && *dear.CostUSD > 0 {
		text = "The dearest day was " + dear.Day + ": " + USD(*dear.CostUSD) + timesOthers(days, dear) + "; breaks are " + leastLost(&dear.Spent) + " of it."
	}
	if worst.Breaks > 0 && (text == "" || worst.Day != dear.Day) {
		text += " Most was lost on " + worst.Day + ": " + Tokens(worst.TokensLost) + " tokens, " + leastUSD(worst.LostUSD, worst.UnpricedBreaks) + "."
	}
	return strings.TrimSpace(text)
}

// timesOthers holds a day's cost against the mean of the other days whose cost is known.
func timesOthers(days []prefix.DaySpent, of prefix.DaySpent) string {
	var sum, n float64
	for i := range days {
		if days[i].Day != of.Day && days[i].CostUSD != nil {
			sum, n = sum+*days[i].CostUSD, n+1
		}
	}
	if sum == 0 {
		return ""
	}
	return fmt.Sprintf(", %.1f times the mean of the other days (%s)", *of.CostUSD/(sum/n), USD(sum/n))
}

func leastLost(x *prefix.Spent) string {
	if x.Breaks == 0 {
		return USD(0)
	}
	return leastUSD(x.LostUSD, x.UnpricedBreaks)
}

func spentTable(of string) *table {
	return &table{columns: []column{
		{title: of, flex: of == "agent"}, {title: "requests", right: true, drop: 2}, {title: "breaks", right: true, drop: 3},
		{title: "tokens lost", right: true, drop: 4}, {title: "lost", right: true}, {title: "whole cost", right: true, drop: 1},
	}}
}

func spentRow(t *table, name string, x *prefix.Spent) {
	t.row(named(name), Count(x.Requests), Count(x.Breaks), Tokens(x.TokensLost), leastLost(x), optionalUSD(x.CostUSD))
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
