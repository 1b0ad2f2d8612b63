package prefix

import (
	"encoding/binary"
	"math/bits"
)

// Bytes repeated eight times, to look at eight bytes of a text at once.
const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	spaces = ones * ' '
	quotes = ones * '"'
	slants = ones * '\\'
	// gather moves the highest bits of eight bytes, shifted to the lowest, into the highest byte.
	gather = 0x0102040810204080
)

// special marks, by their highest bits, the bytes of x that end a plain stretch of text: quotes, backslashes, control characters.
func special(x uint64) uint64 {
	y := x | highs
	return highs &^ ((y-spaces)&(y^quotes-ones)&(y^slants-ones) | x)
}

// specials has a bit for each of the 64 bytes of w, the lowest for the first, set where special marks it.
func specials(w *[64]byte) uint64 {
	a, b := special(binary.LittleEndian.Uint64(w[0:])), special(binary.LittleEndian.Uint64(w[8:]))
	c, d := special(binary.LittleEndian.Uint64(w[16:])), special(binary.LittleEndian.Uint64(w[24:]))
	e, f := special(binary.LittleEndian.Uint64(w[32:])), special(binary.LittleEndian.Uint64(w[40:]))
	g, h := special(binary.LittleEndian.Uint64(w[48:])), special(binary.LittleEndian.Uint64(w[56:]))
	if a|b|c|d|e|f|g|h == 0 {
		return 0
	}
	return eight(a) | eight(b)<<8 | eight(c)<<16 | eight(d)<<24 | eight(e)<<32 | eight(f)<<40 | eight(g)<<48 | eight(h)<<56
}

// eight gathers eight highest bits.
func eight(m uint64) uint64 { return m >> 7 * gather >> 56 }

// simple has the bytes that make an escape sequence with the backslash before them.
var simple = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// stringEnd returns where a string ends whose text begins at i, after its closing quote; where it is no string, the offending byte.
func stringEnd(b []byte, i int) (end int, ok bool) {
	if end := shortEnd(b, i); end > 0 {
		return end, true
	}
	return longText(b, i)
}

// shortSize is how long a text may be that shortEnd finds the end of.
const shortSize = 39

// shortEnd is stringEnd for short texts without escape sequences, such as most names; 0 for any other.
func shortEnd(b []byte, i int) int {
	for stop := i + shortSize; i <= stop && i+8 <= len(b); i += 8 {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			if i += bits.TrailingZeros64(m) >> 3; b[i] == '"' {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// plainText is stringEnd without the help of the processor's wide registers.
func plainText(b []byte, i int) (end int, ok bool) {
	for i < len(b) {
		if i+65 <= len(b) {
			n, odd := escapes((*[65]byte)(b[i:]))
			if i += n; !odd {
				continue
			}
		}
		if i, ok = specialByte(b, i); ok || i < 0 {
			return max(i, ^i), ok
		}
	}
	return len(b), false
}

// escapes passes over 64 bytes of a text, 65 where an escape sequence ends behind them, or up to a byte that is not plain, nor
// of a simple escape sequence: the odd one.
func escapes(w *[65]byte) (n int, odd bool) {
	m := specials((*[64]byte)(w[:]))
	for n = 64; m != 0; {
		at := bits.TrailingZeros64(m) & 63
		if w[at] != '\\' || !simple[w[at+1]] {
			return at, true
		}
		m &^= 3 << at
		n = max(64, at+2)
	}
	return n, false
}

// specialByte looks at one byte of a text. It returns where the text goes on, or where the string ends and true, or the complement
// of where it is none.
func specialByte(b []byte, i int) (next int, end bool) {
	switch c := b[i]; {
	case c == '"':
		return i + 1, true
	case c < ' ':
		return ^i, false
	case c != '\\':
		return i + 1, false
	case i+1 < len(b) && simple[b[i+1]]:
		return i + 2, false
	case unicodeEscape(b[i:]):
		return i + 6, false
	}
	return ^(i + 1), false
}

// unicodeEscape reports whether b begins with a backslash, a u and four hex digits.
func unicodeEscape(b []byte) bool {
	return len(b) >= 6 && b[0] == '\\' && b[1] == 'u' && isHex(b[2]) && isHex(b[3]) && isHex(b[4]) && isHex(b[5])
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// number passes over a number.
func (s *scanner) number() error {
	if s.at < len(s.body) && s.body[s.at] == '-' {
		s.at++
	}
	if s.at < len(s.body) && s.body[s.at] == '0' {
		s.at++
	} else if !s.digits() {
		return s.bad()
	}
	if s.at < len(s.body) && s.body[s.at] == '.' {
		s.at++
		if !s.digits() {
			return s.bad()
		}
	}
	return s.exponent()
}

func (s *scanner) exponent() error {
	if s.at == len(s.body) || s.body[s.at]|0x20 != 'e' {
		return nil
	}
	s.at++
	if s.at < len(s.body) && (s.body[s.at] == '+' || s.body[s.at] == '-') {
		s.at++
	}
	if !s.digits() {
		return s.bad()
	}
	return nil
}

// digits passes over digits and reports whether there was one.
func (s *scanner) digits() bool {
	from := s.at
	for s.at < len(s.body) && isDigit(s.body[s.at]) {
		s.at++
	}
	return s.at > from
}
