package prefix

import (
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// unnamedTool stands for a tool definition that has no name in any known form.
const unnamedTool = "(unnamed)"

// tools reads the tools array, or takes over what the same bytes said before.
func (s *splitter) tools() error {
	s.req.Tools, s.req.Deferred, s.req.RawTools, s.marks[partTools] = nil, nil, nil, nil
	s.saw &^= sawOfTools
	s.layout.drop(partTools)
	if s.peek() != '[' {
		return s.skip()
	}
	if known := s.memory.find(s.body[s.at:], s.depth); known != nil {
		s.take(known)
		return nil
	}
	from := s.at
	err := s.items(s.element)
	if err == nil {
		s.memory.keep(s, span{from, s.at})
	}
	return err
}

// arrayReader has what is gathered of one element of the tools array; the next uses it again.
type arrayReader struct {
	others []otherMember // its members but for lists of declarations and markers
	inner  []innerTool   // what its member tools holds
}

// otherMember is a member beside a list of function declarations: another tool, as Gemini has it.
type otherMember struct {
	name []byte
	span span
}

// innerTool is a tool in a namespace.
type innerTool struct {
	definition
	cut span // what to leave out where it is deferred
}

// element reads one element of the tools array: a tool, a list of tools, or a marker.
func (s *splitter) element() error {
	s.cuts, s.array.others, s.array.inner = s.cuts[:0], s.array.others[:0], s.array.inner[:0]
	d, err := s.definition(inArray)
	if err != nil {
		return err
	}
	switch {
	case d.declares:
		s.saw |= sawDeclarations
		for _, o := range s.array.others {
			s.inPrefix(string(o.name), o.span, nil)
		}
	case d.point && d.members == 1:
	case notInPrefix(string(d.kind)):
		return nil
	case string(d.kind) == "namespace":
		s.namespace(&d)
	default:
		s.add(&d, s.cuts)
	}
	s.mark(partTools, len(s.req.Tools)-1, d.ttls)
	return nil
}

// notInPrefix reports whether an element of that type speaks of a tool that is elsewhere: it belongs to the roster.
func notInPrefix(kind string) bool {
	return kind == "tool_reference" || kind == "tool_addition" || kind == "tool_removal"
}

// namespace takes an OpenAI namespace of tools: one thing in the prefix, with tools of its own, of which the deferred ones are not
// in the prefix.
func (s *splitter) namespace(d *definition) {
	for i := range s.array.inner {
		t := &s.array.inner[i]
		d.ttls = append(d.ttls, t.ttls...)
		if t.deferred {
			s.req.Deferred = append(s.req.Deferred, t.title())
			s.cuts = append(s.cuts, t.cut)
		}
		s.req.RawTools = append(s.req.RawTools, s.body[t.from:t.to])
	}
	s.place(d, s.cuts)
}

// add takes one definition.
func (s *splitter) add(d *definition, cuts []span) {
	s.req.RawTools = append(s.req.RawTools, s.body[d.from:d.to])
	if d.schema {
		s.saw |= sawSchema
	}
	if strings.HasPrefix(string(d.kind), webSearch) {
		s.saw |= sawWebSearch
	}
	s.place(d, cuts)
}

// place puts a definition among the deferred tools or into the prefix.
func (s *splitter) place(d *definition, cuts []span) {
	name := d.title()
	if d.deferred {
		s.req.Deferred = append(s.req.Deferred, name)
		s.layout.aside(name, d.span)
		return
	}
	s.inPrefix(name, d.span, cuts)
}

// inPrefix digests a definition. Its digest is short for that of [events.Digester.Wire].
func (s *splitter) inPrefix(name string, of span, cuts []span) {
	s.layout.unit(partTools, len(s.req.Tools), []byte(name), of, of, cuts)
	s.req.Tools = append(s.req.Tools, events.PrefixTool{Name: name, Digest: s.digest(of, cuts)})
}
