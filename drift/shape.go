package drift

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

const (
	// maxShape is how many argument values a shape lists.
	maxShape = 512
	// maxShapeDepth is how deep a shape goes; what is deeper is an object or array without members.
	maxShapeDepth = 32
	// maxShapePath is the longest pointer, in bytes, that a shape lists.
	maxShapePath = 512
)

// Shape returns a JSON pointer and a JSON type for each value in a call's arguments, containers before what they hold, and no
// value: names of members that look like one are *, see [events.PlaceName]. The arguments themselves (the empty pointer) are left out unless
// they are no object. It lists at most 512 values down to a depth of 32, and stops where the JSON breaks.
func Shape(args jsontext.Value) []events.Argument { return shapeOf(args, events.PlaceName) }

func shapeOf(args jsontext.Value, placeName func(string) string) []events.Argument {
	dec := jsontext.NewDecoder(bytes.NewBuffer(args), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var shape []events.Argument
	for len(shape) < maxShape {
		kind := dec.PeekKind()
		value, ok := readShape(dec, kind)
		if !ok {
			break
		}
		if value == "" {
			continue
		}
		path := string(dec.StackPointer())
		if len(path) > maxShapePath && !skipRest(dec, kind) {
			break
		}
		if path == "" && value == "object" || len(path) > maxShapePath {
			continue
		}
		shape = append(shape, events.Argument{Path: masked(dec, path, placeName), Type: value})
	}
	return shape
}

// masked returns a path of the value that was just read, or entered, with the names in it as placeName has them.
func masked(dec *jsontext.Decoder, path string, placeName func(string) string) string {
	n, same := 0, true
	for name := range jsontext.Pointer(path).Tokens() {
		n++
		same = same && (inArray(dec, n) || placeName(name) == name)
	}
	if same {
		return path
	}
	n = 0
	var out jsontext.Pointer
	for name := range jsontext.Pointer(path).Tokens() {
		if n++; !inArray(dec, n) {
			name = placeName(name)
		}
		out = out.AppendToken(name)
	}
	return string(out)
}

// inArray reports that the n-th name of a path, from 1, is an index of an array.
func inArray(dec *jsontext.Decoder, n int) bool {
	kind, _ := dec.StackIndex(n)
	return kind == jsontext.KindBeginArray
}

// skipRest skips what is in an object or array that was just entered: all in it has a longer path.
func skipRest(dec *jsontext.Decoder, kind jsontext.Kind) bool {
	depth := dec.StackDepth()
	for (kind == '{' || kind == '[') && dec.StackDepth() >= depth {
		if dec.PeekKind() == '}' || dec.PeekKind() == ']' {
			_, err := dec.ReadToken()
			return err == nil
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
	return true
}

// readShape reads the next token and returns the type of the value that it is or starts; "" for a name or an end.
func readShape(dec *jsontext.Decoder, kind jsontext.Kind) (string, bool) {
	depth := dec.StackDepth()
	within, n := dec.StackIndex(depth)
	isName := within == '{' && n%2 == 0
	if depth >= maxShapeDepth && (kind == '{' || kind == '[') {
		return typeOf(kind, ""), dec.SkipValue() == nil
	}
	tok, err := dec.ReadToken()
	if err != nil {
		return "", false
	}
	if isName || kind == '}' || kind == ']' {
		return "", true
	}
	text := ""
	if kind == '0' {
		text = tok.String()
	}
	return typeOf(kind, text), true
}

// typeOf names a JSON type; a number without a fraction is an integer.
func typeOf(kind jsontext.Kind, number string) string {
	switch kind {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	if isWhole(number) {
		return "integer"
	}
	return "number"
}

// isWhole reports that a JSON number is written without a fraction other than zero and without an exponent.
func isWhole(number string) bool {
	if strings.ContainsAny(number, "eE") {
		return false
	}
	_, fraction, _ := strings.Cut(number, ".")
	return strings.Trim(fraction, "0") == ""
}
