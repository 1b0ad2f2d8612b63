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
	Runbook     string    `json:"runbook,omitzero"`
}

// Sign sets the fingerprint from detector, rule and subject: what identifies a fact, without its numbers.
func (f *Finding) Sign() {
	s := f.Subject
	h := sha256.Sum256([]byte(strings.Join([]string{
		f.Detector, f.Rule, s.Server, s.Tool, s.Model, s.Agent, s.Conversation, s.Release,
	}, "\x00")))
	f.Fingerprint = hex.EncodeToString(h[:16])
}
