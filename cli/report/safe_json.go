package report

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// SafeJSON passes JSON on to a terminal or file: characters that could move the cursor, change the reading order or hide, which stand in
// strings alone, become the escapes of JSON for them. The values stay what they are. Close passes on what is left, and closes nothing else.
type SafeJSON struct {
	w    io.Writer
	rest []byte // the start of a character
	out  []byte
}

// NewSafeJSON returns a writer of JSON on w.
func NewSafeJSON(w io.Writer) *SafeJSON { return &SafeJSON{w: w} }

// Write escapes and passes on. Its errors are those of the writer below.
func (s *SafeJSON) Write(p []byte) (int, error) {
	data := append(s.rest, p...)
	s.out = s.out[:0]
	for len(data) > 0 && utf8.FullRune(data) {
		r, n := utf8.DecodeRune(data)
		s.out = appendJSONRune(s.out, r, data[:n])
		data = data[n:]
	}
	s.rest = append([]byte(nil), data...)
	if _, err := s.w.Write(s.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close passes on a character that was not whole.
func (s *SafeJSON) Close() error {
	_, err := s.w.Write(s.rest)
	s.rest = nil
	return err
}

// appendJSONRune appends a character of JSON, or its escape.
func appendJSONRune(out []byte, r rune, as []byte) []byte {
	switch {
	case r >= ' ' && r <= '~' || r == '\n' || unicode.IsPrint(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return append(out, as...)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}
