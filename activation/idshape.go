package activation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// isID reports whether an argument value looks like an id that something else gave out.
func (t *IDs) isID(pointer jsontext.Pointer, text string, number bool) bool {
	key := keyWords(pointer)
	if hasAny(key, t.settings.OwnKeys) && !isIDAfterNoun(key) {
		return false
	}
	if number {
		return len(text) >= minNumber && isDigits(text) && isIDKey(key) && !hasAny(key, t.settings.NotIDs) && !isDateDigits(text)
	}
	if !couldBeID(text) {
		return false
	}
	if isUUID(text) {
		return true
	}
	if !isIDKey(key) || hasAny(key, t.settings.NotIDs) && isDigits(joined(text)) {
		return false
	}
	return isPrefixNumber(text) || t.shapes[shapeOf(text)] >= learnedFrom
}

const (
	// minID and maxID bound the length of an id, in bytes.
	minID = 5
	maxID = 128
	// minNumber is the shortest number that counts as an id, in digits.
	minNumber = 6
	// minPrefixed is the shortest number after a prefix, in digits.
	minPrefixed = 3
)

// couldBeID drops what is a word, a text, a date, a path, a phone number or an amount.
func couldBeID(s string) bool {
	if len(s) < minID || len(s) > maxID || !strings.ContainsAny(s, "0123456789") || isDate(s) {
		return false
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '_' && s[i] != '-' {
			return false
		}
	}
	return !isDigits(strings.ReplaceAll(s, "-", "")) || len(s) >= minNumber && isDigits(s)
}

// isDate recognises 2024-05-15, 15-05-2024, 20240515, 2024-05-15T10 and times with seconds since 1970.
func isDate(s string) bool {
	if len(s) >= 10 && s[4] == '-' && s[7] == '-' && isDigits(s[:4]) && isDigits(s[5:7]) && isDigits(s[8:10]) {
		return true
	}
	return isDateDigits(strings.ReplaceAll(s, "-", ""))
}

func isDateDigits(s string) bool {
	if !isDigits(s) {
		return false
	}
	if len(s) == 8 {
		return strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20") || s[4:6] == "19" || s[4:6] == "20"
	}
	return len(s) == 10 && s[0] == '1' || len(s) == 13 && s[0] == '1'
}

// isUUID recognises 8-4-4-4-12 hex digits.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (s[i] == '-') || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// isPrefixNumber recognises words and then a number, such as credit_card_5634230 and PROJ-123.
func isPrefixNumber(s string) bool {
	at := strings.LastIndexAny(s, "_-")
	if at < 1 || len(s)-at-1 < minPrefixed || !isDigits(s[at+1:]) {
		return false
	}
	return strings.ContainsFunc(s[:at], isLetter) && !strings.ContainsFunc(s[:at], func(c rune) bool {
		return !isLetter(c) && c != '_' && c != '-'
	})
}

// shapeOf describes an id without its letters and digits: a run of letters is a, a run of digits its length, and a piece that
// mixes them more than once its length and case.
func shapeOf(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := strings.IndexAny(s, "_-")
		if n == 0 {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		if n < 0 {
			n = len(s)
		}
		b.WriteString(pieceShape(s[:n]))
		s = s[n:]
	}
	return b.String()
}

func pieceShape(s string) string {
	at := strings.IndexAny(s, "0123456789")
	switch {
	case at < 0:
		return "a"
	case isDigits(s[at:]) && at == 0:
		return "9" + strconv.Itoa(len(s))
	case isDigits(s[at:]):
		return "a" + strconv.Itoa(at) + "9" + strconv.Itoa(len(s)-at)
	case strings.ToUpper(s) == s:
		return "X" + strconv.Itoa(len(s))
	case strings.ToLower(s) == s:
		return "x" + strconv.Itoa(len(s))
	}
	return "m" + strconv.Itoa(len(s))
}

// idWords end the name of an argument that holds an id.
var idWords = []string{
	"id", "ids", "uuid", "uuids", "guid", "guids", "identifier", "identifiers", "ref", "reference", "number", "numbers", "key", "keys",
}

func isIDKey(words []string) bool {
	return len(words) > 0 && slices.Contains(idWords, words[len(words)-1])
}

// isIDAfterNoun reports names such as message_ids, that speak of several things that exist.
func isIDAfterNoun(words []string) bool { return len(words) > 1 && words[len(words)-1] == "ids" }

// keyWords returns the words of the last name in a pointer that is not an index.
func keyWords(p jsontext.Pointer) []string {
	for p != "" {
		if last := p.LastToken(); !isDigits(last) {
			return words(last)
		}
		p = p.Parent()
	}
	return nil
}

func hasAny(words, set []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(set, w) })
}

func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isHex(c byte) bool   { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
func isAlnum(c byte) bool { return isDigit(c) || isLetter(rune(c)) }

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
