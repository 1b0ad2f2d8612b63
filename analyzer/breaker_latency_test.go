package analyzer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// TestEveryClientRefusesAToolSoonAfterItsThirdError measures the whole way: an agent ends a call that failed validation, its client publishes
// it, the breaker decides, and two other clients refuse the tool.
func TestEveryClientRefusesAToolSoonAfterItsThirdError(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	runBreaker(t, s)
	agent, others := startClient(t, s), []*client.Client{startClient(t, s), startClient(t, s)}
	var all, afterStored []time.Duration
	for round := range 15 {
		tool := fmt.Sprint("tool-", round)
		for range 2 {
			endInvalid(agent, tool)
		}
		if err := agent.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		ended := time.Now()
		endInvalid(agent, tool)
		var both sync.WaitGroup
		took := make([]time.Duration, len(others))
		for i, c := range others {
			both.Go(func() { took[i] = untilRefused(t, c, tool).Sub(ended) })
		}
		both.Wait()
		slowest := max(took[0], took[1])
		all = append(all, slowest)
		m, err := js.Stream(t.Context(), stream.Name)
		if err != nil {
			t.Fatal(err)
		}
		last, err := m.GetLastMsgForSubject(t.Context(), events.Subject(0, events.KindToolCall))
		if err != nil {
			t.Fatal(err)
		}
		afterStored = append(afterStored, ended.Add(slowest).Sub(last.Time))
	}
	for what, times := range map[string][]time.Duration{
		"from the end of the third call to both refusing": all, "of that, from when the stream had it": afterStored,
	} {
		slices.Sort(times)
		t.Logf("%s: median %v, longest %v", what, times[len(times)/2].Round(100*time.Microsecond), times[len(times)-1].Round(100*time.Microsecond))
	}
	if median := all[len(all)/2]; median > time.Second {
		t.Errorf("it takes %v, want under a second", median)
	}
}

func startClient(t *testing.T, s *natsServer) *client.Client {
	t.Helper()
	cfg := client.DefaultConfig()
	cfg.NATS.URL, cfg.Context.AgentName = s.srv.ClientURL(), "support"
	c, err := client.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Errorf("close client: %v", err)
		}
	})
	if err := c.WaitRegistry(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// endInvalid emits a call that failed validation.
func endInvalid(c *client.Client, tool string) {
	call := c.ToolCallStart(events.Context{ConversationID: "c1"}, tool, []byte(`{"amount":1}`))
	call.ToolCall.Server, call.ToolCall.SchemaVersion = "shop", "v2"
	call.ToolCall.ValidationErrors = []events.ValidationError{{Path: "/quantity", Keyword: "required"}}
	call.End(events.OutcomeValidationError, "input")
}

// untilRefused asks a client again and again whether a tool may be called, and returns when it says no.
func untilRefused(t *testing.T, c *client.Client, tool string) time.Time {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		call := c.ToolCallStart(events.Context{ConversationID: "c2"}, tool, nil)
		call.ToolCall.Server = "shop"
		_, err := call.Check(t.Context()) // a call that may run is not ended: no event tells of it
		var refused *client.RefusedError
		if errors.As(err, &refused) && refused.Reason == client.RefusalDisabled && refused.Switch.By == drift.ByBreaker {
			return time.Now()
		}
		if time.Now().After(deadline) {
			t.Error("never refused")
			return time.Now()
		}
		time.Sleep(time.Millisecond) // polling with a deadline around real I/O
	}
}

// TestOneClientTriesACallAfterTheCoolDown takes a disabled tool through a probe that fails and one that goes well, with real clients.
func TestOneClientTriesACallAfterTheCoolDown(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	runBreaker(t, s, func(o *breakerOptions) {
		o.rules = func() drift.BreakerSettings {
			r := drift.DefaultBreakerSettings()
			r.CoolDown = 300 * time.Millisecond
			return r
		}
	})
	clients := []*client.Client{startClient(t, s), startClient(t, s)}
	for range 3 {
		endInvalid(clients[0], "order")
	}
	untilRefused(t, clients[1], "order")
	for _, end := range []struct {
		outcome events.Outcome
		state   drift.SwitchState
		by      string
	}{{events.OutcomeValidationError, drift.SwitchDisabled, drift.ByBreaker}, {events.OutcomeOK, drift.SwitchEnabled, drift.ByProbe}} {
		before := switchOf(t, js).Seq
		untilProbe(t, clients).End(end.outcome, "")
		var got *drift.Switch
		eventually(t, "the probe decides", func() bool {
			got = switchOf(t, js)
			return got.Seq > before
		})
		if got.State != end.state || got.By != end.by {
			t.Errorf("after a probe with %s: %+v", end.outcome, got)
		}
	}
	eventually(t, "both clients allow it", func() bool {
		for _, c := range clients {
			call := c.ToolCallStart(events.Context{}, "order", nil)
			call.ToolCall.Server = "shop"
			if _, err := call.Check(t.Context()); err != nil {
				return false
			}
		}
		return true
	})
}

// untilProbe asks clients by turns until one may try a call, which it returns.
func untilProbe(t *testing.T, clients []*client.Client) (probe *client.Call) {
	t.Helper()
	eventually(t, "a call may be tried", func() bool {
		for _, c := range clients {
			call := c.ToolCallStart(events.Context{}, "order", nil)
			call.ToolCall.Server = "shop"
			if d, err := call.Check(t.Context()); err == nil && d.Probe {
				probe = call
				return true
			}
		}
		return false
	})
	return probe
}
