package activation

import (
	"bytes"
	"hash/maphash"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// SeeRequest remembers what the model reads of a request and learns from the results in it: body is its raw JSON as it is sent to the
// provider, in the form of Anthropic, OpenAI (both APIs), Gemini or Bedrock. What the model said itself is left out. A message that was in an
// earlier request costs no more than a hash of it. Pictures, files, and what the provider keeps and the body only names (an explicit cache, a stored
// prompt, answers from before the first request), end flags as [IDs.Blind] does, and so does a body that is no JSON object.
func (t *IDs) SeeRequest(body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blind {
		return
	}
	var now providerTools
	if !eachMember(body, func(name string, v jsontext.Value) {
		now.seeOffer(name, v)
		t.seeMember(name, v)
	}) {
		t.goBlind()
	}
	t.hear(body, now)
	t.met = true
}

// seeMember takes one member of a request.
func (t *IDs) seeMember(name string, v jsontext.Value) {
	switch name {
	case "messages", "contents", "input":
		if !eachElement(v, t.seeMessage) {
			t.seeOnce(v)
		}
	case "cachedContent", "cached_content":
		if textOf(v) != "" {
			t.goBlind()
		}
	case "prompt":
		if v.Kind() == jsontext.KindBeginObject {
			t.goBlind()
			return
		}
		t.seeOnce(v)
	case "system", "systemInstruction", "system_instruction":
		t.seeOnce(v)
		if IsUnreadable(v) {
			t.goBlind()
		}
	case "promptVariables": // Bedrock's stored prompt is named by the address
		t.goBlind()
	case "previous_response_id", "conversation":
		if v.Kind() != jsontext.KindNull && !t.met {
			t.goBlind()
		}
	default:
		t.seeOnce(v)
	}
}

// seeMessage takes a message, or an item of a list of input.
func (t *IDs) seeMessage(raw jsontext.Value) {
	if !t.isNew(raw) {
		return
	}
	m := messageOf(raw)
	switch {
	case m.isElsewhere():
		t.seeElsewhere()
	case m.isModels():
		t.seeWithin(m)
	case IsUnreadable(raw):
		t.goBlind()
	default:
		t.seeGiven(m, raw)
	}
}

// seeGiven takes a message that the model did not say, and learns from results in it.
func (t *IDs) seeGiven(m message, raw jsontext.Value) {
	t.see(string(raw))
	if m.role == "tool" || m.role == "function" {
		t.learnResult(m.content)
	}
	t.learnResult(m.output)
	eachElement(m.content, func(part jsontext.Value) { t.learnResult(resultIn(part)) })
}

// seeElsewhere takes what stands for messages that the provider keeps or has encrypted: they were seen, but in a first request.
func (t *IDs) seeElsewhere() {
	if !t.met {
		t.goBlind()
	}
}

// seeWithin takes what stands in the model's own message and is not its own: results of tools that the provider ran, and sources.
func (t *IDs) seeWithin(m message) {
	if m.isUnshown() {
		t.goBlind()
		return
	}
	for _, v := range []jsontext.Value{m.output, m.found} {
		t.seeResult(v)
	}
	eachElement(m.content, func(part jsontext.Value) {
		p := messageOf(part)
		if p.isElsewhere() {
			t.seeElsewhere()
		}
		t.seeResult(p.found)
		t.seeResult(resultIn(part))
	})
}

// seeResult takes what a provider's own tool gave the model.
func (t *IDs) seeResult(v jsontext.Value) {
	switch {
	case v == nil:
	case IsUnreadable(v):
		t.goBlind()
	default:
		t.see(string(v))
		t.learnResult(v)
	}
}

// message is what tells who says a message, and what of it are results.
type message struct {
	role, kind             string
	content, output, found jsontext.Value
	// idAlone says that it has an id and nothing else but it, failed that it has an error.
	idAlone, failed bool
}

func messageOf(raw jsontext.Value) message {
	var m message
	members := 0
	eachMember(raw, func(name string, v jsontext.Value) {
		m.idAlone = name == "id" && members == 0
		members++
		switch name {
		case "role":
			m.role = textOf(v)
		case "type":
			m.kind = textOf(v)
		case "content", "parts":
			m.content = v
		case "output":
			m.output = v
		case "results", "outputs", "annotations":
			m.found = v
		case "error":
			m.failed = v.Kind() != jsontext.KindNull
		}
	})
	return m
}

// isModels reports that the model said it: by its role, or as an item that is a call or what it thought.
func (m *message) isModels() bool {
	return m.role == "assistant" || m.role == "model" || m.role == "" && (m.kind == "reasoning" || strings.HasSuffix(m.kind, "_call"))
}

// isElsewhere reports that it stands for what is not in the request: an item named by its id alone, or what was made shorter.
func (m *message) isElsewhere() bool {
	switch m.kind {
	case "item_reference", "compaction", "compaction_summary", "context_compaction":
		return true
	}
	return m.idAlone
}

// isUnshown reports a call of a tool that the provider ran and whose result it does not show, or not as text.
func (m *message) isUnshown() bool {
	switch m.kind {
	case "web_search_call", "image_generation_call":
		return true
	case "file_search_call", "code_interpreter_call":
		return !m.failed && m.found.Kind() != jsontext.KindBeginArray
	case "mcp_call":
		return !m.failed && m.output.Kind() != jsontext.KindString
	}
	return false
}

// resultIn returns the result that a part of a message holds; nil where it holds none.
func resultIn(part jsontext.Value) jsontext.Value {
	var kind string
	var content, result jsontext.Value
	eachMember(part, func(name string, v jsontext.Value) {
		switch name {
		case "type":
			kind = textOf(v)
		case "content":
			content = v
		case "functionResponse", "function_response", "toolResult", "codeExecutionResult", "code_execution_result", "toolResponse", "tool_response":
			result = v
		}
	})
	if result == nil && strings.HasSuffix(kind, "_result") {
		return content
	}
	return result
}

// learnResult learns shapes from a result: JSON, JSON in a string, or JSON in the strings of blocks.
func (t *IDs) learnResult(v jsontext.Value) {
	if text := textOf(v); text != "" {
		t.learnShapes([]byte(text))
		return
	}
	t.learnShapes(v)
	walkValues(v, func(w *walk, text string, number bool) bool {
		if trimmed := strings.TrimSpace(text); !number && (trimmed[0] == '{' || trimmed[0] == '[') {
			t.learnShapes([]byte(text))
		}
		return true
	})
}

// seeOnce remembers a text that was not seen as it is.
func (t *IDs) seeOnce(raw jsontext.Value) {
	if t.isNew(raw) {
		t.see(string(raw))
	}
}

// isNew notes a piece of a request, and reports whether it is the first of its like.
func (t *IDs) isNew(raw jsontext.Value) bool {
	key := maphash.Bytes(t.seed, raw)
	if _, known := t.seen[key]; known || t.blind {
		return false
	}
	t.addHash(key)
	return true
}

// textOf returns the text of a JSON string, "" of anything else.
func textOf(v jsontext.Value) string {
	if v.Kind() != jsontext.KindString {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil && len(text) == 0 {
		return ""
	}
	return string(text)
}

// eachMember calls fn with each member of an object, its value in raw's own memory, and reports whether there is an object that ends.
func eachMember(raw []byte, fn func(name string, v jsontext.Value)) bool {
	return each(raw, jsontext.KindBeginObject, func(dec *jsontext.Decoder) bool {
		name, err := dec.ReadToken()
		if err != nil {
			return false
		}
		key := name.String()
		v, err := dec.ReadValue()
		if err == nil {
			end := int(dec.InputOffset())
			fn(key, raw[end-len(v):end])
		}
		return err == nil
	})
}

// eachElement calls fn with each element of an array, as eachMember does.
func eachElement(raw []byte, fn func(v jsontext.Value)) bool {
	return each(raw, jsontext.KindBeginArray, func(dec *jsontext.Decoder) bool {
		v, err := dec.ReadValue()
		if err == nil {
			end := int(dec.InputOffset())
			fn(raw[end-len(v) : end])
		}
		return err == nil
	})
}

func each(raw []byte, kind jsontext.Kind, next func(*jsontext.Decoder) bool) bool {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != kind {
		return false
	}
	for k := dec.PeekKind(); k != jsontext.KindEndObject && k != jsontext.KindEndArray; k = dec.PeekKind() {
		if k == jsontext.KindInvalid || !next(dec) {
			return false
		}
	}
	_, err := dec.ReadToken()
	return err == nil
}
