package activation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// isID reports whether an argument value looks like an id that something else gave out. One that the caller is to make up is known from
// then on.
func (t *IDs) isID(tool []string, w *walk, text string, number bool) bool {
	pointer := w.pointer()
	key := keyWords(pointer)
	if hasAny(key, t.settings.OwnKeys) && !isIDAfterNoun(key) || isOwnID(w, pointer) || isCallersName(tool, key) {
		t.see(text)
		return false
	}
	if number {
		return t.isNumberID(key, text)
	}
	if isUUID(text) {
		return true
	}
	if !couldBeID(text) || !isIDKey(key) || hasAny(key, t.settings.NotIDs) && isDigits(joined(text)) || hasAny(key, namedThings) {
		return false
	}
	if isDigits(text) && isRound(text) {
		return false
	}
	return isPrefixNumber(text) || t.learned(text)
}

// isNumberID judges a number: one under a name such as order_number is an id only where results had ids like it, and one under
// "number" alone may be an amount.
func (t *IDs) isNumberID(key []string, text string) bool {
	if len(text) < minNumber || !isDigits(text) || isDateDigits(text) || isRound(text) || !isIDKey(key) || hasAny(key, t.settings.NotIDs) {
		return false
	}
	return slices.Contains(surelyIDs, key[len(key)-1]) || isNumbersKey(key) && t.learned(text)
}

// isOwnID reports the id of an item in a list that the caller gives: items of a plan, of a drawing or of a form are numbered by who writes
// them.
func isOwnID(w *walk, p jsontext.Pointer) bool {
	depth := w.dec.StackDepth()
	return depth > 1 && !w.listed() && w.isIndex(depth-1) && p.LastToken() == "id"
}

// namedThings are words in an argument's name that say that its value is a name or place whatever it looks like: us-east-1, RTX-4090.
var namedThings = []string{"model", "version", "release", "tag", "branch", "region", "zone", "locale", "language", "color", "currency", "country"}

// learned reports that results had at least two different ids of this shape. Words and a number of one or two digits are names: us-east-1.
func (t *IDs) learned(text string) bool {
	if at := strings.LastIndexAny(text, "_-"); at > 0 && len(text)-at-1 < minPrefixed && isDigits(text[at+1:]) && !hasDigit(text[:at]) {
		return false
	}
	return t.shapes[shapeOf(text)].more
}

// isRound recognises amounts and limits, such as 7600000, and 9999999.
func isRound(digits string) bool {
	rest := strings.TrimRight(digits, "0")
	return len(rest) <= len(digits)/2 || strings.Trim(digits, digits[:1]) == ""
}

// place returns where a value is without what its place may hold of values: names that look like them become *, see [events.PlaceName].
func (t *IDs) place(w *walk) string {
	var b strings.Builder
	n := 0
	for name := range w.pointer().Tokens() {
		if n++; !w.isIndex(n) {
			if name = events.PlaceName(name); t.learned(name) {
				name = "*"
			}
		}
		b.WriteString(string(jsontext.Pointer("").AppendToken(name)))
	}
	return b.String()
}

const (
	// minID and maxID bound the length of an id, in bytes.
	minID = 5
	maxID = 128
	// minNumber is the shortest number that counts as an id, in digits.
	minNumber = 6
	// minPrefixed is the shortest number after a prefix that is known from other text, in digits.
	minPrefixed = 3
	// minPrefixNumber is the shortest number after a prefix that makes an id of both by itself, in digits: boeing-737 is none.
	minPrefixNumber = 4
)

// couldBeID drops what is a word, a text, a date, a path, a phone number or an amount.
func couldBeID(s string) bool {
	if len(s) < minID || len(s) > maxID || !hasDigit(s) || isDate(s) || isNamed(s) {
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
	return isCalendarDigits(s) || len(s) == 10 && s[0] == '1' || len(s) == 13 && s[0] == '1'
}

// isCalendarDigits recognises 202405, 20240515, 15052024, and dates with hours and minutes or seconds.
func isCalendarDigits(s string) bool {
	switch len(s) {
	case 6, 12, 14:
		return isYear(s[:4]) && s[4:6] >= "01" && s[4:6] <= "12"
	case 8:
		return isYear(s[:4]) || s[4:6] == "19" || s[4:6] == "20"
	}
	return false
}

func isYear(s string) bool { return s[:2] == "19" || s[:2] == "20" }

// isNamed recognises words and then a year, date or time (taxes-2025, backup-1764500000), and what a name and a number say to everybody (page_1000).
func isNamed(s string) bool {
	at := strings.LastIndexAny(s, "_-")
	if at < 1 || hasDigit(s[:at]) || !isDigits(s[at+1:]) {
		return false
	}
	number := s[at+1:]
	return len(number) == 4 && isYear(number) || isDateDigits(number) || slices.Contains(commonNames, strings.ToLower(s[:at]))
}

// commonNames are words that make a place, an amount or a standard of the number behind them, and no id.
var commonNames = []string{
	"page", "line", "step", "top", "first", "last", "next", "limit", "size", "level", "version", "v", "chapter", "section", "port", "year",
	"week", "day", "usd", "eur", "gbp", "jpy", "cny", "inr", "chf", "cad", "aud", "iso", "windows", "rfc", "sha", "aes", "rsa", "ieee", "cp",
	"http", "error", "status", "feature", "feat", "fix", "bugfix", "hotfix", "release", "chore", "patch", "branch",
	"test", "example", "sample", "dummy", "demo", "mock", "fake",
}

// isUUID recognises 8-4-4-4-12 hex digits, unless they are all the same but for the last, as in the nil UUID.
func isUUID(s string) bool {
	if len(s) != 36 || strings.Trim(s[:35], s[:1]+"-") == "" {
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

// isPrefixNumber recognises words and then a number, such as credit_card_5634230. A word of capitals and four digits may be a product or
// standard (RTX-4090).
func isPrefixNumber(s string) bool {
	at := strings.LastIndexAny(s, "_-")
	if at < 1 || len(s)-at-1 < minPrefixNumber || !isDigits(s[at+1:]) {
		return false
	}
	if s[at] == '-' && len(s)-at-1 == minPrefixNumber && strings.ToUpper(s) == s && !strings.ContainsAny(s[:at], "_-") {
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

// surelyIDs are those of them that hold nothing else.
var surelyIDs = []string{"id", "ids", "uuid", "uuids", "guid", "guids", "identifier", "identifiers"}

// isNumbersKey reports names under which a number is an id: those that say so, and those that say of what it is the number.
func isNumbersKey(words []string) bool {
	return isIDKey(words) && (len(words) > 1 || slices.Contains(surelyIDs, words[0]))
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

func isAllHex(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isHex(c byte) bool   { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
func isAlnum(c byte) bool { return isDigit(c) || isLetter(rune(c)) }

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
