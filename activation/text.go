package activation

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
)

// TextOptions are the limits of a roster's text. A field that is zero is as the roster's [RosterSettings] say, whose defaults [DefaultTextOptions]
// has. They belong to an agent's release: other options make another text, and a text that changes in a conversation costs its whole cache.
type TextOptions struct {
	// SummaryLimit is the longest summary of a tool, in characters, the mark of a cut included.
	SummaryLimit int `yaml:"summary_limit"`
	// DescriptionLimit is the longest description of a server, in characters, the mark of a cut included.
	DescriptionLimit int `yaml:"description_limit"`
	// ArgumentLimit is how many required arguments of a tool are named; of the rest the number is said.
	ArgumentLimit int `yaml:"argument_limit"`
	// Loader is the name of the tool that loads others, for the header; empty leaves it to the agent's prompt.
	Loader string `yaml:"loader"`
	// Header takes the place of [Header], as it is.
	Header string `yaml:"header"`
}

// DefaultTextOptions returns the limits of docs/design.md: summaries of 300 characters and six arguments. That of a server's
// description is ours: 1000 characters, some 250 tokens, paid once a server.
func DefaultTextOptions() TextOptions {
	return TextOptions{SummaryLimit: 300, DescriptionLimit: 1000, ArgumentLimit: 6}
}

// minText is the shortest limit of a text, in characters: the mark of a cut and a word.
const minText = 16

// Validate reports limits that make no sense, each by its name in a settings file.
func (o TextOptions) Validate() error { return o.orDefault().check() }

// check is [TextOptions.Validate] where zero stands for nothing else.
func (o TextOptions) check() error {
	return errors.Join(checkLeast("summary_limit", int64(o.SummaryLimit), minText),
		checkLeast("description_limit", int64(o.DescriptionLimit), minText), checkLeast("argument_limit", int64(o.ArgumentLimit), 1))
}

func (o TextOptions) orDefault() TextOptions { return o.or(DefaultTextOptions()) }

// or returns the options of d for what is zero.
func (o TextOptions) or(d TextOptions) TextOptions {
	o.Loader, o.Header = cmp.Or(o.Loader, d.Loader), cmp.Or(o.Header, d.Header)
	o.SummaryLimit = cmp.Or(o.SummaryLimit, d.SummaryLimit)
	o.DescriptionLimit = cmp.Or(o.DescriptionLimit, d.DescriptionLimit)
	o.ArgumentLimit = cmp.Or(o.ArgumentLimit, d.ArgumentLimit)
	return o
}

// Text writes the roster for a model: a header that says how to use it, and every tool that is allowed and whose server is
// connected, once, grouped by server and sorted, with its required arguments and a summary. The same set of tools makes the same bytes, whatever
// order they came in and whatever is loaded: make it once a conversation, and keep it. What others wrote can't break out of its
// line; a name of other characters than [A-Za-z0-9_.:/-] is quoted and escaped, so that look-alikes are told apart. The text is for a
// model: escape it before it goes into HTML.
func (r *Roster) Text(o TextOptions) string {
	o = r.textOptions(o)
	t := textWriter{options: o}
	t.b.WriteString(cmp.Or(o.Header, Header(o.Loader)))
	for i, e := range r.book().byServer {
		if i == 0 || e.server != t.server {
			t.group(e.server, r.descriptions[e.server])
		}
		t.tool(e)
	}
	return t.b.String()
}

// textOptions returns the options in force: those given, and for what is zero those of the roster's settings.
func (r *Roster) textOptions(o TextOptions) TextOptions {
	return o.or(r.settings.Roster.Text).orDefault()
}

// Header returns the header of a roster's text, which is the same for any set of tools. The loader is the name of the tool that
// loads others; it may be empty.
func Header(loader string) string {
	by := ""
	if loader != "" {
		by = " with " + quoteName(loader)
	}
	return `# Tools

Tools that can be loaded: name(required arguments): summary. A tool can be called once its definition has been loaded.
- Load` + by + ` by exact name, as written here. A name that is neither here nor callable already does not exist: never guess one.
- Load together, in one go, the tool that does the work and the tools that supply its arguments, such as the search that finds the id it needs.
- Call what is already callable; don't load it again.
- What was loaded can be called from your next message on, and stays callable.
- "` + cutMark + `" marks a summary that was cut; the definition has all of it.
`
}

// textWriter writes a roster's text.
type textWriter struct {
	options TextOptions
	b       strings.Builder
	// server is that of the group being written.
	server string
}

// group begins the tools of a server.
func (t *textWriter) group(server, description string) {
	t.server = server
	t.b.WriteString("\n## ")
	if server == "" {
		t.b.WriteString("The agent's own tools")
	} else {
		t.b.WriteString("Server " + quoteName(server))
	}
	t.b.WriteByte('\n')
	if text := shortText(description, t.options.DescriptionLimit); text != "" {
		t.b.WriteString("> " + text + "\n")
	}
}

// tool writes the line of a tool.
func (t *textWriter) tool(e *entry) {
	t.b.WriteString("- " + quoteName(e.name))
	t.arguments(e.required)
	if summary := shortText(e.description, t.options.SummaryLimit); summary != "" {
		t.b.WriteString(": " + summary)
	}
	t.b.WriteByte('\n')
}

// arguments writes the names of required arguments, and how many more there are.
func (t *textWriter) arguments(names []string) {
	if len(names) == 0 {
		return
	}
	shown := names[:min(len(names), max(t.options.ArgumentLimit, 0))]
	t.b.WriteByte('(')
	for i, name := range shown {
		if i > 0 {
			t.b.WriteString(", ")
		}
		t.b.WriteString(quoteName(name))
	}
	if more := len(names) - len(shown); more > 0 {
		t.b.WriteString(", +" + strconv.Itoa(more) + " more")
	}
	t.b.WriteByte(')')
}
