package drift

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// dialectCases are schemas of all dialects, what they are told as, and what the notes say.
var dialectCases = []struct {
	name, schema string
	// want has the components, by what follows the tool's name.
	want  map[string]string
	notes []string
}{
	{"draft 4 bounds are numbers", `{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://x/y","type":"object","properties":{
		"a":{"minimum":1,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false},"b":{"maximum":2,"exclusiveMaximum":true}}}`,
		map[string]string{"": `{"type":"object","properties":{"a":{"exclusiveMinimum":1,"maximum":9},"b":{"exclusiveMaximum":2}}}`}, nil},
	{"keywords that a draft does not have mean nothing", `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"const":1,"if":{"$ref":"#/nowhere"}}},"examples":7,"deprecated":"yes"}`,
		map[string]string{"": `{"properties":{"a":{}}}`},
		[]string{"/deprecated: left out: it is of the wrong type", "/examples: left out: it is of the wrong type",
			"/properties/a/const: left out: it means nothing in the schema's dialect", "/properties/a/if: left out: it means nothing in the schema's dialect"}},
	{"definitions become components", `{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/Order","definitions":{
		"Order":{"type":"object","properties":{"parts":{"type":"array","items":{"$ref":"#/definitions/Order"}},"of":{"$ref":"#/definitions/a~1b%20c"}}},"a/b c":{"type":"string"},"Unused":{}}}`,
		map[string]string{"": `{"$ref":"#/components/schemas/t.input.Order"}`,
			".Order": `{"type":"object","properties":{"parts":{"type":"array","items":{"$ref":"#/components/schemas/t.input.Order"}},"of":{"$ref":"#/components/schemas/t.input.a_b_c"}}}`,
			".a_b_c": `{"type":"string"}`}, nil},
	{"what is beside $ref means nothing before 2019", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/A","description":"an a","maxLength":2}},"definitions":{"A":{"type":"string"}}}`,
		map[string]string{"": `{"properties":{"a":{"$ref":"#/components/schemas/t.input.A","description":"an a"}}}`, ".A": `{"type":"string"}`},
		[]string{"/properties/a/maxLength: left out: it means nothing beside $ref in the schema's dialect"}},
	{"and counts since", `{"properties":{"a":{"$ref":"#/$defs/A","maxLength":2}},"$defs":{"A":{"type":"string"}}}`,
		map[string]string{"": `{"properties":{"a":{"$ref":"#/components/schemas/t.input.A","maxLength":2}}}`, ".A": `{"type":"string"}`}, nil},
	{"a list of items is prefixItems", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"},true],"additionalItems":false}`,
		map[string]string{"": `{"prefixItems":[{"type":"string"},{}],"items":{"not":{}}}`}, nil},
	{"also where no draft is named", `{"type":"object","properties":{"a":{"items":[{"type":"string"}],"additionalItems":{"type":"null"}}}}`,
		map[string]string{"": `{"type":"object","properties":{"a":{"prefixItems":[{"type":"string"}],"items":{"type":"null"}}}}`}, nil},
	{"additionalItems mean nothing alone", `{"$schema":"http://json-schema.org/draft-07/schema#","items":{"type":"string"},"additionalItems":false}`,
		map[string]string{"": `{"items":{"type":"string"}}`}, []string{"/additionalItems: left out: it means nothing without a list of items"}},
	{"dependencies are told apart", `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":{"required":["d"]}}}`,
		map[string]string{"": `{"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"required":["d"]}}}`}, nil},
	{"and join those that are there", `{"dependencies":{"a":["b"]},"dependentRequired":{"a":["c"]},"allOf":[{"type":"object"}]}`,
		map[string]string{"": `{"dependentRequired":{"a":["b"]},"allOf":[{"type":"object"},{"dependentRequired":{"a":["c"]}}]}`}, nil},
	{"ids and anchors lead to components", `{"$id":"https://x/root","properties":{"a":{"$ref":"other#odd"},"b":{"$ref":"https://x/root#plain"},"c":{"$ref":"#"},"d":{"$ref":"other"}},
		"$defs":{"o":{"$id":"other","type":"object","properties":{"p":{"$anchor":"odd","type":"string"},"q":{"$ref":"#/properties/p"}}},"p":{"$anchor":"plain","type":"integer"}}}`,
		map[string]string{"": `{"properties":{"a":{"$ref":"#/components/schemas/t.input.p"},"b":{"$ref":"#/components/schemas/t.input.p_2"},"c":{"$ref":"#/components/schemas/t.input"},"d":{"$ref":"#/components/schemas/t.input.o"}}}`,
			".o": `{"type":"object","properties":{"p":{"$ref":"#/components/schemas/t.input.p"},"q":{"$ref":"#/components/schemas/t.input.p"}}}`,
			".p": `{"type":"string"}`, ".p_2": `{"type":"integer"}`}, nil},
	{"references that are bound late are bound", `{"$dynamicAnchor":"node","properties":{"next":{"$dynamicRef":"#node"}}}`,
		map[string]string{"": `{"properties":{"next":{"$ref":"#/components/schemas/t.input"}}}`},
		[]string{"/properties/next/$dynamicRef: told as $ref: a reference that is bound when it is used can't be told"}},
	{"a place of its own can be referred to", `{"properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}}`,
		map[string]string{"": `{"properties":{"a":{"$ref":"#/components/schemas/t.input.a"},"b":{"$ref":"#/components/schemas/t.input.a"}}}`, ".a": `{"type":"string"}`}, nil},
	{"true and false are schemas", `{"properties":{"a":true,"b":false},"additionalProperties":false,"$schema":"https://json-schema.org/draft/2020-12/schema"}`,
		map[string]string{"": `{"properties":{"a":{},"b":{"not":{}}},"additionalProperties":false}`}, nil},
	{"types in capitals", `{"type":"OBJECT","properties":{"a":{"type":["STRING","null"]}}}`,
		map[string]string{"": `{"type":"object","properties":{"a":{"type":["string","null"]}}}`}, nil},
	{"a pattern that Go does not know", `{"properties":{"a":{"pattern":"^(?!x)"},"b":{"pattern":"^x"}}}`,
		map[string]string{"": `{"properties":{"a":{"x-pattern":"^(?!x)"},"b":{"pattern":"^x"}}}`},
		[]string{"/properties/a/pattern: told as x-pattern: not every reader of OpenAPI knows such patterns"}},
	{"values that do not fit", `{"properties":{"a":{"type":"string","default":null,"examples":["x",1]},"b":{"default":1,"type":"integer","examples":[1]}}}`,
		map[string]string{"": `{"properties":{"a":{"type":"string","x-default":null,"x-examples":["x",1]},"b":{"type":"integer","default":1,"examples":[1]}}}`},
		[]string{"/properties/a/default: told as x-default: it does not fit the schema", "/properties/a/examples: told as x-examples: it does not fit the schema"}},
	{"a discriminator leads to components", `{"oneOf":[{"$ref":"#/$defs/Cat"}],"discriminator":{"propertyName":"kind","mapping":{"cat":"#/$defs/Cat","dog":"Dog"}},"$defs":{"Cat":{"type":"object"}}}`,
		map[string]string{"": `{"oneOf":[{"$ref":"#/components/schemas/t.input.Cat"}],"discriminator":{"propertyName":"kind","mapping":{"cat":"#/components/schemas/t.input.Cat"}}}`, ".Cat": `{"type":"object"}`},
		[]string{"/discriminator/mapping/dog: left out: it leads nowhere"}},
	{"what OpenAPI has of the same name", `{"discriminator":"kind","xml":1,"externalDocs":"x","nullable":true,"unknown":1,"x-own":2,"example":{"a":1}}`,
		map[string]string{"": `{"x-xml":1,"x-externalDocs":"x","x-unknown":1,"x-own":2,"example":{"a":1}}`},
		[]string{"/discriminator: left out: it names no property", "/nullable: left out: JSON Schema has no such keyword, null is allowed by its type"}},
	{"properties may be named as keywords", `{"properties":{"$ref":{"type":"string"},"definitions":{"type":"string"},"properties":{"properties":{"items":{"type":"string"}}}},"required":["$ref"]}`,
		map[string]string{"": `{"properties":{"$ref":{"type":"string"},"definitions":{"type":"string"},"properties":{"properties":{"items":{"type":"string"}}}},"required":["$ref"]}`}, nil},
}

