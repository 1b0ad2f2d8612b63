package store

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/tooltrail/tooltrail/finding"
)

// findingRow is a finding as its table has it.
type findingRow struct {
	Fingerprint  string             `ch:"fingerprint"`
	Version      uint64             `ch:"version"`
	Detector     string             `ch:"detector"`
	Rule         string             `ch:"rule"`
	Severity     string             `ch:"severity"`
	Server       string             `ch:"server"`
	Tool         string             `ch:"tool"`
	Model        string             `ch:"model"`
	Agent        string             `ch:"agent"`
	Conversation string             `ch:"conversation"`
	Release      string             `ch:"release"`
	From         time.Time          `ch:"window_from"`
	To           time.Time          `ch:"window_to"`
	Numbers      map[string]float64 `ch:"numbers"`
	Title        string             `ch:"title"`
	Action       string             `ch:"action"`
	Example      string             `ch:"example"`
	FirstSeen    time.Time          `ch:"first_seen"`
	LastSeen     time.Time          `ch:"last_seen"`
	State        string             `ch:"state"` // empty when it is written
	MutedUntil   time.Time          `ch:"muted_until"`
	Runbook      string             `ch:"runbook"`
	Owner        string             `ch:"owner"`
	Team         string             `ch:"team"`
	Environment  string             `ch:"environment"`
	Agents       []string           `ch:"agents"`
	Environments []string           `ch:"environments"`
	Teams        []string           `ch:"teams"`
	Began        time.Time          `ch:"began"`
	LastEvent    time.Time          `ch:"last_event"`
	Changes      string             `ch:"changes"`
}

// newFindingRow returns a row for a finding that was not stored before.
func newFindingRow(f finding.Finding, now time.Time) *findingRow {
	r := &findingRow{
		Fingerprint: f.Fingerprint, Version: nextVersion(0, now), Detector: f.Detector, Rule: f.Rule, Severity: string(f.Severity),
		Server: f.Subject.Server, Tool: f.Subject.Tool, Model: f.Subject.Model, Agent: f.Subject.Agent,
		Conversation: f.Subject.Conversation, Release: f.Subject.Release,
		From: storable(f.Window.From), To: storable(f.Window.To), Numbers: f.Numbers, Title: f.Title, Action: f.Action, Example: f.Example,
		FirstSeen: f.FirstSeen, LastSeen: f.LastSeen, Runbook: f.Runbook, Owner: f.Owner, Team: f.Team, Environment: f.Environment,
		Agents: f.Seen.Agents, Environments: f.Seen.Environments, Teams: f.Seen.Teams,
		Began: storable(f.Began), LastEvent: storable(f.LastEvent), Changes: encodeChanges(f.Changes),
	}
	if r.Numbers == nil {
		r.Numbers = map[string]float64{}
	}
	if r.LastSeen.IsZero() {
		r.LastSeen = now
	}
	if r.FirstSeen.IsZero() {
		r.FirstSeen = r.LastSeen
	}
	if r.LastEvent.After(r.LastSeen) { // a clock that is ahead does not open findings that are resolved later
		r.LastEvent = r.LastSeen
	}
	return r
}

// encodeChanges returns JSON, and nothing for none.
func encodeChanges(all []finding.Change) string {
	if len(all) == 0 {
		return ""
	}
	data, err := json.Marshal(all)
	if err != nil { // times and texts
		return ""
	}
	return string(data)
}

// decodeChanges reads what encodeChanges wrote; what can't be read is none.
func decodeChanges(text string) (all []finding.Change) {
	if text != "" {
		_ = json.Unmarshal([]byte(text), &all)
	}
	return all
}

// keep takes over what outlives a new sight of the same finding.
func (r *findingRow) keep(old *findingRow) {
	if old == nil {
		return
	}
	r.Version = max(r.Version, old.Version+1)
	if known(old.Began).After(time.Time{}) {
		r.Began, r.Changes = old.Began, old.Changes
	}
	if old.LastEvent.After(r.LastEvent) {
		r.LastEvent = old.LastEvent
	}
	r.Agents, r.Environments, r.Teams = both(r.Agents, old.Agents), both(r.Environments, old.Environments), both(r.Teams, old.Teams)
	if old.FirstSeen.Before(r.FirstSeen) {
		r.FirstSeen = old.FirstSeen
	}
	if old.LastSeen.After(r.LastSeen) {
		r.LastSeen = old.LastSeen
	}
}

// both returns the names of two lists in order, at most [finding.MaxPlaces].
func both(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	all = slices.Compact(all)
	return all[:min(len(all), finding.MaxPlaces)]
}

// sighting returns how the fact stands.
func (r *findingRow) sighting() finding.Sighting {
	return finding.Sighting{Seen: r.LastSeen, Event: known(r.LastEvent), Severity: finding.Severity(r.Severity)}
}

// nextVersion returns a version that is over old, even where clocks differ.
func nextVersion(old uint64, now time.Time) uint64 {
	return max(old+1, uint64(now.UnixNano())) //nolint:gosec // after 1970
}

// finding returns the row as others know it.
func (r *findingRow) finding() finding.Finding {
	f := finding.Finding{
		Detector: r.Detector, Rule: r.Rule, Severity: finding.Severity(r.Severity),
		Subject: finding.Subject{
			Server: r.Server, Tool: r.Tool, Model: r.Model, Agent: r.Agent, Conversation: r.Conversation, Release: r.Release,
		},
		Window: finding.Window{From: known(r.From), To: known(r.To)},
		Title:  r.Title, Action: r.Action, Example: r.Example, Fingerprint: r.Fingerprint,
		FirstSeen: known(r.FirstSeen), LastSeen: known(r.LastSeen), Runbook: r.Runbook, Owner: r.Owner, Team: r.Team, Environment: r.Environment,
		Seen:  finding.Places{Agents: both(r.Agents, nil), Environments: both(r.Environments, nil), Teams: both(r.Teams, nil)},
		Began: known(r.Began), LastEvent: known(r.LastEvent), Changes: decodeChanges(r.Changes),
	}
	if len(r.Numbers) > 0 {
		f.Numbers = r.Numbers
	}
	return f
}

// known returns t, and the zero time for 1970-01-01, which stands for it.
func known(t time.Time) time.Time {
	if t.Unix() == 0 && t.Nanosecond() == 0 {
		return time.Time{}
	}
	return t.UTC()
}
