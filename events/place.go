package events

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxPlaceName is the longest name in a place, in bytes.
	maxPlaceName = 64
	// maxNameDigits is how many digits such a name may have: line_2 and base64 have no more.
	maxNameDigits = 2
	// maxShortWord is up to how long a word may have digits elsewhere than at its end, in bytes: i18n, 2fa.
	maxShortWord = 4
)

// PlaceName returns the name of an object's member as it may stand in a place that leaves an agent, such as the path of an argument: the
// name itself, or * where it looks like a value that keys a map (an id, a date, an address, a sentence) and not like a name that
// a programmer gives. Names that a schema declares are public with it; they and indexes of arrays are not for this function.
func PlaceName(name string) string {
	if len(name) <= maxPlaceName && isPlainName(name) {
		return name
	}
	if len(name) > maxPlaceName || !utf8.ValidString(name) {
		return "*"
	}
	digits, from := 0, 0
	for i, c := range name {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case unicode.IsLetter(c), c == '_', c == '-', c == '.', c == '$', c == ':':
		default:
			return "*"
		}
		if endsWord(name, i) {
			if !isWord(name[from:i]) {
				return "*"
			}
			from = i
		}
	}
	if digits > maxNameDigits || digits > 0 && !isWord(name[from:]) {
		return "*"
	}
	return name
}

// isPlainName reports whether a name has small letters and underscores alone, as most have.
func isPlainName(s string) bool {
	for i := range len(s) {
		if (s[i] < 'a' || s[i] > 'z') && s[i] != '_' {
			return false
		}
	}
	return true
}

// endsWord reports that a word ends before a byte: at a separator, and at a capital before a small letter.
func endsWord(s string, i int) bool {
	if !isASCIILetter(s[i]) {
		return strings.IndexByte("_-.$:", s[i]) >= 0
	}
	return i+1 < len(s) && s[i] < 'a' && s[i+1] >= 'a' && s[i+1] <= 'z'
}

// isWord reports whether a part of a name could be one: its digits are at its end, or it is short, and it is no code of capitals and digits.
func isWord(s string) bool {
	s = strings.TrimLeft(s, "_-.$:")
	at := strings.IndexAny(s, "0123456789")
	if at < 0 || len(s) <= maxShortWord {
		return true
	}
	return at > 0 && strings.Trim(s[at:], "0123456789") == "" && strings.ToUpper(s) != s
}

func isASCIILetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }
