package drift

import (
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// SwitchState is whether a tool may be called.
type SwitchState string

// The states of a switch.
const (
	// SwitchDisabled refuses every call.
	SwitchDisabled SwitchState = "disabled"
	// SwitchProbing lets one call through, that of the client which claimed it, and refuses the others.
	SwitchProbing SwitchState = "probing"
	// SwitchEnabled refuses none. Until Until, where it is set, the breaker does not disable the tool either.
	SwitchEnabled SwitchState = "enabled"
)

// Switch says whether a tool may be called: one value of the bucket tooltrail_breaker, as JSON. A tool without one may.
type Switch struct {
	Server string `json:"server,omitzero"`
	Tool   string `json:"tool"`
	// Agent is set where the switch is for the calls of one agent alone.
	Agent string      `json:"agent,omitzero"`
	State SwitchState `json:"state"`
	Since time.Time   `json:"since"`
	// Until ends the state: a disabled tool is enabled then, an enabled one can be disabled again. Zero is until somebody changes it.
	Until time.Time `json:"until,omitzero"`
	// ProbeAfter is from when on a client may claim one probe call; zero is never.
	ProbeAfter time.Time `json:"probe_after,omitzero"`
	// ProbeBy is the client that claimed the probe, ProbeAt when. After ProbeSeconds without a result another one may claim it; 0 is never.
	ProbeBy      string    `json:"probe_by,omitzero"`
	ProbeAt      time.Time `json:"probe_at,omitzero"`
	ProbeSeconds float64   `json:"probe_seconds,omitzero"`
	By           string    `json:"by"`
	Reason       string    `json:"reason"`
	// Version is the schema version whose calls failed, ErrorCount how many did in a row, Errors where the last of them did, at most
	// [MaxSwitchErrors].
	Version    string                   `json:"version,omitzero"`
	ErrorCount int                      `json:"error_count,omitzero"`
	Errors     []events.ValidationError `json:"errors,omitzero"`
	// Conversations are those the failed calls were of, at most [MaxSwitchConversations]; ConversationCount counts all.
	Conversations     []string `json:"conversations,omitzero"`
	ConversationCount int      `json:"conversation_count,omitzero"`
	// AlertedAt is when the breaker would have disabled the tool and only told people, AlertOnly why it did no more.
	AlertedAt time.Time `json:"alerted_at,omitzero"`
	AlertOnly AlertOnly `json:"alert_only,omitzero"`
	// Told says that people were told of what the breaker decided: its finding is published.
	Told bool `json:"told,omitzero"`
	// Epoch and Seq are the place in the event stream up to which calls count no more.
	Epoch string `json:"epoch,omitzero"`
	Seq   uint64 `json:"seq,omitzero"`
}

const (
	// MaxSwitchConversations is how many conversations a switch names.
	MaxSwitchConversations = 8
	// MaxSwitchErrors is how many places of the last failed call a switch has.
	MaxSwitchErrors = 8
)

// AlertOnly is why the breaker tells people and disables nothing.
type AlertOnly string

// The reasons to alert only.
const (
	// AlertDryRun is for all tools, while the breaker is on trial.
	AlertDryRun AlertOnly = "dry_run"
	// AlertCritical is for a tool that its owner can't do without.
	AlertCritical AlertOnly = "critical"
	// AlertKept is for a tool that somebody enabled until a time that has not come.
	AlertKept AlertOnly = "kept_enabled"
	// AlertCanary is for calls of a version on trial: they take the tool from nobody else.
	AlertCanary AlertOnly = "canary"
)

// Refuses reports whether calls are refused at a time. While a probe is due or under way it reports true: who claims it decides.
func (s *Switch) Refuses(now time.Time) bool {
	if s == nil || s.State == SwitchEnabled {
		return false
	}
	return s.Until.IsZero() || now.Before(s.Until)
}

// Message says to a model that the tool is disabled, why and since when: another answer than that there is no such tool.
func (s *Switch) Message() string {
	return named(s.Server, s.Tool) + " is disabled: " + s.Reason + ", since " + s.Since.UTC().Format(time.RFC3339) +
		". It exists and is loaded; do not call it again until it is enabled."
}
