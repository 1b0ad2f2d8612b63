package prefix

import (
	"math/bits"

	"golang.org/x/sys/cpu"
)

// wide says that the processor and the system have registers of 32 bytes, as all made since 2015 or so do.
var wide = cpu.X86.HasAVX2

// textMasks has in each result a bit for each of the 64 bytes, the lowest for the first: those that are quotes, backslashes, control
// characters, and those that make an escape sequence with a backslash before them, which are looked for only where there is a backslash.
//
//go:noescape
func textMasks(text *[64]byte) (quotes, slashes, controls, simples uint64)

// longText is stringEnd, 64 bytes at a time.
func longText(b []byte, i int) (end int, ok bool) {
	if !wide {
		return plainText(b, i)
	}
	var open uint64 // 1 when the byte at i has a backslash before it that is not itself escaped
	for i+64 <= len(b) {
		quotes, slashes, controls, simples := textMasks((*[64]byte)(b[i:]))
		var escaped, next uint64
		if slashes|open != 0 {
			if simple[b[i]] {
				simples |= 1
			}
			escaped, next = escapedBytes(slashes, open)
		}
		stop := quotes&^escaped | controls | escaped&^simples
		if stop == 0 {
			i, open = i+64, next
			continue
		}
		at := bits.TrailingZeros64(stop)
		i, open = i+at, 0
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
	return plainText(b, i-int(open))
}

// escapedBytes returns which bytes have a backslash before them that is not itself escaped, and 1 when the byte behind the 64 has; open is
// that of the 64 before. Along a run of backslashes each second one is escaped: a run that begins at an even place, subtracted
// from, borrows through to its end.
func escapedBytes(slashes, open uint64) (escaped, next uint64) {
	const odd = 0xAAAAAAAAAAAAAAAA
	first := slashes &^ open
	codes := ((first<<1 | odd) - first) ^ odd
	return codes ^ (slashes | open), codes & slashes >> 63
}
