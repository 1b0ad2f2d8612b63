package events_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

func TestParseToolReadsEveryAPIsForm(t *testing.T) {
	const schema = `{"type":"object"}`
	for name, c := range map[string]struct {
		raw  string
		want events.Tool
	}{
		"Anthropic": {`{"name":"a","description":"d","input_schema":{"type":"object"}}`, events.Tool{Name: "a"}},
		"Anthropic, deferred and marked": {`{"type":"custom","name":"a","description":"d","input_schema":{"type":"object"},"defer_loading":true,"cache_control":{"type":"ephemeral"}}`,
			events.Tool{Name: "a", Type: "custom", Deferred: true}},
		"OpenAI chat":             {`{"type":"function","function":{"name":"a","description":"d","parameters":{"type":"object"}}}`, events.Tool{Name: "a", Type: "function"}},
		"OpenAI Responses":        {`{"type":"function","name":"a","description":"d","parameters":{"type":"object"},"strict":true}`, events.Tool{Name: "a", Type: "function"}},
		"MCP":                     {`{"name":"a","description":"d","inputSchema":{"type":"object"},"annotations":{}}`, events.Tool{Name: "a"}},
		"Gemini":                  {`{"name":"a","description":"d","parameters":{"type":"object"}}`, events.Tool{Name: "a"}},
		"Gemini with JSON Schema": {`{"name":"a","description":"d","parametersJsonSchema":{"type":"object"}}`, events.Tool{Name: "a"}},
		"Bedrock":                 {`{"toolSpec":{"name":"a","description":"d","inputSchema":{"json":{"type":"object"}}}}`, events.Tool{Name: "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := events.ParseTool([]byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Schema) != schema || string(got.Raw) != c.raw || got.Description != "d" {
				t.Errorf("schema %s, description %q, raw %s", got.Schema, got.Description, got.Raw)
			}
			if got.Name != c.want.Name || got.Type != c.want.Type || got.Deferred != c.want.Deferred || got.ProviderRun {
				t.Errorf("have %+v", got)
			}
		})
	}
}

func TestParseToolKnowsWhoRunsABuiltInTool(t *testing.T) {
	for raw, want := range map[string]events.Tool{
		`{"type":"web_search_20250305","name":"web_search"}`:     {Name: "web_search", Type: "web_search_20250305", ProviderRun: true},
		`{"type":"bash_20250124","name":"bash"}`:                 {Name: "bash", Type: "bash_20250124"},
		`{"type":"file_search","vector_store_ids":["v"]}`:        {Name: "file_search", Type: "file_search", ProviderRun: true},
		`{"type":"mcp","server_label":"git","server_url":"u"}`:   {Name: "git", Type: "mcp", ProviderRun: true},
		`{"type":"mcp_toolset","mcp_server_name":"git"}`:         {Name: "git", Type: "mcp_toolset", ProviderRun: true},
		`{"type":"local_shell"}`:                                 {Name: "local_shell", Type: "local_shell"},
		`{"googleSearch":{}}`:                                    {Name: "googleSearch", Type: "googleSearch", ProviderRun: true},
		`{"systemTool":{"name":"nova_grounding"}}`:               {Name: "nova_grounding", ProviderRun: true},
		`{"type":"custom","name":"patch","format":{"type":"x"}}`: {Name: "patch", Type: "custom"},
	} {
		got, err := events.ParseTool([]byte(raw))
		if err != nil || got.Name != want.Name || got.Type != want.Type || got.ProviderRun != want.ProviderRun || got.Schema != nil {
			t.Errorf("%s: have %+v, %v", raw, got, err)
		}
	}
}

func TestParseToolRefusesWhatIsNoTool(t *testing.T) {
	for _, raw := range []string{``, `[]`, `null`, `{}`, `{"description":"d"}`, `{"name":1}`, `{"name":"a","name":"b"}`, `{"name":"a"`,
		`{"function":{}}`, `{"type":"function"}`, `{"cachePoint":{"type":"default"}}`} {
		if got, err := events.ParseTool([]byte(raw)); err == nil {
			t.Errorf("%s: have %+v, want an error", raw, got)
		}
	}
}

func digests(t *testing.T, raw string) events.ToolDigests {
	t.Helper()
	d, err := events.Digester{}.Tool([]byte(raw))
	if err != nil {
		t.Fatalf("digest %s: %v", raw, err)
	}
	return d
}

