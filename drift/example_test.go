package drift_test

import (
	"fmt"

	"github.com/tooltrail/tooltrail/drift"
)

func ExampleClassify() {
	v1, _ := drift.Compile([]byte(`{"name":"process_order","inputSchema":{"type":"object",
		"properties":{"id":{"type":"string"},"amount":{"type":"number"}},"required":["id","amount"]}}`))
	v2, _ := drift.Compile([]byte(`{"name":"process_order","inputSchema":{"type":"object",
		"properties":{"id":{"type":"string"},"quantity":{"type":"number","default":0}},"required":["id"]}}`))
	versions := &drift.Versions{
		Active: drift.Version{Name: "v2", Schema: v2},
		Legacy: []drift.Version{{Name: "v1", Schema: v1}},
	}
	verdict := drift.Classify(versions, drift.Call{Arguments: []byte(`{"id":"A1","amount":12}`)})
	fmt.Println(verdict.Class, verdict.Renamed, verdict.Defaulted)
	// Output: silent_default [amount] [quantity]
}
