// Package finding is what an analyzer says: one fact, the numbers it rests on and what to do about it.
package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// Severity is how urgent a finding is.
type Severity string

// The severities, the mildest first.
const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Rank orders severities: 0 for info, 2 for critical, -1 for none of them.
func (s Severity) Rank() int {
	switch s {
	case Info:
		return 0
	case Warning:
		return 1
	case Critical:
		return 2
	}
	return -1
}

// State is where a finding is in its life.
type State string

// The states of a finding.
const (
	Open         State = "open"
	Acknowledged State = "acknowledged"
	Muted        State = "muted"
	Resolved     State = "resolved"
)

// Window is a span of event time, from inclusive, to exclusive. The zero Window is all of time.
type Window struct {
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
}

// Queries take an open end of a window as these: events are of the years 1970 to 2199.
var (
	beginning = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	end       = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Args returns the arguments of a query over the window: its ends in microseconds since 1970, to exclusive, and what else the query
// takes.
func (w Window) Args(more ...any) []any {
	if w.From.IsZero() {
		w.From = beginning
	}
	if w.To.IsZero() {
		w.To = end
	}
	return append([]any{w.From.UnixMicro(), w.To.UnixMicro()}, more...)
}

// Subject is what a finding is about; empty fields do not matter to it.
type Subject struct {
	Server       string `json:"server,omitzero"`
	Tool         string `json:"tool,omitzero"`
	Model        string `json:"model,omitzero"`
	Agent        string `json:"agent,omitzero"`
	Conversation string `json:"conversation,omitzero"`
	Release      string `json:"release,omitzero"`
}

// Finding is one fact. The same fact found again has the same fingerprint.
type Finding struct {
	// Detector is drift, prefix or activation.
	Detector string   `json:"detector"`
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Subject  Subject  `json:"subject"`
	Window   Window   `json:"window,omitzero"`
	// Numbers are what it rests on, by name; units are part of the name (tokens_lost, cost_usd, ratio).
	Numbers map[string]float64 `json:"numbers,omitzero"`
	// Title says what is the case, Action in one sentence what to do.
	Title  string `json:"title"`
	Action string `json:"action"`
	// Example is JSON that shows what the action speaks of, such as the smallest valid arguments of a schema.
	Example     string    `json:"example,omitzero"`
	Fingerprint string    `json:"fingerprint"`
	FirstSeen   time.Time `json:"first_seen,omitzero"`
	LastSeen    time.Time `json:"last_seen,omitzero"`
	State       State     `json:"state,omitzero"`
	MutedUntil  time.Time `json:"muted_until,omitzero"`
	// StateSince is when it came into its state, StateBy and StateWhy who did that and why; empty for one that was open from the start.
	StateSince time.Time `json:"state_since,omitzero"`
	StateBy    string    `json:"state_by,omitzero"`
	StateWhy   string    `json:"state_why,omitzero"`
	// Reopened is how often it was opened again after it was resolved.
	Reopened int `json:"reopened,omitzero"`
	// Owner and Team are who is to deal with it, by the settings.
	Owner string `json:"owner,omitzero"`
	Team  string `json:"team,omitzero"`
	// Environment is that of its events where they are all of one.
	Environment string `json:"environment,omitzero"`
	// Seen is where its events were.
	Seen Places `json:"seen_in,omitzero"`
	// Began is when the fact first happened, LastEvent when it last did, by the times of events; zero where that is not known.
	Began     time.Time `json:"began,omitzero"`
	LastEvent time.Time `json:"last_event,omitzero"`
	// Changes are what changed around its start, the nearest and most specific first.
	Changes []Change `json:"changes,omitzero"`
	Runbook string   `json:"runbook,omitzero"`
}

// Places are where events were: names in order, at most [MaxPlaces] each.
type Places struct {
	Agents       []string `json:"agents,omitzero"`
	Environments []string `json:"environments,omitzero"`
	Teams        []string `json:"teams,omitzero"`
}

// MaxPlaces is how many names of a kind are kept with a finding.
const MaxPlaces = 16

// Life returns where the finding is.
func (f *Finding) Life() Life {
	return Life{State: f.State, Since: f.StateSince, Until: f.MutedUntil, By: f.StateBy, Why: f.StateWhy, Reopened: f.Reopened}
}

// Live sets where the finding is.
func (f *Finding) Live(l Life) {
	f.State, f.StateSince, f.MutedUntil, f.StateBy, f.StateWhy, f.Reopened = l.State, l.Since, l.Until, l.By, l.Why, l.Reopened
}

// Sighting returns how the fact stands.
func (f *Finding) Sighting() Sighting {
	return Sighting{Seen: f.LastSeen, Event: f.LastEvent, Severity: f.Severity}
}

// Sign sets the fingerprint from detector, rule and subject: what identifies a fact, without its numbers.
func (f *Finding) Sign() {
	s := f.Subject
	h := sha256.Sum256([]byte(strings.Join([]string{
		f.Detector, f.Rule, s.Server, s.Tool, s.Model, s.Agent, s.Conversation, s.Release,
	}, "\x00")))
	f.Fingerprint = hex.EncodeToString(h[:16])
}
