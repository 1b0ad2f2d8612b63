package events

import "testing"

func TestWireIsTheWireDigestOfTool(t *testing.T) {
	for _, raw := range []string{
		`{"name":"a","input_schema":{"type":"object"}}`,
		`{"cache_control":{"type":"ephemeral"},"name":"a","input_schema":{"type":"object"}}`,
	} {
		all, err := Digester{}.Tool([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if wire, err := (Digester{}).Wire([]byte(raw)); err != nil || wire != all.Wire {
			t.Errorf("%s: %s, %v; want %s", raw, wire, err, all.Wire)
		}
	}
}

func TestGeminiSchemaIsFoundUnderBothSpellings(t *testing.T) {
	for _, raw := range []string{
		`{"name":"a","parametersJsonSchema":{"type":"object"}}`,
		`{"name":"a","parameters_json_schema":{"type":"object"}}`,
	} {
		if tool, err := ParseTool([]byte(raw)); err != nil || string(tool.Schema) != `{"type":"object"}` {
			t.Errorf("%s: schema %s, %v", raw, tool.Schema, err)
		}
	}
}
