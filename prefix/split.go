package prefix

import (
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
	// Params are the parameters whose change can invalidate a cache at the provider; see [CacheRules].
	Params []events.Param
	// Breakpoints are the cache markers in the order tools, system, messages.
	Breakpoints []events.Breakpoint
	// PreviousResponseID is the answer that an OpenAI Responses request continues: its messages are not in this body.
	PreviousResponseID string
	// CachedContent names the explicit cache that a Gemini request starts with.
	CachedContent string
	// Blocks are the stretches of the body in the order of its bytes; only [SplitBlocks] fills them in.
	Blocks []Block
}

// Split takes a raw request body apart in one pass, without copying or reordering it. The provider may be empty: the body then
// tells. The error says where the body is not JSON and quotes nothing. A body may repeat names (the last one counts, as with most
// readers) and hold text that is not UTF-8. An agent that sends many requests uses a [Splitter].
func Split(provider string, body []byte, d events.Digester) (*Request, error) {
	return newSplitter(body, d).split(provider)
}

// splitter walks one body.
type splitter struct {
	walker
	req     Request
	lead    int  // leading messages that are system or developer messages
	leading bool // no other message was seen yet
	marks   [3][]events.Breakpoint
	auto    bool // a cache_control of the whole request
	autoTTL int64
	ttl     int64 // what explicit OpenAI breakpoints inherit
	array   arrayReader
	memory  *Splitter // of tools arrays, nil for none
	layout  *layout   // where everything lies, nil where nobody asked
	// pending has the blocks of each part that are still to be digested, keptCuts what is left out of them.
	pending  [3][]pending
	keptCuts []span
}

// Parts of a prefix in the provider's order.
const (
	partTools = iota
	partSystem
	partMessages
)

var partNames = [3]string{"tools", "system", "messages"}

func newSplitter(body []byte, d events.Digester) *splitter {
	return &splitter{walker: walker{scanner: scanner{body: body}, hash: d.New(), digester: d}, leading: true}
}

func (s *splitter) split(provider string) (*Request, error) {
	if s.peek() != '{' {
		return nil, fmt.Errorf("split request: %w: want a JSON object", ErrNotRequest)
	}
	err := s.each(s.member)
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, fmt.Errorf("split request: %w", err)
	}
	return s.finish(provider), nil
}

// member reads the value of one top-level member.
func (s *splitter) member(name []byte, from int) error {
	s.saw |= sight(string(name))
	err := s.read(name)
	s.layout.member(name, from, s.at)
	return err
}

func (s *splitter) read(name []byte) error {
	switch string(name) {
	case "model", "modelId":
		return s.word(&s.req.Model)
	case "messages", "contents", "input":
		return s.list(partMessages, &s.req.Messages)
	case "system", "instructions":
		return s.list(partSystem, &s.req.System)
	case "systemInstruction", "system_instruction":
		return s.systemInstruction()
	case "tools":
		return s.tools()
	case "toolConfig", "tool_config":
		return s.nested("toolConfig")
	case "generation_config":
		return s.nested("generationConfig")
	case "prompt_cache_options":
		return s.nested("prompt_cache_options")
	case "cache_control":
		return s.automatic()
	case "previous_response_id":
		return s.word(&s.req.PreviousResponseID)
	case "cachedContent", "cached_content":
		return s.word(&s.req.CachedContent)
	}
	return s.param(string(name))
}

// nested reads an object whose members are parameters, named OBJECT.MEMBER, or parts of the prefix.
func (s *splitter) nested(object string) error {
	if s.peek() != '{' {
		return s.skip()
	}
	return s.each(func(name []byte, from int) error {
		full := object + "." + string(name)
		s.saw |= sight(full)
		switch full {
		case "toolConfig.tools":
			return s.tools()
		case "prompt_cache_options.ttl":
			v, err := s.value()
			s.ttl = ttlSeconds(v)
			return err
		}
		err := s.param(full)
		s.layout.param(full, from, s.at)
		return err
	})
}

// word reads a value into to, where it is a string.
func (s *splitter) word(to *string) error {
	var text []byte
	err := s.text(&text)
	*to = string(text)
	return err
}

// automatic reads the cache_control of a whole request, which marks its last block.
func (s *splitter) automatic() error {
	v, err := s.value()
	if err == nil && v[0] == '{' {
		s.auto, s.autoTTL = true, markerTTL(v)
	}
	return err
}
