package prefix

import "github.com/tooltrail/tooltrail/events"

// usualBlock is how long a block is, in bytes, where the number of blocks is guessed.
const usualBlock = 2048

// list reads a list of blocks, or one block that is not in a list, into digests.
func (s *splitter) list(part int, to *[]string) error {
	*to, s.marks[part], s.pending[part] = (*to)[:0], nil, s.pending[part][:0]
	s.layout.drop(part)
	if part == partMessages {
		s.lead, s.leading = 0, true
	}
	switch s.peek() {
	case 'n':
		return s.skip()
	case '[':
		if cap(*to) == 0 { // a part that is there again takes the room of the one before
			*to = make([]string, 0, (len(s.body)-s.at)/usualBlock)
		}
		return s.items(func() error { return s.block(part, to) })
	}
	return s.block(part, to)
}

// systemInstruction reads Gemini's system text: an object with parts, each of which is a block.
func (s *splitter) systemInstruction() error {
	if s.peek() != '{' {
		return s.list(partSystem, &s.req.System)
	}
	return s.each(func(name []byte, _ int) error {
		if string(name) == "parts" {
			return s.list(partSystem, &s.req.System)
		}
		return s.skip()
	})
}

// block reads one system block or message.
func (s *splitter) block(part int, to *[]string) error {
	s.cuts = s.cuts[:0]
	s.peek()
	from := s.at
	b, err := s.scan()
	if err != nil {
		return err
	}
	if b.marker && part == partSystem { // Bedrock: a block of its own marks what is before it
		s.mark(part, len(*to)-1, b.ttls)
		return nil
	}
	s.mark(part, len(*to), b.ttls)
	s.layout.unit(part, len(*to), nil, span{from, s.at}, b.span, s.cuts)
	s.later(part, b.span)
	*to = append(*to, "")
	if part == partMessages {
		s.leading = s.leading && b.isSystem()
		if s.leading {
			s.lead++
		}
	}
	return nil
}

// mark notes breakpoints at a block.
func (s *splitter) mark(part, index int, ttls []int64) {
	for _, ttl := range ttls {
		s.marks[part] = append(s.marks[part], events.Breakpoint{Part: partNames[part], Index: int64(max(index, 0)), TTLSeconds: ttl})
	}
}

// finish settles what only the whole body tells.
func (s *splitter) finish(provider string) *Request {
	s.digestAll()
	r := &s.req
	r.Provider, r.API = settle(provider, r.Model, s.saw)
	if r.API == APIChat || r.API == APIResponses {
		s.moveLeading()
	}
	if s.auto && len(r.Messages) > 0 {
		s.mark(partMessages, len(r.Messages)-1, []int64{s.autoTTL})
	}
	for _, m := range s.marks {
		r.Breakpoints = append(r.Breakpoints, m...)
	}
	for i := range r.Breakpoints {
		if b := &r.Breakpoints[i]; b.TTLSeconds == 0 {
			b.TTLSeconds = s.ttl
		}
	}
	s.keepParams()
	r.System, r.Messages = orNil(r.System), orNil(r.Messages)
	return r
}

// orNil is a list, nil where it is empty.
func orNil(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// moveLeading makes system blocks of the system messages that a conversation starts with.
func (s *splitter) moveLeading() {
	r, before := &s.req, len(s.req.System)
	r.System = append(r.System, r.Messages[:s.lead]...)
	r.Messages = r.Messages[s.lead:]
	s.layout.moveLeading(s.lead, before)
	var rest []events.Breakpoint
	for _, m := range s.marks[partMessages] {
		if m.Index < int64(s.lead) {
			m.Part, m.Index = partNames[partSystem], m.Index+int64(before)
			s.marks[partSystem] = append(s.marks[partSystem], m)
			continue
		}
		m.Index -= int64(s.lead)
		rest = append(rest, m)
	}
	s.marks[partMessages] = rest
}