func TestSchemasOfAllDialectsAreToldAs2020(t *testing.T) {
	for _, c := range dialectCases {
		t.Run(c.name, func(t *testing.T) {
			raw, notes, err := OpenAPI([]*Document{documentOf(t, "", "", `{"name":"t","inputSchema":`+c.schema+`}`)}, OpenAPIOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if err := validateOpenAPI(raw); err != nil {
				t.Errorf("%v in\n%s", err, raw)
			}
			var doc struct {
				Components struct{ Schemas map[string]any }
			}
			if err := json.Unmarshal(raw, &doc); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{}
			for name, schema := range c.want {
				var v any
				if err := json.Unmarshal([]byte(schema), &v); err != nil {
					t.Fatal(err)
				}
				want["t.input"+name] = v
			}
			if diff := cmp.Diff(want, doc.Components.Schemas); diff != "" {
				t.Error(diff)
			}
			var said []string
			for _, n := range notes {
				said = append(said, strings.TrimPrefix(n.Path, "/inputSchema")+": "+n.Reason)
			}
			if diff := cmp.Diff(c.notes, said); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestASchemaThatCannotBeCompiledTakesAnything(t *testing.T) {
	d := documentOf(t, "", "", `{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"objekt"}}`)
	raw, notes, err := OpenAPI([]*Document{d}, OpenAPIOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := validateOpenAPI(raw); err != nil {
		t.Error(err)
	}
	if len(notes) != 1 || notes[0].Path != "/outputSchema" || !strings.HasPrefix(notes[0].Reason, "left out: compile schema: /type") {
		t.Errorf("notes %v", notes)
	}
}

// told compiles the components of a document in the dialect of OpenAPI 3.1.
type told struct {
	t interface{ Fatalf(string, ...any) }
	c *jsonschema.Compiler
}

func newTold(t interface{ Fatalf(string, ...any) }, raw []byte) told {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if err := c.AddResource("doc:///api", bytes.NewReader(raw)); err != nil {
		t.Fatalf("%v", err)
	}
	return told{t, c}
}

func (d told) schema(component string) *jsonschema.Schema {
	s, err := d.c.Compile("doc:///api#/components/schemas/" + component)
	if err != nil {
		d.t.Fatalf("compile %s: %v", component, err)
	}
	return s
}

func valid(t interface{ Fatalf(string, ...any) }, s *jsonschema.Schema, raw []byte) bool {
	v, _, err := readValue(raw, 64, 10_000, 1_000)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s.Validate(v) == nil
}

// genOf draws a schema of a dialect, with keywords of all of them.
func genOf(dialect, depth int) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		m := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "keywords") {
			genOld(t, m, dialect, depth)
		}
		if rapid.IntRange(0, 3).Draw(t, "refers") == 0 {
			m["$ref"] = rapid.SampledFrom([]string{"#/definitions/d0", "#/definitions/d1", "#", "#/properties/a", "#/definitions/d0/properties/b"}).Draw(t, "ref")
		}
		return m
	})
}

func genOld(t *rapid.T, m map[string]any, dialect, depth int) {
	plain := map[string][]any{
		"type":             {"string", "integer", "object", []any{"array", "null"}},
		"minimum":          {1, 1.5},
		"exclusiveMinimum": {1},
		"required":         {[]any{"a"}, []any{"b", "c"}},
		"const":            {1, "a"}, "enum": {[]any{1, "a"}, []any{nil}}, "maxLength": {1}, "minItems": {1}, "uniqueItems": {true},
		"pattern": {"^a", "(?=a)a"}, "minContains": {0, 2}, "nullable": {true}, "additionalProperties": {true},
		"dependentRequired": {map[string]any{"a": []any{"b"}}}, "unknown": {1}, "title": {"a"},
	}
	if dialect == dialect4 {
		plain["exclusiveMinimum"] = []any{true, false}
	}
	inner := []string{"properties", "items", "list", "additionalItems", "additionalProperties", "not", "allOf", "anyOf", "oneOf", "if", "then", "else",
		"contains", "propertyNames", "dependencies", "patternProperties", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "prefixItems"}
	if depth == 0 || rapid.Bool().Draw(t, "plain") {
		k := rapid.SampledFrom(sortedKeys(plain)).Draw(t, "keyword")
		m[k] = rapid.SampledFrom(plain[k]).Draw(t, k)
		if k == "exclusiveMinimum" && dialect == dialect4 {
			m["minimum"] = 1
		}
		return
	}
	g := genOf(dialect, depth-1)
	switch k := rapid.SampledFrom(inner).Draw(t, "keyword"); k {
	case "properties", "patternProperties", "dependentSchemas":
		m[k] = rapid.MapOfN(rapid.SampledFrom([]string{"a", "b"}), g, 1, 2).Draw(t, k)
	case "dependencies":
		m[k] = map[string]any{"a": []any{"b"}, "b": g.Draw(t, k)}
	case "list":
		m["items"] = rapid.SliceOfN(g, 1, 2).Draw(t, k)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		m[k] = rapid.SliceOfN(g, 1, 2).Draw(t, k)
	default:
		m[k] = g.Draw(t, k)
	}
}

var dialectURLs = map[int]string{
	dialect4: "http://json-schema.org/draft-04/schema#", dialect6: "http://json-schema.org/draft-06/schema#",
	dialect7: "http://json-schema.org/draft-07/schema#", dialect2019: "https://json-schema.org/draft/2019-09/schema",
	dialect2020: "https://json-schema.org/draft/2020-12/schema",
}

func TestAToldSchemaJudgesAsTheOneThatItTells(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		dialect := rapid.SampledFrom([]int{dialect4, dialect6, dialect7, dialect2019, dialect2020}).Draw(t, "dialect")
		root := genOf(dialect, 3).Draw(t, "schema")
		root["definitions"] = map[string]any{"d0": genOf(dialect, 2).Draw(t, "d0"), "d1": genOf(dialect, 2).Draw(t, "d1")}
		root["$schema"] = dialectURLs[dialect]
		schema, _ := json.Marshal(root)
		was, err := CompileSchema(schema, Limits{})
		if err != nil {
			return
		}
		d := NewDocument(Key{Tool: "t"})
		def := &events.ToolDefinition{ToolName: "t", Definition: []byte(`{"name":"t","inputSchema":` + string(schema) + `}`)}
		if _, err := d.Register(def, "", time.Unix(0, 0), ""); err != nil {
			t.Fatalf("%v", err)
		}
		raw, notes, err := OpenAPI([]*Document{d}, OpenAPIOptions{})
		if err != nil {
			t.Fatalf("%v", err)
		}
		if slices.ContainsFunc(notes, func(n OpenAPINote) bool { return n.Reason == lateEvaluated }) {
			return
		}
		if err := validateOpenAPI(raw); err != nil {
			t.Fatalf("%v in\n%s\nof %s", err, raw, schema)
		}
		is, err := newTold(t, raw).c.Compile("doc:///api#/components/schemas/t.input")
		var endless jsonschema.InfiniteLoopError
		if errors.As(err, &endless) {
			return // the library notices only sometimes that a schema refers to itself without end
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, raw)
		}
		for range 5 {
			args, _ := json.Marshal(genValue(3).Draw(t, "value"))
			if old, now := valid(t, was.root, args), valid(t, is, args); old != now {
				t.Fatalf("%s: %v, told: %v\n%s\n%s", args, old, now, schema, raw)
			}
			compared++
		}
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
}
