package capture

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// streamData returns the data of each event of an event stream, and each line that is a JSON object by itself.
func streamData(text []byte) []jsontext.Value {
	var all []jsontext.Value
	var data []byte
	flush := func() {
		if v := jsontext.Value(bytes.TrimSpace(data)); isObject(v) {
			all = append(all, v)
		}
		data = nil
	}
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte{'\n'})
		line = bytes.TrimSuffix(line, []byte{'\r'})
		switch {
		case len(line) == 0:
			flush()
		case bytes.HasPrefix(line, []byte("data:")):
			data = append(append(data, bytes.TrimPrefix(line, []byte("data:"))...), '\n')
		case line[0] == '{':
			flush()
			data = line
			flush()
		}
	}
	flush()
	return all
}

// chunkJSON has the members of all providers' stream events.
type chunkJSON struct {
	answerJSON
	Message  jsontext.Value `json:"message"`
	Response jsontext.Value `json:"response"`
	Item     jsontext.Value `json:"item"`
	Index    int            `json:"index"`
	Block    jsontext.Value `json:"content_block"`
	Delta    *deltaJSON     `json:"delta"`
}

type deltaJSON struct {
	Type        string `json:"type"`
	PartialJSON string `json:"partial_json"`
	StopReason  string `json:"stop_reason"`
}

// stream puts an answer together from its events.
type stream struct {
	answer
	// done says that the event came which ends an answer.
	done   bool
	blocks map[int]*partialBlock
	calls  []*partialCall
	// usage is the last word on each member of Anthropic's usage.
	counts map[string]jsontext.Value
	items  []jsontext.Value
}

// partialBlock is one of Anthropic's blocks with the pieces of its input.
type partialBlock struct {
	block jsontext.Value
	input strings.Builder
}

// partialCall is a call of Chat Completions with the pieces of its arguments.
type partialCall struct {
	choice, index int
	id, name      string
	args          strings.Builder
}

// streamAnswer reads an answer that came in pieces.
func streamAnswer(chunks []jsontext.Value) answer {
	s := stream{blocks: map[int]*partialBlock{}, counts: map[string]jsontext.Value{}}
	for _, raw := range chunks {
		s.chunk(raw)
	}
	s.finishAnthropic()
	s.finishChat()
	for _, item := range s.items {
		s.steps.message(item)
	}
	s.known = len(chunks) > 0
	s.cut = s.cut || s.known && !s.done && s.errorType == ""
	return s.answer
}

// chunk takes one event, which tells by its shape whose it is.
func (s *stream) chunk(raw jsontext.Value) {
	var c chunkJSON
	if decodeLenient(raw, &c) != nil {
		return
	}
	if t := errorType(c.Error); t != "" {
		s.errorType = t
	}
	switch {
	case strings.HasPrefix(c.Type, "response."):
		s.responses(&c)
	case c.Type != "":
		s.anthropic(&c)
	case len(c.Candidates) > 0 || c.UsageMetadata != nil:
		s.gemini(raw)
	case c.Choices != nil || c.Usage != nil:
		s.chat(&c)
	default:
		s.bedrock(raw)
	}
}

// responses takes an event of OpenAI Responses. The last one has the whole answer; without it the finished items are what there is.
func (s *stream) responses(c *chunkJSON) {
	switch c.Type {
	case "response.output_item.done":
		s.items = append(s.items, c.Item)
	case "response.created", "response.in_progress":
		a := objectAnswer(c.Response)
		s.id, s.model, s.created = a.id, a.model, a.created
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		done := objectAnswer(c.Response)
		if len(done.steps) > 0 {
			s.items = nil
		}
		s.answer, s.done = done, true
	}
}

// gemini takes one of Gemini's chunks, each an answer of its own.
func (s *stream) gemini(raw jsontext.Value) {
	a := objectAnswer(raw)
	s.steps = append(s.steps, a.steps...)
	if a.usage.Known() {
		s.usage = a.usage
	}
	if a.finish != "" {
		s.finish, s.done = a.finish, true
	}
	s.id, s.model = a.id, a.model
}