func TestABreakpointThatMovesIsNotAChangedTool(t *testing.T) {
	want := digests(t, `{"name":"a", "input_schema":{"properties":{"cache_control":{"type":"string"}}}}`)
	for _, raw := range []string{
		`{"cache_control":{"type":"ephemeral"}, "name":"a", "input_schema":{"properties":{"cache_control":{"type":"string"}}}}`,
		`{"name":"a", "cache_control":{"type":"ephemeral","ttl":"1h"}, "input_schema":{"properties":{"cache_control":{"type":"string"}}}}`,
		`{"name":"a", "input_schema":{"properties":{"cache_control":{"type":"string"}}}, "cache_control":null}`,
		`{"name":"a", "input_schema":{"properties":{"cache_control":{"type":"string"}}},"cache\u005fcontrol":1}`,
	} {
		if got := digests(t, raw); got != want {
			t.Errorf("%s: have %+v, want %+v", raw, got, want)
		}
	}
	inner := digests(t, `{"type":"function","function":{"name":"a","parameters":{}}}`)
	if got := digests(t, `{"type":"function","function":{"name":"a","parameters":{},"cache_control":{}}}`); got != inner {
		t.Errorf("a marker inside function: have %+v, want %+v", got, inner)
	}
	none := digests(t, `{"type":"web_search"}`)
	if got := digests(t, "{\n  \"cache_control\": {},\n  \"type\": \"web_search\"\n}"); got.Definition != none.Definition {
		t.Errorf("definition: have %+v, want %+v", got, none)
	}
}

func TestTheThreeDigestsPart(t *testing.T) {
	base := digests(t, `{"name":"a","description":"d","input_schema":{"type":"object","properties":{"q":{"type":"string","description":"x"}}}}`)
	for name, c := range map[string]struct {
		raw                      string
		wire, definition, schema bool // equal to base
	}{
		"key order":        {`{"description":"d","name":"a","input_schema":{"type":"object","properties":{"q":{"type":"string","description":"x"}}}}`, false, true, true},
		"deferred":         {`{"name":"a","description":"d","defer_loading":true,"input_schema":{"type":"object","properties":{"q":{"type":"string","description":"x"}}}}`, false, true, true},
		"description":      {`{"name":"a","description":"e","input_schema":{"type":"object","properties":{"q":{"type":"string","description":"x"}}}}`, false, false, true},
		"inner annotation": {`{"name":"a","description":"d","input_schema":{"type":"object","properties":{"q":{"type":"string","title":"y"}}}}`, false, false, true},
		"type":             {`{"name":"a","description":"d","input_schema":{"type":"object","properties":{"q":{"type":"number","description":"x"}}}}`, false, false, false},
	} {
		got := digests(t, c.raw)
		if (got.Wire == base.Wire) != c.wire || (got.Definition == base.Definition) != c.definition || (got.Schema == base.Schema) != c.schema {
			t.Errorf("%s: have %+v, base %+v", name, got, base)
		}
	}
}

func TestAKeyChangesEveryDigest(t *testing.T) {
	raw := []byte(`{"name":"a"}`)
	plain, _ := events.Digester{}.Tool(raw)
	keyed, err := events.Digester{Key: []byte("k")}.Tool(raw)
	if err != nil || keyed.Wire == plain.Wire || keyed.Definition == plain.Definition || keyed.Schema == plain.Schema {
		t.Errorf("have %+v, %v", keyed, err)
	}
}

func TestCanonicalSchemaLeavesOutAnnotationsWhereASchemaStands(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"none":                    {``, `{}`},
		"null":                    {`null`, `{}`},
		"true":                    {`true`, `true`},
		"top":                     {`{"title":"t","type":"object","description":"d","examples":[1]}`, `{"type":"object"}`},
		"properties so named":     {`{"properties":{"title":{"title":"t","type":"string"},"description":{},"examples":{"examples":[]}}}`, `{"properties":{"description":{},"examples":{},"title":{"type":"string"}}}`},
		"required names":          {`{"required":["title","description"]}`, `{"required":["title","description"]}`},
		"items":                   {`{"items":{"title":"t","items":{"description":"d"}}}`, `{"items":{"items":{}}}`},
		"a list of items":         {`{"items":[{"title":"t"},true]}`, `{"items":[{},true]}`},
		"applicators":             {`{"anyOf":[{"title":"a","type":"string"},{"title":"b"}],"not":{"title":"t"},"if":{"description":"d"}}`, `{"anyOf":[{"type":"string"},{}],"if":{},"not":{}}`},
		"defs":                    {`{"$defs":{"title":{"title":"t","$ref":"#"}},"definitions":{"x":{"description":"d"}}}`, `{"$defs":{"title":{"$ref":"#"}},"definitions":{"x":{}}}`},
		"dependencies":            {`{"dependencies":{"title":["description"],"b":{"title":"t"}}}`, `{"dependencies":{"b":{},"title":["description"]}}`},
		"const, enum and default": {`{"const":{"title":"t"},"default":{"description":"d"},"enum":[{"title":"t"}]}`, `{"const":{"title":"t"},"default":{"description":"d"},"enum":[{"title":"t"}]}`},
		"unknown keyword":         {`{"x-ui":{"title":"t"}}`, `{"x-ui":{"title":"t"}}`},
		"additional properties":   {`{"additionalProperties":{"title":"t","type":"number"},"patternProperties":{"^title":{"title":"t"}}}`, `{"additionalProperties":{"type":"number"},"patternProperties":{"^title":{}}}`},
		"numbers":                 {`{"maximum":1.0e2}`, `{"maximum":100}`},
	} {
		got, err := events.CanonicalSchema(jsontext.Value(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: have %s, %v, want %s", name, got, err, c.want)
		}
	}
	if _, err := events.CanonicalSchema(jsontext.Value(`{"a"`)); err == nil {
		t.Error("want an error for what is not JSON")
	}
}

