package panels_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// callsAt stores calls and returns them as a sample.
func callsAt(t *testing.T, at time.Time, all ...*events.ToolCall) sample {
	t.Helper()
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	var stored []*events.Event
	for _, c := range all {
		stored = append(stored, &events.Event{ID: uuid.NewString(), Source: "test", Time: at, Data: c})
	}
	storetest.Insert(t, db, stored)
	return sample{db: db, whole: panels.Scope{From: at.Add(-time.Hour), To: at.Add(time.Hour)}}
}

// TestLoopsAtOneTimeHaveTheirOwnTokens: two loops of the same call, and calls in and between them at one time, are told apart by their order.
func TestLoopsAtOneTimeHaveTheirOwnTokens(t *testing.T) {
	call := func(tool string, outcome events.Outcome) *events.ToolCall {
		return &events.ToolCall{
			Context: events.Context{ConversationID: "c1", AgentName: "desk"}, ToolName: tool, Server: "shop", Outcome: outcome,
			ArgumentsDigest: strings.Repeat("ab", 8), InputTokens: events.Tokens(100),
		}
	}
	failed := func() *events.ToolCall { return call("order", events.OutcomeExecutionError) }
	s := callsAt(t, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		failed(), failed(), failed(), call("other", events.OutcomeOK), failed(), failed(), failed(), failed())
	rows := run(t, s, find(t, "activation_loops"), s.whole)
	if len(rows) != 2 {
		t.Fatalf("%d loops: %v", len(rows), rows)
	}
	for i, want := range []float64{4, 3} {
		if calls, spent := number(rows[i]["calls"]), number(rows[i]["tokens"]); calls != want || spent != want*100 {
			t.Errorf("loop %d: %v calls, %v tokens, want %v and %v", i, calls, spent, want, want*100)
		}
	}
}

// TestToolsOfOneNameAreNotAddedUp: two servers can each have a tool of the same name.
func TestToolsOfOneNameAreNotAddedUp(t *testing.T) {
	call := func(server string, class events.DriftClass) *events.ToolCall {
		return &events.ToolCall{ToolName: "get", Server: server, Outcome: events.OutcomeOK, DriftClass: class, UsedVersion: "v1"}
	}
	s := callsAt(t, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		call("crm", events.DriftOldVersion), call("crm", events.DriftCurrent), call("shop", events.DriftOldVersion))
	want := map[string]float64{"crm/get": 0.5, "shop/get": 1}
	rows := run(t, s, find(t, "drift_over_time"), s.whole)
	if len(rows) != len(want) {
		t.Errorf("%d series, want %d: %v", len(rows), len(want), rows)
	}
	for _, r := range rows {
		if ratio, ok := want[r["series"].(string)]; !ok || number(r["ratio"]) != ratio {
			t.Errorf("%v: ratio %v, want %v", r["series"], r["ratio"], ratio)
		}
	}
}
