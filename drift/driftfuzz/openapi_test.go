package driftfuzz_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// FuzzOpenAPI holds documents of any definitions against the specification.
func FuzzOpenAPI(f *testing.F) {
	for _, p := range append(hostileSchemas(), odd()...) {
		f.Add(p[0], p[1])
	}
	for _, s := range []string{
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"a","minimum":1,"exclusiveMinimum":true,"dependencies":{"a":["b"]},"items":[{},{"$ref":"#/items/0"}]}`,
		`{"$id":"x","$ref":"y#z","$defs":{"y":{"$id":"y","$anchor":"z","oneOf":[{"$ref":"#"}]}},"discriminator":{"propertyName":"p","mapping":{"a":"y"}}}`,
		`{"default":1,"examples":[{"a":1}],"pattern":"(?=a)","nullable":true,"readOnly":"x","title":"t"}`,
	} {
		f.Add(s, `true`)
	}
	f.Fuzz(func(t *testing.T, input, output string) {
		definition := []byte(`{"name":"t","inputSchema":` + input + `,"outputSchema":` + output + `}`)
		if !json.Valid(definition) {
			return
		}
		d := drift.NewDocument(drift.Key{Server: "s", Tool: "t"})
		def := &events.ToolDefinition{ToolName: "t", Server: "s", Definition: definition}
		if _, err := d.Register(def, "", time.Unix(0, 0), ""); err != nil {
			return
		}
		within(t, "write OpenAPI", func() {
			raw, _, err := drift.OpenAPI([]*drift.Document{d}, drift.OpenAPIOptions{})
			if err != nil {
				t.Fatal(err)
			}
			checkOpenAPI(t, raw)
		})
	})
}

func checkOpenAPI(t *testing.T, raw []byte) {
	t.Helper()
	if len(raw) > 1<<20 {
		return // the validator takes its time
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err == nil {
		err = doc.Validate(context.Background())
	}
	if err != nil && !strings.Contains(err.Error(), "unresolved ref") { // as it calls some schemas that refer to themselves
		t.Errorf("%v in\n%s", err, raw)
	}
}
