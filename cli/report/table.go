package report

import (
	"io"
	"strings"
)

// column is one column of a table.
type column struct {
	title string
	// right sets figures flush right.
	right bool
	// flex lets the column be cut when the line is too long.
	flex bool
	// drop is the order in which columns go when cutting does not suffice: 1 first; 0 never goes.
	drop int
}

// table is rows under titles, fitted to a width.
type table struct {
	columns []column
	rows    [][]cell
	// below is text under a row, each in lines of its own, by the row's index; -1 is above the first row.
	below map[int][]string
}

// cell is a text with a colour for all of it.
type cell struct {
	text   string
	colour string
}

const (
	indent = "  "
	gap    = "  "
	// minFlex is how narrow a column gets before another is left out, leastFlex before the line is too long.
	minFlex   = 16
	leastFlex = 6
	// maxCell is where a cell is cut when there is no terminal.
	maxCell = 60
)

// row adds a row; its texts are made safe here.
func (t *table) row(texts ...string) {
	cells := make([]cell, len(texts))
	for i, s := range texts {
		cells[i].text = Safe(s)
	}
	t.rows = append(t.rows, cells)
}

// under puts running text under the last row, below what stands there.
func (t *table) under(text string) {
	if t.below == nil {
		t.below = map[int][]string{}
	}
	if text != "" {
		t.below[len(t.rows)-1] = append(t.below[len(t.rows)-1], text)
	}
}

// write prints the table; one without rows prints nothing.
func (t *table) write(w io.Writer, s Style) error {
	if len(t.rows) == 0 {
		return nil
	}
	widths := t.fit(s.Width)
	var b strings.Builder
	titles := make([]cell, len(t.columns))
	for i, c := range t.columns {
		titles[i] = cell{c.title, dim}
	}
	t.line(&b, s, widths, titles)
	t.writeBelow(&b, s, -1)
	for i, r := range t.rows {
		t.line(&b, s, widths, r)
		t.writeBelow(&b, s, i)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *table) writeBelow(b *strings.Builder, s Style, row int) {
	for _, text := range t.below[row] {
		b.WriteString(wrap(text, indent+indent, indent+indent, s.textWidth()))
	}
}

func (t *table) line(b *strings.Builder, s Style, widths []int, cells []cell) {
	var line strings.Builder
	for i, c := range cells {
		if widths[i] < 0 {
			continue
		}
		if line.Len() > 0 {
			line.WriteString(gap)
		}
		text := Cut(c.text, widths[i])
		pad := strings.Repeat(" ", widths[i]-Width(text))
		if t.columns[i].right {
			line.WriteString(pad + s.paint(c.colour, text))
			continue
		}
		line.WriteString(s.paint(c.colour, text) + pad)
	}
	b.WriteString(indent + strings.TrimRight(line.String(), " ") + "\n")
}

// fit chooses each column's width; a column of -1 is left out.
func (t *table) fit(width int) []int {
	widths := t.natural()
	if width == 0 {
		return widths
	}
	for order := 1; t.excess(widths, width) > 0; order++ {
		t.shrink(widths, t.excess(widths, width), minFlex)
		if t.excess(widths, width) <= 0 || !t.dropOne(widths, order) {
			break
		}
		t.regrow(widths, width)
	}
	t.shrink(widths, t.excess(widths, width), leastFlex)
	return widths
}

// natural is what each column would like: its longest text, up to maxCell.
func (t *table) natural() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = Width(c.title)
		for _, r := range t.rows {
			widths[i] = max(widths[i], min(Width(r[i].text), maxCell))
		}
	}
	return widths
}

func (t *table) excess(widths []int, width int) int {
	total := len(indent) - len(gap)
	for _, n := range widths {
		if n >= 0 {
			total += n + len(gap)
		}
	}
	return total - width
}

// shrink takes excess cells from the widest flexible columns, down to least.
func (t *table) shrink(widths []int, excess, least int) {
	for ; excess > 0; excess-- {
		widest := -1
		for i, c := range t.columns {
			if c.flex && widths[i] > least && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

// dropOne leaves out the column whose turn it is; false when there is none left to drop.
func (t *table) dropOne(widths []int, order int) bool {
	more := false
	for i, c := range t.columns {
		if c.drop == order {
			widths[i] = -1
			return true
		}
		more = more || c.drop > order
	}
	return more
}

// regrow gives flexible columns back what dropping a column has freed.
func (t *table) regrow(widths []int, width int) {
	for i, n := range t.natural() {
		if t.columns[i].flex && widths[i] >= 0 {
			widths[i] = n
		}
	}
	t.shrink(widths, t.excess(widths, width), minFlex)
}

// wrap breaks running text into lines of at most width cells, each behind a lead.
func wrap(text, first, rest string, width int) string {
	var b strings.Builder
	line := first
	empty := true
	for _, word := range strings.Fields(Safe(text)) {
		room := width - Width(line)
		if !empty && Width(word)+1 > room {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, empty, room = rest, true, width-Width(rest)
		}
		if empty {
			line += Cut(word, max(room, minFlex))
		} else {
			line += " " + word
		}
		empty = false
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}
