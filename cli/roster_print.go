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
	activation.LintReport
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
			annotation(w, string(f.Level), file, f.Rule+": "+strings.Join(f.Tools, ", "), f.Text+lostText(f))
		}
	}
}

// maxLostShown is how much of a lost text is printed for people, in characters; JSON has all of it.
const maxLostShown = 160

// maxToolsShown is how many names of a finding are printed for people.
const maxToolsShown = 8

func writeRoster(w io.Writer, c *rosterCheck) {
	for i := range c.Findings {
		f := &c.Findings[i]
		about := ""
		if len(f.Tools) > 0 {
			about = " " + report.Safe(toolsText(f.Tools)) + ":"
		}
		_, _ = fmt.Fprintf(w, "%-7s  %-20s %s %s\n", f.Level, f.Rule, strings.TrimPrefix(about, " "), report.Safe(f.Text))
		if lost := strings.TrimPrefix(lostText(f), "; "); lost != "" {
			_, _ = fmt.Fprintf(w, "         %s\n", report.Safe(lost))
		}
	}
	writeRosterSize(w, &c.LintReport)
	verdict := "passed"
	if !c.Passed {
		verdict = "failed"
	}
	_, _ = fmt.Fprintf(w, "%s: %s, %s, %s\n", verdict, report.Plural(int64(c.Count(activation.LintError)), "error"),
		report.Plural(int64(c.Count(activation.LintWarning)), "warning"), report.Plural(int64(c.Count(activation.LintNote)), "note"))
}

func toolsText(names []string) string {
	text := strings.Join(names[:min(len(names), maxToolsShown)], ", ")
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

func writeRosterSize(w io.Writer, r *activation.LintReport) {
	s := &r.Size
	_, _ = fmt.Fprintf(w, "%s: about %s tokens as a roster, about %s with all definitions (estimates, a quarter of the bytes)\n",
		report.Plural(int64(r.Tools), "tool"), report.Count(s.RosterTokens), report.Count(s.DefinitionTokens))
	if s.SearchFrom > 0 {
		_, _ = fmt.Fprintf(w, "from about %s of this size on, a search takes fewer tokens than a roster (%d searches a conversation, %d tools an answer)\n",
			report.Plural(s.SearchFrom, "tool"), s.Cost.Searches, s.Cost.SearchHits)
	}
}
