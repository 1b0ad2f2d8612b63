package drift

import (
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

func TestWithVersionKeepsTheFormOfTheAPI(t *testing.T) {
	const added = `"schema_version":{"type":"string","const":"v2"}`
	tests := []struct{ name, definition, want string }{
		{"Anthropic", `{"name":"t", "description":"d","input_schema":{"type":"object","properties":{"b":{"minimum":1.50},"a":{}},"required":["b"]},"cache_control":{"type":"ephemeral"}}`,
			`{"name":"t","description":"d","input_schema":{"type":"object","properties":{"b":{"minimum":1.50},"a":{},` + added + `},"required":["b","schema_version"]},"cache_control":{"type":"ephemeral"}}`},
		{"MCP", `{"name":"t","inputSchema":{"type":"object"}}`, `{"name":"t","inputSchema":{"type":"object","properties":{` + added + `},"required":["schema_version"]}}`},
		{"OpenAI Chat Completions", `{"type":"function","function":{"name":"t","parameters":{"type":"object","properties":{}},"strict":true}}`,
			`{"type":"function","function":{"name":"t","parameters":{"type":"object","properties":{` + added + `},"required":["schema_version"]},"strict":true}}`},
		{"OpenAI Responses", `{"type":"function","name":"t","parameters":{"properties":{},"required":[]}}`,
			`{"type":"function","name":"t","parameters":{"properties":{` + added + `},"required":["schema_version"]}}`},
		{"Gemini", `{"name":"t","parameters":{"type":"OBJECT","properties":{}}}`,
			`{"name":"t","parameters":{"type":"OBJECT","properties":{"schema_version":{"type":"STRING","enum":["v2"]}},"required":["schema_version"]}}`},
		{"Bedrock", `{"toolSpec":{"name":"t","inputSchema":{"json":{"type":"object"}}}}`,
			`{"toolSpec":{"name":"t","inputSchema":{"json":{"type":"object","properties":{` + added + `},"required":["schema_version"]}}}}`},
		{"one that has it", `{"name":"t","inputSchema":{"properties":{"schema_version":{"const":"v1"},"a":{}},"required":["schema_version","a"]}}`,
			`{"name":"t","inputSchema":{"properties":{` + added + `,"a":{}},"required":["schema_version","a"]}}`},
		{"one that has another argument of that name", `{"name":"t","inputSchema":{"properties":{"schema_version":{"type":"integer"}}}}`, "error: /properties/schema_version"},
		{"no schema", `{"name":"t"}`, "error: no input schema"},
		{"a schema that is no object", `{"name":"t","inputSchema":true}`, "error: no input schema"},
		{"properties that are none", `{"name":"t","inputSchema":{"properties":[]}}`, "error: /properties: want an object"},
		{"required that is no list", `{"name":"t","inputSchema":{"required":true}}`, "error: /required: want an array"},
		{"no JSON", `{`, "error: not JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := WithVersion(raw(tt.definition), "v2")
			if part, fails := strings.CutPrefix(tt.want, "error: "); fails {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil || string(got) != tt.want {
				t.Fatalf("%s, %v", got, err)
			}
			s, err := Compile(got)
			if err != nil {
				t.Fatal(err)
			}
			if v := s.Classify([]byte(`{"schema_version":"v1","b":2,"a":1}`)); v.Class != events.DriftValidationError {
				t.Errorf("class %s", v.Class)
			}
		})
	}
	if _, err := WithVersion(raw(`{"name":"t","inputSchema":{}}`), "a\nb"); err == nil {
		t.Error("a version with a line break")
	}
}

func TestWhatTheVersionArgumentCosts(t *testing.T) {
	plain := raw(`{"name":"t","inputSchema":{"type":"object","properties":{"a":{}},"required":["a"]}}`)
	got, err := VersionArgumentCost(plain, "v2")
	// ,"schema_version":{"type":"string","const":"v2"} is 48 bytes, ,"schema_version" is 17; "schema_version":"v2", is 22.
	if want := (VersionCost{DefinitionTokens: 17, CallTokens: 6}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	with, err := WithVersion(plain, "v2")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := VersionArgumentCost(with, "v2"); err != nil || again != got {
		t.Errorf("of one that has it: %+v, %v", again, err)
	}
	for bytes, tokens := range map[int]int{-1: 0, 0: 0, 1: 1, 4: 1, 5: 2, 400: 100} {
		if got := EstimateTokens(bytes); got != tokens {
			t.Errorf("%d bytes are %d tokens", bytes, got)
		}
	}
}
