package page

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/panels"
)

// cell is one value as a template shows it.
type cell struct {
	// Text is shown at once, Rest when somebody opens it; Rest is empty where Text is all.
	Text, Rest string
	// Time is the moment for scripts, in RFC 3339; empty for what is none.
	Time string
	// Value is what scripts sort and filter by.
	Value string
	// Href is where it leads, Leads says so.
	Href, Leads string
	// Level is good, warning or critical where the value has one; Word says it.
	Level panels.Level
	Word  string
	// Bar is the share of the longest bar in per cent; empty for none.
	Bar string
	// Number says that it is aligned as numbers are, Short that it is not wrapped.
	Number, Short bool
}

// newCell makes a cell of a column's value.
func newCell(p panels.Panel, c panels.Column, v any) cell {
	unit := cmp.Or(c.Unit, p.Unit)
	if t, ok := v.(time.Time); ok {
		return timeCell(t)
	}
	if n, ok := number(v); ok {
		out := cell{Text: format(unit, n), Value: strconv.FormatFloat(n, 'g', -1, 64), Number: true}
		out.grade(thresholdsOf(p, c), n)
		return out
	}
	if isNumeric(unit) && v == nil {
		return cell{Text: unknown, Number: true}
	}
	return textCell(text(v), c.Unit)
}

func textCell(s string, unit panels.Unit) cell {
	shown := clean(s, maxShown)
	out := cell{Value: shown}
	out.Text, out.Rest = fold(shown)
	out.Short = len(shown) <= maxUnwrapped
	if unit == panels.Severity {
		out.Level, out.Text = severityLevel(s), shown
		out.Value = strconv.Itoa(strings.Index("info    warning critical", s) / 8)
	}
	return out
}

func timeCell(t time.Time) cell {
	if t.Unix() <= 0 {
		return cell{Text: unknown}
	}
	return cell{Text: timeText(t), Time: t.UTC().Format(time.RFC3339Nano), Value: strconv.FormatInt(t.UnixMicro(), 10)}
}

// grade gives a number its level by thresholds.
func (c *cell) grade(thresholds []panels.Threshold, n float64) {
	if len(thresholds) == 0 {
		return
	}
	c.Level = panels.LevelOf(thresholds, n)
	if c.Level != panels.Good {
		c.Word = string(c.Level)
	}
}

func severityLevel(s string) panels.Level {
	switch s {
	case "critical":
		return panels.Bad
	case "warning":
		return panels.Warn
	}
	return panels.Good
}

func thresholdsOf(p panels.Panel, c panels.Column) []panels.Threshold {
	if c.Thresholds != nil {
		return c.Thresholds
	}
	return p.Thresholds
}

// isNumeric says that values of a unit are numbers.
func isNumeric(u panels.Unit) bool {
	return u != panels.Text && u != panels.Time && u != panels.Severity
}
