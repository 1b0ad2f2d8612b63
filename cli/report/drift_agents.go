package report

import (
	"cmp"
	"io"

	"github.com/tooltrail/tooltrail/drift"
)

// writeAgentVersions lists the ratios by agent version, over all and within each window, where all is to be listed; rows without a
// drifted call are left out.
func writeAgentVersions(w io.Writer, r *drift.Report, s Style) error {
	if !s.All {
		return nil
	}
	t := &table{columns: []column{
		{title: "tool", flex: true}, {title: "agent", flex: true, drop: 2}, {title: "version", flex: true}, {title: "within", drop: 3},
		{title: "calls", right: true, drop: 1}, {title: "drifted", right: true}, {title: "ratio", right: true},
	}}
	agentRows(t, "all", r.ByAgentVersion)
	for i := range r.Windows {
		if win := &r.Windows[i]; win.Calls > 0 && win.Calls < r.Calls {
			agentRows(t, win.Window, win.ByAgentVersion)
		}
	}
	if len(t.rows) == 0 {
		return nil
	}
	if err := note(w, s, "By agent version:"); err != nil {
		return err
	}
	return t.write(w, s)
}

func agentRows(t *table, within string, all []drift.ToolDrift) {
	for i := range all {
		if d := &all[i]; d.Drifted > 0 {
			t.row(tool(d.Server, d.Tool), cmp.Or(d.Agent, "-"), cmp.Or(d.AgentVersion, "-"), within, Count(int64(d.Calls)), Count(int64(d.Drifted)), Percent(d.Ratio)) //nolint:gosec // counts
		}
	}
}
