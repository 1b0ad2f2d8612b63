package report

import (
	"io"

	"github.com/tooltrail/tooltrail/prefix"
)

const (
	// maxAgents and maxDays are how many agents, those that lost most, and days, the last ones, the tables show.
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
	if len(r.Days) > 1 {
		t := spentTable("day")
		for i := len(r.Days) - s.most(maxDays, len(r.Days)); i < len(r.Days); i++ {
			spentRow(t, r.Days[i].Day, &r.Days[i].Spent)
		}
		return titled(w, s, "By day, in UTC:", t, len(r.Days), maxDays, "day")
	}
	return nil
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
