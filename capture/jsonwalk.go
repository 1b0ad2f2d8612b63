package capture

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient reads what providers send as it comes: a name twice or a broken character is no reason to lose an exchange.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// decodeLenient fills v from a JSON value.
func decodeLenient(raw jsontext.Value, v any) error { return json.Unmarshal(raw, v, lenient) }

// members calls fn for each member of an object, with a value that shares raw's memory, and reports whether raw is an object to
// its end.
func members(raw jsontext.Value, fn func(name string, v jsontext.Value)) bool {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient)
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != jsontext.KindBeginObject {
		return false
	}
	for dec.PeekKind() == jsontext.KindString {
		tok, err := dec.ReadToken()
		if err != nil {
			return false
		}
		name := tok.String()
		v, err := dec.ReadValue()
		if err != nil {
			return false
		}
		end := int(dec.InputOffset())
		fn(name, raw[end-len(v):end])
	}
	_, err := dec.ReadToken()
	return err == nil
}

// elements calls fn for each element of an array, as members does.
func elements(raw jsontext.Value, fn func(v jsontext.Value)) bool {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), lenient)
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != jsontext.KindBeginArray {
		return false
	}
	for k := dec.PeekKind(); k != jsontext.KindEndArray && k != jsontext.KindInvalid; k = dec.PeekKind() {
		v, err := dec.ReadValue()
		if err != nil {
			return false
		}
		end := int(dec.InputOffset())
		fn(raw[end-len(v) : end])
	}
	_, err := dec.ReadToken()
	return err == nil
}

// member returns a member of an object; nil where raw is no object or lacks it.
func member(raw jsontext.Value, name string) jsontext.Value {
	var found jsontext.Value
	members(raw, func(n string, v jsontext.Value) {
		if n == name {
			found = v
		}
	})
	return found
}

// stringOf returns the text of a JSON string, and "" for any other value.
func stringOf(raw jsontext.Value) string {
	if raw.Kind() != jsontext.KindString {
		return ""
	}
	b, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return ""
	}
	return string(b)
}

// isObject and isArray tell what a value is; a nil value is neither.
func isObject(raw jsontext.Value) bool { return raw.Kind() == jsontext.KindBeginObject }
func isArray(raw jsontext.Value) bool  { return raw.Kind() == jsontext.KindBeginArray }
