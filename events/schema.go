package events

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed schemas/*.json
var schemaFiles embed.FS

// schemaBase is the address that the schemas' ids start with; nothing is ever fetched from it.
const schemaBase = "https://tooltrail.dev/schemas/v1/"

// Schemas returns the JSON Schemas (2020-12): KIND.json for each kind, and envelope.json and context.json, which they refer to.
func Schemas() fs.FS {
	sub, err := fs.Sub(schemaFiles, "schemas")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return sub
}

// schemas are the compiled schemas by kind.
var schemas = sync.OnceValue(func() map[Kind]*jsonschema.Schema {
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	entries, err := fs.ReadDir(Schemas(), ".")
	if err != nil {
		panic(err) // the directory is embedded
	}
	for _, e := range entries {
		b, err := schemaFiles.ReadFile(path.Join("schemas", e.Name()))
		if err == nil {
			err = c.AddResource(schemaBase+e.Name(), bytes.NewReader(b))
		}
		if err != nil {
			panic(fmt.Sprintf("schema %s: %v", e.Name(), err)) // a test compiles them all
		}
	}
	m := make(map[Kind]*jsonschema.Schema)
	for _, k := range Kinds() {
		m[k] = c.MustCompile(schemaBase + string(k) + ".json")
	}
	return m
})

// judge checks an event in canonical form against the schema of its kind.
func judge(k Kind, canonical []byte) error {
	var v any
	if err := json.Unmarshal(canonical, &v); err != nil {
		return syntaxError(err)
	}
	err := schemas()[k].Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return &Error{Reason: "not an event"}
	}
	return explain(invalid)
}

// decodeSlowly decides by the schema what the fast path could not tell or refused. Numbers are brought to one form first, so
// that 1.0 is the whole number it is to a schema; what is kept as it was sent is then taken from the line itself.
func decodeSlowly[T any, P data[T]](k Kind, line []byte) (*Event, error) {
	if err := misplaced(line); err != nil {
		return nil, err
	}
	canonical := jsontext.Value(bytes.Clone(line))
	if err := canonical.Canonicalize(); err != nil {
		return nil, syntaxError(err)
	}
	if err := judge(k, canonical); err != nil {
		return nil, err
	}
	var env envelope[T]
	if err := json.Unmarshal(canonical, &env); err != nil {
		return nil, syntaxError(err)
	}
	if err := keepRaw(P(&env.Data), line); err != nil {
		return nil, err
	}
	e := &Event{ID: env.ID, Source: env.Source, Time: env.Time, Data: P(&env.Data)}
	if err := e.Validate(); err != nil {
		return nil, err
	}
	return e, nil
}

// keepRaw puts the values that are kept as they were sent into d.
func keepRaw(d Data, line []byte) error {
	var raw struct {
		Data struct {
			Arguments  jsontext.Value `json:"arguments"`
			Definition jsontext.Value `json:"definition"`
		} `json:"data"`
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		return syntaxError(err)
	}
	switch d := d.(type) {
	case *ToolCall:
		d.Arguments = raw.Data.Arguments
	case *ToolDefinition:
		d.Definition = raw.Data.Definition
	}
	return nil
}
