package capture

import (
	"context"
	"testing"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

// captureAll reads a file and returns its events.
func captureAll(t *testing.T, path string, opt Options) ([]*events.Event, Summary) {
	t.Helper()
	r, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var all []*events.Event
	sum, err := r.Read(context.Background(), func(e *events.Event) error {
		all = append(all, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, sum
}

func TestAllRecordedExchangesAreRead(t *testing.T) {
	var problems []Problem
	all, sum := captureAll(t, eventstest.SharedFile(t, "llm-exchanges.jsonl"), Options{Problem: func(p Problem) { problems = append(problems, p) }})
	if sum.Format != "exchanges" || sum.Lines != 60 || sum.Problems != 0 || sum.Events[events.KindRequestPrefix] != 128 {
		t.Errorf("summary %+v, problems %v", sum, problems)
	}
	ids := map[string]bool{}
	for _, e := range all {
		if ids[e.ID] {
			t.Errorf("%s: id twice", e.Kind())
		}
		ids[e.ID] = true
		if err := e.Validate(); err != nil {
			t.Errorf("%s: %v", e.Kind(), err)
		}
		if c, ok := e.Data.(*events.ToolCall); ok && c.Resolution != events.ResolvedOK {
			t.Errorf("%s turn %d calls %s: %s %s", c.ConversationID, c.Turn, c.ToolName, c.Resolution, c.ResolutionHow)
		}
		if p, ok := e.Data.(*events.RequestPrefix); ok {
			if p.Status != events.StatusOK || !p.UncachedInputTokens.Known || !p.OutputTokens.Known || p.RequestModel == "" || p.ProviderName == "" {
				t.Errorf("%s turn %d: %+v", p.ConversationID, p.Turn, p)
			}
		}
	}
	if testing.Verbose() {
		t.Log(sum)
		for _, e := range all {
			b, _ := events.AppendEvent(nil, e)
			t.Log(string(b[:min(len(b), 900)]))
		}
	}
}

func TestTheSameFileTwiceGivesTheSameEvents(t *testing.T) {
	path := eventstest.SharedFile(t, "llm-exchanges.jsonl")
	first, _ := captureAll(t, path, Options{})
	second, _ := captureAll(t, path, Options{})
	if len(first) != len(second) {
		t.Fatalf("%d events, then %d", len(first), len(second))
	}
	for i := range first {
		if first[i].ID != second[i].ID || !first[i].Time.Equal(second[i].Time) {
			t.Fatalf("event %d: %s at %s, then %s at %s", i, first[i].ID, first[i].Time, second[i].ID, second[i].Time)
		}
	}
}
