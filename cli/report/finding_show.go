package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tooltrail/tooltrail/finding"
)

// FindingPage prints all of one finding: the fact, where it is, what changed around its start, its history, and the commands to go on with.
func FindingPage(w io.Writer, f *finding.Finding, history []finding.Action, next []string, s Style) error {
	var b strings.Builder
	b.WriteString(findingText(trouble{Finding: f}, s) + "\n")
	for _, field := range findingFields(f) {
		const label = len("fingerprint  ")
		if field[1] != "" {
			b.WriteString(wrap(field[1], fmt.Sprintf("%s%-*s", indent, label, field[0]), indent+strings.Repeat(" ", label), s.textWidth()))
		}
	}
	heading(&b, "Around its start", s)
	for _, c := range f.Changes {
		b.WriteString(wrap(minute(c.At)+"  "+capital(c.Text)+".", indent, indent+strings.Repeat(" ", len("2006-01-02 15:04  ")), s.textWidth()))
	}
	if len(f.Changes) == 0 {
		b.WriteString(wrap(nothingChanged(f), indent, indent, s.textWidth()))
	}
	heading(&b, "History", s)
	b.WriteString(wrap(minute(f.FirstSeen)+"  first seen", indent, indent, s.textWidth()))
	for i := range history {
		b.WriteString(wrap(historyText(&history[i]), indent, indent+strings.Repeat(" ", len("2006-01-02 15:04  ")), s.textWidth()))
	}
	heading(&b, "Go on with", s)
	for _, command := range next {
		b.WriteString(indent + Safe(command) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func heading(b *strings.Builder, title string, s Style) {
	b.WriteString("\n" + s.paint(bold, title) + "\n")
}

// nothingChanged says why nothing is named.
func nothingChanged(f *finding.Finding) string {
	if f.Began.IsZero() {
		return "Nothing is known of when it began."
	}
	return "Nothing that concerns it is known to have changed in the day before it began."
}

// findingFields are what is known of a finding, by name.
func findingFields(f *finding.Finding) [][2]string {
	state := stateText(f)
	if !f.StateSince.IsZero() {
		state += " since " + minute(f.StateSince)
	}
	if f.StateWhy != "" {
		state += ": " + f.StateWhy
	}
	if f.Reopened > 0 {
		state += " (reopened " + times(f.Reopened) + ")"
	}
	fields := [][2]string{
		{"fingerprint", f.Fingerprint}, {"rule", f.Detector + "/" + f.Rule}, {"state", state}, {"owner", strings.TrimPrefix(ownerText(f), "owner ")},
		{"subject", subjectText(f.Subject)}, {"seen in", placesText(&f.Seen)},
	}
	if !f.Began.IsZero() {
		fields = append(fields, [2]string{"began", minute(f.Began)})
	}
	if f.LastEvent.After(f.Began) && !f.Began.IsZero() {
		fields = append(fields, [2]string{"last event", minute(f.LastEvent)})
	}
	return append(fields, [2]string{"seen", minute(f.FirstSeen) + " to " + minute(f.LastSeen)}, [2]string{"numbers", numbersText(f.Numbers)}, [2]string{"runbook", f.Runbook})
}

func subjectText(s finding.Subject) string {
	var all []string
	for _, p := range [][2]string{
		{"tool", strings.TrimPrefix(s.Server+"/"+s.Tool, "/")}, {"model", s.Model}, {"agent", s.Agent}, {"conversation", s.Conversation}, {"release", s.Release},
	} {
		if strings.Trim(p[1], "/") != "" {
			all = append(all, p[0]+" "+p[1])
		}
	}
	text := strings.Join(all, ", ")
	if s.Tool == "" {
		text = strings.Replace(text, "tool "+s.Server+"/", "server "+s.Server, 1)
	}
	return text
}

func placesText(p *finding.Places) string {
	var all []string
	for _, of := range []struct {
		word  string
		names []string
	}{{"agent", p.Agents}, {"environment", p.Environments}, {"team", p.Teams}} {
		if n := len(of.names); n > 0 {
			word := of.word
			if n > 1 {
				word += "s"
			}
			all = append(all, word+" "+strings.Join(of.names, ", "))
		}
	}
	return strings.Join(all, "; ")
}

func numbersText(numbers map[string]float64) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		all = append(all, name+" "+strconv.FormatFloat(numbers[name], 'g', 6, 64))
	}
	return strings.Join(all, ", ")
}

// acts say what was done.
var acts = map[finding.Act]string{finding.Acknowledge: "acknowledged", finding.Mute: "muted", finding.Resolve: "resolved", finding.Reopen: "opened again"}

func historyText(a *finding.Action) string {
	text := minute(a.At) + "  " + acts[a.Act]
	if a.Act == finding.Mute {
		text += " until " + minute(a.Until)
	}
	return text + " by " + a.By + ": " + a.Why
}
