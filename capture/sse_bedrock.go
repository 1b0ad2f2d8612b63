package capture

import "github.com/go-json-experiment/json/jsontext"

// bedrockChunk is an event of Bedrock ConverseStream, as SDKs write it down: at most one of its members is set.
type bedrockChunk struct {
	BlockStart *struct {
		Index int `json:"contentBlockIndex"`
		Start struct {
			ToolUse jsontext.Value `json:"toolUse"`
		} `json:"start"`
	} `json:"contentBlockStart"`
	BlockDelta *struct {
		Index int `json:"contentBlockIndex"`
		Delta struct {
			ToolUse *struct {
				Input string `json:"input"`
			} `json:"toolUse"`
		} `json:"delta"`
	} `json:"contentBlockDelta"`
	MessageStop *struct {
		StopReason string `json:"stopReason"`
	} `json:"messageStop"`
	Metadata *struct {
		Usage jsontext.Value `json:"usage"`
	} `json:"metadata"`
}

// bedrock takes one event of Bedrock ConverseStream.
func (s *stream) bedrock(raw jsontext.Value) {
	var c bedrockChunk
	if decodeLenient(raw, &c) != nil {
		return
	}
	switch {
	case c.BlockStart != nil:
		if isObject(c.BlockStart.Start.ToolUse) {
			block := append(append(jsontext.Value(`{"toolUse":`), c.BlockStart.Start.ToolUse...), '}')
			s.blocks[c.BlockStart.Index] = &partialBlock{block: block}
		}
	case c.BlockDelta != nil:
		if b := s.blocks[c.BlockDelta.Index]; b != nil && c.BlockDelta.Delta.ToolUse != nil {
			b.input.WriteString(c.BlockDelta.Delta.ToolUse.Input)
		}
	case c.MessageStop != nil:
		s.finish, s.done = c.MessageStop.StopReason, true
	case c.Metadata != nil:
		s.usage = ReadUsage(c.Metadata.Usage)
	}
}
