package page

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/tooltrail/tooltrail/panels"
)

// table is a table as a template shows it.
type table struct {
	ID, Caption string
	Headers     []header
	Rows        [][]cell
}

// header is the head of a column.
type header struct {
	Name, Title string
	Number      bool
	// Sort is ascending, descending or none; Href is where it is sorted the other way, without scripts.
	Sort, Href string
}

// newTable makes a table of a panel's rows.
func (d *drawing) newTable(p panels.Panel, rows []record) *table {
	t := &table{ID: p.ID, Caption: p.Title}
	if d.asked.sort.panel == p.ID {
		sortRows(rows, d.asked.sort)
	}
	p.Columns = slices.DeleteFunc(slices.Clone(p.Columns), func(c panels.Column) bool { return saysNothing(c, rows) })
	for _, c := range p.Columns {
		t.Headers = append(t.Headers, d.newHeader(p, c, rows))
	}
	works := len(rows) > 0 && rows[0]["fingerprint"] != nil
	if works {
		t.Headers = slices.Insert(t.Headers, 1, header{Name: "fingerprint", Title: "Finding", Sort: "none"})
	}
	for _, row := range rows {
		cells := make([]cell, 0, len(t.Headers))
		for _, c := range p.Columns {
			cells = append(cells, d.linked(newCell(p, c, row[c.Name]), c.Link, row))
		}
		if works {
			cells = slices.Insert(cells, 1, d.findingCell(text(row["fingerprint"])))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// saysNothing tells that a column of texts is empty in all rows: it would only take room.
func saysNothing(c panels.Column, rows []record) bool {
	for _, row := range rows {
		if s, ok := row[c.Name].(string); !ok || s != "" {
			return false
		}
	}
	return c.Unit == panels.Text
}

// findingCell leads to a finding.
func (d *drawing) findingCell(fingerprint string) cell {
	return cell{Text: firstRunes(clean(fingerprint, 64), 12), Value: fingerprint, Href: d.to.finding(fingerprint), Leads: "This finding and what to do with it"}
}

// linked gives a cell its link.
func (d *drawing) linked(c cell, l *panels.Link, row record) cell {
	if l == nil || c.Text == "" || c.Text == unknown {
		return c
	}
	if c.Href = (linker{d.to, d.asked}).of(l, row); c.Href != "" {
		c.Leads = l.Title
		if c.Rest != "" {
			c.Text = firstRunes(c.Rest, foldFrom) + "…"
			c.Rest = ""
		}
	}
	return c
}

func (d *drawing) newHeader(p panels.Panel, c panels.Column, rows []record) header {
	h := header{Name: c.Name, Title: c.Title, Number: isNumeric(cmp.Or(c.Unit, p.Unit)), Sort: "none"}
	if len(rows) > 0 {
		if _, isText := rows[0][c.Name].(string); isText {
			h.Number = false
		}
	}
	next := sorting{panel: p.ID, column: c.Name, down: h.Number}
	if s := d.asked.sort; s.panel == p.ID && s.column == c.Name {
		h.Sort = "ascending"
		if s.down {
			h.Sort = "descending"
		}
		next.down = !s.down
	}
	h.Href = d.to.sorted(d.view, d.asked, next)
	return h
}

// sortRows sorts rows by a column; what is not known goes last.
func sortRows(rows []record, s sorting) {
	slices.SortStableFunc(rows, func(a, b record) int {
		x, y := a[s.column], b[s.column]
		switch {
		case x == nil || y == nil:
			return cmp.Compare(known(y), known(x))
		case s.down:
			return compare(y, x)
		}
		return compare(x, y)
	})
}

func known(v any) int {
	if v == nil {
		return 0
	}
	return 1
}

func compare(a, b any) int {
	if x, ok := a.(time.Time); ok {
		if y, ok := b.(time.Time); ok {
			return x.Compare(y)
		}
	}
	x, xok := number(a)
	y, yok := number(b)
	if xok && yok {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(text(a), text(b))
}

// newBars makes a table of which one column is drawn too.
func (d *drawing) newBars(p panels.Panel, rows []record) *table {
	t := d.newTable(p, rows)
	last := len(t.Headers) - 1
	column := p.Columns[len(p.Columns)-1].Name
	longest := 0.0
	for _, row := range rows {
		n, _ := number(row[column])
		longest = max(longest, n)
	}
	for i, cells := range t.Rows {
		n, ok := strconv.ParseFloat(cells[last].Value, 64)
		if ok == nil && longest > 0 && n > 0 {
			t.Rows[i][last].Bar = strconv.FormatFloat(max(n/longest*100, 1), 'f', 1, 64) + "%"
		}
	}
	return t
}
