package activation

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

// eventTool is what a test holds an event's tool against.
type eventTool struct {
	Name, Server          string
	Deferred, Denied, Cut bool
	Length                int64
}

func eventInput() RosterInput {
	return RosterInput{
		Tools: []Tool{
			{Name: "b", Server: "s", Deferred: true, Definition: jsontext.Value(`{"name":"b","description":"` + strings.Repeat("word ", 70) + `"}`)},
			{Name: "a", Server: "s", Definition: jsontext.Value(`{"name":"a","description":" Does  a. "}`)},
			{Name: "c", Server: "away", Definition: jsontext.Value(`{"name":"c","description":"Does c."}`)},
			{Name: "d", Denied: true, Definition: jsontext.Value(`{"name":"d"}`)},
			{Name: "a", Server: "z"}, {Name: "", Server: "s"}, {Name: "e\xff"},
		},
		NotConnected: []string{"away", "gone"},
	}
}

func TestARosterTellsOfItselfAsAModelSeesIt(t *testing.T) {
	r := NewRoster(eventInput())
	about := events.ToolRoster{Context: events.Context{ConversationID: "c-1"}, Release: "7"}
	d := events.Digester{}
	e := r.Event(d, about, TextOptions{})
	var have []eventTool
	for _, x := range e.Tools {
		have = append(have, eventTool{x.Name, x.Server, x.Deferred, x.Denied, x.SummaryCut, x.SummaryLength})
	}
	want := []eventTool{
		{Name: "d", Denied: true}, {Name: "e\uFFFD"}, {Name: "c", Server: "away", Length: 7},
		{Name: "b", Server: "s", Deferred: true, Cut: true, Length: 349}, {Name: "s__a", Server: "s", Length: 7}, {Name: "z__a", Server: "z"},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	text := r.Text(TextOptions{})
	if e.TextDigest != d.Full([]byte(text)) || e.TextLength != int64(len(text)) || e.ConversationID != "c-1" || e.Release != "7" || e.Reason != events.RosterUnknown {
		t.Errorf("have %+v", e)
	}
	if !slices.Equal(e.NotConnected, []string{"away", "gone"}) {
		t.Errorf("not connected: %q", e.NotConnected)
	}
	if _, err := events.AppendEvent(nil, &events.Event{ID: "1", Source: "/a", Data: &e}); err != nil {
		t.Error(err)
	}
	if len(r.Definitions()) != 4 {
		t.Errorf("%d definitions", len(r.Definitions()))
	}
}

func TestARostersDigestIsOfItsSetAndItsText(t *testing.T) {
	in := eventInput()
	d := events.Digester{}
	of := func(in RosterInput, o TextOptions) string {
		return NewRoster(in).Event(d, events.ToolRoster{}, o).RosterDigest
	}
	first := of(in, TextOptions{})
	slices.Reverse(in.Tools)
	if of(in, TextOptions{}) != first {
		t.Error("the order of the tools is in the digest")
	}
	seen := map[string]bool{first: true}
	differs := func(what, digest string) {
		t.Helper()
		if seen[digest] {
			t.Errorf("%s is not in the digest", what)
		}
		seen[digest] = true
	}
	differs("the text", of(in, TextOptions{SummaryLimit: 100}))
	in.NotConnected = []string{"away"}
	differs("what is not connected", of(in, TextOptions{}))
	in.Tools = slices.Clone(in.Tools)
	i := slices.IndexFunc(in.Tools, func(t Tool) bool { return t.Name == "b" })
	in.Tools[i].Deferred = false
	differs("what is deferred", of(in, TextOptions{}))
	in.Tools[i].Denied = true
	differs("what is denied", of(in, TextOptions{}))
}
