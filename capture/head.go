package capture

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// headFields is what is seen of one JSON object at the start of a file: for each top-level name its value, which is empty
// where the head ends before the value does. It is never nil for an object.
type headFields map[string]jsontext.Value

// Has reports whether the object has all of the names.
func (o headFields) Has(names ...string) bool {
	for _, n := range names {
		if _, ok := o[n]; !ok {
			return false
		}
	}
	return true
}

// String returns a member that is a string, and "" where it is none or was cut off.
func (o headFields) String(name string) string {
	v := o[name]
	if v.Kind() != '"' {
		return ""
	}
	s, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(s)
}

// headObjects returns the first n objects of a head of lines, one a line; the last may be incomplete. Lines that are not objects
// are left out.
func headObjects(head []byte, n int) []headFields {
	var all []headFields
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for len(head) > 0 && len(all) < n {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte{'\n'})
		if o := headObject(bytes.TrimSpace(line)); o != nil {
			all = append(all, o)
		}
	}
	return all
}

// headObject reads as many members of one object as there are.
func headObject(line []byte) headFields {
	dec := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil
	}
	o := headFields{}
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			break
		}
		name := tok.String()
		o[name] = nil
		v, err := dec.ReadValue()
		if err != nil {
			break
		}
		o[name] = v.Clone()
	}
	return o
}
