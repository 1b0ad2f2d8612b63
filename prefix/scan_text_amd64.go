package prefix

import (
	"math/bits"

	"golang.org/x/sys/cpu"
)

// wide says that the processor and the system have registers of 32 bytes, as all made since 2015 or so do.
var wide = cpu.X86.HasAVX2

// passText passes over a text for as long as 64 bytes are left and none of them stops it: a quote or a control character, or what makes no
// simple escape sequence with the backslash before it. It returns how far it came, and of the 64 bytes there, the lowest bit for
// the first, which stop it and which have a backslash before them that is not itself escaped.
//
//go:noescape
func passText(text *byte, size int) (at int, stop, escaped uint64)

// longText is stringEnd for texts of any length.
func longText(b []byte, i int) (end int, ok bool) {
	for wide && i+64 <= len(b) {
		n, stop, escaped := passText(&b[i], len(b)-i)
		i += n
		if stop == 0 {
			break
		}
		at := bits.TrailingZeros64(stop)
		i += at
		if escaped>>at&1 == 0 {
			next, ok := specialByte(b, i)
			return max(next, ^next), ok
		}
		if !unicodeEscape(b[i-1:]) {
			return i, false
		}
		for i += 5; unicodeEscape(b[i:]); {
			i += 6
		}
	}
	return plainText(b, i)
}
