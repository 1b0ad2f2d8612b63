package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/panels"
)

// chart is what the script draws a time series from.
type chart struct {
	Title string `json:"title"`
	// Times are seconds since 1970, in order; Step is how far apart points are.
	Times   []int64 `json:"times"`
	Step    int64   `json:"step"`
	Series  []line  `json:"series"`
	Unit    string  `json:"unit"`
	Stacked bool    `json:"stacked"`
	Limits  []limit `json:"limits"`
	// From and To are the ends of the range, in seconds.
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// line is one line; a value that is not known is null.
type line struct {
	Label  string     `json:"label"`
	Values []*float64 `json:"values"`
}

// limit is a threshold.
type limit struct {
	Over  float64 `json:"over"`
	Level string  `json:"level"`
	Text  string  `json:"text"`
}

// maxLabel is how long the name of a line is at most, in characters.
const maxLabel = 80

// newChart makes a chart of a panel's rows.
func (d *drawing) newChart(p panels.Panel, rows []record) *chart {
	c := &chart{
		Title: p.Title, Step: int64(d.asked.scope.Step() / time.Second), Unit: string(p.Unit), Stacked: p.Stacked, Limits: limits(p),
		From: d.asked.scope.From.Unix(), To: d.asked.scope.To.Unix(),
	}
	c.Times = times(rows)
	if strings.Contains(p.SQL, "$__timeInterval(") {
		c.Times = withGaps(c.Times, c.Step)
	}
	at := map[string]int{}
	for _, row := range rows {
		t, _ := row["time"].(time.Time)
		i, _ := slices.BinarySearch(c.Times, t.Unix())
		for _, column := range p.Columns {
			n, ok := number(row[column.Name])
			if !ok {
				continue
			}
			label := lineLabel(p, column, row)
			j, seen := at[label]
			if !seen {
				j = len(c.Series)
				at[label] = j
				c.Series = append(c.Series, line{Label: label, Values: make([]*float64, len(c.Times))})
			}
			c.Series[j].Values[i] = &n
		}
	}
	if p.Stacked {
		slices.SortStableFunc(c.Series, func(a, b line) int { return cmp.Compare(b.sum(), a.sum()) })
	}
	return c
}

// sum is what the values of a line come to. The largest is stacked first: it is at the bottom, and its colour is the first.
func (l line) sum() float64 {
	var all float64
	for _, v := range l.Values {
		if v != nil {
			all += *v
		}
	}
	return all
}

// lineLabel names a line: by its series, by its column, or by both where there are several of each.
func lineLabel(p panels.Panel, c panels.Column, row record) string {
	series, has := row["series"]
	name := clean(text(series), maxLabel)
	switch {
	case !has:
		return c.Title
	case len(p.Columns) > 1:
		return cmp.Or(name, "(none)") + ": " + c.Title
	}
	return cmp.Or(name, "(none)")
}

func times(rows []record) []int64 {
	var all []int64
	for _, row := range rows {
		if t, ok := row["time"].(time.Time); ok {
			all = append(all, t.Unix())
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// withGaps puts a moment behind each one that has none a step later, so that no line leads over what is not known and bars are a step wide.
func withGaps(all []int64, step int64) []int64 {
	out := make([]int64, 0, len(all))
	for i, t := range all {
		if out = append(out, t); i+1 < len(all) && all[i+1] > t+step {
			out = append(out, t+step)
		}
	}
	return out
}

func limits(p panels.Panel) []limit {
	all := []limit{}
	for _, t := range p.Thresholds {
		all = append(all, limit{t.Over, string(t.Level), format(p.Unit, t.Over)})
	}
	return all
}

// inWords says what thresholds a panel has.
func inWords(p panels.Panel) string {
	if strings.Contains(p.Description, "%") {
		return "" // it says them itself
	}
	said := ""
	for _, t := range p.Thresholds {
		over := "over "
		if t.OrEqual {
			over = "from "
		}
		if said != "" {
			said += ", "
		}
		said += over + format(p.Unit, t.Over) + " is " + string(t.Level)
	}
	return said
}

// chartTable is a chart's points as a table, for who does not see it.
func (c *chart) chartTable(p panels.Panel) *table {
	t := &table{ID: p.ID, Caption: p.Title, Headers: []header{{Name: "time", Title: "Time", Sort: "none"}}}
	for i, s := range c.Series {
		t.Headers = append(t.Headers, header{Name: "s" + strconv.Itoa(i), Title: s.Label, Number: true, Sort: "none"})
	}
	for i, at := range c.Times {
		if !slices.ContainsFunc(c.Series, func(s line) bool { return s.Values[i] != nil }) {
			continue
		}
		row := []cell{timeCell(time.Unix(at, 0))}
		for _, s := range c.Series {
			if s.Values[i] == nil {
				row = append(row, cell{Text: unknown, Number: true})
				continue
			}
			row = append(row, newCell(p, panels.Column{}, *s.Values[i]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