// The samples of RFC 8785: sections 3.2.2 and 3.2.3, and the numbers of appendix B.
func TestCanonicalHoldsTheVectorsOfRFC8785(t *testing.T) {
	for in, want := range map[string]string{
		"{\"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],\n" +
			`"string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`: `{"literals":[null,true,false],` +
			`"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face",` +
			`"\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`: "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\"," +
			"\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}",
	} {
		got, err := events.Canonical(jsontext.Value(in))
		if err != nil || string(got) != want {
			t.Errorf("have %s, %v\nwant %s", got, err, want)
		}
	}
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0", 0x8000000000000000: "0", 0x0000000000000001: "5e-324", 0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308", 0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992", 0xc340000000000000: "-9007199254740992", 0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22", 0x44b52d02c7e14af6: "1e+23", 0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000", 0x444b1ae4d6e2ef4f: "999999999999999900000", 0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7", 0x3eb0c6f7a0b5ed8d: "0.000001", 0x41b3de4355555553: "333333333.3333332",
		0x41b3de4355555554: "333333333.33333325", 0x41b3de4355555555: "333333333.3333333", 0x41b3de4355555556: "333333333.3333334",
		0x41b3de4355555557: "333333333.33333343", 0xbecbf647612f3696: "-0.0000033333333333333333", 0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		got, err := events.Canonical(jsontext.Value(fmt.Sprintf("%.25e", math.Float64frombits(bits))))
		if err != nil || string(got) != want {
			t.Errorf("%016x: have %s, %v, want %s", bits, got, err, want)
		}
	}
}

// release is one line of the tool history.
type release struct {
	Release string            `json:"release"`
	Tools   []json.RawMessage `json:"tools"`
}

func TestDigestsOfARealServersReleasesPartAsInLife(t *testing.T) {
	f, err := os.Open(eventstest.SharedFile(t, "mcp-tool-history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	have := map[string]string{}
	var before map[string]events.ToolDigests
	for lines.Scan() {
		var r release
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		after := map[string]events.ToolDigests{}
		for _, raw := range r.Tools {
			tool, err := events.ParseTool(raw)
			if err != nil {
				t.Fatal(err)
			}
			after[tool.Name] = digests(t, string(raw))
		}
		have[r.Release] = changes(before, after)
		before = after
	}
	if got, want := have["v0.24.0"], "64 -> 95: +31 -0 definitions 29 schemas 4"; got != want {
		t.Errorf("v0.24.0: have %s, want %s", got, want)
	}
	if got := have["v0.14.0"]; !strings.HasPrefix(got, "60 -> ") {
		t.Errorf("v0.14.0: have %s", got)
	}
	t.Log(have["v0.14.0"], "|", have["v0.31.0"])
}

// changes counts what one release changed.
func changes(before, after map[string]events.ToolDigests) string {
	var added, removed, definitions, schemas int
	for name, b := range before {
		a, ok := after[name]
		switch {
		case !ok:
			removed++
			continue
		case a.Definition != b.Definition:
			definitions++
		}
		if a.Schema != b.Schema {
			schemas++
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			added++
		}
	}
	return fmt.Sprintf("%d -> %d: +%d -%d definitions %d schemas %d", len(before), len(after), added, removed, definitions, schemas)
}

func FuzzDigestTool(f *testing.F) {
	f.Add([]byte(`{"cache_control":{},"name":"a","input_schema":{"items":[{"title":"t"}],"properties":{"title":{}}}}`))
	f.Add([]byte(`{"toolSpec":{"name":"a","inputSchema":{"json":{"$defs":{}}},"cache_control":1}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		keep := bytes.Clone(raw)
		d, err := events.Digester{}.Tool(raw)
		if !bytes.Equal(keep, raw) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			return
		}
		c, err := events.Canonical(raw)
		if err != nil {
			t.Fatal(err)
		}
		again, err := events.Digester{}.Tool(c)
		if err != nil || again.Definition != d.Definition || again.Schema != d.Schema {
			t.Fatalf("of the canonical form: have %+v, %v, want %+v", again, err, d)
		}
	})
}
