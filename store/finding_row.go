package store

import (
	"time"

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
	State        string             `ch:"state"`
	MutedUntil   time.Time          `ch:"muted_until"`
	Runbook      string             `ch:"runbook"`
}

// newFindingRow returns a row for a finding that was not stored before.
func newFindingRow(f finding.Finding, now time.Time) *findingRow {
	r := &findingRow{
		Fingerprint: f.Fingerprint, Version: nextVersion(0, now), Detector: f.Detector, Rule: f.Rule, Severity: string(f.Severity),
		Server: f.Subject.Server, Tool: f.Subject.Tool, Model: f.Subject.Model, Agent: f.Subject.Agent,
		Conversation: f.Subject.Conversation, Release: f.Subject.Release,
		From: storable(f.Window.From), To: storable(f.Window.To), Numbers: f.Numbers, Title: f.Title, Action: f.Action, Example: f.Example,
		FirstSeen: f.FirstSeen, LastSeen: f.LastSeen, State: string(f.State), MutedUntil: storable(f.MutedUntil), Runbook: f.Runbook,
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
	if r.State == "" {
		r.State = string(finding.Open)
	}
	return r
}

// keep takes over what outlives a new sight of the same finding.
func (r *findingRow) keep(old *findingRow) {
	if old == nil {
		return
	}
	r.Version = max(r.Version, old.Version+1)
	r.State, r.MutedUntil = old.State, old.MutedUntil
	if old.FirstSeen.Before(r.FirstSeen) {
		r.FirstSeen = old.FirstSeen
	}
	if old.LastSeen.After(r.LastSeen) {
		r.LastSeen = old.LastSeen
	}
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
		FirstSeen: known(r.FirstSeen), LastSeen: known(r.LastSeen), State: finding.State(r.State), MutedUntil: known(r.MutedUntil), Runbook: r.Runbook,
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
