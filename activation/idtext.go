package activation

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// group joins what people write in groups: 563 42 30, 5,634,230, 5.634.230 and an id that is spelled, J G 7 F M M.
type group struct {
	text   [maxGroup]byte
	length int
	digit  bool
	// gap is how many bytes parted the last part from what comes now.
	gap int
}

// maxGroup is how long an id that is written in groups can be, in bytes.
const maxGroup = 32

// part takes a byte that is of no run: one space, comma, point, apostrophe or slash parts the members of a group, anything else ends it.
func (g *group) part(c byte) {
	if g.gap++; strings.IndexByte(" ,.'/", c) < 0 {
		g.length = 0
	}
}

// add takes a run, and reports whether the group has become what could be an id.
func (g *group) add(run string) bool {
	digits := isDigits(run)
	if !digits && len(run) > 1 {
		g.length = 0
		return false
	}
	joins := g.length > 0 && g.gap == 1 && g.length+len(run) <= maxGroup
	if !joins {
		g.length, g.digit = 0, false
	}
	g.length += copy(g.text[g.length:], run)
	g.digit, g.gap = g.digit || digits, 0
	return joins && g.digit && g.length >= minID
}

// plainLetters writes digits and letters of other scripts that models write as ASCII, such as ４ and ٤, so, and leaves out what is not
// seen between letters, such as soft hyphens.
func plainLetters(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Map(plainLetter, text)
		}
	}
	return text
}

// zeros are the zeros of digits that are written in the place of ASCII's: Arabic, Persian, Devanagari.
var zeros = []rune{0x0660, 0x06F0, 0x0966}

func plainLetter(c rune) rune {
	switch {
	case c < 0xA0:
		return c
	case c == 0xAD, c >= 0x200B && c <= 0x200D, c == 0x2060, c == 0xFEFF:
		return -1
	case c == 0xA0, c == 0x202F, c == '’':
		return ' '
	case c >= 0xFF01 && c <= 0xFF5E:
		return c - 0xFF01 + '!'
	}
	for _, zero := range zeros {
		if c >= zero && c <= zero+9 {
			return c - zero + '0'
		}
	}
	return c
}

// unescape replaces what JSON and URLs escape by a space, or by the character where that can be part of an id. Text that is
// escaped several times over is taken as if it was once.
func unescape(text string) string {
	if !strings.ContainsAny(text, `\%`) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		n, c := escapeAt(text)
		b.WriteByte(c)
		text = text[n:]
	}
	return b.String()
}

// escapeAt returns the length of the escape, or else of the character, that a text begins with, and what it stands for.
func escapeAt(s string) (length int, stands byte) {
	n := 0
	for n < len(s) && s[n] == '\\' {
		n++
	}
	switch {
	case n == 0 && s[0] == '%':
		return hexEscape(s, 1, 2)
	case n == 0:
		return 1, s[0]
	case n < len(s) && s[n] == 'u':
		return hexEscape(s, n+1, 4)
	case n < len(s) && strings.IndexByte(`ntrbf"/`, s[n]) >= 0:
		return n + 1, ' '
	}
	return n, ' '
}

// hexEscape reads the digits of an escape; where there are none, its beginning alone is one.
func hexEscape(s string, at, digits int) (length int, stands byte) {
	if len(s) < at+digits {
		return at, ' '
	}
	v, err := strconv.ParseUint(s[at:at+digits], 16, 32)
	switch {
	case err != nil:
		return at, ' '
	case v < 0x80 && (isAlnum(byte(v)) || v == '_' || v == '-'):
		return at + digits, byte(v)
	}
	return at + digits, ' '
}
