package events

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// CanonicalSchema returns the RFC 8785 form of a JSON Schema without the keywords description, title and examples, wherever a
// schema stands: two schemas with the same form accept the same arguments. Properties so named stay, and so does whatever is
// inside const, enum, default and keywords that hold no schema. No schema (nil or null) has the form {}.
func CanonicalSchema(schema jsontext.Value) (jsontext.Value, error) {
	if len(schema) == 0 || schema.Kind() == jsontext.KindNull {
		return jsontext.Value("{}"), nil
	}
	c, err := Canonical(schema)
	if err != nil {
		return nil, err
	}
	f := schemaForm{dec: jsontext.NewDecoder(bytes.NewReader(c)), out: make([]byte, 0, len(c))}
	if err := f.value(asSchema); err != nil {
		return nil, &Error{Reason: "not JSON"}
	}
	return f.out, nil
}

// role is what a value inside a schema is.
type role int

const (
	asLiteral  role = iota // data, copied as it is
	asSchema               // a schema, or a list of schemas
	asSchemaOf             // an object whose members are schemas, whatever their names
)

// roleOf returns the role of the value of a schema keyword.
func roleOf(keyword string) role {
	switch keyword {
	case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "additionalProperties",
		"unevaluatedProperties", "propertyNames", "if", "then", "else", "not", "allOf", "anyOf", "oneOf", "contentSchema":
		return asSchema
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return asSchemaOf
	}
	return asLiteral
}

// schemaForm copies a canonical schema from dec to out and leaves the annotations out.
type schemaForm struct {
	dec *jsontext.Decoder
	out []byte
}

func (f *schemaForm) value(r role) error {
	switch k := f.dec.PeekKind(); {
	case r != asLiteral && k == jsontext.KindBeginObject:
		return f.object(r)
	case r == asSchema && k == jsontext.KindBeginArray:
		return f.array()
	}
	v, err := f.dec.ReadValue()
	f.out = append(f.out, v...)
	return err
}

func (f *schemaForm) array() error {
	if _, err := f.dec.ReadToken(); err != nil {
		return err
	}
	f.out = append(f.out, '[')
	for i := 0; f.dec.PeekKind() != jsontext.KindEndArray; i++ {
		if i > 0 {
			f.out = append(f.out, ',')
		}
		if err := f.value(asSchema); err != nil {
			return err
		}
	}
	f.out = append(f.out, ']')
	_, err := f.dec.ReadToken()
	return err
}

func (f *schemaForm) object(r role) error {
	if _, err := f.dec.ReadToken(); err != nil {
		return err
	}
	f.out = append(f.out, '{')
	start := len(f.out)
	for f.dec.PeekKind() != jsontext.KindEndObject {
		if err := f.member(r, len(f.out) == start); err != nil {
			return err
		}
	}
	f.out = append(f.out, '}')
	_, err := f.dec.ReadToken()
	return err
}

// member copies one member of an object that is a schema or an object of schemas.
func (f *schemaForm) member(r role, first bool) error {
	name, err := f.dec.ReadValue()
	if err != nil {
		return err
	}
	inner := asSchema
	if r == asSchema {
		keyword := string(name[1 : len(name)-1])
		if isAnnotation(keyword) {
			return f.dec.SkipValue()
		}
		inner = roleOf(keyword)
	}
	if !first {
		f.out = append(f.out, ',')
	}
	f.out = append(append(f.out, name...), ':')
	return f.value(inner)
}

func isAnnotation(keyword string) bool {
	return keyword == "description" || keyword == "title" || keyword == "examples"
}

// span is a stretch of bytes, to exclusive.
type span struct{ from, to int }

// withoutMembers cuts the members of one name, with a comma and the space around it, out of a tool definition and out of the
// object that it wraps (function, toolSpec); every other byte stays. A property of that name in a schema stays too.
func withoutMembers(raw jsontext.Value, name string) (jsontext.Value, error) {
	if !bytes.Contains(raw, []byte(name)) && !bytes.Contains(raw, []byte(`\u`)) { // a name may be spelt with escapes
		return raw, nil
	}
	s := cutter{dec: jsontext.NewDecoder(bytes.NewReader(raw)), raw: raw, name: name}
	if err := s.object(true); err != nil {
		return nil, &Error{Reason: "not JSON"}
	}
	out := slices.Clone(raw)
	for _, c := range slices.Backward(s.cuts) {
		out = slices.Delete(out, c.from, c.to)
	}
	return out, nil
}

// cutter finds the members to cut.
type cutter struct {
	dec  *jsontext.Decoder
	raw  []byte
	name string
	cuts []span
}

func (s *cutter) object(outer bool) error {
	if s.dec.PeekKind() != jsontext.KindBeginObject {
		return s.dec.SkipValue()
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	kept := -1 // where the last kept member ends
	for s.dec.PeekKind() != jsontext.KindEndObject {
		before := int(s.dec.InputOffset())
		tok, err := s.dec.ReadToken()
		if err != nil {
			return err
		}
		name := tok.String()
		if outer && (name == "function" || name == "toolSpec") {
			err = s.object(false)
		} else {
			err = s.dec.SkipValue()
		}
		if err != nil {
			return err
		}
		end := int(s.dec.InputOffset())
		if name != s.name {
			kept = end
			continue
		}
		s.cut(kept, before, end)
	}
	_, err := s.dec.ReadToken()
	return err
}

// cut marks the member that was read from before to end: from the end of the last kept member, else up to the next name.
func (s *cutter) cut(kept, before, end int) {
	if kept >= 0 {
		s.cuts = append(s.cuts, span{kept, end})
		return
	}
	from := before + skip(s.raw[before:], " \t\r\n")
	if s.dec.PeekKind() != jsontext.KindEndObject {
		end += skip(s.raw[end:], " \t\r\n,")
	}
	s.cuts = append(s.cuts, span{from, end})
}

// skip returns how many leading bytes of b are in set.
func skip(b []byte, set string) int { return len(b) - len(bytes.TrimLeft(b, set)) }
