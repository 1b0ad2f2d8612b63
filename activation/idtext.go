package activation

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// group joins what people write in groups: 563 42 30, 5,634,230, 5.634.230, 5 - 634 - 230 and an id that is spelled, J G 7 F M M.
type group struct {
	text   [maxGroup]byte
	length int
	digit  bool
	// gap is how many bytes parted the last part from what comes now.
	gap int
	// comma says that the byte before was one: what comes after it and a space is the next of a list.
	comma bool
}

const (
	// maxGroup is how long an id that is written in groups can be, in bytes.
	maxGroup = 32
	// maxGap is how far apart two of its members can be, in bytes.
	maxGap = 3
)

// part takes a byte that is of no run: spaces, commas, points, apostrophes, slashes and dashes part the members of a group, anything else ends it.
func (g *group) part(c byte) {
	if g.gap++; strings.IndexByte(" ,.'/-_", c) < 0 || g.comma && c == ' ' {
		g.length = 0
	}
	g.comma = c == ','
}

// add takes a run, and reports whether the group has become what could be an id.
func (g *group) add(run string) bool {
	if strings.Trim(run, "-_") == "" {
		for i := range len(run) {
			g.part(run[i])
		}
		return false
	}
	run = strings.ReplaceAll(run, "-", "")
	digits := isDigits(run)
	if !digits && len(run) > 1 {
		g.length = 0
		return false
	}
	joins := g.length > 0 && g.gap >= 1 && g.gap <= maxGap && g.length+len(run) <= maxGroup
	if !joins {
		g.length, g.digit = 0, false
	}
	if len(run) > maxGroup {
		return false
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

func plainLetter(c rune) rune {
	switch {
	case c < 0xA0:
		return c
	case c == 0xAD, c >= 0x200B && c <= 0x200D, c == 0x2060, c == 0xFEFF:
		return -1
	case c == '’', unicode.Is(unicode.Zs, c):
		return ' '
	case c == '−', unicode.Is(unicode.Pd, c):
		return '-'
	case c >= 0xFF01 && c <= 0xFF5E:
		return c - 0xFF01 + '!'
	case unicode.Is(unicode.Nd, c):
		return plainDigit(c)
	}
	return c
}

// plainDigit writes a digit of any script as ASCII does: they come in tens, from zero on.
func plainDigit(c rune) rune {
	for _, r := range unicode.Nd.R16 {
		if c >= rune(r.Lo) && c <= rune(r.Hi) {
			return '0' + (c-rune(r.Lo))%10
		}
	}
	for _, r := range unicode.Nd.R32 {
		if c >= rune(r.Lo) && c <= rune(r.Hi) {
			return '0' + (c-rune(r.Lo))%10
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
