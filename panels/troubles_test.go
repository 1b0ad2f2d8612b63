package panels_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// troubled is when the troubles happen.
var troubled = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// openTroubles stores what the sample lacks: refused events, switches, a definition that changed, and calls of tools and agents with hostile
// names.
func openTroubles(t testing.TB) *store.DB {
	t.Helper()
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	var all []*events.Event
	for i, d := range troubles() {
		all = append(all, &events.Event{ID: uuid.NewString(), Source: "test", Time: troubled.Add(time.Duration(i) * time.Second), Data: d})
	}
	storetest.Insert(t, db, all)
	if err := db.SaveToolChanges(t.Context(), switches()); err != nil {
		t.Fatal(err)
	}
	return db
}

func troubles() []events.Data {
	all := []events.Data{
		&events.DeadLetter{Subject: "tooltrail.v1.0.tool_call", StreamSeq: 7, Reason: "schema", Path: "/data/tool_name", Payload: []byte("{\"x\":\"é\xff")},
		definition("v1", "a", "s"), definition("v2", "b", "t"), definition("v2", "b", "t"),
	}
	for _, name := range hostile {
		all = append(all, &events.ToolCall{Context: events.Context{AgentName: name}, ToolName: name, Server: "s", Outcome: events.OutcomeOK})
	}
	return all
}

func definition(version, definition, schema string) *events.ToolDefinition {
	return &events.ToolDefinition{
		ToolName: "refund", Server: "billing", SchemaVersion: version, WireDigest: definition, DefinitionDigest: definition, SchemaDigest: schema,
		Definition: []byte(`{}`),
	}
}

// switches disable two tools, one of which is enabled again.
func switches() []events.ToolChange {
	change := func(tool, action string, revision uint64) events.ToolChange {
		return events.ToolChange{
			Bucket: "tooltrail_breaker", Epoch: "1", Key: "billing." + tool, Revision: revision, At: troubled.Add(time.Duration(revision) * time.Second),
			Server: "billing", Tool: tool, Action: action, ChangedBy: "breaker", Reason: "3 validation errors in a row", Document: "{}",
		}
	}
	return []events.ToolChange{change("refund", "disabled", 9), change("payout", "disabled", 10), change("payout", "enabled", 11)}
}
