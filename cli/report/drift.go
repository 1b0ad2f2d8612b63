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
		return note(w, s, "No tool calls and no tool lists were seen.")
	}
	if err := driftTable(r).write(w, s); err != nil {
		return err
	}
	if err := note(w, s, driftNote(r)); err != nil {
		return err
	}
	t := releaseTable(r)
	if len(t.rows) == 0 {
		return nil
	}
	if err := note(w, s, "The releases whose tools changed most, schemas and removals:"); err != nil {
		return err
	}
	return t.write(w, s)
}

// driftTable has a row a tool and model that drifted; the report has the worst first.
func driftTable(r *drift.Report) *table {
	t := &table{columns: []column{
		{title: "tool", flex: true}, {title: "model", flex: true, drop: 2}, {title: "calls", right: true}, {title: "drifted", right: true, drop: 4},
		{title: "ratio", right: true}, {title: "95 % interval", drop: 3}, {title: "because", flex: true, drop: 1},
	}}
	for i := range r.Tools {
		d := &r.Tools[i]
		if d.Drifted == 0 || len(t.rows) == maxTools {
			break
		}
		t.row(tool(d.Server, d.Tool), d.Model, Count(int64(d.Calls)), Count(int64(d.Drifted)), Percent(d.Ratio),
			fmt.Sprintf("%.1f-%.1f %%", 100*d.CILow, 100*d.CIHigh), because(d))
	}
	return t
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
			parts = append(parts, Count(int64(x.n))+" "+x.word)
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
			parts = append(parts, fmt.Sprintf("%s held against a schema, %s of them drifted", Plural(int64(judged), "call"), Count(int64(r.Drifted))))
		}
		if r.Unjudged > 0 && judged > 0 {
			parts = append(parts, Plural(int64(r.Unjudged), "call")+" of tools whose schema is not known")
		}
	}
	if n := len(r.Definitions); n > 0 {
		parts = append(parts, Plural(int64(n), "change")+" from one tool list to the next")
	}
	return strings.Join(parts, "; ") + "."
}

// releaseTable has a row a change of tool lists that changed a schema or removed a tool, the largest share first.
func releaseTable(r *drift.Report) *table {
	t := &table{columns: []column{
		{title: "server", flex: true, drop: 3}, {title: "release", flex: true}, {title: "tools", right: true, drop: 5}, {title: "added", right: true, drop: 2},
		{title: "removed", right: true, drop: 4}, {title: "schemas", right: true}, {title: "definitions", right: true, drop: 1}, {title: "share", right: true},
	}}
	for _, d := range worstReleases(r.Definitions) {
		t.row(cmp.Or(d.Server, d.Agent), d.From+" -> "+d.To, fmt.Sprintf("%d -> %d", d.ToolsBefore, d.ToolsAfter), Count(int64(d.Added)),
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
	return changed[:min(len(changed), maxReleases)]
}
