package client

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
)

// versionArgument is the argument by which a call claims the version that it is of.
const versionArgument = "schema_version"

// withoutVersion returns arguments without their schema_version member, all others as they were written, and what it says. Without such
// a member, or where it is no string or too long for a version's name, they come back as they are.
func withoutVersion(args jsontext.Value) (rest jsontext.Value, claim string) {
	if !bytes.Contains(args, []byte(versionArgument)) && !bytes.Contains(args, []byte(`\u`)) {
		return args, ""
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(args), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != jsontext.KindBeginObject {
		return args, ""
	}
	out := []byte{'{'}
	for dec.PeekKind() == jsontext.KindString {
		name, value, err := readMember(dec)
		if err != nil {
			return args, ""
		}
		if text := unquoted(name); text == versionArgument {
			claim = unquoted(value)
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	if _, err := dec.ReadToken(); err != nil || claim == "" || len(claim) > drift.MaxVersionName {
		return args, ""
	}
	return append(out, '}'), claim
}

// claiming makes a schema_version argument, where there is one, say a version.
func claiming(args jsontext.Value, version string) jsontext.Value {
	rest, claim := withoutVersion(args)
	if claim == "" || claim == version {
		return args
	}
	value, err := jsontext.AppendQuote(nil, version)
	if err != nil {
		return args
	}
	out := rest[:len(rest)-1]
	if len(out) > 1 {
		out = append(out, ',')
	}
	return append(append(append(out, `"`+versionArgument+`":`...), value...), '}')
}

// readMember reads a member's name and value as they are written, in memory of their own.
func readMember(dec *jsontext.Decoder) (name, value jsontext.Value, err error) {
	name, err = dec.ReadValue()
	if err != nil {
		return nil, nil, err
	}
	name = name.Clone()
	value, err = dec.ReadValue()
	return name, value, err
}

// unquoted returns the text of a JSON string, "" of anything else.
func unquoted(v jsontext.Value) string {
	if v.Kind() != jsontext.KindString {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(text)
}
