package report

import (
	"io"
	"strings"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// ChangeList prints what was done to tools, in the order given; whole says that they are of more than one tool.
func ChangeList(w io.Writer, all []events.ToolChange, whole bool, s Style) error {
	columns := []column{{title: "when"}, {title: "what"}, {title: "version", flex: true, drop: 2}, {title: "agent", flex: true, drop: 1}, {title: "by", flex: true}, {title: "reason", flex: true}}
	if whole {
		columns = append(columns[:1:1], append([]column{{title: "tool", flex: true}}, columns[1:]...)...)
	}
	t := &table{columns: columns}
	for i := range all {
		c := &all[i]
		cells := []string{c.At.UTC().Format("2006-01-02 15:04:05")}
		if whole {
			cells = append(cells, drift.Key{Server: c.Server, Tool: c.Tool}.String())
		}
		t.row(append(cells, strings.ReplaceAll(c.Action, "_", " "), c.Version, c.Agent, c.ChangedBy, c.Reason)...)
	}
	return t.write(w, s)
}
