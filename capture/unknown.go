package capture

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// UnknownFormatError says why no format recognises a file; [ErrUnknownFormat] is in its chain.
type UnknownFormatError struct {
	// Reason says what the file looks like instead: it quotes nothing but the names of members.
	Reason string
}

// Error gives the reason.
func (e *UnknownFormatError) Error() string { return ErrUnknownFormat.Error() + ": " + e.Reason }

// Unwrap returns [ErrUnknownFormat].
func (e *UnknownFormatError) Unwrap() error { return ErrUnknownFormat }

// unknownHead says what a file that starts with head looks like.
func unknownHead(head []byte) *UnknownFormatError {
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	first, rest, _ := bytes.Cut(text, []byte{'\n'})
	reason := "its first line is no JSON object"
	switch o := headObject(first); {
	case len(text) == 0:
		reason = "it is empty"
	case bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)]):
		reason = "it is not text"
	case o != nil:
		reason = "its first object has " + keysOf(o)
	case looksCSV(first, rest):
		reason = "it looks like CSV"
	}
	return &UnknownFormatError{Reason: reason}
}

// looksCSV reports whether two lines have the same number of commas, semicolons or tabs.
func looksCSV(first, rest []byte) bool {
	second, _, _ := bytes.Cut(rest, []byte{'\n'})
	for _, sep := range []byte{',', ';', '\t'} {
		if n := bytes.Count(first, []byte{sep}); n > 0 && n == bytes.Count(second, []byte{sep}) && first[0] != '[' && first[0] != '{' {
			return true
		}
	}
	return false
}

// maxKeys is how many names are listed, maxKeyBytes how much of each.
const (
	maxKeys     = 8
	maxKeyBytes = 40
)

// keysOf lists the names of an object.
func keysOf(o headFields) string {
	if len(o) == 0 {
		return "no keys"
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if len(names) == maxKeys {
			return "the keys " + strings.Join(names, ", ") + ", ..."
		}
		names = append(names, strings.ToValidUTF8(name[:min(len(name), maxKeyBytes)], ""))
	}
	return "the keys " + strings.Join(names, ", ")
}
