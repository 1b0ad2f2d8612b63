package client

import (
	"strconv"
	"strings"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// Refusal is why a call may not run. It is the error_type of the refused call's event.
type Refusal string

// The refusals.
const (
	// RefusalUnknown is for a name that no tool has.
	RefusalUnknown Refusal = "unknown"
	// RefusalNotActivated is for a tool that has to be loaded first.
	RefusalNotActivated Refusal = "not_activated"
	// RefusalNotConnected is for a tool of a server that is not connected.
	RefusalNotConnected Refusal = "not_connected"
	// RefusalNotPermitted is for a tool that may not be used.
	RefusalNotPermitted Refusal = "not_permitted"
	// RefusalDisabled is for a tool that the breaker or a person has disabled.
	RefusalDisabled Refusal = "disabled"
	// RefusalSilentDefault is for a call whose argument has another name now, so that a default would take its place, where
	// [Config.RefuseSilentDefaults] says so.
	RefusalSilentDefault Refusal = "silent_default"
	// RefusalSwitchesUnknown is for any call while it is not known which tools are disabled, where [Config.FailClosed] says so.
	RefusalSwitchesUnknown Refusal = "switches_unknown"
)

// RefusedError says that a call may not run. Its text is for the model that made the call: it names the tool as the model did and no
// other, so that no model is led to a tool by a guess of ours.
type RefusedError struct {
	Reason Refusal
	// Name is the tool's name as the model gave it.
	Name string
	// Switch is what disabled the tool, for [RefusalDisabled] alone. It is shared: the caller does not change it.
	Switch *drift.Switch
	// Verdict is what the call is by the registry, where it was judged.
	Verdict drift.Verdict
}

// maxShownName is how much of a name a text shows, in bytes.
const maxShownName = 128

// Error is the text for the model.
func (e *RefusedError) Error() string {
	name := quote(e.Name)
	switch e.Reason {
	case RefusalDisabled:
		return e.Switch.Message()
	case RefusalNotActivated:
		return "The tool " + name + " is not loaded. Load it first; it can be called from your next message on."
	case RefusalNotConnected:
		return "The tool " + name + " can not be called now: its server is not connected."
	case RefusalNotPermitted:
		return "The tool " + name + " exists and you are not permitted to use it."
	case RefusalSilentDefault:
		return "The tool " + name + " was not run. " + e.Verdict.Text()
	case RefusalSwitchesUnknown:
		return "The tool " + name + " was not run: it is not known at present whether it may be. Try again later."
	}
	return "There is no tool " + name + ". Call only tools that you were given, by their exact names."
}

func quote(name string) string {
	if len(name) > maxShownName {
		name = strings.ToValidUTF8(name[:maxShownName], "") + "..."
	}
	return strconv.Quote(name)
}

// refusalOf says what a looked-up name is refused for; empty when it is not.
func refusalOf(r events.Resolution) Refusal {
	switch r {
	case "", events.ResolvedOK, events.ResolvedRenamed:
		return ""
	case events.ResolvedNotActivated:
		return RefusalNotActivated
	case events.ResolvedNotConnected:
		return RefusalNotConnected
	case events.ResolvedNotPermitted:
		return RefusalNotPermitted
	}
	return RefusalUnknown
}
