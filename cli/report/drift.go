package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/drift"
)

// maxTools and maxReleases are how many rows the tables show.
const (
	maxTools    = 8
	maxReleases = 8
)

// writeDrift answers: do models still call tools by an old schema?
func writeDrift(w io.Writer, r *drift.Report, s Style) error {
	if err := section(w, s, "Drift", "do models still call tools by an old schema?"); err != nil {
		return err
	}
	if r.Calls == 0 && len(r.Definitions) == 0 {
		return note(w, s, "No tool calls were seen, and no tool list changed from one to the next.")
	}
	if err := writeDrifted(w, r, s); err != nil {
		return err
	}
	if err := note(w, s, driftNote(r)); err != nil {
		return err
	}
	if err := Note(w, windowsNote(r), s); err != nil {
		return err
	}
	if err := writeAgentVersions(w, r, s); err != nil {
		return err
	}
	if err := writeVersions(w, r, s); err != nil {
		return err
	}
	return writeReleases(w, r, s)
}

// writeReleases lists the changes of tool lists, the largest first.
func writeReleases(w io.Writer, r *drift.Report, s Style) error {
	changed := worstReleases(r.Definitions)
	if len(changed) == 0 {
		return nil
	}
	if err := note(w, s, "The releases whose tools changed most, schemas and removals:"); err != nil {
		return err
	}
	if err := releaseTable(changed[:s.most(maxReleases, len(changed))]).write(w, s); err != nil {
		return err
	}
	return more(w, s, len(changed), maxReleases, "release")
}

// writeDrifted lists the tools that drifted, the worst first.
func writeDrifted(w io.Writer, r *drift.Report, s Style) error {
	drifted := driftedTools(r)
	if err := driftTable(drifted[:s.most(maxTools, len(drifted))], r, s.Width > 0).write(w, s); err != nil {
		return err
	}
	return more(w, s, len(drifted), maxTools, "tool")
}

// driftedTools are the tools that drifted, whatever the model; the report has the worst first.
func driftedTools(r *drift.Report) []drift.ToolDrift {
	var all []drift.ToolDrift
	for i := range r.ByTool {
		if r.ByTool[i].Drifted > 0 {
			all = append(all, r.ByTool[i])
		}
	}
	return all
}

// driftTable has a row a tool, with its models in one line below. On a terminal the reasons stand there too: they are too long for a column.
func driftTable(drifted []drift.ToolDrift, r *drift.Report, terminal bool) *table {
	t := &table{columns: []column{
		{title: "tool", flex: true}, {title: "calls", right: true, drop: 4}, {title: "drifted", right: true, drop: 3},
		{title: "ratio", right: true}, {title: "95 % interval", drop: 1},
	}}
	if !terminal {
		t.columns = append(t.columns, column{title: "because", flex: true})
	}
	for i := range drifted {
		d := &drifted[i]
		cells := []string{tool(d.Server, d.Tool), Count(int64(d.Calls)), Count(int64(d.Drifted)), Percent(d.Ratio),
			fmt.Sprintf("%.1f-%.1f %%", 100*d.CILow, 100*d.CIHigh)}
		if terminal {
			t.row(cells...)
			t.under(strings.Join(notEmpty([]string{because(d), driftedModels(r, d)}), "; "))
			continue
		}
		t.row(append(cells, because(d))...)
		t.under(driftedModels(r, d))
	}
	return t
}

// driftedModels names the models whose calls of a tool drifted, with the ratio of each.
func driftedModels(r *drift.Report, of *drift.ToolDrift) string {
	var all []string
	for i := range r.Tools {
		d := &r.Tools[i]
		if d.Server != of.Server || d.Tool != of.Tool || d.Drifted == 0 {
			continue
		}
		if d.Model != "" || d.Calls != of.Calls {
			all = append(all, cmp.Or(d.Model, "(no model named)")+" "+Percent(d.Ratio))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "by " + strings.Join(all, ", ")
}

// because lists the reasons of a tool's drift, the most frequent first.
func because(d *drift.ToolDrift) string {
	reasons := []struct {
		n    uint64
		word string
	}{
		{d.OldVersion, "old version"}, {d.SilentDefault, "silent default"}, {d.UnknownArgument, "unknown argument"},
		{d.ValidationError, "validation error"},
	}
	slices.SortStableFunc(reasons, func(a, b struct {
		n    uint64
		word string
	}) int {
		return cmp.Compare(b.n, a.n)
	})
	var parts []string
	for _, x := range reasons {
		if x.n > 0 {
			parts = append(parts, Plural(int64(x.n), x.word))
		}
	}
	return strings.Join(parts, ", ")
}

// tool names a tool with its server.
func tool(server, name string) string {
	if server == "" {
		return named(name)
	}
	return server + "/" + name
}

// driftNote says what was looked at.
func driftNote(r *drift.Report) string {
	var parts []string
	if r.Calls > 0 {
		judged := r.Calls - r.Unjudged
		switch {
		case judged == 0:
			parts = append(parts, Plural(int64(r.Calls), "call")+", and the schema of none of the tools called is known")
		case r.Drifted == 0:
			parts = append(parts, Plural(int64(judged), "call")+" held against a schema, and none drifted")
		default:
			parts = append(parts, Plural(int64(judged), "call")+" held against a schema, "+ofThem(r.Drifted, judged)+" drifted")
		}
		if r.Unjudged > 0 && judged > 0 {
			parts = append(parts, Plural(int64(r.Unjudged), "call")+" of tools whose schema is not known")
		}
	}
	if n := len(r.Definitions); n > 0 {
		parts = append(parts, Plural(int64(n), "change")+" from one tool list to the next")
	}
	if r.FlagsUnchecked > 0 {
		parts = append(parts, Plural(int64(r.FlagsUnchecked), "change")+" of definitions were too many to be compared")
	}
	return strings.Join(parts, "; ") + "."
}

// releaseTable has a row a change of tool lists that changed a schema or removed a tool, the largest share first.
func releaseTable(changed []drift.DefinitionChange) *table {
	t := &table{columns: []column{
		{title: "server", flex: true}, {title: "release", flex: true}, {title: "since", drop: 1}, {title: "tools", right: true, drop: 5}, {title: "added", right: true, drop: 3},
		{title: "removed", right: true, drop: 4}, {title: "schemas", right: true, drop: 6}, {title: "definitions", right: true, drop: 2}, {title: "share", right: true},
	}}
	for _, d := range changed {
		t.row(cmp.Or(d.Server, d.Agent), d.From+" -> "+d.To, day(d.At), Count(int64(d.ToolsBefore))+" -> "+Count(int64(d.ToolsAfter)), Count(int64(d.Added)),
			Count(int64(d.Removed)), Count(int64(d.SchemaChanged)), Count(int64(d.DefinitionChanged)), Percent(d.SchemaRatio))
	}
	return t
}

func worstReleases(all []drift.DefinitionChange) []drift.DefinitionChange {
	var changed []drift.DefinitionChange
	for i := range all {
		if all[i].SchemaRatio > 0 {
			changed = append(changed, all[i])
		}
	}
	slices.SortStableFunc(changed, func(a, b drift.DefinitionChange) int { return cmp.Compare(b.SchemaRatio, a.SchemaRatio) })
	return changed
}
