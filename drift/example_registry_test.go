package drift_test

import (
	"fmt"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

func definition(version, schema string) *events.ToolDefinition {
	return &events.ToolDefinition{ToolName: "process_order", SchemaVersion: version, Definition: []byte(`{"name":"process_order","inputSchema":` + schema + `}`)}
}

// A call by the old schema is valid by the new one and would run with quantity 0. A migration brings it over.
func Example() {
	d := drift.NewDocument(drift.Key{Tool: "process_order"})
	ann := drift.Edit{At: time.Now(), By: "ann", Reason: "orders are counted in units now"}
	for _, def := range []*events.ToolDefinition{
		definition("v1", `{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]}`),
		definition("v2", `{"type":"object","properties":{"quantity":{"type":"number","default":0},"unit":{"enum":["kg","t"]}}}`),
	} {
		if _, err := d.Register(def, "deploy", ann.At, drift.StateActive); err != nil {
			fmt.Println(err)
		}
	}
	_, err := d.AddMigration(drift.Migration{From: "v1", To: "v2", Steps: []drift.Step{{Op: drift.OpRename, Path: "/amount", To: "/quantity"}}}, ann)
	if err != nil {
		fmt.Println(err)
	}

	registry := drift.NewRegistry()
	if err := registry.Put(d); err != nil {
		fmt.Println(err)
	}
	versions, _ := registry.For(d.Key(), "conversation 17")
	call := drift.Call{Arguments: []byte(`{"amount": 5.0}`)}
	verdict := drift.Classify(versions, call)
	fmt.Println(verdict.Class, verdict.Version, verdict.Renamed, verdict.Defaulted)

	migrated, err := versions.Migrate(verdict.Version, call.Arguments)
	fmt.Println(migrated.Name, string(migrated.Arguments), err)
	// Output:
	// silent_default v1 [amount] [quantity]
	// v1-to-v2 {"quantity":5.0} <nil>
}
