package events_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// oracle compiles the published schemas by itself, as someone with other tools would.
func oracle(t testing.TB) map[events.Kind]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	c.Draft = jsonschema.Draft2020
	c.LoadURL = nil
	files, err := fs.Glob(events.Schemas(), "*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		b, err := fs.ReadFile(events.Schemas(), name)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource("https://tooltrail.dev/schemas/v1/"+name, bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
	}
	m := map[events.Kind]*jsonschema.Schema{}
	for _, k := range events.Kinds() {
		if m[k], err = c.Compile("https://tooltrail.dev/schemas/v1/" + string(k) + ".json"); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// schemaTakes says what a strict JSON parser and the schema say together.
func schemaTakes(s *jsonschema.Schema, line []byte) error {
	if !jsontext.Value(line).IsValid() {
		return errors.New("not JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return err
	}
	return s.Validate(v)
}

type fataler interface{ Fatalf(string, ...any) }

// agree fails the test where decoder and schema part over a line, or Decode and DecodeKind do.
func agree(t fataler, s *jsonschema.Schema, k events.Kind, line []byte) (*events.Event, error) {
	e, err := agreeKind(t, s, k, line)
	if any, anyErr := events.Decode(line); (anyErr == nil) != (err == nil) || err == nil && !cmp.Equal(any, e) {
		t.Fatalf("Decode says %v, DecodeKind %v\n%s", anyErr, err, line)
	}
	return e, err
}

func agreeKind(t fataler, s *jsonschema.Schema, k events.Kind, line []byte) (*events.Event, error) {
	want := schemaTakes(s, line)
	e, err := events.DecodeKind(k, line)
	if (err == nil) != (want == nil) {
		t.Fatalf("decoder says %v, schema says %v\n%s", err, want, line)
	}
	if err != nil && !errors.As(err, new(*events.Error)) {
		t.Fatalf("%T is no *events.Error: %v", err, err)
	}
	return e, err
}

func TestDecoderAndSchemasTakeWhatIsValid(t *testing.T) {
	schemas := oracle(t)
	rapid.Check(t, func(t *rapid.T) {
		want := anyEvent(t)
		if err := want.Validate(); err != nil {
			t.Fatalf("validate: %v", err)
		}
		line, err := events.AppendEvent(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		have, err := agree(t, schemas[want.Kind()], want.Kind(), line)
		if err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		if diff := cmp.Diff(want, have, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +have):\n%s", diff)
		}
	})
}

func TestDecoderAndSchemasAgree(t *testing.T) {
	schemas := oracle(t)
	refused := 0
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent(t)
		line, err := events.AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 3).Draw(t, "mutations") {
			line = mutate(t, line)
		}
		_, err = agree(t, schemas[e.Kind()], e.Kind(), line)
		if err != nil {
			refused++
		}
		if err == nil && events.DecodeFast(e.Kind(), line) == nil {
			return // decided by the schema, rightly
		}
	})
	if refused == 0 {
		t.Error("no mutation was refused: the test is blind")
	}
}

// Every field in turn gets every value that has ever parted a decoder from a schema. What all kinds share is tried once.
func TestDecoderAndSchemasAgreeOnEveryFieldAndOddValue(t *testing.T) {
	schemas := oracle(t)
	shared := sharedPointers()
	tried := map[string]bool{}
	for _, e := range samples() {
		line, err := events.AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range places(line) {
			key := string(e.Kind()) + place.pointer
			if slices.Contains(shared, place.pointer) {
				key = place.pointer
			}
			if tried[key] {
				continue
			}
			tried[key] = true
			for _, odd := range oddValues() {
				_, _ = agreeKind(t, schemas[e.Kind()], e.Kind(), splice(line, place, odd))
			}
			_, _ = agreeKind(t, schemas[e.Kind()], e.Kind(), drop(line, place))
		}
	}
}

// sharedPointers are the places of the envelope and the context.
func sharedPointers() []string {
	all := []string{"", "/specversion", "/id", "/source", "/time", "/datacontenttype"}
	typ := reflect.TypeFor[events.Context]()
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		all = append(all, "/data/"+name)
	}
	return all
}

func TestSchemasNameExactlyTheFieldsOfTheStructs(t *testing.T) {
	for _, e := range samples() {
		b, err := fs.ReadFile(events.Schemas(), string(e.Kind())+".json")
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Properties struct {
				Data schemaDoc `json:"data"`
			} `json:"properties"`
		}
		if err := json.Unmarshal(b, &doc); err != nil {
			t.Fatal(err)
		}
		compareFields(t, string(e.Kind()), doc.Properties.Data, reflect.TypeOf(e.Data).Elem())
	}
	b, err := fs.ReadFile(events.Schemas(), "context.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc schemaDoc
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	compareFields(t, "context", doc, reflect.TypeFor[events.Context]())
}

type schemaDoc struct {
	Properties map[string]schemaDoc `json:"properties"`
	Items      *schemaDoc           `json:"items"`
}

func compareFields(t *testing.T, path string, doc schemaDoc, typ reflect.Type) {
	t.Helper()
	seen := map[string]bool{}
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Name == "Context" {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		seen[name] = true
		sub, ok := doc.Properties[name]
		if !ok {
			t.Errorf("%s: the schema lacks %s", path, name)
		}
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct && sub.Items != nil {
			compareFields(t, fmt.Sprintf("%s/%s", path, name), *sub.Items, f.Type.Elem())
		}
	}
	for name := range doc.Properties {
		if !seen[name] {
			t.Errorf("%s: the struct lacks %s", path, name)
		}
	}
}
