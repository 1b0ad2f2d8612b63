package activation

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxDepth is how deep arguments and results are looked into.
	maxDepth = 64
	// maxPointer is how long the place of an object or array can be for what is in it to be looked at, in bytes: the place is made
	// anew for each value.
	maxPointer = 512
)

// walkValues calls fn with each string and number of a JSON value that is long enough for an id and has a digit, until it returns
// false or the value ends or breaks.
func walkValues(v []byte, fn func(p jsontext.Pointer, text string, number bool) bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		tok, err := dec.ReadToken()
		if err != nil || dec.StackDepth() > maxDepth {
			return
		}
		switch kind := tok.Kind(); kind {
		case '{', '[':
			if len(dec.StackPointer()) > maxPointer && !leave(dec) {
				return
			}
		case '"', '0':
			if isName(dec) {
				continue
			}
			text := tok.String()
			if len(text) >= minID && hasDigit(text) && !fn(dec.StackPointer(), text, kind == '0') {
				return
			}
		}
	}
}

// isName reports that the token last read is a member's name.
func isName(dec *jsontext.Decoder) bool {
	kind, n := dec.StackIndex(dec.StackDepth())
	return kind == '{' && n%2 == 1
}

// leave reads to the end of the object or array that was just entered, and reports whether there is one.
func leave(dec *jsontext.Decoder) bool {
	for depth := dec.StackDepth(); dec.StackDepth() >= depth; {
		if _, err := dec.ReadToken(); err != nil {
			return false
		}
	}
	return true
}
