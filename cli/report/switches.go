package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// switchColours are the colours of a switch's states.
var switchColours = map[drift.SwitchState]string{drift.SwitchDisabled: red, drift.SwitchProbing: yellow, drift.SwitchEnabled: green}

// SwitchList prints switches in the order given, each with its reason and what it rests on.
func SwitchList(w io.Writer, all []drift.Switch, now time.Time, s Style) error {
	t := &table{columns: []column{
		{title: "state"}, {title: "tool", flex: true}, {title: "agent", flex: true, drop: 2}, {title: "since", drop: 3}, {title: "until"}, {title: "by", flex: true, drop: 1},
	}}
	for i := range all {
		sw := &all[i]
		state := sw.State
		if state != drift.SwitchEnabled && !sw.Refuses(now) {
			state = drift.SwitchEnabled // its time is over
		}
		t.row(string(state), drift.Key{Server: sw.Server, Tool: sw.Tool}.String(), sw.Agent, minute(sw.Since), minuteOr(sw.Until, "-"), sw.By)
		t.rows[len(t.rows)-1][0].colour = switchColours[state]
		t.under(switchText(sw, now))
	}
	return t.write(w, s)
}

// alertWords say why the breaker left a tool enabled.
var alertWords = map[drift.AlertOnly]string{
	drift.AlertDryRun: "the breaker is on trial", drift.AlertCritical: "the tool is critical", drift.AlertKept: "somebody keeps it enabled",
	drift.AlertCanary: "its canary failed",
}

// minuteOr is a time to the minute, or what stands for none.
func minuteOr(t time.Time, none string) string {
	if t.IsZero() {
		return none
	}
	return minute(t)
}

// switchText says why a switch is as it is.
func switchText(sw *drift.Switch, now time.Time) string {
	all := []string{sw.Reason}
	if sw.State != drift.SwitchEnabled && !sw.Refuses(now) {
		all = append(all, "no longer "+string(sw.State)+": the time is over")
	}
	if n := max(sw.ConversationCount, len(sw.Conversations)); n > 0 {
		all = append(all, Plural(int64(n), "conversation")+" ("+firstOf(sw.Conversations, n)+")")
	}
	if sw.Version != "" {
		all = append(all, "schema version "+sw.Version)
	}
	for _, e := range sw.Errors {
		all = append(all, errorText(e))
	}
	if why := alertWords[sw.AlertOnly]; why != "" {
		all = append(all, "not disabled at "+minute(sw.AlertedAt)+": "+why)
	}
	switch {
	case sw.State == drift.SwitchProbing && sw.ProbeBy != "":
		all = append(all, fmt.Sprintf("%s tries one call since %s", sw.ProbeBy, minute(sw.ProbeAt)))
	case sw.State == drift.SwitchDisabled && !sw.ProbeAfter.IsZero():
		all = append(all, "one call may be tried from "+minute(sw.ProbeAfter)+" on")
	}
	return strings.Join(notEmpty(all), "; ")
}

// firstOf lists names and marks that there are more.
func firstOf(names []string, n int) string {
	text := strings.Join(names, ", ")
	if n > len(names) {
		text += ", ..."
	}
	return text
}

func notEmpty(all []string) []string {
	out := all[:0]
	for _, s := range all {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// errorText says what failed where.
func errorText(e events.ValidationError) string {
	at := e.Path
	if at == "" {
		at = "/"
	}
	text := e.Keyword + " at " + at
	if e.Message != "" {
		text += " (" + e.Message + ")"
	}
	return text
}
