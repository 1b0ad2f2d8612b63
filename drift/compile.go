package drift

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/tooltrail/tooltrail/events"
)

// Schema is a tool's input schema, compiled. It does not change: any number of goroutines can share one.
type Schema struct {
	// Name is the tool's name; empty when a bare schema was compiled.
	Name string
	// Unchecked lists JSON pointers into the schema of what could not be checked, such as a pattern that Go can't read; a call that
	// fails only there is taken to be valid.
	Unchecked []string

	root      *jsonschema.Schema
	limits    Limits
	cost      cost
	arguments map[string]argument

	// parts are made when they are first needed.
	locate sync.Once
	parts  map[string]*jsonschema.Schema

	// declared are made when they are first needed, see odd.
	declare  sync.Once
	declared map[string]bool
}

// CompileError is a schema that can't be compiled.
type CompileError struct {
	// Path is a JSON pointer into the schema.
	Path string
	// Reason says what is wrong there.
	Reason string
	err    error
}

// Error gives the place and the reason.
func (e *CompileError) Error() string {
	if e.Path == "" {
		return "compile schema: " + e.Reason
	}
	return "compile schema: " + e.Path + ": " + e.Reason
}

// Unwrap returns what lies behind it, such as [ErrLimit].
func (e *CompileError) Unwrap() error { return e.err }

// Compile compiles the input schema of a tool definition in any form that [events.ParseTool] reads, under [DefaultLimits]. A
// tool without an input schema takes anything. The error is an [*events.Error] or a [*CompileError].
func Compile(definition []byte) (*Schema, error) {
	t, err := events.ParseTool(definition)
	if err != nil {
		return nil, err
	}
	raw := t.Schema
	if len(raw) == 0 || raw.Kind() == 'n' {
		raw = jsontext.Value("true")
	}
	s, err := CompileSchema(raw, Limits{})
	if err != nil {
		return nil, err
	}
	s.Name = t.Name
	return s, nil
}

// schemaURL is the base of every schema: references can only point inside it.
const schemaURL = "tool:///schema"

// drafts are tried in this order for a schema that does not say which it was written for.
var drafts = []*jsonschema.Draft{jsonschema.Draft2020, jsonschema.Draft7, jsonschema.Draft4}

// CompileSchema compiles a bare JSON Schema of drafts 4 to 2020-12. References reach only inside the schema. The error is a
// [*CompileError].
func CompileSchema(raw []byte, l Limits) (s *Schema, err error) {
	l = l.orDefault()
	defer recoverCompile(&err)
	p, err := prepare(raw, l)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(p.doc)
	if err != nil {
		return nil, &CompileError{Reason: "not JSON"}
	}
	var first error
	for _, d := range draftsOf(p.doc) {
		if err = p.checkParts(d); err == nil {
			var root *jsonschema.Schema
			if root, err = compileDraft(text, d); err == nil {
				return newSchema(root, p, l), nil
			}
		}
		if first == nil {
			first = err
		}
	}
	return nil, compileError(first)
}

func newSchema(root *jsonschema.Schema, p *preparer, l Limits) *Schema {
	return &Schema{
		Unchecked: p.unchecked,
		root:      root,
		limits:    l,
		cost:      measure(root, p.patterns),
		arguments: argumentsOf(root),
	}
}

// draftsOf returns the draft that a schema says it has, else all that it may have.
func draftsOf(doc any) []*jsonschema.Draft {
	m, _ := doc.(map[string]any)
	if said, ok := m["$schema"].(string); ok && said != "" {
		return drafts[:1] // the library follows $schema
	}
	return drafts
}

func compileDraft(text []byte, d *jsonschema.Draft) (*jsonschema.Schema, error) {
	c := newCompiler(d)
	if err := c.AddResource(schemaURL, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

// newCompiler compiles schemas that don't say their draft as those of d, and fetches nothing.
func newCompiler(d *jsonschema.Draft) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.Draft = d
	c.ExtractAnnotations = true
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errOutside }
	return c
}

var errOutside = errors.New("a reference leaves the schema")

// compileError names the deepest place that the library blames.
func compileError(err error) error {
	var said *CompileError
	if errors.As(err, &said) {
		return said
	}
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return wrongSchema(invalid)
	}
	if errors.Is(err, errOutside) {
		return &CompileError{Reason: errOutside.Error(), err: errOutside}
	}
	var loop jsonschema.InfiniteLoopError
	if errors.As(err, &loop) {
		return &CompileError{Reason: "a reference leads back to itself"}
	}
	if strings.Contains(err.Error(), "not found") {
		return &CompileError{Reason: "a reference leads nowhere"}
	}
	return &CompileError{Reason: "not a JSON Schema that can be compiled"}
}

// wrongSchema names the deepest place that is blamed for what is no schema.
func wrongSchema(invalid *jsonschema.ValidationError) *CompileError {
	for len(invalid.Causes) > 0 && !isChoice(invalid.KeywordLocation) {
		invalid = invalid.Causes[0]
	}
	return &CompileError{Path: invalid.InstanceLocation, Reason: "not a JSON Schema: " + keywordOf(invalid.KeywordLocation)}
}

// recoverCompile turns a panic of the library into an error.
func recoverCompile(err *error) {
	if p := recover(); p != nil {
		*err = &CompileError{Reason: "not a JSON Schema that can be compiled"}
	}
}

// keywordOf returns the last part of a keyword's location that is a keyword and no index.
func keywordOf(location string) string {
	parts := strings.Split(location, "/")
	if n := len(parts) - 3; n >= 0 && (parts[n] == "dependentRequired" || parts[n] == "dependencies") && isIndex(parts[n+2]) {
		return parts[n] // what is between is a property's name
	}
	for i := len(parts) - 1; i >= 0; i-- {
		if p := parts[i]; !isIndex(p) {
			return p
		}
	}
	return "schema"
}

// isIndex reports that a part of a location is an index, or nothing.
func isIndex(part string) bool { return strings.Trim(part, "0123456789") == "" }
