package capture

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

// readAll reads a text as a file and returns its events and problems.
func readAll(t *testing.T, text string, opt Options) ([]*events.Event, []string) {
	t.Helper()
	var problems []string
	opt.Problem = func(p Problem) { problems = append(problems, p.Error()) }
	r, err := OpenReader("test", strings.NewReader(text), 0, opt)
	if err != nil {
		t.Fatal(err)
	}
	return drain(t, r), problems
}

func drain(t *testing.T, r *Reader) []*events.Event {
	t.Helper()
	var all []*events.Event
	_, err := r.Read(context.Background(), func(e *events.Event) error {
		if err := e.Validate(); err != nil {
			t.Errorf("%s: %v", e.Kind(), err)
		}
		all = append(all, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// only returns the data of one kind.
func only[T events.Data](all []*events.Event) []T {
	var out []T
	for _, e := range all {
		if d, ok := e.Data.(T); ok {
			out = append(out, d)
		}
	}
	return out
}

func TestAirlineTrajectoriesHaveTwoMadeUpIDsAndNoFalseAlarm(t *testing.T) {
	r, err := Open(eventstest.SharedFile(t, "airline-trajectories.jsonl"), Options{
		ToolsFile: eventstest.SharedFile(t, "airline-tools.json"), IncludeValues: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Format() != "openai-chat" {
		t.Errorf("format %s", r.Format())
	}
	got := map[string]int{}
	conversations := map[string]bool{}
	all := drain(t, r)
	for _, c := range only[*events.ToolCall](all) {
		conversations[c.ConversationID] = true
		got["outcome "+string(c.Outcome)]++
		got["resolution "+string(c.Resolution)]++
		got["class "+string(c.DriftClass)]++
		for _, m := range c.MadeUpIDs {
			got["made up "+m.Value]++
		}
		for _, v := range c.ValidationErrors {
			t.Logf("%s %s %s", c.ToolName, v.Path, v.Keyword)
		}
		for _, u := range c.UnknownArguments {
			t.Logf("%s %s", c.ToolName, u)
		}
	}
	for _, p := range only[*events.RequestPrefix](all) {
		conversations[p.ConversationID] = true
		got["requests"]++
	}
	got["conversations"] = len(conversations)
	want := map[string]int{
		"conversations": 100, "requests": 1381, "resolution ok": 621, "class current": 620, "class unknown_argument": 1,
		"outcome ok": 558, "outcome execution_error": 63,
		"made up credit_card_5634230": 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
