package drift

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

var update = flag.Bool("update", false, "write the golden files anew")

// documentOf is the document of one definition.
func documentOf(t testing.TB, server, release, definition string) *Document {
	t.Helper()
	p, err := events.ParseTool([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	d := NewDocument(Key{server, p.Name})
	def := &events.ToolDefinition{ToolName: p.Name, Server: server, Release: release, Definition: []byte(definition)}
	if _, err := d.Register(def, "ada", time.Unix(0, 0), StateActive); err != nil {
		t.Fatalf("%s: %v", definition, err)
	}
	return d
}

// validateOpenAPI holds a document against the specification, with a library that looks into its schemas too.
func validateOpenAPI(raw []byte) error {
	d, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	return d.Validate(context.Background())
}

func TestTheValidatorRefusesWhatOpenAPI31Refuses(t *testing.T) {
	good, _, err := OpenAPI([]*Document{documentOf(t, "s", "", `{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`)}, OpenAPIOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := validateOpenAPI(good); err != nil {
		t.Fatal(err)
	}
	for was, is := range map[string]string{
		`"type": "string"`:               `"type": "strung"`,
		`"type": "object"`:               `"exclusiveMinimum": true`,
		`"properties": {`:                `"required": 1, "properties": {`,
		`#/components/schemas/s_t.input`: `#/components/schemas/nowhere`,
		`"operationId"`:                  `"operationID"`,
		`"/tools/s/t"`:                   `"tools/s/t"`,
		`"s_t.input": {`:                 `"s t": {}, "s_t.input": {`,
		`"title"`:                        `"titel"`,
	} {
		bad := strings.Replace(string(good), was, is, 1)
		if bad == string(good) {
			t.Errorf("%s is not in the document", was)
		}
		if err := validateOpenAPI([]byte(bad)); err == nil {
			t.Errorf("with %s it is taken", is)
		}
	}
}

func TestAnOpenAPIDocumentTellsAllActiveTools(t *testing.T) {
	docs := []*Document{
		documentOf(t, "shop", "v2.0.0", `{"name":"order","title":"Order\n a thing","description":"Orders <a> thing.\n\nNow.","inputSchema":{"type":"object",
			"properties":{"item":{"$ref":"#/$defs/Item"},"count":{"type":"integer","minimum":1,"default":1}},"required":["item"],
			"$defs":{"Item":{"type":"object","properties":{"name":{"type":"string"},"parts":{"type":"array","items":{"$ref":"#/$defs/Item"}}}},"Unused":{}}},
			"outputSchema":{"type":"object","properties":{"id":{"type":"string"}}},"annotations":{"title":"ignored","readOnlyHint":false,"destructiveHint":true}}`),
		documentOf(t, "shop", "", `{"name":"cancel","annotations":{"title":"Cancel"},"inputSchema":{"type":"object","properties":{"id":{"type":"string","nullable":true}}}}`),
		documentOf(t, "", "", `{"name":"think","input_schema":{"type":"object"}}`),
		{Tool: "gone"},
	}
	raw, notes, err := OpenAPI(docs, OpenAPIOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := validateOpenAPI(raw); err != nil {
		t.Error(err)
	}
	if len(notes) != 1 || notes[0].Text() != "shop/cancel /inputSchema/properties/id/nullable: left out: JSON Schema has no such keyword, null is allowed by its type" {
		t.Errorf("notes %+v", notes)
	}
	again, _, _ := OpenAPI([]*Document{docs[2], docs[1], docs[3], docs[0]}, OpenAPIOptions{})
	if !bytes.Equal(raw, again) {
		t.Error("in another order the same tools give other bytes")
	}
	golden(t, "openapi.golden.json", raw)
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestTitleAndVersionOfAnOpenAPIDocumentCanBeGiven(t *testing.T) {
	d := documentOf(t, "", "", `{"name":"a"}`)
	info := func(o OpenAPIOptions, docs ...*Document) string {
		raw, _, err := OpenAPI(docs, o)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct{ Info json.RawMessage }
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatal(err)
		}
		return string(doc.Info)
	}
	if got := info(OpenAPIOptions{Title: "Shop", Version: "v1"}, d); !strings.Contains(got, `"title": "Shop"`) || !strings.Contains(got, `"version": "v1"`) {
		t.Error(got)
	}
	if one, other := info(OpenAPIOptions{}, d), info(OpenAPIOptions{}, d, documentOf(t, "", "", `{"name":"b"}`)); one == other {
		t.Error("other tools have the same version")
	}
}

func TestTwoDocumentsOfOneToolAreRefused(t *testing.T) {
	d := documentOf(t, "s", "", `{"name":"a"}`)
	if _, _, err := OpenAPI([]*Document{d, d}, OpenAPIOptions{}); err == nil || !strings.Contains(err.Error(), "s/a: there are two documents") {
		t.Error(err)
	}
}

func TestNamesOfToolsCannotCollideOrBreakOut(t *testing.T) {
	var docs []*Document
	for _, k := range []Key{
		{"a_b", "c"}, {"a", "b_c"}, {"", "a_b_c"}, {"a", "b.c"}, {"", ".."}, {"..", "."}, {"s/t", "{id}"}, {"s", "t/{id}"}, {"é", "\u2028"},
		{"", "x"}, {"", "x.input"}, {"", "x.input.d"}, {"x", "a?b=c#d"}, {"", "a b"}, {"", "a%20b"},
	} {
		name, _ := json.Marshal(k.Tool)
		docs = append(docs, documentOf(t, k.Server, "", `{"name":`+string(name)+`,"inputSchema":{"$ref":"#/definitions/d","definitions":{"d":{"type":"object"}}}}`))
	}
	raw, _, err := OpenAPI(docs, OpenAPIOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := validateOpenAPI(raw); err != nil {
		t.Error(err)
	}
	var doc struct {
		Paths      map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Paths) != len(docs) || len(doc.Components.Schemas) != 2*len(docs) {
		t.Errorf("%d paths and %d components of %d tools", len(doc.Paths), len(doc.Components.Schemas), len(docs))
	}
	for path := range doc.Paths {
		if strings.ContainsAny(path, "{}?# ") || strings.Contains(path, "/../") || strings.HasSuffix(path, "/..") || strings.HasSuffix(path, "/.") {
			t.Errorf("path %q", path)
		}
	}
}

func TestAllReleasesOfARealServerAreToldInOpenAPI(t *testing.T) {
	releases := readHistory(t)
	for _, r := range releases {
		var docs []*Document
		for _, raw := range r.Tools {
			docs = append(docs, documentOf(t, r.Server, r.Name, string(raw)))
		}
		raw, notes, err := OpenAPI(docs, OpenAPIOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := validateOpenAPI(raw); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
		if len(notes) > 0 {
			t.Errorf("%s: notes %v", r.Name, notes)
		}
		components := newTold(t, raw)
		for _, d := range docs {
			checkExample(t, components, d)
		}
	}
	if len(releases) != 43 {
		t.Errorf("%d releases", len(releases))
	}
}

// checkExample holds arguments against a tool's schema and the one in the document.
func checkExample(t *testing.T, components told, d *Document) {
	t.Helper()
	s, err := Compile(d.Active().Definition)
	if err != nil {
		t.Fatal(err)
	}
	args, err := s.Example()
	if err != nil {
		t.Errorf("%s: %v", d.Key(), err)
		return
	}
	schema := components.schema(operationIDs([]*Document{d})[d.Key()] + ".input")
	for _, v := range []string{string(args), `{}`, `[]`, `{"owner":1}`} {
		if valid(t, s.root, []byte(v)) != valid(t, schema, []byte(v)) {
			t.Errorf("%s: %s is judged otherwise", d.Key(), v)
		}
	}
}
