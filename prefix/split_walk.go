package prefix

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"iter"
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

// walker reads a body, and digests stretches of it.
type walker struct {
	scanner
	hash     hash.Hash
	sum      []byte
	cuts     []span
	digester events.Digester
	saw      sights
}

// span is a stretch of the body, to exclusive.
type span struct{ from, to int }

// cut leaves out what was read from a place up to here: from the end of the last kept neighbour on, or else, where there is none, up
// to the next neighbour.
func (w *walker) cut(kept, from int) {
	if kept >= 0 {
		w.cuts = append(w.cuts, span{kept, w.at})
		return
	}
	to := w.at + spaceBefore(w.body[w.at:])
	if to == len(w.body) || w.body[to] != ',' {
		w.cuts = append(w.cuts, span{from, w.at})
		return
	}
	to++
	w.cuts = append(w.cuts, span{from, to + spaceBefore(w.body[to:])})
}

// spaceBefore counts the space that b begins with.
func spaceBefore(b []byte) int { return len(b) - len(bytes.TrimLeft(b, " \t\r\n")) }

// digestBytes is how many bytes of a digest are kept, as [events.Digester.Short] does.
const digestBytes = 16

// digest hashes a stretch without its cuts, which it sorts.
func (w *walker) digest(of span, cuts []span) string {
	if len(cuts) == 0 && len(w.digester.Key) == 0 {
		return shortHex(sha256.Sum256(w.body[of.from:of.to]))
	}
	w.hash.Reset()
	for part := range uncut(of, cuts) {
		_, _ = w.hash.Write(w.body[part.from:part.to])
	}
	w.sum = w.hash.Sum(w.sum[:0])
	return shortHex([sha256.Size]byte(w.sum))
}

// shortHex writes the first bytes of a digest.
func shortHex(sum [sha256.Size]byte) string {
	var text [2 * digestBytes]byte
	hex.Encode(text[:], sum[:digestBytes])
	return string(text[:])
}

// uncut yields what is left of a stretch without its cuts, which it sorts; they may overlap.
func uncut(of span, cuts []span) iter.Seq[span] {
	return func(yield func(span) bool) {
		if len(cuts) > 1 {
			slices.SortFunc(cuts, func(a, b span) int { return a.from - b.from })
		}
		at := of.from
		for _, c := range cuts {
			if c.from > at && !yield(span{at, c.from}) {
				return
			}
			at = max(at, c.to)
		}
		if at < of.to {
			yield(span{at, of.to})
		}
	}
}
