package prefix

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// ContextBytes is how many bytes of a body are shown on each side of a difference; up to 3 more or fewer where a character would be cut.
const ContextBytes = 80

// Difference is a place where two bodies differ.
type Difference struct {
	Before Spot `json:"before"`
	After  Spot `json:"after"`
}

// Spot is one side of a difference.
type Spot struct {
	// Offset is where in the body, from 0, the differing byte lies. Where the body has nothing to set against the other's, it is where
	// that would have stood: the end of the part, of the body, or 0.
	Offset int `json:"offset"`
	// Missing says that it has nothing.
	Missing bool `json:"missing,omitzero"`
	// Block is the block that the byte lies in.
	Block Block `json:"block"`
	// Lead and Text are what the body has before the offset and from it on, some [ContextBytes] each, whole characters; the character that
	// the byte is part of is in Text. Bytes that are not UTF-8 show as U+FFFD.
	Lead string `json:"lead"`
	Text string `json:"text"`
}

// spot shows a place in a body.
func (s *side) spot(offset int, missing bool) Spot {
	at := s.characterAt(offset)
	from, to := s.characterAt(max(0, at-ContextBytes)), s.characterAt(min(len(s.body), at+ContextBytes))
	return Spot{
		Offset: offset, Missing: missing, Block: s.blockAt(offset),
		Lead: strings.ToValidUTF8(string(s.body[from:at]), "\uFFFD"),
		Text: strings.ToValidUTF8(string(s.body[at:to]), "\uFFFD"),
	}
}

// characterAt returns where the character begins that has the byte at an offset.
func (s *side) characterAt(offset int) int {
	if offset >= len(s.body) {
		return len(s.body)
	}
	for at := offset; at >= 0 && at > offset-utf8.UTFMax; at-- {
		if utf8.RuneStart(s.body[at]) {
			return at
		}
	}
	return offset
}

// rawDifference finds the first byte that differs in the bodies as they are.
func rawDifference(a, b *side) *Difference {
	if bytes.Equal(a.body, b.body) {
		return nil
	}
	n := commonBytes(a.body, b.body)
	return &Difference{a.spot(n, n == len(a.body)), b.spot(n, n == len(b.body))}
}

// prefixDifference finds the first byte that differs in the provider's order, and how many are the same before it.
func prefixDifference(a, b *side) (*Difference, int) {
	common := 0
	for i := 0; i < len(a.units) && i < len(b.units); i++ {
		u, v := &a.units[i], &b.units[i]
		if u.part != v.part { // one of them has more blocks in the part where the other ends
			if u.part < v.part {
				return &Difference{a.spot(u.From, false), b.ending(i, u.part)}, common
			}
			return &Difference{a.ending(i, v.part), b.spot(v.From, false)}, common
		}
		p, q := a.text(u), b.text(v)
		if bytes.Equal(p, q) {
			common += len(p)
			continue
		}
		n := commonBytes(p, q)
		return &Difference{a.spot(a.offset(u, n), n == len(p)), b.spot(b.offset(v, n), n == len(q))}, common + n
	}
	return nil, common
}

// ending is where a part of a body ends, before its n-th unit, which is of a later part.
func (s *side) ending(n, part int) Spot {
	if n > 0 && s.units[n-1].part == part {
		return s.spot(s.units[n-1].To, true)
	}
	return s.spot(0, true)
}
