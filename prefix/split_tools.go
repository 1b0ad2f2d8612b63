package prefix

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// unnamedTool stands for a tool definition that has no name in any known form.
const unnamedTool = "(unnamed)"

// tools reads the tools array.
func (s *splitter) tools() error {
	s.req.Tools, s.req.Deferred, s.req.RawTools, s.marks[partTools] = nil, nil, nil, nil
	if s.dec.PeekKind() != jsontext.KindBeginArray {
		return s.dec.SkipValue()
	}
	return s.items(func() error {
		raw, err := s.value()
		if err == nil {
			s.tool(raw)
		}
		return err
	})
}

// toolList is what an element of the tools array can be besides a tool: a list of tools, or a marker.
type toolList struct {
	Type                 string           `json:"type"`
	FunctionDeclarations []jsontext.Value `json:"functionDeclarations"`
	FunctionsSnake       []jsontext.Value `json:"function_declarations"`
	CachePoint           jsontext.Value   `json:"cachePoint"`
	Tools                []jsontext.Value `json:"tools"`
	CacheControl         jsontext.Value   `json:"cache_control"`
}

// listWords are in an element that is not simply a tool. Most are, and need not be decoded twice.
var listWords = [][]byte{
	[]byte(`"functionDeclarations"`), []byte(`"function_declarations"`), []byte(`"cachePoint"`), []byte(`"namespace"`), []byte(`"cache_control"`),
}

// tool takes one element of the tools array.
func (s *splitter) tool(raw jsontext.Value) {
	if !slices.ContainsFunc(listWords, func(word []byte) bool { return bytes.Contains(raw, word) }) {
		s.addTool(raw)
		return
	}
	var l toolList
	_ = json.Unmarshal(raw, &l, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // a list that is none is a tool
	switch decls := append(l.FunctionDeclarations, l.FunctionsSnake...); {
	case len(decls) > 0:
		s.seen.note("functionDeclarations")
		for _, d := range decls {
			s.addTool(within(raw, d))
		}
	case len(l.CachePoint) > 0:
		s.mark(partTools, len(s.req.Tools)-1, []int64{markerTTL(l.CachePoint)})
	case l.Type == "namespace":
		s.namespace(raw, l.Tools)
	default:
		s.addTool(raw)
		if l.CacheControl.Kind() == jsontext.KindBeginObject {
			s.mark(partTools, len(s.req.Tools)-1, []int64{markerTTL(l.CacheControl)})
		}
	}
}

// within returns the bytes of part inside whole, so that what is kept shares the body's memory.
func within(whole, part jsontext.Value) jsontext.Value {
	i := bytes.Index(whole, part)
	if i < 0 {
		return part
	}
	return whole[i : i+len(part)]
}

// namespace takes an OpenAI namespace of tools: one thing in the prefix, with tools of its own that may be deferred.
func (s *splitter) namespace(raw jsontext.Value, tools []jsontext.Value) {
	s.inPrefix(toolName(raw), raw)
	for _, t := range tools {
		t = within(raw, t)
		if p, err := events.ParseTool(t); err == nil && p.Deferred {
			s.req.Deferred = append(s.req.Deferred, p.Name)
		}
		s.req.RawTools = append(s.req.RawTools, t)
	}
}

// addTool takes one definition.
func (s *splitter) addTool(raw jsontext.Value) {
	s.req.RawTools = append(s.req.RawTools, raw)
	p, err := events.ParseTool(raw)
	if err != nil {
		s.inPrefix(unnamedTool, raw)
		return
	}
	if bytes.Contains(raw, []byte(`"input_schema"`)) {
		s.seen.note("tools.input_schema")
	}
	if p.Deferred {
		s.req.Deferred = append(s.req.Deferred, p.Name)
		return
	}
	s.inPrefix(p.Name, raw)
}

func (s *splitter) inPrefix(name string, raw jsontext.Value) {
	wire, err := s.digester.Wire(raw)
	if err != nil {
		wire = s.digester.Full(raw)
	}
	s.req.Tools = append(s.req.Tools, events.PrefixTool{Name: name, Digest: events.Shorten(wire)})
}

func toolName(raw jsontext.Value) string {
	p, err := events.ParseTool(raw)
	if err != nil {
		return unnamedTool
	}
	return p.Name
}
