package drift

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func TestCompileReadsEveryFormOfADefinition(t *testing.T) {
	const schema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	forms := map[string]string{
		"Anthropic":        `{"name":"t","input_schema":%s}`,
		"OpenAI chat":      `{"type":"function","function":{"name":"t","parameters":%s}}`,
		"OpenAI Responses": `{"type":"function","name":"t","parameters":%s}`,
		"MCP":              `{"name":"t","inputSchema":%s}`,
		"Gemini":           `{"name":"t","parameters":%s}`,
		"Bedrock":          `{"toolSpec":{"name":"t","inputSchema":{"json":%s}}}`,
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			s, err := Compile([]byte(fmt.Sprintf(form, schema)))
			if err != nil {
				t.Fatal(err)
			}
			if v := s.Classify([]byte(`{}`)); s.Name != "t" || v.Class != events.DriftValidationError {
				t.Errorf("tool %q, class %q", s.Name, v.Class)
			}
			if v := s.Classify([]byte(`{"n":1}`)); v.Class != events.DriftCurrent {
				t.Errorf("class %q", v.Class)
			}
		})
	}
}

func TestCompileReadsTheDraftsOfRealTools(t *testing.T) {
	tests := []struct{ name, schema, good, bad string }{
		{"draft 4 with a boolean exclusiveMinimum", `{"properties":{"n":{"type":"number","minimum":0,"exclusiveMinimum":true}}}`, `{"n":1}`, `{"n":0}`},
		{"draft 4 by its name", `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"n":{"minimum":0}}}`, `{"n":1}`, `{"n":-1}`},
		{"draft 7 with dependencies", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{},"b":{}},"dependencies":{"a":["b"]}}`, `{"a":1,"b":1}`, `{"a":1}`},
		{"draft 7 with a list of items and no $schema", `{"properties":{"l":{"items":[{"type":"string"}]}}}`, `{"l":["a"]}`, `{"l":[1]}`},
		{"2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"number"}}}`, `{"n":1}`, `{"n":"1"}`},
		{"2020-12 with prefixItems", `{"properties":{"l":{"prefixItems":[{"type":"string"}]}}}`, `{"l":["a"]}`, `{"l":[1]}`},
		{"type names in capitals", `{"type":"OBJECT","properties":{"n":{"type":"STRING"}}}`, `{"n":"1"}`, `{"n":1}`},
		{"a dialect that nobody knows", `{"$schema":"https://example.com/mine","properties":{"n":{"type":"string"}}}`, `{"n":"1"}`, `{"n":1}`},
		{"a recursive reference", `{"properties":{"c":{"$ref":"#"},"n":{"type":"string"}}}`, `{"c":{"c":{"n":"1"}}}`, `{"c":{"c":{"n":1}}}`},
		{"numbers of any length", `{"properties":{"n":{"maximum":1e999999999}}}`, `{"n":1e999999999}`, `{"n":"x","l":[`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := mustCompile(t, tt.schema)
			if v := s.Classify([]byte(tt.good)); v.Class != events.DriftCurrent {
				t.Errorf("%s: %+v", tt.good, v)
			}
			if v := s.Classify([]byte(tt.bad)); v.Class != events.DriftValidationError {
				t.Errorf("%s: %+v", tt.bad, v)
			}
		})
	}
}

