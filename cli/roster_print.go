package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/cli/report"
)

// rosterCheck is what roster lint says.
type rosterCheck struct {
	Passed bool `json:"passed"`
	// Lists are the lists of tools that were looked at, as server and release.
	Lists []rosterList `json:"lists"`
	activation.LintReport
}

// rosterList is one server's list of tools.
type rosterList struct {
	Server  string `json:"server,omitzero"`
	Release string `json:"release,omitzero"`
}

func (p *program) printRoster(c *rosterCheck, o rosterOptions, file string) error {
	switch {
	case o.json:
		return p.printJSON(c)
	case o.github:
		return p.buffered(func(w io.Writer) { annotateRoster(w, c, file) })
	}
	return p.buffered(func(w io.Writer) { writeRoster(w, c) })
}

// annotateRoster prints what is wrong, without notes.
func annotateRoster(w io.Writer, c *rosterCheck, file string) {
	for i := range c.Findings {
		if f := &c.Findings[i]; f.Level != activation.LintNote {
			annotation(w, string(f.Level), file, strings.TrimSuffix(f.Rule+": "+toolsText(f.Tools), ": "), f.Text+lostText(f))
		}
	}
}

// maxLostShown is how much of a lost text is printed for people, in characters; JSON has all of it.
const maxLostShown = 160

// maxNameShown is how much of a name is printed for people, in characters.
const maxNameShown = 80

// maxToolsShown is how many names of a finding are printed for people.
const maxToolsShown = 8

func writeRoster(w io.Writer, c *rosterCheck) {
	for i := range c.Findings {
		f := &c.Findings[i]
		about := ""
		if len(f.Tools) > 0 {
			about = report.Safe(toolsText(f.Tools)) + ": "
		}
		_, _ = fmt.Fprintf(w, "%-7s  %-20s %s%s\n", f.Level, f.Rule, about, report.Safe(f.Text))
		if lost := strings.TrimPrefix(lostText(f), "; "); lost != "" {
			_, _ = fmt.Fprintf(w, "         %s\n", report.Safe(lost))
		}
	}
	writeRosterSize(w, c)
	verdict := "passed"
	if !c.Passed {
		verdict = "failed"
	}
	_, _ = fmt.Fprintf(w, "%s: %s, %s, %s\n", verdict, report.Plural(int64(c.Count(activation.LintError)), "error"),
		report.Plural(int64(c.Count(activation.LintWarning)), "warning"), report.Plural(int64(c.Count(activation.LintNote)), "note"))
}

func toolsText(names []string) string {
	var shown []string
	for _, name := range names[:min(len(names), maxToolsShown)] {
		shown = append(shown, report.Cut(name, maxNameShown))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - maxToolsShown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// lostText says what a cut took.
func lostText(f *activation.LintFinding) string {
	if f.Lost == "" {
		return ""
	}
	text := "; lost"
	if len(f.LostWords) > 0 {
		text += ", with the words " + strings.Join(f.LostWords, ", ")
	}
	return text + ": " + report.Cut(f.Lost, maxLostShown)
}

func writeRosterSize(w io.Writer, c *rosterCheck) {
	s := &c.Size
	_, _ = fmt.Fprintf(w, "%s%s: about %s as a roster, about %s with all definitions (estimates: %s a token)\n",
		report.Plural(int64(c.Tools), "tool"), listsText(c.Lists), report.Plural(s.RosterTokens, "token"), report.Plural(s.DefinitionTokens, "token"),
		bytesText(s.Cost.BytesPerToken))
	if s.SearchFrom > 0 {
		_, _ = fmt.Fprintf(w, "from about %s of this size on, a search takes fewer tokens than a roster (%s a conversation, %s an answer: assumptions)\n",
			report.Plural(s.SearchFrom, "tool"), searchesText(s.Cost.Searches), report.Plural(s.Cost.SearchHits, "tool"))
	}
}

func searchesText(n int64) string {
	if n == 1 {
		return "1 search"
	}
	return report.Count(n) + " searches"
}

func bytesText(n float64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%g bytes", n)
}

// maxListsShown is how many lists of tools are named for people.
const maxListsShown = 4

// listsText says whose tools these are, and of which release.
func listsText(lists []rosterList) string {
	var all []string
	for _, l := range lists[:min(len(lists), maxListsShown)] {
		if text := strings.TrimSpace(l.Server + " " + l.Release); text != "" {
			all = append(all, report.Safe(text))
		}
	}
	if more := len(lists) - maxListsShown; more > 0 {
		all = append(all, fmt.Sprintf("%d more", more))
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}
