package report

import (
	"io"
	"strings"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/events"
)

// maxFindings is how many findings a report lists.
const maxFindings = 12

// Write prints a report: what was looked at, a table per question, and the findings with what to do next.
func Write(w io.Writer, r *analyzer.Report, s Style) error {
	if err := writeHead(w, r, s); err != nil {
		return err
	}
	for _, part := range r.Incomplete {
		if err := note(w, s, "Incomplete, and what it leaves empty says nothing: "+Safe(part)+"."); err != nil {
			return err
		}
	}
	if lookedAt(r) == 0 {
		return nil
	}
	if err := writeDrift(w, &r.Drift, s); err != nil {
		return err
	}
	if err := writePrefix(w, &r.Prefix, s); err != nil {
		return err
	}
	if err := writeActivation(w, r, s); err != nil {
		return err
	}
	if err := writeFailures(w, r, s); err != nil {
		return err
	}
	return writeNext(w, r, s)
}

// writeHead says what was looked at.
func writeHead(w io.Writer, r *analyzer.Report, s Style) error {
	if lookedAt(r) == 0 {
		return note(w, s, "Nothing to look at: no calls, requests, activations or tool definitions in "+span(r)+"."+refused(r.DeadLetters))
	}
	text := strings.Join(parts(r), ", ") + "; " + span(r) + "."
	if cost := costs(r); cost != "" {
		text += " " + cost
	}
	if err := note(w, s, text+refused(r.DeadLetters)); err != nil {
		return err
	}
	return nil
}

// lookedAt is how many events there are that say something of tools.
func lookedAt(r *analyzer.Report) int64 {
	var n int64
	for kind, count := range r.Events {
		if kind != string(events.KindClientHeartbeat) {
			n += count
		}
	}
	return n
}

// parts are the figures of the first line; what is not there is left out.
func parts(r *analyzer.Report) []string {
	var all []string
	for _, p := range []struct {
		n          int64
		word, more string
	}{
		{r.Conversations, "conversation", ""},
		{r.Events[string(events.KindRequestPrefix)], "model request", ""},
		{r.Calls.Total, "tool call", outcomes(&r.Calls)},
		{r.Events[string(events.KindActivation)], "activation", ""},
		{r.Events[string(events.KindToolRoster)], "tool list", ""},
		{r.Events[string(events.KindToolDefinition)], "tool definition", ""},
	} {
		if p.n > 0 {
			all = append(all, Plural(p.n, p.word)+p.more)
		}
	}
	return all
}

func span(r *analyzer.Report) string {
	switch {
	case !r.FirstEvent.IsZero():
		return Span(r.FirstEvent, r.LastEvent)
	case !r.Window.From.IsZero():
		return Span(r.Window.From, r.Window.To)
	}
	return "all of time"
}

// costs says what the requests cost, by our table and by the source.
func costs(r *analyzer.Report) string {
	var all []string
	if r.CostUSD != nil {
		all = append(all, USD(*r.CostUSD)+" by the price table")
	}
	if r.StatedCostUSD != nil {
		all = append(all, USD(*r.StatedCostUSD)+" as the source states it")
	}
	if len(all) == 0 {
		return ""
	}
	return "Model cost: " + strings.Join(all, ", ") + "."
}

func refused(n int64) string {
	if n == 0 {
		return ""
	}
	return " " + Plural(n, "event") + " could not be stored: tooltrail deadletters list."
}

// writeNext lists the findings, the worst first.
func writeNext(w io.Writer, r *analyzer.Report, s Style) error {
	if err := section(w, s, "What to do next", tally(r.Findings)); err != nil {
		return err
	}
	var err error
	if len(r.Findings) == 0 {
		err = note(w, s, quiet(r))
	} else {
		err = Findings(w, r.Findings, s, maxFindings)
	}
	if err != nil {
		return err
	}
	return Note(w, uncheckedNote(r), s)
}

// section prints a heading and the question that it answers.
func section(w io.Writer, s Style, title, question string) error {
	text := wrap(title+": "+question, "", indent, s.textWidth())
	rest, ok := strings.CutPrefix(text, title)
	if !ok { // wider than the terminal
		rest, title = text, ""
	}
	_, err := io.WriteString(w, "\n"+s.paint(bold, title)+rest)
	return err
}

// Note prints running text; nothing of an empty one.
func Note(w io.Writer, text string, s Style) error {
	if text == "" {
		return nil
	}
	return note(w, s, text)
}

// note prints running text.
func note(w io.Writer, s Style, text string) error {
	_, err := io.WriteString(w, wrap(text, indent, indent, s.textWidth()))
	return err
}