func TestCompileSaysWhereASchemaIsWrong(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"a type that is none", `{"properties":{"n":{"type":"text"}}}`, "compile schema: /properties/n/type: not a JSON Schema: anyOf"},
		{"no JSON", `{"type":`, "compile schema: not JSON"},
		{"no schema", `[]`, "compile schema: want an object, true or false"},
		{"a reference to a file", `{"$ref":"file:///etc/passwd"}`, "compile schema: a reference leaves the schema"},
		{"a reference to the network", `{"properties":{"a":{"$ref":"http://example.com/a.json"}}}`, "compile schema: a reference leaves the schema"},
		{"a reference to nothing", `{"$ref":"#/$defs/none"}`, "compile schema: a reference leads nowhere"},
		{"a reference to itself", `{"$ref":"#"}`, "compile schema: a reference leads back to itself"},
		{"too deep", strings.Repeat(`{"not":`, 100) + `{}` + strings.Repeat(`}`, 100), "compile schema: beyond the limits"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := CompileSchema([]byte(tt.schema), Limits{})
			var c *CompileError
			if !errors.As(err, &c) || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestCompileKeepsASchemaWhosePatternsItCannotCheck(t *testing.T) {
	s := mustCompile(t, `{"properties":{"a":{"type":"string","pattern":"^(?!x)"}},"patternProperties":{"^(?=y)":{}},"additionalProperties":false}`)
	want := []string{"/patternProperties/^(?=y)", "/properties/a/pattern"}
	if diff := cmp.Diff(want, s.Unchecked); diff != "" {
		t.Error(diff)
	}
	if v := s.Classify([]byte(`{"a":"x","other":1}`)); v.Class != events.DriftCurrent {
		t.Errorf("%+v", v)
	}
}

// hostile are schemas made to cost time or memory, each with arguments that would.
func hostile() map[string][2]string {
	chain := func(n int, combine string) string {
		var b strings.Builder
		b.WriteString(`{"$ref":"#/$defs/s0","$defs":{`)
		for i := range n {
			fmt.Fprintf(&b, `"s%d":{"%s":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%d"}]},`, i, combine, i+1, i+1)
		}
		fmt.Fprintf(&b, `"s%d":{"type":"object"}}}`, n)
		return b.String()
	}
	deep := strings.Repeat(`{"a":`, 60) + `1` + strings.Repeat(`}`, 60)
	items := strings.Repeat(`"x",`, 50_000)
	return map[string][2]string{
		"allOf chain that doubles":       {chain(40, "allOf"), `{}`},
		"anyOf chain that doubles":       {chain(40, "anyOf"), `1`},
		"oneOf chain that doubles":       {chain(40, "oneOf"), `1`},
		"doubling down a deep value":     {`{"$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":{"allOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/x"}]}}}}}`, deep},
		"unique items of many":           {`{"type":"array","uniqueItems":true}`, `[` + items + `"y"]`},
		"a pattern on a long text":       {`{"properties":{"a":{"pattern":"(a{1,30}){1,30}$"}}}`, `{"a":"` + strings.Repeat("a", 200_000) + `b"}`},
		"a catastrophic-looking one":     {`{"properties":{"a":{"pattern":"^(a+)+$"}}}`, `{"a":"` + strings.Repeat("a", 200_000) + `b"}`},
		"mutual references on a value":   {`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`, `{}`},
		"a huge enum":                    {`{"properties":{"a":{"enum":[` + strings.Repeat(`"v",`, 4_000) + `"w"]}}}`, `{"a":"x"}`},
		"a huge enum of draft 4":         {`{"$schema":"http://json-schema.org/draft-04/schema#","enum":[` + strings.Repeat(`{"a":[1]},`, 4_000) + `1]}`, `{"a":"x"}`},
		"many arguments":                 {`{"additionalProperties":{"anyOf":[{"type":"string"},{"type":"number"}]}}`, `{` + manyMembers(20_000) + `}`},
		"many properties":                {`{"properties":{` + manySchemas(1_900) + `}}`, `{"p1":1}`},
		"dynamic references in a circle": {`{"$dynamicAnchor":"n","properties":{"a":{"allOf":[{"$dynamicRef":"#n"},{"$dynamicRef":"#n"}]}}}`, deep},
		"unevaluated in every branch":    {`{"anyOf":[` + strings.Repeat(`{"properties":{"a":{}},"unevaluatedProperties":false},`, 500) + `{}]}`, `{` + manyMembers(500) + `}`},
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":1,`, i)
	}
	return b.String() + `"last":1`
}

func manySchemas(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"p%d":{"type":"string"},`, i)
	}
	return b.String() + `"last":{}`
}

func TestHostileSchemasAndArgumentsEnd(t *testing.T) {
	for name, h := range hostile() {
		t.Run(name, func(t *testing.T) {
			s, err := CompileSchema([]byte(h[0]), Limits{})
			if err != nil {
				t.Logf("compile: %v", err)
				return
			}
			v := s.Classify([]byte(h[1]))
			t.Logf("class %q, %d errors, %v", v.Class, len(v.Errors), v.Err)
			if len(v.Errors) > DefaultLimits().Errors || len(v.Unknown) > DefaultLimits().Errors {
				t.Errorf("%d errors, %d unknown names", len(v.Errors), len(v.Unknown))
			}
		})
	}
}
