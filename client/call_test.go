package client

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

// only returns the one event that was sent.
func only[T events.Data](t *testing.T, l *fakeLink) (*events.Event, T) {
	t.Helper()
	var found []*events.Event
	for _, m := range l.calls() {
		for _, line := range events.Lines(m.Data) {
			e, err := events.Decode(line)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := e.Data.(T); ok {
				found = append(found, e)
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("have %d events, want 1", len(found))
	}
	return found[0], found[0].Data.(T)
}

func TestAToolCallSaysShapeAndDigestAndNoValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		started := time.Now()
		k := c.ToolCallStart(events.Context{Turn: 3}, "search", []byte(`{"q":"SECRET", "n":1}`))
		k.ToolCall.Server = "billing"
		time.Sleep(1500 * time.Millisecond)
		k.End(events.OutcomeExecutionError, "timeout")
		k.End(events.OutcomeOK, "")
		closeNow(t, c)
		e, have := only[*events.ToolCall](t, l)
		want := &events.ToolCall{
			Context: events.Context{Turn: 3}, ToolName: "search", Server: "billing", Outcome: events.OutcomeExecutionError, ErrorType: "timeout",
			ArgumentShape:   []events.Argument{{Path: "/q", Type: "string"}, {Path: "/n", Type: "integer"}},
			ArgumentsDigest: events.Digester{}.Short([]byte(`{"n":1,"q":"SECRET"}`)), DurationSeconds: 1.5,
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
		if !e.Time.Equal(started) {
			t.Errorf("time is %v, want the start %v", e.Time, started)
		}
	})
}

func TestArgumentsAreKeptOnlyWhereTheOwnerSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) { c.KeepArguments = true }, nil)
		args := []byte(`{"q": "x"}`)
		k := c.ToolCallStart(events.Context{}, "search", args)
		args[2] = 'z' // the agent may use its memory again
		k.End(events.OutcomeOK, "")
		closeNow(t, c)
		if _, have := only[*events.ToolCall](t, l); string(have.Arguments) != `{"q":"x"}` {
			t.Errorf("have %s", have.Arguments)
		}
	})
}

func TestArgumentsThatAreNoObjectStillMakeAnEvent(t *testing.T) {
	for _, args := range []string{"", "null", `"x"`, `[1]`, `{"a":`, "\xff"} {
		synctest.Test(t, func(t *testing.T) {
			c, l := fake(t, func(c *Config) { c.KeepArguments = true }, nil)
			c.ToolCallStart(events.Context{}, "search", []byte(args)).End(events.OutcomeValidationError, "json")
			closeNow(t, c)
			if _, have := only[*events.ToolCall](t, l); have.Arguments != nil {
				t.Errorf("%q: kept %s", args, have.Arguments)
			}
		})
	}
}

func TestAnActivationIsEmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		c.Activation(events.Activation{Via: events.ViaToolSearch, Asked: []string{"a"}, Loaded: []string{"a"}})
		closeNow(t, c)
		if _, have := only[*events.Activation](t, l); !slices.Equal(have.Loaded, []string{"a"}) {
			t.Errorf("have %+v", have)
		}
	})
}

func TestHelpersOfAClientThatWasNotStartedDoNothing(t *testing.T) {
	for _, c := range []*Client{nil, {}} {
		c.ToolCallStart(events.Context{}, "a", []byte(`{}`)).End(events.OutcomeOK, "")
		c.Activation(events.Activation{})
	}
}
