package prefix

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// ErrNotRequest is in the chain of the error for a body that is no JSON object, so no model request.
var ErrNotRequest = errors.New("not a model request")

// Request is one request to a model, taken apart in the provider's order: tools, system, messages. Digests are short ones over
// the exact bytes sent, with cache markers (cache_control, prompt_cache_breakpoint, cachePoint) masked, and a lone text block
// standing for its text: a client that marks a message wraps its text in a block, and no prefix changed by that.
type Request struct {
	// Provider is who was asked, as [ProviderName] spells it.
	Provider string
	// API is the shape of the body.
	API API
	// Model is the model that was asked for; empty where only the path names it.
	Model string
	// Tools are the tools in the prefix. Deferred tools and tools that arrive inside messages (tool_reference, tool_addition,
	// tool_search_output, additional_tools) are not among them.
	Tools []events.PrefixTool
	// Deferred are the names of the deferred tools, in the order sent.
	Deferred []string
	// RawTools are all tool definitions, deferred ones too, in the order sent. They share the body's memory.
	RawTools []jsontext.Value
	// System has a digest a system block: Anthropic's and Bedrock's system blocks, instructions, the leading system and developer
	// messages of OpenAI's APIs, the parts of systemInstruction.
	System []string
	// Messages has a digest a message or input item.
	Messages []string
	// Params are the parameters whose change can invalidate a cache at the provider; see [Rules].
	Params []events.Param
	// Breakpoints are the cache markers in the order tools, system, messages.
	Breakpoints []events.Breakpoint
	// PreviousResponseID is the answer that an OpenAI Responses request continues: its messages are not in this body.
	PreviousResponseID string
	// CachedContent names the explicit cache that a Gemini request starts with.
	CachedContent string
}

// Split takes a raw request body apart in one pass, without copying or reordering it. The provider may be empty: the body then
// tells. The error says where the body is not JSON and quotes nothing.
func Split(provider string, body []byte, d events.Digester) (*Request, error) {
	s := newSplitter(body, d)
	if s.dec.PeekKind() != jsontext.KindBeginObject {
		return nil, fmt.Errorf("split request: %w: want a JSON object", ErrNotRequest)
	}
	if err := s.request(); err != nil {
		return nil, fmt.Errorf("split request: %w", place(err))
	}
	return s.finish(provider), nil
}

// place reduces a syntax error to its position, since the library's own text may quote the body.
func place(err error) error {
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
		return fmt.Errorf("not JSON at byte %d", syn.ByteOffset)
	}
	return errors.New("not JSON: cut short")
}

// splitter walks one body.
type splitter struct {
	walker
	req     Request
	lead    int  // leading messages that are system or developer messages
	leading bool // no other message was seen yet
	marks   [3][]events.Breakpoint
	seen    seen
	auto    bool // a cache_control of the whole request
	autoTTL int64
	ttl     int64 // what explicit OpenAI breakpoints inherit
}

// Parts of a prefix in the provider's order.
const (
	partTools = iota
	partSystem
	partMessages
)

var partNames = [3]string{"tools", "system", "messages"}

func newSplitter(body []byte, d events.Digester) *splitter {
	dec := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return &splitter{walker: walker{dec: dec, body: body, hash: d.New(), digester: d}, leading: true}
}

// request reads the top-level object.
func (s *splitter) request() error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	for s.dec.PeekKind() != jsontext.KindEndObject {
		tok, err := s.dec.ReadToken()
		if err != nil {
			return err
		}
		if err := s.member(tok.String()); err != nil {
			return err
		}
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	return s.end()
}

// member reads the value of one top-level member.
func (s *splitter) member(name string) error {
	s.seen.note(name)
	switch name {
	case "model", "modelId":
		return s.text(&s.req.Model)
	case "messages", "contents", "input":
		return s.messages()
	case "system", "instructions":
		return s.list(partSystem, &s.req.System)
	case "systemInstruction", "system_instruction":
		return s.systemInstruction()
	case "tools":
		return s.tools()
	case "tool_config":
		return s.nested("toolConfig")
	case "generation_config":
		return s.nested("generationConfig")
	case "toolConfig", "generationConfig", "reasoning", "text", "output_config", "prompt_cache_options",
		"additionalModelRequestFields":
		return s.nested(name)
	case "cache_control":
		return s.automatic()
	case "previous_response_id":
		return s.text(&s.req.PreviousResponseID)
	case "cachedContent", "cached_content":
		return s.text(&s.req.CachedContent)
	}
	return s.param(name)
}

// nested reads an object whose members are parameters, named OBJECT.MEMBER, or parts of the prefix.
func (s *splitter) nested(object string) error {
	if s.dec.PeekKind() != jsontext.KindBeginObject {
		return s.dec.SkipValue()
	}
	return s.each(func(name string) error {
		s.seen.note(object + "." + name)
		switch object + "." + name {
		case "toolConfig.tools":
			return s.tools()
		case "prompt_cache_options.ttl":
			v, err := s.value()
			s.ttl = ttlSeconds(v)
			return err
		}
		return s.param(object + "." + name)
	})
}

// automatic reads the cache_control of a whole request, which marks its last block.
func (s *splitter) automatic() error {
	v, err := s.value()
	if err == nil && v.Kind() == jsontext.KindBeginObject {
		s.auto, s.autoTTL = true, markerTTL(v)
	}
	return err
}

// messages reads the conversation: a list of messages, or one text.
func (s *splitter) messages() error {
	return s.list(partMessages, &s.req.Messages)
}

// list reads a list of blocks, or one block that is not in a list, into digests.
func (s *splitter) list(part int, to *[]string) error {
	*to, s.marks[part] = nil, nil
	if part == partMessages {
		s.lead, s.leading = 0, true
	}
	switch s.dec.PeekKind() {
	case jsontext.KindNull:
		return s.dec.SkipValue()
	case jsontext.KindBeginArray:
		return s.items(func() error { return s.block(part, to) })
	}
	return s.block(part, to)
}

// systemInstruction reads Gemini's system text: an object with parts, each of which is a block.
func (s *splitter) systemInstruction() error {
	if s.dec.PeekKind() != jsontext.KindBeginObject {
		return s.list(partSystem, &s.req.System)
	}
	return s.each(func(name string) error {
		if name == "parts" {
			return s.list(partSystem, &s.req.System)
		}
		return s.dec.SkipValue()
	})
}

// block reads one system block or message.
func (s *splitter) block(part int, to *[]string) error {
	b, err := s.scan()
	if err != nil {
		return err
	}
	if b.marker && part == partSystem { // Bedrock: a block of its own marks what is before it
		s.mark(part, len(*to)-1, b.ttls)
		return nil
	}
	s.mark(part, len(*to), b.ttls)
	*to = append(*to, s.digest(b))
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
	r := &s.req
	r.Provider, r.API = settle(provider, r.Model, &s.seen)
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
	return r
}

// moveLeading makes system blocks of the system messages that a conversation starts with.
func (s *splitter) moveLeading() {
	r, before := &s.req, len(s.req.System)
	r.System = append(r.System, r.Messages[:s.lead]...)
	r.Messages = r.Messages[s.lead:]
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
