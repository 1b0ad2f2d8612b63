package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
)

// writeList prints a comparison for a person.
func writeList(w io.Writer, c *drift.ListComparison) {
	for _, name := range c.Removed {
		_, _ = fmt.Fprintf(w, "breaking      %s removed\n", report.Safe(name))
	}
	for i := range c.Renames {
		_, _ = fmt.Fprintf(w, "hint          %s\n", report.Safe(c.Renames[i].Text()))
	}
	for _, name := range c.Added {
		_, _ = fmt.Fprintf(w, "non_breaking  %s added\n", report.Safe(name))
	}
	for i := range c.Changed {
		writeComparison(w, &c.Changed[i])
	}
	_, _ = fmt.Fprintf(w, "%s: %s before, %d after; %d added, %d removed, %d changed", c.Class,
		report.Plural(int64(c.Before), "tool"), c.After, len(c.Added), len(c.Removed), len(c.Changed))
	if c.Rewritten > 0 {
		_, _ = fmt.Fprintf(w, ", %d the same in another notation", c.Rewritten)
	}
	_, _ = fmt.Fprintln(w)
}

func writeComparison(w io.Writer, c *drift.Comparison) {
	_, _ = fmt.Fprintf(w, "%-12s  %s changed\n", c.Class, report.Safe(c.Tool))
	writeChanges(w, c)
}

// writeChanges prints the changes of one tool, below a line that names it.
func writeChanges(w io.Writer, c *drift.Comparison) {
	for i := range c.Changes {
		ch := &c.Changes[i]
		what := string(ch.Class)
		if ch.Aspect == drift.AspectDescription || ch.Aspect == drift.AspectAnnotation {
			what = string(ch.Aspect)
		}
		_, _ = fmt.Fprintf(w, "  %-12s  %s  %s\n", what, report.Safe(orRoot(ch.Path)), report.Safe(ch.Text()))
		if ch.Witness != nil {
			_, _ = fmt.Fprintf(w, "                for instance %s\n", report.Safe(ch.Witness.Text()))
		}
	}
	for i := range c.Renames {
		_, _ = fmt.Fprintf(w, "  hint          %s  %s\n", report.Safe(c.Renames[i].Path), report.Safe(c.Renames[i].Text()))
	}
	if c.Incomplete {
		_, _ = fmt.Fprintln(w, "  unknown       the schemas are too large to be compared whole")
	}
}

func orRoot(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

// annotation prints one annotation of GitHub Actions.
func annotation(w io.Writer, level, file, title, text string) {
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	if isRegistry(file) {
		file = "" // there is no such file to annotate
	}
	if file != "" {
		file = "file=" + property.Replace(report.Safe(file)) + ","
	}
	_, _ = fmt.Fprintf(w, "::%s %stitle=%s::%s\n", level, file, property.Replace(report.Safe(title)), data.Replace(report.Safe(text)))
}

// isRegistry tells what stands for the registry from the path of a file.
func isRegistry(path string) bool {
	return path == registryName || strings.HasPrefix(path, registryName+":")
}

// annotateList prints what may break calls as annotations; breaking has the given level.
func annotateList(w io.Writer, c *drift.ListComparison, file, breaking string) {
	file, _, _ = strings.Cut(file, "@")
	for _, name := range c.Removed {
		annotation(w, breaking, file, "breaking: "+name, "removed"+renameText(c, name))
	}
	for i := range c.Changed {
		tool := &c.Changed[i]
		for j := range tool.Changes {
			ch := &tool.Changes[j]
			text := orRoot(ch.Path) + " " + ch.Text()
			if ch.Witness != nil {
				text += "; for instance " + ch.Witness.Text()
			}
			switch {
			case ch.Aspect != drift.AspectInput && ch.Aspect != drift.AspectMeaning:
			case ch.Class == drift.Breaking:
				annotation(w, breaking, file, "breaking: "+tool.Tool, text)
			case ch.Class == drift.UnknownClass:
				annotation(w, "warning", file, "unknown: "+tool.Tool, text)
			}
		}
	}
}

func renameText(c *drift.ListComparison, name string) string {
	for i := range c.Renames {
		if c.Renames[i].From == name {
			return ": " + c.Renames[i].Text()
		}
	}
	return ""
}

// annotateFlags prints what the versions of a changelog hide.
func annotateFlags(w io.Writer, log *drift.Changelog, file string) {
	for i := range log.Entries {
		e := &log.Entries[i]
		for _, f := range e.Flags {
			annotation(w, "warning", file, f.Rule+" "+e.Release, f.Text+": "+strings.Join(f.Tools, ", "))
		}
	}
}

// safeLines is a text of several lines, each [report.Safe].
func safeLines(text []byte) string {
	lines := strings.Split(string(text), "\n")
	for i := range lines {
		lines[i] = report.Safe(lines[i])
	}
	return strings.Join(lines, "\n")
}
