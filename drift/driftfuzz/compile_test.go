// Package driftfuzz_test fuzzes what reads schemas and calls, apart from package drift's other tests, whose servers would be instrumented too.
package driftfuzz_test

import (
	"errors"
	"testing"

	"github.com/tooltrail/tooltrail/drift"
)

func FuzzCompile(f *testing.F) {
	for _, p := range hostileSchemas() {
		f.Add([]byte(p[0]))
		f.Add([]byte(p[1]))
	}
	for _, p := range shortPaths() {
		f.Add([]byte(p[0]))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		var s *drift.Schema
		var err error
		within(t, "compile", func() { s, err = drift.CompileSchema(schema, drift.Limits{}) })
		if err != nil {
			var c *drift.CompileError
			if !errors.As(err, &c) {
				t.Errorf("error %v", err)
			}
			return
		}
		for _, args := range []string{`{}`, `{"a":{"a":[1,"x",null]},"x":"x"}`, `[]`, `null`} {
			within(t, "classify", func() { checkVerdict(t, s.Classify([]byte(args))) })
		}
		within(t, "example", func() {
			if example, err := s.Example(); err == nil && fits(s, example) == "no" {
				t.Errorf("the example %s is not valid", example)
			}
		})
	})
}

func FuzzCompileDefinition(f *testing.F) {
	for _, form := range []string{
		`{"name":"t","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}}`, `{"type":"function","function":{"name":"t","parameters":%}}`, `{"type":"function","name":"t","parameters":%}`,
		`{"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, `{"toolSpec":{"name":"t","inputSchema":{"json":%}}}`, `{"name":"t"}`,
	} {
		f.Add([]byte(form))
	}
	f.Fuzz(func(t *testing.T, definition []byte) {
		within(t, "compile", func() {
			s, err := drift.Compile(definition)
			if err == nil {
				checkVerdict(t, s.Classify([]byte(`{"a":1}`)))
			}
		})
	})
}
