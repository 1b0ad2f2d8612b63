package client

import (
	"time"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
)

// Refusal is why a call may not run. It is the error_type of the refused call's event.
type Refusal = activation.Reason

// The refusals.
const (
	// RefusalUnknown is for a name that no tool has.
	RefusalUnknown = activation.ReasonUnknown
	// RefusalNotActivated is for a tool that has to be loaded first.
	RefusalNotActivated = activation.ReasonNotActivated
	// RefusalNotConnected is for a tool of a server that is not connected.
	RefusalNotConnected = activation.ReasonNotConnected
	// RefusalNotPermitted is for a tool that may not be used.
	RefusalNotPermitted = activation.ReasonNotPermitted
	// RefusalDisabled is for a tool that the breaker or a person has disabled.
	RefusalDisabled = activation.ReasonDisabled
	// RefusalSilentDefault is for a call whose argument has another name now, so that a default would take its place, where
	// [Config.RefuseSilentDefaults] says so.
	RefusalSilentDefault Refusal = "silent_default"
	// RefusalSwitchesUnknown is for any call while it is not known which tools are disabled, where [Config.FailClosed] says so.
	RefusalSwitchesUnknown Refusal = "switches_unknown"
)

// RefusedError says that a call may not run. Its text is for the model that made the call: it names the tool as the model did and no
// other, so that no model is led to a tool by a guess of ours. An [*activation.Refusal] is in its chain for the five reasons that are
// reasons of package activation.
type RefusedError struct {
	Reason Refusal
	// Name is the tool's name as the model gave it, to a bridge where it called one.
	Name string
	// Server is the tool's server where one is known; empty for [RefusalUnknown].
	Server string
	// Unclear says that the call of a bridge does not say which tool it means, for [RefusalUnknown].
	Unclear bool
	// Switch is what disabled the tool, for [RefusalDisabled] alone. It is shared: the caller does not change it.
	Switch *drift.Switch
	// Verdict is what the call is by the registry, where it was judged.
	Verdict drift.Verdict
}

// Error is the text for the model.
func (e *RefusedError) Error() string {
	switch e.Reason {
	case RefusalSilentDefault:
		return "The tool " + activation.ShownName(e.Name) + " was not run. " + e.Verdict.Text()
	case RefusalSwitchesUnknown:
		return "The tool " + activation.ShownName(e.Name) + " was not run: it is not known at present whether it may be. Try again later."
	}
	return e.refusal().Error()
}

// Unwrap returns the [*activation.Refusal]; nil for the client's own reasons.
func (e *RefusedError) Unwrap() error {
	if e.Reason == RefusalSilentDefault || e.Reason == RefusalSwitchesUnknown {
		return nil
	}
	return e.refusal()
}

func (e *RefusedError) refusal() *activation.Refusal {
	r := &activation.Refusal{Reason: e.Reason, Name: e.Name, Server: e.Server, Unclear: e.Unclear}
	if sw := e.Switch; sw != nil {
		r.Detail = sw.Reason + ", since " + sw.Since.UTC().Format(time.RFC3339)
	}
	return r
}
