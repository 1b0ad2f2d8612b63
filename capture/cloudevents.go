package capture

import (
	"bytes"
	"context"
	"errors"

	"github.com/tooltrail/tooltrail/events"
)

// cloudEventsFormat is Tooltrail's own events, one a line.
func cloudEventsFormat() Format {
	return Format{
		Name:  "cloudevents",
		About: "Tooltrail's own events, one a line",
		Sniff: sniffCloudEvents,
		Read:  readCloudEvents,
	}
}

func sniffCloudEvents(head []byte) bool {
	for _, o := range headObjects(head, 5) {
		if o.Has("specversion", "type") {
			return true
		}
	}
	return false
}

// readCloudEvents passes each event on as it is, id and all.
func readCloudEvents(ctx context.Context, src *Source, emit Emit) error {
	return src.Lines(func(_ int, line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		// Decoded events may share memory with the line, which the next one overwrites.
		e, err := events.Decode(bytes.Clone(line))
		if err != nil {
			return badLine("%s", eventReason(err))
		}
		return emit(e)
	})
}

// eventReason says what is wrong with an event, in the words of [events.Error] where it has some.
func eventReason(err error) string {
	var e *events.Error
	if errors.As(err, &e) {
		return e.Error()
	}
	return err.Error()
}
