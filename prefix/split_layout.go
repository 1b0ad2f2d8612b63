package prefix

import (
	"cmp"
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

// Parts of a body that are no part of the prefix.
const (
	partParams = "params"
	partOther  = "other"
)

// Block is a stretch of a body. The blocks of a body are in the order of its bytes, leave none out, and share none.
type Block struct {
	// Part is tools, system, messages, params (a member that can invalidate a cache) or other: members that can't, deferred tools, and
	// what stands between blocks.
	Part string `json:"part"`
	// Index is its place among [Request]'s Tools, System or Messages; -1 in the other parts.
	Index int `json:"index"`
	// Name is a tool's name, a parameter's, or that of the top-level member that the bytes lie in; empty for what lies in none.
	Name string `json:"name,omitzero"`
	// From and To say where its bytes lie, To exclusive.
	From int `json:"from"`
	To   int `json:"to"`
}

// SplitBlocks is [Split] and fills in the request's Blocks.
func SplitBlocks(provider string, body []byte, d events.Digester) (*Request, error) {
	r, _, err := splitUnits(provider, body, d)
	return r, err
}

// splitUnits takes a body apart and returns the blocks of its prefix too, in the provider's order.
func splitUnits(provider string, body []byte, d events.Digester) (*Request, []unit, error) {
	s := newSplitter(body, d)
	s.layout = &layout{}
	r, err := s.split(provider)
	if err != nil {
		return nil, nil, err
	}
	r.Blocks = s.layout.blocks(r.Params, len(body))
	return r, slices.Concat(s.layout.units[:]...), nil
}

// unit is one block of the prefix, and what its digest is made of.
type unit struct {
	Block
	part int
	kept span   // the block, or the text that it stands for
	cuts []span // what its digest leaves out
}

// layout gathers where everything lies. A nil layout gathers nothing.
type layout struct {
	units   [3][]unit // by part, in order
	params  []Block   // members that may be parameters
	members []Block   // members of the body
	asides  []Block   // deferred tools
	steps   int       // how often something was noted or looked at again: no more than a few times a byte
}

// unit notes a block of the prefix. It copies cuts.
func (l *layout) unit(part, index int, name []byte, whole, kept span, cuts []span) {
	if l != nil {
		b := Block{partNames[part], index, string(name), whole.from, whole.to}
		l.units[part] = append(l.units[part], unit{b, part, kept, slices.Clone(cuts)})
		l.steps++
	}
}

// drop forgets a part that is there again.
func (l *layout) drop(part int) {
	if l != nil {
		l.units[part] = l.units[part][:0]
		if part == partTools {
			l.asides = l.asides[:0]
		}
		l.steps++
	}
}

func (l *layout) aside(name string, of span) {
	if l != nil {
		l.asides = append(l.asides, Block{partOther, -1, name, of.from, of.to})
		l.steps++
	}
}

func (l *layout) param(name string, from, to int) {
	if l != nil {
		l.params = append(l.params, Block{partParams, -1, name, from, to})
		l.steps++
	}
}

func (l *layout) member(name []byte, from, to int) {
	if l != nil {
		l.members = append(l.members, Block{partOther, -1, string(name), from, to})
		l.param(string(name), from, to)
	}
}

// moveLeading does for the layout what [splitter.moveLeading] does for the digests.
func (l *layout) moveLeading(lead, before int) {
	if l == nil {
		return
	}
	messages := l.units[partMessages]
	for i := range messages {
		u := &messages[i]
		if i >= lead {
			u.Index -= lead
			continue
		}
		u.part, u.Part, u.Index = partSystem, partNames[partSystem], u.Index+before
		l.units[partSystem] = append(l.units[partSystem], *u)
	}
	l.units[partMessages] = messages[lead:]
	l.steps += len(messages)
}

// blocks lays all that was noted side by side, and fills what lies between.
func (l *layout) blocks(params []events.Param, size int) []Block {
	all := slices.Clone(l.asides)
	for _, units := range l.units {
		for i := range units {
			all = append(all, units[i].Block)
		}
	}
	for _, p := range l.params {
		if slices.ContainsFunc(params, func(have events.Param) bool { return have.Name == p.Name }) { // they are few: each name counts once
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b Block) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	f := filler{members: l.members}
	for _, b := range all {
		if b.From >= f.at && b.To > b.From {
			f.fill(b.From)
			f.out, f.at = append(f.out, b), b.To
		}
	}
	f.fill(size)
	l.steps += len(l.params) + len(all) + f.steps
	return f.out
}

// filler makes blocks of what lies between blocks.
type filler struct {
	members []Block
	out     []Block
	at      int
	steps   int
}

// fill fills up to a place, with a block for each member it passes.
func (f *filler) fill(to int) {
	for f.at < to {
		for len(f.members) > 0 && f.members[0].To <= f.at {
			f.members = f.members[1:]
			f.steps++
		}
		b := Block{partOther, -1, "", f.at, to}
		if len(f.members) > 0 {
			switch m := f.members[0]; {
			case m.From <= f.at:
				b.Name, b.To = m.Name, min(to, m.To)
			default:
				b.To = min(to, m.From)
			}
		}
		f.out, f.at = append(f.out, b), b.To
		f.steps++
	}
}
