package drift

import (
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

func definitionOf(schema, version string) *events.ToolDefinition {
	raw := []byte(`{"name":"process_order","inputSchema":` + schema + `}`)
	d, err := events.Digester{}.Tool(raw)
	if err != nil {
		panic(err)
	}
	return &events.ToolDefinition{ToolName: "process_order", SchemaVersion: version, SchemaDigest: d.Schema, Definition: raw}
}

func TestRegistryMakesTheNewestSchemaActive(t *testing.T) {
	r := NewRegistry()
	for _, d := range []*events.ToolDefinition{
		definitionOf(orderV1, "v1"), definitionOf(orderV2, "v2"), definitionOf(orderV1, "v1"), definitionOf(orderV2, "v2"),
	} {
		if err := r.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	v := r.Versions("", "process_order")
	if v.Active.Name != "v2" || len(v.Legacy) != 1 || v.Legacy[0].Name != "v1" {
		t.Errorf("active %s, legacy %v", v.Active.Name, v.Legacy)
	}
	c := &events.ToolCall{ToolName: "process_order", Outcome: events.OutcomeOK, Arguments: []byte(`{"id":"x","amount":5}`)}
	if !r.Classify(c) || c.DriftClass != events.DriftSilentDefault || c.ActiveVersion != "v2" {
		t.Errorf("%+v", c)
	}
	if r.Classify(c) {
		t.Error("a call with a class was classified again")
	}
}

func TestRegistryTakesACallThatFitsSeveralUnnamedVersionsForTheActiveOne(t *testing.T) {
	r := NewRegistry()
	wider := `{"type":"object","properties":{"id":{"type":"string"},"amount":{"type":"number"},"note":{"type":"string"}},"required":["id"]}`
	for _, d := range []*events.ToolDefinition{definitionOf(orderV1, ""), definitionOf(wider, "")} {
		if err := r.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	c := &events.ToolCall{ToolName: "process_order", Arguments: []byte(`{"id":"x","amount":5}`)}
	if !r.Classify(c) || c.DriftClass != events.DriftCurrent {
		t.Errorf("class %s", c.DriftClass)
	}
}

func TestRegistryKnowsOnlySoMany(t *testing.T) {
	r := NewRegistry()
	for i := range 3 * MaxVersions {
		schema := `{"type":"object","minProperties":` + string(rune('0'+i%10)) + `,"maxProperties":1` + string(rune('0'+i/10)) + `}`
		if err := r.Add(definitionOf(schema, "")); err != nil {
			t.Fatal(err)
		}
	}
	if v := r.Versions("", "process_order"); len(v.Legacy) != MaxVersions-1 {
		t.Errorf("%d legacy versions", len(v.Legacy))
	}
}

func TestUnregisteredToolsAreNotJudged(t *testing.T) {
	c := &events.ToolCall{ToolName: "other", Arguments: []byte(`{}`)}
	if !NewRegistry().Classify(c) || c.DriftClass != events.DriftUnregistered || Drifted(c.DriftClass) {
		t.Errorf("class %s", c.DriftClass)
	}
}
