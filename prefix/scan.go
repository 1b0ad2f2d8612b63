package prefix

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth is how deep objects and arrays may lie in each other in a request body; what is deeper is refused. It is the limit of
// jsontext, which every other JSON here is read with.
const maxDepth = 10000

// syntaxError says where a body is not JSON. It quotes nothing of it.
type syntaxError struct {
	at   int
	size int
	deep bool
}

func (e *syntaxError) Error() string {
	switch {
	case e.deep:
		return fmt.Sprintf("not JSON at byte %d: more than %d levels deep", e.at, maxDepth)
	case e.at >= e.size:
		return fmt.Sprintf("not JSON: cut short at byte %d", e.at)
	}
	return fmt.Sprintf("not JSON at byte %d", e.at)
}

// scanner reads JSON where it lies, forwards, without an allocation per token. It refuses what RFC 8259 does, and takes what
// jsontext takes when names may repeat and text need not be UTF-8.
type scanner struct {
	body  []byte
	at    int
	depth int
}

// bad is an error at the byte that is next.
func (s *scanner) bad() error { return &syntaxError{at: s.at, size: len(s.body)} }

// peek passes over space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.at < len(s.body) {
		c := s.body[s.at]
		if c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
		s.at++
	}
	return 0
}

// skip passes over one value.
func (s *scanner) skip() error {
	switch s.peek() {
	case '"':
		return s.str()
	case '{':
		return s.skipObject()
	case '[':
		return s.skipArray()
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	return s.number()
}

// value passes over one value and returns its bytes in the body.
func (s *scanner) value() ([]byte, error) {
	s.peek()
	from := s.at
	err := s.skip()
	return s.body[from:s.at], err
}

// str passes over a string, whose opening quote is next.
func (s *scanner) str() error {
	end, ok := stringEnd(s.body, s.at+1)
	s.at = end
	if !ok {
		return s.bad()
	}
	return nil
}

func (s *scanner) literal(word string) error {
	for i := range len(word) {
		if s.at == len(s.body) || s.body[s.at] != word[i] {
			return s.bad()
		}
		s.at++
	}
	return nil
}

// open passes over the bracket that begins an object or array.
func (s *scanner) open() error {
	if s.depth == maxDepth {
		return &syntaxError{at: s.at, size: len(s.body), deep: true}
	}
	s.depth++
	s.at++
	return nil
}

// into passes over the bracket that begins an object or array, and over the one that ends it where nothing is in it.
func (s *scanner) into(end byte) (more bool, err error) {
	if err := s.open(); err != nil {
		return false, err
	}
	if s.peek() == end {
		return false, s.shut()
	}
	return true, nil
}

// shut passes over the bracket that ends one.
func (s *scanner) shut() error {
	s.depth--
	s.at++
	return nil
}

// colon passes over the colon after a name.
func (s *scanner) colon() error {
	if s.peek() != ':' {
		return s.bad()
	}
	s.at++
	return nil
}

// next passes over a comma, or over the bracket that ends the object or array, and says which.
func (s *scanner) next(end byte) (more bool, err error) {
	switch s.peek() {
	case ',':
		s.at++
		return true, nil
	case end:
		return false, s.shut()
	}
	return false, s.bad()
}

func (s *scanner) skipObject() error {
	more, err := s.into('}')
	for more && err == nil {
		if s.peek() != '"' {
			return s.bad()
		}
		if err = s.str(); err != nil {
			return err
		}
		if err = s.colon(); err != nil {
			return err
		}
		if err = s.skip(); err != nil {
			return err
		}
		more, err = s.next('}')
	}
	return err
}

func (s *scanner) skipArray() error {
	more, err := s.into(']')
	for more && err == nil {
		if err = s.skip(); err != nil {
			return err
		}
		more, err = s.next(']')
	}
	return err
}

// each calls fn for each member of the object that is next, with its name and where that begins; fn reads the value.
func (s *scanner) each(fn func(name []byte, from int) error) error {
	more, err := s.into('}')
	for more && err == nil {
		name, from, err := s.name()
		if err != nil {
			return err
		}
		if err = fn(name, from); err != nil {
			return err
		}
		if more, err = s.next('}'); err != nil {
			return err
		}
	}
	return err
}

// name passes over a name and its colon.
func (s *scanner) name() (name []byte, from int, err error) {
	if s.peek() != '"' {
		return nil, 0, s.bad()
	}
	from = s.at
	name, err = s.quoted()
	if err != nil {
		return nil, 0, err
	}
	return name, from, s.colon()
}

// quoted passes over a string, whose opening quote is next, and returns its text.
func (s *scanner) quoted() ([]byte, error) {
	from := s.at
	if end := shortEnd(s.body, from+1); end > 0 {
		s.at = end
		return s.body[from+1 : end-1], nil
	}
	err := s.str()
	if err != nil {
		return nil, err
	}
	return unescaped(s.body[from:s.at]), nil
}

// items calls fn for each element of the array that is next; fn reads the element, before which space may stand.
func (s *scanner) items(fn func() error) error {
	more, err := s.into(']')
	for more && err == nil {
		if err = fn(); err != nil {
			return err
		}
		more, err = s.next(']')
	}
	return err
}

// end is an error unless nothing follows.
func (s *scanner) end() error {
	if s.peek(); s.at < len(s.body) {
		return s.bad()
	}
	return nil
}

// text reads a value into to, where it is a string; what is no string is "".
func (s *scanner) text(to *[]byte) (err error) {
	*to = nil
	if s.peek() != '"' {
		return s.skip()
	}
	*to, err = s.quoted()
	return err
}

// unescaped returns the text of a string, in place where it can.
func unescaped(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, quoted) // what is not UTF-8 is replaced, not refused
	return text
}
