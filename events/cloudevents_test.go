package events_test

import (
	"testing"

	cloudevents "github.com/cloudevents/sdk-go/v2/event"

	"github.com/tooltrail/tooltrail/events"
)

func TestTheCloudEventsSDKReadsOurEvents(t *testing.T) {
	for _, e := range samples() {
		line, err := events.AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		var ce cloudevents.Event
		if err := ce.UnmarshalJSON(line); err != nil {
			t.Errorf("%s: %v", e.Kind(), err)
			continue
		}
		if err := ce.Validate(); err != nil {
			t.Errorf("%s: %v", e.Kind(), err)
		}
		if ce.ID() != e.ID || ce.Source() != e.Source || ce.Type() != e.Kind().Type() || !ce.Time().Equal(e.Time) || ce.DataContentType() != "application/json" {
			t.Errorf("%s: have %v", e.Kind(), ce)
		}
	}
}

func TestWeReadTheCloudEventsSDKsEvents(t *testing.T) {
	for _, e := range samples() {
		ce := cloudevents.New()
		ce.SetID(e.ID)
		ce.SetSource(e.Source)
		ce.SetType(e.Kind().Type())
		ce.SetTime(e.Time)
		ce.SetSubject("a subject of its own")
		ce.SetExtension("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
		line, err := events.AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		var ours cloudevents.Event
		if err := ours.UnmarshalJSON(line); err != nil {
			t.Fatal(err)
		}
		var data map[string]any
		if err := ours.DataAs(&data); err != nil {
			t.Fatal(err)
		}
		if err := ce.SetData("application/json", data); err != nil {
			t.Fatal(err)
		}
		theirs, err := ce.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := events.Decode(theirs); err != nil {
			t.Errorf("%s: %v\n%s", e.Kind(), err, theirs)
		}
	}
}
