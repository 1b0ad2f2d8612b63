package drift

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Markdown writes a changelog, the newest release first.
func (c *Changelog) Markdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	_, _ = b.WriteString("# Changelog of tool schemas\n")
	for _, e := range slices.Backward(c.Entries) {
		writeEntry(b, &e)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write changelog: %w", err)
	}
	return nil
}

func writeEntry(b *bufio.Writer, e *Entry) {
	title := plain(nameOr(e.Release))
	if !e.At.IsZero() {
		title += " - " + e.At.UTC().Format("2006-01-02")
	}
	_, _ = fmt.Fprintf(b, "\n## %s\n\n", title)
	if e.First {
		_, _ = fmt.Fprintf(b, "First release that is known. Tools: %d.\n", e.After)
		return
	}
	for _, f := range e.Flags {
		_, _ = fmt.Fprintf(b, "> **%s**: %s: %s\n\n", f.Rule, plain(f.Text), codes(f.Tools))
	}
	for _, name := range e.Removed {
		_, _ = fmt.Fprintf(b, "- **breaking** removed %s%s\n", code(name), movedTo(e.Renames, name))
	}
	for _, name := range e.Added {
		_, _ = fmt.Fprintf(b, "- added %s\n", code(name))
	}
	var texts []string
	for i := range e.Changed {
		c := &e.Changed[i]
		if c.Count(Breaking)+c.Count(UnknownClass)+c.Count(NonBreaking) == 0 && !c.hasHints() {
			texts = append(texts, c.Tool)
			continue
		}
		writeTool(b, c)
	}
	if len(texts) > 0 {
		_, _ = fmt.Fprintf(b, "- descriptions and titles alone: %s\n", codes(texts))
	}
	if len(e.Removed)+len(e.Added)+len(e.Changed) == 0 {
		_, _ = b.WriteString("No tool changed.\n")
	}
}

func (c *Comparison) hasHints() bool {
	return slices.ContainsFunc(c.Changes, func(ch Change) bool { return ch.Aspect == AspectAnnotation })
}

func movedTo(renames []ToolRename, name string) string {
	for i := range renames {
		if renames[i].From == name {
			return ": " + plain(renames[i].Text())
		}
	}
	return ""
}

// writeTool writes a tool's changes, the gravest first.
func writeTool(b *bufio.Writer, c *Comparison) {
	_, _ = fmt.Fprintf(b, "- %s changed %s\n", className(c.Class), code(c.Tool))
	for _, class := range []Class{Breaking, UnknownClass, NonBreaking} {
		for i := range c.Changes {
			ch := &c.Changes[i]
			if ch.Class != class || ch.Aspect == AspectDescription {
				continue
			}
			_, _ = fmt.Fprintf(b, "  - %s %s %s\n", className(class), code(ch.Path), plain(ch.Text()))
			if ch.Witness != nil {
				_, _ = fmt.Fprintf(b, "    - for instance %s\n", plain(ch.Witness.Text()))
			}
		}
	}
	for i := range c.Renames {
		_, _ = fmt.Fprintf(b, "  - hint: %s\n", plain(c.Renames[i].Text()))
	}
}

func className(c Class) string {
	switch c {
	case Breaking:
		return "**breaking**"
	case UnknownClass:
		return "*unknown*"
	}
	return "non-breaking"
}

// plain keeps text from being read as Markdown or HTML, on one line.
func plain(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 127 }), " ")
	return escapeMarkdown.Replace(text)
}

var escapeMarkdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", ">", "&gt;", "[", `\[`, "]", `\]`, "|", `\|`)

// code sets text as code, on one line.
func code(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 127 }), " ")
	if strings.Contains(text, "`") {
		return "`` " + strings.ReplaceAll(text, "``", "` `") + " ``"
	}
	return "`" + text + "`"
}

func codes(names []string) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = code(n)
	}
	return strings.Join(all, ", ")
}
