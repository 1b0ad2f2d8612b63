package capture

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// partJSON has what blocks (Anthropic, Bedrock), items (OpenAI Responses) and parts (Gemini) have.
type partJSON struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Input     jsontext.Value `json:"input"`
	ToolUseID string         `json:"tool_use_id"`
	IsError   bool           `json:"is_error"`
	Content   jsontext.Value `json:"content"`
	Tool      *struct {
		Name string `json:"name"`
	} `json:"tool"`
	CallID           string           `json:"call_id"`
	Arguments        jsontext.Value   `json:"arguments"`
	Output           jsontext.Value   `json:"output"`
	Error            jsontext.Value   `json:"error"`
	Status           string           `json:"status"`
	Execution        string           `json:"execution"`
	Tools            []jsontext.Value `json:"tools"`
	FunctionCall     *geminiCall      `json:"functionCall"`
	FunctionResponse *geminiCall      `json:"functionResponse"`
	ToolUse          *bedrockUse      `json:"toolUse"`
	ToolResult       *bedrockUse      `json:"toolResult"`
}

type geminiCall struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Args     jsontext.Value `json:"args"`
	Response jsontext.Value `json:"response"`
}

type bedrockUse struct {
	ID      string         `json:"toolUseId"`
	Name    string         `json:"name"`
	Input   jsontext.Value `json:"input"`
	Status  string         `json:"status"`
	Content jsontext.Value `json:"content"`
}

// part adds the steps of one block, item or part.
func (s *steps) part(raw jsontext.Value) {
	var p partJSON
	if !isObject(raw) || decodeLenient(raw, &p) != nil {
		return
	}
	switch {
	case p.FunctionCall != nil:
		s.call(toolUse{id: p.FunctionCall.ID, name: p.FunctionCall.Name, args: argumentsOf(p.FunctionCall.Args)})
	case p.FunctionResponse != nil:
		s.result(toolResult{id: p.FunctionResponse.ID, name: p.FunctionResponse.Name, text: plainText(p.FunctionResponse.Response)})
	case p.ToolUse != nil:
		s.call(toolUse{id: p.ToolUse.ID, name: p.ToolUse.Name, args: argumentsOf(p.ToolUse.Input)})
	case p.ToolResult != nil:
		r := p.ToolResult
		s.result(toolResult{id: r.ID, text: plainText(r.Content), failed: r.Status == "error"})
	default:
		s.typed(&p)
	}
}

// typed adds the steps of what tells itself by its type.
func (s *steps) typed(p *partJSON) {
	switch p.Type {
	case "tool_use":
		s.call(toolUse{id: p.ID, name: p.Name, args: argumentsOf(p.Input)})
	case "server_tool_use", "mcp_tool_use":
		s.call(toolUse{id: p.ID, name: p.Name, args: argumentsOf(p.Input), provider: true})
	case "tool_result", "mcp_tool_result":
		s.loaded(events.ViaToolSearch, references(p.Content))
		s.result(toolResult{id: p.ToolUseID, text: plainText(p.Content), failed: p.IsError})
	case "tool_search_tool_result":
		s.loaded(events.ViaToolSearch, references(member(p.Content, "tool_references")))
		s.serverResult(p)
	case "tool_addition":
		if p.Tool != nil && p.Tool.Name != "" {
			s.loaded(events.ViaToolAddition, []string{p.Tool.Name})
		}
	case "function_call", "custom_tool_call":
		s.call(toolUse{id: p.CallID, name: p.Name, args: argumentsOf(either(p.Arguments, p.Input))})
	case "tool_search_output":
		s.loaded(events.ViaToolSearch, toolNames(p.Tools), p.Tools...)
		s.result(toolResult{id: p.CallID, name: "tool_search"})
	case "additional_tools":
		s.loaded(events.ViaToolAddition, toolNames(p.Tools), p.Tools...)
	case "mcp_call":
		s.mcpCall(p)
	default:
		s.byEnding(p)
	}
}

// byEnding adds the steps of the APIs' own tools, whose types end alike.
func (s *steps) byEnding(p *partJSON) {
	if name, ok := strings.CutSuffix(p.Type, "_call_output"); ok {
		s.result(toolResult{id: p.CallID, name: name, text: plainText(p.Output)})
		return
	}
	if name, ok := strings.CutSuffix(p.Type, "_call"); ok {
		id := cmp.Or(p.CallID, p.ID)
		runs := runsAtProvider(name) && p.Execution != "client"
		s.call(toolUse{id: id, name: name, args: argumentsOf(p.Arguments), provider: runs, builtin: true})
		if runs && name != "tool_search" {
			s.result(toolResult{id: id, failed: p.Status == "failed"})
		}
		return
	}
	if strings.HasSuffix(p.Type, "_tool_result") {
		s.serverResult(p)
	}
}

// runsAtProvider tells OpenAI's tools that it runs itself from those that the agent runs.
func runsAtProvider(name string) bool {
	switch name {
	case "computer", "local_shell", "shell", "apply_patch":
		return false
	}
	return true
}

// serverResult adds the result of one of Anthropic's own tools.
func (s *steps) serverResult(p *partJSON) {
	kind, code := stringOf(member(p.Content, "type")), stringOf(member(p.Content, "error_code"))
	s.result(toolResult{id: p.ToolUseID, errorType: code, failed: strings.HasSuffix(kind, "_error")})
}

// mcpCall adds a call of a tool of an MCP server that OpenAI talks to, with its result.
func (s *steps) mcpCall(p *partJSON) {
	s.call(toolUse{id: p.ID, name: p.Name, args: argumentsOf(p.Arguments), provider: true})
	if p.Output == nil && p.Error == nil && p.Status == "in_progress" {
		return
	}
	failed := isObject(p.Error) || stringOf(p.Error) != ""
	s.result(toolResult{id: p.ID, text: plainText(either(p.Output, p.Error)), failed: failed})
}

// references returns the names in a list's tool_reference blocks.
func references(list jsontext.Value) []string {
	var names []string
	elements(list, func(v jsontext.Value) {
		if stringOf(member(v, "type")) == "tool_reference" {
			names = append(names, stringOf(member(v, "tool_name")))
		}
	})
	return names
}

// toolNames returns the names of definitions, those inside namespaces too.
func toolNames(definitions []jsontext.Value) []string {
	var names []string
	for _, d := range definitions {
		if t, err := events.ParseTool(d); err == nil {
			names = append(names, t.Name)
		}
		elements(member(d, "tools"), func(v jsontext.Value) {
			if t, err := events.ParseTool(v); err == nil {
				names = append(names, t.Name)
			}
		})
	}
	return names
}

func either(a, b jsontext.Value) jsontext.Value {
	if len(a) > 0 && a.Kind() != jsontext.KindNull {
		return a
	}
	return b
}
