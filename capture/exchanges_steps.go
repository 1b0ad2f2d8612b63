package capture

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// step is one thing that a message says of tools: exactly one of its members is set.
type step struct {
	call   *toolUse
	result *toolResult
	load   *toolLoad
}

// toolUse is a call by the model.
type toolUse struct {
	id, name string
	// args is the arguments object; nil where there is none that is JSON.
	args jsontext.Value
	// provider says that the provider runs the tool, builtin that it is one of the API's own, which no list of tools names.
	provider, builtin bool
}

// toolResult is what became of a call; the name serves where an API gives no id.
type toolResult struct {
	id, name, text, errorType string
	failed                    bool
}

// toolLoad is tools that became callable inside the conversation.
type toolLoad struct {
	via   events.ActivationVia
	names []string
	// definitions are those that came along.
	definitions []jsontext.Value
}

// steps collects the steps of messages in order.
type steps []step

// messageJSON has what messages of all APIs have.
type messageJSON struct {
	Role         string            `json:"role"`
	Type         string            `json:"type"`
	Content      jsontext.Value    `json:"content"`
	Parts        []jsontext.Value  `json:"parts"`
	Name         string            `json:"name"`
	ToolCallID   string            `json:"tool_call_id"`
	ToolCalls    []chatToolCall    `json:"tool_calls"`
	FunctionCall *chatToolFunction `json:"function_call"`
}

// chatToolCall is a call in a message of Chat Completions.
type chatToolCall struct {
	Index    int               `json:"index"`
	ID       string            `json:"id"`
	Function *chatToolFunction `json:"function"`
	Custom   *chatToolFunction `json:"custom"`
}

type chatToolFunction struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
	Input     jsontext.Value `json:"input"`
}

// message adds the steps of one message or input item of any API, and returns its role.
func (s *steps) message(raw jsontext.Value) string {
	var m messageJSON
	if !isObject(raw) || decodeLenient(raw, &m) != nil {
		return ""
	}
	if m.Type != "" && m.Type != "message" {
		s.part(raw)
		return m.Role
	}
	if m.Role == "tool" && m.ToolCallID != "" || m.Role == "function" {
		s.result(toolResult{id: m.ToolCallID, name: m.Name, text: plainText(m.Content)})
		return m.Role
	}
	for _, c := range m.ToolCalls {
		s.chatToolCall(c)
	}
	if m.FunctionCall != nil {
		s.chatToolCall(chatToolCall{Function: m.FunctionCall})
	}
	elements(m.Content, s.part)
	for _, p := range m.Parts {
		s.part(p)
	}
	return m.Role
}

func (s *steps) chatToolCall(c chatToolCall) {
	f := c.Function
	if f == nil {
		f = c.Custom
	}
	if f != nil {
		s.call(toolUse{id: c.ID, name: f.Name, args: argumentsOf(f.Arguments)})
	}
}

// call adds a call; one without a name is none.
func (s *steps) call(u toolUse) {
	if u.name != "" {
		*s = append(*s, step{call: &u})
	}
}

// result adds a result, and decides whether it is one of a failure where the API has no word for that.
func (s *steps) result(r toolResult) {
	r.failed = r.failed || saysError(r.text)
	*s = append(*s, step{result: &r})
}

// loaded adds tools that became callable.
func (s *steps) loaded(via events.ActivationVia, names []string, definitions ...jsontext.Value) {
	if len(names) > 0 {
		*s = append(*s, step{load: &toolLoad{via, names, definitions}})
	}
}

// argumentsOf returns the arguments object of a call: an object, or a string that holds one.
func argumentsOf(raw jsontext.Value) jsontext.Value {
	if raw.Kind() == jsontext.KindString {
		raw = jsontext.Value(strings.TrimSpace(stringOf(raw)))
		if len(raw) == 0 {
			return jsontext.Value("{}")
		}
	}
	if !isObject(raw) || !raw.IsValid(lenient) {
		return nil
	}
	return raw
}

// plainText returns the text of a message's or result's content; for content that is an object, its JSON.
func plainText(raw jsontext.Value) string {
	switch raw.Kind() {
	case jsontext.KindString:
		return stringOf(raw)
	case jsontext.KindBeginArray:
		var b strings.Builder
		elements(raw, func(v jsontext.Value) {
			if t := member(v, "text"); t != nil {
				b.WriteString(stringOf(t))
			} else if j := member(v, "json"); j != nil {
				b.Write(j)
			}
			b.WriteByte('\n')
		})
		return strings.TrimSuffix(b.String(), "\n")
	}
	return string(raw)
}

// saysError reports whether the text of a result tells of a failure by itself: it starts with "Error:", or is an object whose
// isError is true, or that has an error and nothing else.
func saysError(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "Error:") {
		return true
	}
	if !strings.HasPrefix(text, "{") {
		return false
	}
	var failed bool
	others := 0
	members(jsontext.Value(text), func(name string, v jsontext.Value) {
		switch {
		case name == "isError" || name == "is_error":
			failed = failed || v.Kind() == jsontext.KindTrue
		case name == "error" && (isObject(v) || stringOf(v) != ""):
			failed = true
		default:
			others++
		}
	})
	return failed && others == 0 || failed && strings.Contains(text, `rror":true`)
}

// validationWords are what the messages of those who check arguments against a schema have in common.
var validationWords = []string{
	"validation error", "validationerror", "invalid arguments", "invalid_arguments", "-32602", "schema validation",
	"is a required property", "missing required",
}

// saysValidation reports whether the text of a failure says that the arguments did not fit.
func saysValidation(text string) bool {
	text = strings.ToLower(text[:min(len(text), 2000)])
	for _, w := range validationWords {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
