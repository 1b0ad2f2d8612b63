package client

import (
	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// fitNames makes the names of a call fit for an event, see [activation.EventName]. A name that is too long would take the event's room, and the
// call would not be counted at all; the call is judged by its name as the model gave it before.
func fitNames(e *events.Event) {
	t, ok := e.Data.(*events.ToolCall)
	if !ok || t == nil {
		return
	}
	for _, name := range [...]*string{&t.ToolName, &t.ResolvedName, &t.Server, &t.Bridge} {
		if fit := activation.EventName(*name); fit != *name {
			*name = fit
		}
	}
}
