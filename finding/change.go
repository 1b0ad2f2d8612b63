package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ChangeKind is what kind of thing changed.
type ChangeKind string

// What can have changed around the start of a finding.
const (
	// ChangedAgent is a version of an agent that was first seen.
	ChangedAgent ChangeKind = "agent_version"
	// ChangedModel is a model that an agent first used.
	ChangedModel ChangeKind = "model"
	// ChangedSchema is a change in the registry: a version of a tool's schema was registered, activated, retired.
	ChangedSchema ChangeKind = "schema"
	// ChangedDefinition is a definition of a tool that was first seen.
	ChangedDefinition ChangeKind = "definition"
	// ChangedSwitch is a tool that was disabled or enabled.
	ChangedSwitch ChangeKind = "switch"
	// ChangedRelease is a release of a server that was first seen.
	ChangedRelease ChangeKind = "release"
	// ChangedRoster is a list of tools that changed, of a server or of what an agent is offered.
	ChangedRoster ChangeKind = "roster"
	// ChangedSettings are the analyzer's own settings: it may see what it did not look for before.
	ChangedSettings ChangeKind = "settings"
)

const (
	// ChangesBefore is how long before the first event of a fact a change can be to be named.
	ChangesBefore = 24 * time.Hour
	// ChangesAfter is how long after it, since the clocks of machines differ.
	ChangesAfter = time.Minute
	// MaxChanges is how many are named.
	MaxChanges = 5
)

// Happening is something that changed, wherever that was.
type Happening struct {
	Kind                       ChangeKind
	At                         time.Time
	Server, Tool, Agent, Model string
	// Version is the version of an agent or schema, or the release of a server.
	Version string
	// Did says what was done, such as registered or disabled, or why a roster changed; By who did it.
	Did, By string
}

// Start is the first event of a fact.
type Start struct {
	At time.Time
	// Agent, AgentVersion and Model are those of the event.
	Agent, AgentVersion, Model string
}

// Change is something that changed around the start of a finding.
type Change struct {
	Kind ChangeKind `json:"kind"`
	At   time.Time  `json:"at"`
	// Seconds is how long before the first event of the fact it was; negative where it was after.
	Seconds float64 `json:"seconds_before"`
	Server  string  `json:"server,omitzero"`
	Tool    string  `json:"tool,omitzero"`
	Agent   string  `json:"agent,omitzero"`
	Model   string  `json:"model,omitzero"`
	Version string  `json:"version,omitzero"`
	By      string  `json:"by,omitzero"`
	// Text says it in words: began 4 minutes after agent version 12 of desk was first seen.
	Text string `json:"text"`
}

// Changes returns what changed around the start of a finding, the nearest and most specific first. A happening counts only where it is of the
// same tool, of the same server, or of the agent, version and model that the first event of the fact was of.
func Changes(s Subject, start Start, all []Happening) []Change {
	var out []Change
	for i := range all {
		before := start.At.Sub(all[i].At)
		if before > ChangesBefore || before < -ChangesAfter || !concerns(&all[i], s, start) {
			continue
		}
		out = append(out, newChange(&all[i], before))
	}
	slices.SortFunc(out, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(distance(a.Seconds), distance(b.Seconds)),
			cmp.Compare(generality[a.Kind], generality[b.Kind]),
			cmp.Compare(max(a.Seconds, -a.Seconds), max(b.Seconds, -b.Seconds)),
			strings.Compare(a.Text, b.Text),
		)
	})
	out = slices.CompactFunc(out, func(a, b Change) bool { return a.Text == b.Text })
	return out[:min(len(out), MaxChanges)]
}

// generality orders kinds: what concerns one tool says more than what concerns an agent, and that more than what concerns a server.
var generality = map[ChangeKind]int{
	ChangedSwitch: 0, ChangedSchema: 1, ChangedDefinition: 2, ChangedAgent: 3, ChangedModel: 4, ChangedRoster: 5, ChangedRelease: 6, ChangedSettings: 7,
}

// distance sorts a span into few classes, within which the more specific change goes first.
func distance(seconds float64) int {
	for i, limit := range []time.Duration{5 * time.Minute, time.Hour, 6 * time.Hour} {
		if max(seconds, -seconds) <= limit.Seconds() {
			return i
		}
	}
	return 3
}

// concerns reports whether a happening is of what a finding is about.
func concerns(h *Happening, s Subject, start Start) bool {
	agent := start.Agent != "" && h.Agent == start.Agent
	tool := s.Tool != "" && h.Server == s.Server && h.Tool == s.Tool
	switch h.Kind {
	case ChangedAgent:
		return agent && h.Version == start.AgentVersion
	case ChangedModel:
		return agent && h.Model == start.Model
	case ChangedSwitch:
		return tool && (h.Agent == "" || agent)
	case ChangedSchema, ChangedDefinition:
		return tool
	case ChangedRelease:
		return s.Server != "" && h.Server == s.Server && h.Version != s.Release
	case ChangedRoster:
		return agent || h.Agent == "" && s.Server != "" && h.Server == s.Server
	case ChangedSettings:
	}
	return false
}

func newChange(h *Happening, before time.Duration) Change {
	return Change{
		Kind: h.Kind, At: h.At, Seconds: before.Seconds(), Server: h.Server, Tool: h.Tool, Agent: h.Agent, Model: h.Model, Version: h.Version, By: h.By,
		Text: "began " + when(before) + " " + h.what(),
	}
}

// SettingsChange is that the analyzer's settings were changed at a time, for a finding that its first run after that has found and whose fact
// is older.
func SettingsChange(at time.Time, start Start) Change {
	return Change{
		Kind: ChangedSettings, At: at, Seconds: start.At.Sub(at).Seconds(),
		Text: "first seen by the first run after the settings were changed, though it happened before",
	}
}

// what says a happening in words.
func (h *Happening) what() string {
	by := ""
	if h.By != "" {
		by = " by " + h.By
	}
	switch h.Kind {
	case ChangedAgent:
		return "agent version " + h.Version + " of " + h.Agent + " was first seen"
	case ChangedModel:
		return "model " + h.Model + " was first used by " + h.Agent
	case ChangedSchema:
		return strings.TrimPrefix(h.Version+" of "+h.tool(), " of ") + " was " + cmp.Or(h.Did, "changed") + by
	case ChangedSwitch:
		return h.tool() + " was " + cmp.Or(h.Did, "switched") + by
	case ChangedDefinition:
		return "another definition of " + h.tool() + " was first seen"
	case ChangedRelease:
		return "release " + h.Version + " of " + h.Server + " was first seen"
	case ChangedRoster:
		text := "the tools of " + cmp.Or(h.Agent, h.Server) + " changed"
		if h.Did != "" {
			text += " (" + strings.ReplaceAll(h.Did, "_", " ") + ")"
		}
		return text
	case ChangedSettings:
	}
	return "the settings were changed"
}

func (h *Happening) tool() string { return strings.TrimPrefix(h.Server+"/"+h.Tool, "/") }

// when says a span before or after in words.
func when(before time.Duration) string {
	switch {
	case before < 0:
		return span(-before) + " before"
	case before < time.Second:
		return "just when"
	}
	return span(before) + " after"
}

// span says a duration in its largest unit, rounded down.
func span(d time.Duration) string {
	n, unit := int64(d/time.Second), "second"
	switch {
	case d >= 24*time.Hour:
		n, unit = int64(d/(24*time.Hour)), "day"
	case d >= time.Hour:
		n, unit = int64(d/time.Hour), "hour"
	case d >= time.Minute:
		n, unit = int64(d/time.Minute), "minute"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}
