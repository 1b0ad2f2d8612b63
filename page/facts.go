package page

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/panels"
)

// newFindingData makes what is shown of a finding.
func newFindingData(f *finding.Finding, history []finding.Action, to addresses) findingData {
	return findingData{
		F: f, Level: severityLevel(string(f.Severity)), Times: timesOf(f), Facts: factsOf(f), Numbers: numbersOf(f), Links: linksOf(f, to), History: newestFirst(history),
	}
}

// timesOf lists when a finding was, as far as that is known.
func timesOf(f *finding.Finding) []moment {
	var all []moment
	add := func(name string, t time.Time) {
		if t.Unix() > 0 {
			all = append(all, moment{name, timeCell(t)})
		}
	}
	add("Began", f.Began)
	add("Last happened", f.LastEvent)
	add("First seen", f.FirstSeen)
	add("Last seen", f.LastSeen)
	if f.State == finding.Muted {
		add("Muted until", f.MutedUntil)
	}
	return all
}

// factsOf lists whose the finding is and where its events were.
func factsOf(f *finding.Finding) []fact {
	var all []fact
	add := func(name string, values ...string) {
		if v := listText(slices.DeleteFunc(values, func(s string) bool { return s == "" })); v != "" {
			all = append(all, fact{Name: name, Value: clean(v, maxShown)})
		}
	}
	add("Server", f.Subject.Server)
	add("Tool", f.Subject.Tool)
	add("Model", f.Subject.Model)
	add("Agent", f.Subject.Agent)
	add("Conversation", f.Subject.Conversation)
	add("Release", f.Subject.Release)
	add("Owner", f.Owner)
	add("Team", f.Team)
	add("Environment", f.Environment)
	add("Agents", slices.Clone(f.Seen.Agents)...)
	add("Environments", slices.Clone(f.Seen.Environments)...)
	add("Teams", slices.Clone(f.Seen.Teams)...)
	add("Rule", f.Detector+" / "+f.Rule)
	return all
}

// numbersOf lists the numbers that a finding rests on, in the units that their names say.
func numbersOf(f *finding.Finding) []fact {
	var all []fact
	for _, name := range slices.Sorted(maps.Keys(f.Numbers)) {
		all = append(all, fact{Name: numberName(name), Value: format(unitOf(name), f.Numbers[name])})
	}
	return all
}

// numberName says a number's name in words.
func numberName(name string) string {
	switch name {
	case "ci_low":
		return "At least, with 95 % confidence"
	case "ci_high":
		return "At most, with 95 % confidence"
	}
	words := strings.ReplaceAll(name, "_", " ")
	first := firstRunes(words, 1)
	return strings.ToUpper(first) + strings.TrimPrefix(words, first)
}

// unitOf is the unit that a number's name says.
func unitOf(name string) panels.Unit {
	switch {
	case strings.Contains(name, "usd"):
		return panels.USD
	case strings.HasSuffix(name, "ratio") || strings.HasSuffix(name, "share") || strings.HasPrefix(name, "ci_"):
		return panels.Ratio
	case strings.HasSuffix(name, "seconds"):
		return panels.Seconds
	}
	return panels.Count
}

// around is how much more than the finding's own time its links show.
const around = time.Hour

// linksOf leads from a finding to where it is seen, over the time in which it happened.
func linksOf(f *finding.Finding, to addresses) []navItem {
	a := asked{}
	a.scope.From, a.scope.To = beginning(f).Add(-around), maxTime(f.LastEvent, f.LastSeen).Add(around)
	if f.Window.From.After(time.Unix(0, 0)) && f.Window.From.Before(a.scope.From) {
		a.scope.From = f.Window.From
	}
	if !a.scope.From.Before(a.scope.To) || beginning(f).IsZero() {
		a = asked{last: defaultSpan}
	}
	s := f.Subject
	a.scope.Server, a.scope.Tool, a.scope.Model, a.scope.Agent, a.scope.Conversation = s.Server, s.Tool, s.Model, s.Agent, s.Conversation
	var all []navItem
	add := func(title, href string) {
		if href != "" {
			all = append(all, navItem{Title: title, Href: href})
		}
	}
	if v, ok := panels.Find(f.Detector); ok {
		add("See it in "+v.Title+", narrowed to this", to.view(v, a))
	}
	if v, ok := panels.Find(panels.Conversation); ok && s.Conversation != "" {
		add("What happened in the conversation", to.view(v, a))
	}
	if name := panels.Runbook(f.Rule, string(f.Severity)); name != "" {
		add("Runbook "+name, to.runbook(name))
	}
	return all
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// newestFirst turns a history round.
func newestFirst(history []finding.Action) []finding.Action {
	h := slices.Clone(history)
	slices.Reverse(h)
	return h
}
