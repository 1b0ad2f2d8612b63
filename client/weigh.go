package client

import "github.com/tooltrail/tooltrail/events"

// What the parts of an event take at most when encoded, beside their strings.
const (
	weightEvent  = 900
	weightItem   = 40
	weightTool   = 80
	weightRoster = 320
)

// weigh guesses how many bytes an event takes, in some tens of nanoseconds and without encoding it. The guess is replaced by
// the real size when the event is encoded.
func weigh(e *events.Event) int64 {
	n := weightEvent + len(e.Source)
	if empty(e.Data) {
		return int64(n)
	}
	switch d := e.Data.(type) {
	case *events.ToolCall:
		n += len(d.ToolName) + len(d.ErrorType) + len(d.Arguments) + weightItem*len(d.ValidationErrors) +
			lengths(d.UnknownArguments) + lengths(d.DefaultedArguments) + lengths(d.RenamedArguments)
		for i := range d.ArgumentShape {
			n += weightItem + len(d.ArgumentShape[i].Path)
		}
		for i := range d.MadeUpIDs {
			n += weightTool + len(d.MadeUpIDs[i].Path) + len(d.MadeUpIDs[i].Value)
		}
	case *events.Activation:
		n += lengths(d.Asked) + lengths(d.Loaded) + weightTool*len(d.Refused)
	case *events.RequestPrefix:
		n += weightItem*(len(d.System)+len(d.Messages)) + len(d.ProviderDiagnosis)
		for i := range d.Tools {
			n += weightTool + len(d.Tools[i].Name)
		}
	case *events.ToolRoster:
		for i := range d.Tools {
			n += weightRoster + len(d.Tools[i].Name)
		}
		n += lengths(d.NotConnected)
	case *events.ToolDefinition:
		n += weightRoster + len(d.Definition)
	}
	return int64(n)
}

func lengths(list []string) int {
	n := 0
	for _, s := range list {
		n += weightItem/8 + len(s)
	}
	return n
}

// empty reports whether there is no data, behind whatever type.
func empty(d events.Data) bool {
	switch d := d.(type) {
	case *events.ToolCall:
		return d == nil
	case *events.Activation:
		return d == nil
	case *events.RequestPrefix:
		return d == nil
	case *events.ToolRoster:
		return d == nil
	case *events.ToolDefinition:
		return d == nil
	case *events.ClientHeartbeat:
		return d == nil
	}
	return true // of no kind that agents send
}
