package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/finding"
)

// severityColours are the colours of severities.
var severityColours = map[finding.Severity]string{finding.Critical: red, finding.Warning: yellow, finding.Info: cyan}

// Findings prints up to limit findings in the order given, each with what to do; a limit of 0 prints all.
func Findings(w io.Writer, fs []finding.Finding, s Style, limit int) error {
	for i := range fs {
		if limit > 0 && i == limit {
			return note(w, s, fmt.Sprintf("And %s more.", Count(int64(len(fs)-limit))))
		}
		if _, err := io.WriteString(w, findingText(&fs[i], s)); err != nil {
			return err
		}
	}
	return nil
}

// findingText is a finding on a line or more, and its action behind an arrow.
func findingText(f *finding.Finding, s Style) string {
	const tag = len("critical ")
	pad := strings.Repeat(" ", tag)
	head := wrap(f.Title, indent+pad, indent+pad, s.textWidth())
	label := s.paint(severityColours[f.Severity], Safe(fmt.Sprintf("%-*s", tag, f.Severity)))
	text := indent + label + head[len(indent)+tag:]
	if f.Action == "" {
		return text
	}
	return text + wrap(f.Action, indent+pad+"-> ", indent+pad+"   ", s.textWidth())
}

// tally says how many findings of each severity there are.
func tally(fs []finding.Finding) string {
	n := map[finding.Severity]int64{}
	for i := range fs {
		n[fs[i].Severity]++
	}
	var parts []string
	for _, k := range []struct {
		s    finding.Severity
		word string
	}{{finding.Critical, "critical"}, {finding.Warning, "warning"}, {finding.Info, "info"}} {
		if n[k.s] > 0 {
			word := k.word
			if k.s == finding.Warning && n[k.s] > 1 {
				word += "s"
			}
			parts = append(parts, Count(n[k.s])+" "+word)
		}
	}
	if len(parts) == 0 {
		return "no findings"
	}
	return Plural(int64(len(fs)), "finding") + ": " + strings.Join(parts, ", ")
}

// FindingList prints stored findings, each with when it was seen and its state.
func FindingList(w io.Writer, fs []finding.Finding, s Style) error {
	if len(fs) == 0 {
		return note(w, s, "No findings.")
	}
	for i := range fs {
		f := &fs[i]
		seen := fmt.Sprintf("%s/%s %s, first seen %s, last %s", f.Detector, f.Rule, f.State, minute(f.FirstSeen), minute(f.LastSeen))
		pad := strings.Repeat(" ", len("critical "))
		text := findingText(f, s) + s.paint(dim, wrap(seen, indent+pad, indent+pad, s.textWidth()))
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
