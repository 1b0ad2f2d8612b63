package prefix

import (
	"fmt"

	"github.com/tooltrail/tooltrail/events"
)

// side is one of the two bodies that are compared.
type side struct {
	body   []byte
	req    *Request
	units  []unit // in the provider's order
	roster string // stands for its roster
}

func readSide(provider string, body []byte) (*side, error) {
	req, units, err := splitUnits(provider, body, events.Digester{})
	if err != nil {
		return nil, err
	}
	return &side{body: body, req: req, units: units}, nil
}

func sideError(which string, err error) error {
	return fmt.Errorf("compare bodies: the %s one: %w", which, err)
}

// observed is the request as an event of it would have it.
func (s *side) observed(roster string) *Observed {
	s.roster = roster
	return &Observed{RequestPrefix: events.RequestPrefix{
		Context:    events.Context{ProviderName: s.req.Provider, RequestModel: s.req.Model},
		ToolsKnown: true, Tools: s.req.Tools, RosterDigest: roster,
		SystemKnown: true, System: s.req.System,
		MessagesKnown: true, Messages: s.req.Messages,
		Params: s.req.Params, Breakpoints: s.req.Breakpoints,
	}}
}

// text is what the digest of a unit is made of.
func (s *side) text(u *unit) []byte {
	var text []byte
	for part := range uncut(u.kept, u.cuts) {
		text = append(text, s.body[part.from:part.to]...)
	}
	return text
}

// offset is where in the body the n-th byte of a unit's text lies; where there is none, the end of the unit.
func (s *side) offset(u *unit, n int) int {
	for part := range uncut(u.kept, u.cuts) {
		if n < part.to-part.from {
			return part.from + n
		}
		n -= part.to - part.from
	}
	return u.kept.to
}

// size is the length of a unit's text.
func (u *unit) size() int {
	n := 0
	for part := range uncut(u.kept, u.cuts) {
		n += part.to - part.from
	}
	return n
}

// length is the length of the whole prefix, lengthUpTo that of the parts before one.
func (s *side) length() int { return s.lengthUpTo(len(partNames)) }

func (s *side) lengthUpTo(part int) int {
	n := 0
	for i := range s.units {
		if s.units[i].part < part {
			n += s.units[i].size()
		}
	}
	return n
}

// blockAt returns the block that a byte lies in; the last one for the end of the body.
func (s *side) blockAt(offset int) Block {
	last := Block{Part: partOther, Index: -1}
	for _, last = range s.req.Blocks {
		if offset < last.To {
			break
		}
	}
	return last
}
