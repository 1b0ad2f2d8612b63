package prefix

import (
	"bytes"

	"github.com/tooltrail/tooltrail/events"
)

// Place is where two arrays of tool definitions first differ. Bytes count in the array as JSON without spaces between its definitions,
// [definition,definition,...], each definition as it was sent but for its cache markers, which wire digests leave out too.
type Place struct {
	// Tool is the place of the first tool that differs, from 0; -1 where none does. Name is its name, in the later array where it has one.
	Tool int    `json:"tool"`
	Name string `json:"name,omitzero"`
	// Byte is the offset of the first differing byte, by what Known says; nil where that is "tool".
	Byte  *int64     `json:"byte,omitzero"`
	Known PlaceKnown `json:"known"`
	// Before and After are the wire digests of the tool at that place; "" where an array ends before it.
	Before string `json:"before_digest,omitzero"`
	After  string `json:"after_digest,omitzero"`
}

// PlaceKnown says how well the place is known, which depends on the definitions that are stored.
type PlaceKnown string

// How well a place is known.
const (
	// PlaceByte: Byte is the first byte that differs.
	PlaceByte PlaceKnown = "byte"
	// PlaceStart: Byte is where the tool begins; the definitions before it are stored, one of those that differ is not.
	PlaceStart PlaceKnown = "tool_start"
	// PlaceTool: only the tool's place is known, for a definition before it is not stored.
	PlaceTool PlaceKnown = "tool"
	// PlaceNone: the arrays are the same.
	PlaceNone PlaceKnown = "none"
)

// definitions are the bytes of tool definitions by short wire digest, without cache markers.
type definitions map[string][]byte

// firstPlace finds where two arrays first differ.
func (d definitions) firstPlace(before, after []events.PrefixTool) Place {
	n := 0
	for n < len(before) && n < len(after) && before[n].Digest == after[n].Digest {
		n++
	}
	p := Place{Tool: n, Known: PlaceTool}
	switch {
	case n < len(after):
		p.Name, p.After = after[n].Name, after[n].Digest
	case n < len(before):
		p.Name = before[n].Name
	default:
		return Place{Tool: -1, Known: PlaceNone}
	}
	if n < len(before) {
		p.Before = before[n].Digest
	}
	start, ok := d.length(before[:n])
	if ok {
		p.Known, p.Byte = d.within(&p, start)
	}
	return p
}

// length is how long an array of these tools is, up to and with the last one.
func (d definitions) length(tools []events.PrefixTool) (int64, bool) {
	n := int64(len("["))
	for i, t := range tools {
		raw, ok := d[t.Digest]
		if !ok {
			return 0, false
		}
		if i > 0 {
			n += int64(len(","))
		}
		n += int64(len(raw))
	}
	return n, true
}

// within finds the byte from where the array's common tools end. Where one array ends there, its bracket is what differs from the other's
// comma, or from the first definition.
func (d definitions) within(p *Place, end int64) (PlaceKnown, *int64) {
	if p.Before == "" || p.After == "" {
		return PlaceByte, &end
	}
	if p.Tool > 0 {
		end += int64(len(","))
	}
	before, after := d[p.Before], d[p.After]
	if before == nil || after == nil {
		return PlaceStart, &end
	}
	end += int64(commonBytes(before, after))
	return PlaceByte, &end
}

// commonBytes counts the equal bytes at the start of both.
func commonBytes(a, b []byte) int {
	n := min(len(a), len(b))
	if bytes.Equal(a[:n], b[:n]) {
		return n
	}
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
