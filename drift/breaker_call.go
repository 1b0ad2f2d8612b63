package drift

import (
	"cmp"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// SwitchKey names a switch: a tool's, or where Agent is set a tool's for one agent.
type SwitchKey struct {
	Key
	Agent string
}

// KeyOf returns what a switch is named by.
func (s *Switch) KeyOf() SwitchKey { return SwitchKey{Key{s.Server, s.Tool}, s.Agent} }

// BreakerCall is what the breaker has to know of a call.
type BreakerCall struct {
	// ID is the event's id: a call that comes again under it counts once.
	ID   [16]byte
	Tool Key
	// Version is the schema version that the call was judged against, else the one it claimed, else empty.
	Version string
	// Canary says that the call was of a version on trial.
	Canary              bool
	Agent, Conversation string
	Outcome             events.Outcome
	Resolution          events.Resolution
	// OtherCause says that the agent names a cause that has nothing to do with the arguments, see [IsOtherCause].
	OtherCause bool
	// Errors are where the arguments did not fit.
	Errors []events.ValidationError
	// Place is where the call is in the event stream.
	Place Place
	// Stored is when the stream got it, by its clock, and Ended when the agent says that it ended, by the agent's.
	Stored, Ended time.Time
}

// maxCallSeconds is the longest that a call is taken to last.
const maxCallSeconds = 24 * 60 * 60

// BreakerCallOf returns what the breaker has to know of a tool call that was made at a time; the id of its event is given as it was read.
func BreakerCallOf(id [16]byte, made time.Time, c *events.ToolCall, place Place, stored time.Time) BreakerCall {
	lasted := time.Duration(min(max(c.DurationSeconds, 0), maxCallSeconds) * float64(time.Second))
	return BreakerCall{
		ID: id, Tool: Key{c.Server, cmp.Or(c.ResolvedName, c.ToolName)}, Version: cmp.Or(c.ActiveVersion, c.SchemaVersion), Canary: c.Cohort == CohortCanary,
		Agent: c.AgentName, Conversation: c.ConversationID, Outcome: c.Outcome, Resolution: c.Resolution,
		OtherCause: IsOtherCause(c.ErrorType), Errors: c.ValidationErrors, Place: place, Stored: stored, Ended: made.Add(lasted),
	}
}

// judgement is what a call says of its tool.
type judgement int

const (
	saysNothing judgement = iota
	saysInvalid
	saysOther
)

// judge tells validation errors from all other ends of a call, and both from calls that say nothing of a tool's schema: the tool was not
// called (refused), not yet there for the agent (not activated, not connected, not permitted), or there is no tool of that name. A tool
// that fails where its arguments don't fit has failed validation, whatever it calls that, unless the agent names another cause.
func (c *BreakerCall) judge() judgement {
	switch c.Resolution {
	case events.ResolvedNotActivated, events.ResolvedNotConnected, events.ResolvedNotPermitted,
		events.ResolvedUnknown, events.ResolvedGuessed, events.ResolvedConnectorName:
		return saysNothing
	}
	switch c.Outcome {
	case events.OutcomeValidationError:
		return saysInvalid
	case events.OutcomeExecutionError:
		if len(c.Errors) > 0 && !c.OtherCause {
			return saysInvalid
		}
		return saysOther
	case events.OutcomeOK:
		return saysOther
	}
	return saysNothing
}

// nameable reports that a switch can be named after the call: its names are not too long for a bucket's key.
func (c *BreakerCall) nameable() bool {
	return c.Tool.Tool != "" && max(len(c.Tool.Server), len(c.Tool.Tool), len(c.Agent)) <= MaxSwitchName
}

// MaxSwitchName is how many bytes the names of a server, a tool and an agent that can have a switch have at most.
const MaxSwitchName = 512