// anthropic takes an event of Anthropic Messages. Usage comes in two parts, the second with the last word on what it repeats.
func (s *stream) anthropic(c *chunkJSON) {
	switch c.Type {
	case "message_start":
		a := objectAnswer(c.Message)
		s.id, s.model, s.diagnosis = a.id, a.model, a.diagnosis
		s.count(member(c.Message, "usage"))
	case "content_block_start":
		s.blocks[c.Index] = &partialBlock{block: c.Block}
	case "content_block_delta":
		if b := s.blocks[c.Index]; b != nil && c.Delta != nil {
			b.input.WriteString(c.Delta.PartialJSON)
		}
	case "message_delta":
		if c.Delta != nil && c.Delta.StopReason != "" {
			s.finish, s.done = c.Delta.StopReason, true
		}
		s.count(c.Usage)
	}
}

// count keeps the members of a usage object, the later over the earlier.
func (s *stream) count(usage jsontext.Value) {
	members(usage, func(name string, v jsontext.Value) {
		if v.Kind() != jsontext.KindNull {
			s.counts[name] = v
		}
	})
}

// finishAnthropic reads the blocks in their order, with the input that came in pieces.
func (s *stream) finishAnthropic() {
	if len(s.counts) > 0 {
		if raw, err := marshalCounts(s.counts); err == nil {
			s.usage = ReadUsage(raw)
		}
	}
	order := make([]int, 0, len(s.blocks))
	for i := range s.blocks {
		order = append(order, i)
	}
	slices.Sort(order)
	for _, i := range order {
		b := s.blocks[i]
		n := len(s.steps)
		s.steps.part(b.block)
		if b.input.Len() > 0 && len(s.steps) > n && s.steps[n].call != nil {
			s.steps[n].call.args = argumentsOf(jsontext.Value(b.input.String()))
		}
	}
}

// chat takes a chunk of Chat Completions.
func (s *stream) chat(c *chunkJSON) {
	s.id, s.model = c.ID, c.Model
	if s.created.IsZero() {
		s.created = unixTime(c.Created)
	}
	if u := ReadUsage(c.Usage); u.Known() {
		s.usage = u
	}
	for i := range c.Choices {
		if f := c.Choices[i].FinishReason; f != "" {
			s.finish, s.done = f, true
		}
		s.delta(&c.Choices[i])
	}
}

// delta takes the pieces of calls that a chunk has.
func (s *stream) delta(c *chatChoice) {
	var m messageJSON
	if !isObject(c.Delta) || decodeLenient(c.Delta, &m) != nil {
		return
	}
	if m.FunctionCall != nil {
		m.ToolCalls = append(m.ToolCalls, chatToolCall{Index: -1, Function: m.FunctionCall})
	}
	for _, piece := range m.ToolCalls {
		f := piece.Function
		if f == nil {
			f = piece.Custom
		}
		open := s.partialCall(c.Index, piece.Index)
		if piece.ID != "" {
			open.id = piece.ID
		}
		if f != nil {
			open.name += f.Name
			open.args.WriteString(stringOf(either(f.Arguments, f.Input)))
		}
	}
}

func (s *stream) partialCall(choice, index int) *partialCall {
	for _, c := range s.calls {
		if c.choice == choice && c.index == index {
			return c
		}
	}
	c := &partialCall{choice: choice, index: index}
	s.calls = append(s.calls, c)
	return c
}

func (s *stream) finishChat() {
	for _, c := range s.calls {
		args := jsontext.Value(strings.TrimSpace(c.args.String()))
		if len(args) == 0 {
			args = jsontext.Value("{}")
		}
		s.steps.call(toolUse{id: c.id, name: c.name, args: argumentsOf(args)})
	}
}

// marshalCounts writes usage members as an object again.
func marshalCounts(counts map[string]jsontext.Value) (jsontext.Value, error) {
	return json.Marshal(counts, lenient)
}
