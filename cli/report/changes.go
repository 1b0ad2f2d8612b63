package report

import (
	"io"
	"strings"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// ChangeList prints what was done to tools, in the order given; whole says that they are of more than one tool. On a terminal the reason
// stands below, elsewhere in the same line.
func ChangeList(w io.Writer, all []events.ToolChange, whole bool, s Style) error {
	t := &table{columns: changeColumns(whole, s)}
	for i := range all {
		c := &all[i]
		cells := []string{c.At.UTC().Format("2006-01-02 15:04:05")}
		if whole {
			cells = append(cells, drift.Key{Server: c.Server, Tool: c.Tool}.String())
		}
		cells = append(cells, strings.ReplaceAll(c.Action, "_", " "), c.Version, c.Agent, c.ChangedBy)
		if s.Width == 0 {
			t.row(append(cells, c.Reason)...)
			continue
		}
		t.row(cells...)
		if c.Reason != "" {
			t.under(c.Reason)
		}
	}
	return t.write(w, s)
}

func changeColumns(whole bool, s Style) []column {
	columns := []column{{title: "when"}}
	if whole {
		columns = append(columns, column{title: "tool", flex: true})
	}
	columns = append(columns, column{title: "what", flex: true}, column{title: "version", flex: true, drop: 2}, column{title: "agent", flex: true, drop: 1},
		column{title: "by", flex: true, drop: 3})
	if s.Width == 0 {
		columns = append(columns, column{title: "reason", flex: true})
	}
	return columns
}
