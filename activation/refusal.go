package activation

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// Reason is why a call may not run.
type Reason string

// The reasons. A model does something else about each of them, so each has a text of its own.
const (
	// ReasonNotActivated is for a tool of the roster that has to be loaded first.
	ReasonNotActivated Reason = "not_activated"
	// ReasonUnknown is for a name that no tool has.
	ReasonUnknown Reason = "unknown"
	// ReasonNotConnected is for a tool whose connector is not connected.
	ReasonNotConnected Reason = "not_connected"
	// ReasonNotPermitted is for a tool that exists and may not be used.
	ReasonNotPermitted Reason = "not_permitted"
	// ReasonDisabled is for a tool that the breaker or a person has disabled for a while.
	ReasonDisabled Reason = "disabled"
)

// ReasonOf returns what a looked-up name is refused for; empty when it is not, and for a resolution that says nothing. A renamed
// tool is not refused for its old name: look the new one up. Every guess is unknown.
func ReasonOf(r events.Resolution) Reason {
	switch r {
	case "", events.ResolvedOK, events.ResolvedRenamed:
		return ""
	case events.ResolvedNotActivated:
		return ReasonNotActivated
	case events.ResolvedNotConnected:
		return ReasonNotConnected
	case events.ResolvedNotPermitted:
		return ReasonNotPermitted
	}
	return ReasonUnknown
}

// Refusal is the error for a call that may not run. Its text is for the model that made the call: it names the tool as the model
// did and no other tool, so that no model is led to one by a guess.
type Refusal struct {
	Reason Reason
	// Name is the tool's name as the model gave it, to a bridge where it called one.
	Name string
	// Server is the tool's server where one is known; empty for [ReasonUnknown], where it would be a guess.
	Server string
	// Detail says more, for [ReasonDisabled]: who or what disabled the tool, and since when. It goes into the text as it is.
	Detail string
	// Unclear says that the call of a bridge does not say which tool it means; the reason is [ReasonUnknown].
	Unclear bool
}

// maxShownName is how much of a name a text shows, in bytes.
const maxShownName = 128

// Error is the text for the model.
func (e *Refusal) Error() string {
	name := ShownName(e.Name)
	if e.Unclear {
		return "The call of " + name + " does not say clearly which tool it means. Give one tool's exact name, as text and once."
	}
	switch e.Reason {
	case ReasonNotActivated:
		return "The tool " + name + " is not loaded. Load it first; it can be called from your next message on."
	case ReasonNotConnected:
		if e.Server != "" {
			return "The tool " + name + " can not be called now: its connector " + ShownName(e.Server) + " is not connected."
		}
		return "The tool " + name + " can not be called now: its connector is not connected."
	case ReasonNotPermitted:
		return "The tool " + name + " exists and you are not permitted to use it."
	case ReasonDisabled:
		text := "The tool " + name + " is disabled"
		if e.Detail != "" {
			text += ": " + e.Detail
		}
		return text + ". It exists; do not call it again until it is enabled."
	}
	return "There is no tool " + name + ". Call only tools that you were given, by their exact names."
}

// ShownName quotes a name that a model gave for a line of text: no control characters, nothing that is not UTF-8, not too long.
func ShownName(name string) string {
	if len(name) > maxShownName {
		name = strings.ToValidUTF8(name[:maxShownName], "") + "..."
	}
	return strconv.Quote(name)
}

// Refuse looks a call up, as [State.ResolveCall] does, and returns why it may not run; nil when it may, or when nothing is known
// about the conversation's tools. Whether the tool is disabled a State does not know: the client's Call.Check does.
func (s *State) Refuse(name string, args []byte) *Refusal {
	res, bridge := s.ResolveCall(name, args)
	return s.RefusalOfCall(name, res, bridge)
}

// RefusalOfCall returns why a call of a name may not run, by what [State.ResolveCall] said of it; nil when it may.
func (s *State) RefusalOfCall(name string, res Resolution, u Unwrapped) *Refusal {
	if u.doubt != nil {
		return u.doubt
	}
	return s.RefusalOf(cmp.Or(u.Name, name), res)
}

// RefusalOf returns why a call of a name that was looked up may not run; nil when it may. A renamed tool is judged as the present
// one, under the name that the model gave.
func (s *State) RefusalOf(name string, res Resolution) *Refusal {
	if res.Resolution == events.ResolvedRenamed {
		res = s.Resolve(res.Name)
		if res.Resolution == events.ResolvedRenamed { // in a circle: no tool bears any of the names
			return &Refusal{Reason: ReasonUnknown, Name: name}
		}
	}
	reason := ReasonOf(res.Resolution)
	switch reason {
	case "":
		return nil
	case ReasonUnknown:
		return &Refusal{Reason: reason, Name: name}
	}
	return &Refusal{Reason: reason, Name: name, Server: res.Server}
}
