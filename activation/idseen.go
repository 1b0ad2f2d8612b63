package activation

import "strings"

// loose marks the pieces that were seen inside something longer: gift_card_5634230 has shown the number 5634230, but says
// nothing of credit_card_5634230.
const loose = "\x00"

// maxJoins is up to how many neighbouring pieces of a token are joined: a UUID has five.
const maxJoins = 6

// maxJoined is from how many pieces of one token on, counted from its start, joins begin.
const maxJoined = 256

// seeRuns remembers what of a text could be (part of) an id: each run of letters, digits, '_' and '-' that has a digit, what
// such a run is made of, what runs that are written in groups are together, and the numbers between two.
func (t *IDs) seeRuns(text string) {
	var g group
	var s span
	for len(text) > 0 {
		n := tokenLength(text)
		if n == 0 {
			g.part(text[0])
			s.part(text[0])
			text = text[1:]
			continue
		}
		token := text[:n]
		text = text[n:]
		if hasDigit(token) {
			t.seeToken(token)
		}
		if r, ok := s.add(token); ok {
			t.addRange(r)
		}
		if g.add(token) {
			t.add(strings.ToLower(string(g.text[:g.length])))
		}
	}
}

func (t *IDs) seeToken(token string) {
	pieces := splitPieces(token)
	if len(pieces) == 1 {
		t.seePiece(pieces[0])
		return
	}
	if len(token) <= 4*maxID {
		t.add(joined(token))
	}
	for i, p := range pieces {
		if hasDigit(p) && len(p) <= maxID {
			t.add(loose + strings.ToLower(p))
		}
		if i < maxJoined {
			t.seeJoins(pieces[i:min(i+maxJoins, len(pieces))])
		}
	}
}

// seeJoins remembers the pieces joined from the first on: PROJ-123 of PROJ-123-fix.
func (t *IDs) seeJoins(pieces []string) {
	for n := 2; n <= len(pieces) && !t.blind; n++ {
		if s := strings.Join(pieces[:n], ""); hasDigit(s) {
			t.add(joined(s))
		}
	}
}

// seePiece remembers a run that stands alone, and the number at its end: HAT 001 and HAT001 are one.
func (t *IDs) seePiece(piece string) {
	if len(piece) > maxID {
		return
	}
	t.add(strings.ToLower(piece))
	if _, number, ok := lettersThenNumber(piece); ok {
		t.add(loose + number)
	}
	if len(piece) >= minDigest && isAllHex(piece) {
		t.seeShort(strings.ToLower(piece))
	}
}

// seeShort remembers what a digest is called for short: the first 7 to 12 digits of a commit or a container.
func (t *IDs) seeShort(digest string) {
	for n := 7; n <= 12; n++ {
		if hasDigit(digest[:n]) {
			t.add(loose + digest[:n])
		}
	}
}

// minDigest is the shortest run of hex digits that is called for short by its beginning.
const minDigest = 32

// wasSeen reports that the id was seen itself, lies between two numbers that were written as a range, or comes right after or before one
// that was seen.
func (t *IDs) wasSeen(id string) bool {
	if t.sawItself(id) {
		return true
	}
	before, number, ok := lastNumber(id)
	if !ok {
		return false
	}
	return (!hasDigit(before) || t.sawItself(before)) && t.inRange(number) ||
		t.sawItself(before+numberBeside(number, 1)) || t.sawItself(before+numberBeside(number, -1))
}

// sawItself reports that the id was seen: as it is but for case and separators, or all of its pieces that have digits standing
// alone, or, where it has no separators, inside something longer.
func (t *IDs) sawItself(id string) bool {
	if t.has(joined(id)) {
		return true
	}
	pieces := splitPieces(id)
	if len(pieces) == 1 && t.has(loose+strings.ToLower(id)) {
		return true
	}
	for _, p := range pieces {
		if hasDigit(p) && !t.sawPiece(p) {
			return false
		}
	}
	return true
}

// sawPiece reports that a piece of an id was seen alone, or its number was: HAT001 for 001, 0042 and INV0042 for 42.
func (t *IDs) sawPiece(piece string) bool {
	if t.has(strings.ToLower(piece)) {
		return true
	}
	number, fewest := piece, 1
	if !isDigits(piece) {
		_, digits, ok := lettersThenNumber(piece)
		if !ok || len(digits) < minPrefixed {
			return false
		}
		number, fewest = digits, minPrefixNumber
	}
	plain := strings.TrimLeft(number, "0")
	return t.has(number) || len(number) >= fewest && plain != "" && plain != number && t.has(plain)
}

// splitPieces returns the runs of letters and digits.
func splitPieces(s string) []string {
	return strings.FieldsFunc(s, func(c rune) bool { return c == '_' || c == '-' })
}

// lettersThenNumber takes a piece such as HAT001 apart.
func lettersThenNumber(piece string) (letters, number string, ok bool) {
	at := strings.IndexAny(piece, "0123456789")
	if at < 1 || !isDigits(piece[at:]) {
		return "", "", false
	}
	return piece[:at], piece[at:], true
}

// tokenLength returns how many leading bytes are letters, digits, '_' and '-'.
func tokenLength(s string) int {
	n := 0
	for n < len(s) && (isAlnum(s[n]) || s[n] == '_' || s[n] == '-') {
		n++
	}
	return n
}

// joined returns the letters and digits of an id in lower case.
func joined(s string) string {
	var b [4 * maxID]byte
	n := 0
	for i := 0; i < len(s) && n < len(b); i++ {
		c := s[i]
		if !isAlnum(c) {
			continue
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		b[n] = c
		n++
	}
	return string(b[:n])
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }
