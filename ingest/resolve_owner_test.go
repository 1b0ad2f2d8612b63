package ingest_test

import (
	"log/slog"
	"testing"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
)

// cancelDefinition is a definition of cancel_order that needs an argument; without a server it is an agent's own tool, such as one of a tools array.
func cancelDefinition(server, needs string) *events.ToolDefinition {
	return &events.ToolDefinition{Server: server, ToolName: "cancel_order", SchemaVersion: "v1", Definition: []byte(
		`{"name":"cancel_order","inputSchema":{"type":"object","properties":{"` + needs + `":{"type":"string"}},"required":["` + needs + `"]}}`)}
}

func TestACallWithoutAServerIsHeldAgainstTheToolThatItsRosterNames(t *testing.T) {
	own, shop, crm := events.RosterTool{Name: "cancel_order"}, events.RosterTool{Name: "cancel_order", Server: "shop", Deferred: true}, events.RosterTool{Name: "cancel_order", Server: "crm"}
	for _, tt := range []struct {
		name   string
		roster []events.RosterTool
		server string
		class  events.DriftClass
	}{
		{"nobody says whose", nil, "", events.DriftValidationError},
		{"the agent's own", []events.RosterTool{own}, "", events.DriftValidationError},
		{"a server's, not loaded yet", []events.RosterTool{shop}, "shop", events.DriftCurrent},
		{"a server's that nobody registered", []events.RosterTool{crm}, "crm", events.DriftUnregistered},
		{"of one of two servers", []events.RosterTool{shop, crm}, "", ""},
	} {
		for _, of := range []string{"c", ""} {
			c := ingest.NewClassifier(slog.New(slog.DiscardHandler))
			c.Enrich(told(0, cancelDefinition("", "reason")))
			c.Enrich(told(0, cancelDefinition("shop", "order_id")))
			if tt.roster != nil {
				c.Enrich(told(1, &events.ToolRoster{Context: in(of, 0), RosterDigest: "r", Reason: events.RosterDeploy, Tools: tt.roster}))
			}
			call := named(in("c", 2), "cancel_order", `{"order_id":"17"}`)
			call.Outcome = events.OutcomeExecutionError
			c.Enrich(told(2, call))
			if call.DriftClass != tt.class {
				t.Errorf("%s, roster of %q: class %q, want %q", tt.name, of, call.DriftClass, tt.class)
			}
			if call.DriftClass != "" && call.Server != tt.server {
				t.Errorf("%s, roster of %q: server %q, want %q", tt.name, of, call.Server, tt.server)
			}
		}
	}
}
