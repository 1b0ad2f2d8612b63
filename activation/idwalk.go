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

// walk is where walkValues is in a JSON value.
type walk struct{ dec *jsontext.Decoder }

// pointer is the place of the value that was last read.
func (w *walk) pointer() jsontext.Pointer { return w.dec.StackPointer() }

// listed reports that it stands in an array.
func (w *walk) listed() bool { return w.isIndex(w.dec.StackDepth()) }

// isIndex reports that the n-th name in its place, from 1, is an index of an array.
func (w *walk) isIndex(n int) bool {
	kind, _ := w.dec.StackIndex(n)
	return kind == jsontext.KindBeginArray
}

// walkValues calls fn with each string and number of a JSON value that is long enough for an id and has a digit, until it returns
// false or the value ends or breaks.
func walkValues(v []byte, fn func(w *walk, text string, number bool) bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	w := &walk{dec: dec}
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
			if len(text) >= minID && hasDigit(text) && !fn(w, text, kind == '0') {
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
