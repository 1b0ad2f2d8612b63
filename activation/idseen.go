package activation

import "strings"

// seeRuns remembers the pieces of a text that have digits: each run of letters and digits, each run joined over '_' and '-', and
// the number at a run's end.
func (t *IDs) seeRuns(text string) {
	for len(text) > 0 {
		n := tokenLength(text)
		if n == 0 {
			text = text[1:]
			continue
		}
		token := text[:n]
		text = text[n:]
		if len(token) > 4*maxID || !hasDigit(token) {
			t.seeLong(token)
			continue
		}
		t.add(joined(token))
		t.seePieces(token)
	}
}

// seeLong remembers the pieces of a token too long to be an id.
func (t *IDs) seeLong(token string) {
	if hasDigit(token) {
		t.seePieces(token)
	}
}

func (t *IDs) seePieces(token string) {
	eachPiece(token, func(piece string) bool {
		if len(piece) <= maxID {
			t.add(strings.ToLower(piece))
			if _, number, ok := lettersThenNumber(piece); ok {
				t.add(number)
			}
		}
		return true
	})
}

// wasSeen reports that the id, or all pieces of it that have digits, were seen.
func (t *IDs) wasSeen(id string) bool {
	if t.has(joined(id)) {
		return true
	}
	all := true
	eachPiece(id, func(piece string) bool {
		all = t.has(strings.ToLower(piece))
		if _, number, ok := lettersThenNumber(piece); ok && !all {
			all = len(number) >= minPrefixed && t.has(number)
		}
		return all
	})
	return all
}

// eachPiece calls fn with the runs of letters and digits that have a digit until it returns false.
func eachPiece(s string, fn func(string) bool) {
	for len(s) > 0 {
		n := 0
		for n < len(s) && isAlnum(s[n]) {
			n++
		}
		if piece := s[:n]; hasDigit(piece) && !fn(piece) {
			return
		}
		s = s[min(n+1, len(s)):]
	}
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
