package client

import (
	"strings"
	"unicode/utf8"

	"github.com/tooltrail/tooltrail/events"
)

// maxCallName is the longest name in a call's event, in bytes. Providers take names of 64 or 128; what is longer a model has made up, and its start
// says which. A longer one would take the whole event's room, and the call would not be counted at all.
const maxCallName = 1024

// cutMark stands at the end of a name that was cut.
const cutMark = "..."

// fitNames makes the names of a call fit for an event: what is not UTF-8 becomes the replacement character, and what is too long is cut. The
// call is judged by its name as the model gave it before.
func fitNames(e *events.Event) {
	t, ok := e.Data.(*events.ToolCall)
	if !ok || t == nil {
		return
	}
	for _, name := range [...]*string{&t.ToolName, &t.ResolvedName, &t.Server, &t.Bridge} {
		if len(*name) > maxCallName || !utf8.ValidString(*name) {
			*name = fitName(*name)
		}
	}
}

func fitName(name string) string {
	name = strings.ToValidUTF8(name[:min(len(name), 4*maxCallName)], string(utf8.RuneError))
	if len(name) <= maxCallName {
		return name
	}
	end := maxCallName - len(cutMark)
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + cutMark
}
