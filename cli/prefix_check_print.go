package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tooltrail/tooltrail/cli/report"
)

// summary says what was looked at, and what the breaks came to.
func (c *prefixCheck) summary() string {
	text := report.Plural(c.Totals.Requests, "request") + " in " + report.Plural(int64(c.Conversations), "conversation") +
		" from " + report.Plural(int64(c.Files), "file") + "."
	if c.BadLines > 0 {
		text += " " + report.Plural(int64(c.BadLines), "line") + " left out."
	}
	if c.Totals.Requests == 0 {
		return text
	}
	return text + " " + strings.Join(c.Totals.Text(), " ")
}

// verdict are the last lines of the check.
func (c *prefixCheck) verdict() []string {
	switch {
	case !c.Passed:
		var all []string
		for _, r := range c.Reasons {
			all = append(all, "failed: "+r)
		}
		return all
	case c.MaxLost == nil && c.MaxCost == nil:
		return []string{"passed: no limit was given; --max-lost and --max-cost set one"}
	}
	return []string{"passed"}
}

// writePrefixCheck prints the check for a person.
func writePrefixCheck(w io.Writer, c *prefixCheck, s report.Style) error {
	err := report.Note(w, c.summary(), s)
	if len(c.Breaks) > 0 {
		_, _ = fmt.Fprintln(w)
		err = errors.Join(err, report.WriteBreaks(w, c.Breaks, s))
	}
	if len(c.Risks) > 0 {
		_, _ = fmt.Fprintln(w)
		err = errors.Join(err, report.WriteRisks(w, c.Risks, s))
	}
	for _, line := range c.verdict() {
		_, wrote := fmt.Fprintln(w, report.Safe(line))
		err = errors.Join(err, wrote)
	}
	return err
}

// maxAnnotations is how many breaks are annotated: GitHub shows ten annotations of a step and a level.
const maxAnnotations = 10

// annotatePrefixCheck prints why the check failed, and the dearest breaks.
func annotatePrefixCheck(w io.Writer, c *prefixCheck, file string, all bool) {
	file = annotated(file)
	level := "notice"
	if !c.Passed {
		level = "error"
	}
	for _, r := range c.Reasons {
		annotation(w, "error", file, "prefix check failed", r)
	}
	for i := range c.Breaks {
		if i+len(c.Reasons) >= maxAnnotations && !all {
			annotation(w, "notice", file, "prefix check", fmt.Sprintf("%d more breaks; --all lists them", len(c.Breaks)-i))
			break
		}
		b := &c.Breaks[i]
		lost := "unknown tokens"
		if b.TokensLost != nil {
			lost = report.Count(*b.TokensLost) + " tokens"
		}
		annotation(w, level, annotated(b.File), string(b.Verdict)+": "+lost+", "+report.FineUSD(b.LostUSD), b.Place()+": "+b.Why())
	}
	for i := range c.Risks[:min(len(c.Risks), max(0, maxAnnotations-len(c.Breaks)-len(c.Reasons)-1))] {
		annotation(w, "notice", file, "prefix check: a risk", c.Risks[i].Text())
	}
	annotation(w, "notice", file, "prefix check", c.summary())
}

// annotated is the file of an annotation; standard input is none.
func annotated(file string) string {
	if file == "-" {
		return ""
	}
	return file
}
