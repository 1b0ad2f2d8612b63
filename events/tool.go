package events

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Tool is one tool definition, in one form whichever API it was written for.
type Tool struct {
	// Name is the name the model calls it by; a tool that the provider runs and that has no name of its own has its type as name.
	Name        string
	Description string
	// Schema is the input schema as it was sent; nil when there is none.
	Schema jsontext.Value
	// Raw is the whole definition as it was sent.
	Raw jsontext.Value
	// Deferred says that only its name is in front of the model until it is loaded.
	Deferred bool
	// Type is the API's own type of the tool (custom, function, web_search_20250305, ...); empty where it has none.
	Type string
	// ProviderRun says that the provider runs the tool, not the agent.
	ProviderRun bool
}

// ToolDigests are the three digests of a tool, each 64 hex digits (DESIGN section 2).
type ToolDigests struct {
	// Wire is over the exact bytes that were sent, without cache markers (cache_control and prompt_cache_breakpoint members).
	Wire string
	// Definition is over the RFC 8785 form of all of it, without cache markers and defer_loading members.
	Definition string
	// Schema is over the RFC 8785 form of the input schema, without the keywords description, title and examples.
	Schema string
}

// toolJSON holds the members that any of the known forms has.
type toolJSON struct {
	Type                 string         `json:"type"`
	Name                 string         `json:"name"`
	ServerLabel          string         `json:"server_label"`
	MCPServerName        string         `json:"mcp_server_name"`
	Description          string         `json:"description"`
	InputSchema          jsontext.Value `json:"input_schema"`
	MCPSchema            jsontext.Value `json:"inputSchema"`
	Parameters           jsontext.Value `json:"parameters"`
	ParametersJSONSchema jsontext.Value `json:"parametersJsonSchema"`
	ParametersJSONSnake  jsontext.Value `json:"parameters_json_schema"`
	DeferLoading         bool           `json:"defer_loading"`
	Function             *toolJSON      `json:"function"`
	ToolSpec             *toolJSON      `json:"toolSpec"`
	SystemTool           *toolJSON      `json:"systemTool"`
}

// ParseTool reads a tool definition of Anthropic Messages, OpenAI Chat Completions or Responses, MCP, Gemini (one function
// declaration, or a built-in such as {"googleSearch":{}}) or Bedrock Converse. What has neither a name nor a type is an [*Error].
// The result shares raw's memory.
func ParseTool(raw []byte) (Tool, error) {
	var j toolJSON
	if err := unmarshal(raw, &j); err != nil {
		return Tool{}, err
	}
	t := Tool{Raw: raw, Type: j.Type}
	in := j.inner()
	t.Name, t.Description, t.Schema = in.Name, in.Description, in.schema()
	t.Deferred = j.DeferLoading || in.DeferLoading
	t.ProviderRun = j.SystemTool != nil || runByProvider(j.Type)
	if j.ToolSpec != nil {
		schema, err := member(t.Schema, "json")
		if err != nil {
			return Tool{}, err
		}
		t.Schema = schema
	}
	if t.Name == "" {
		return nameless(t, &j)
	}
	return t, nil
}

// inner returns the object that has the name.
func (j *toolJSON) inner() *toolJSON {
	for _, in := range []*toolJSON{j.Function, j.ToolSpec, j.SystemTool} {
		if in != nil {
			return in
		}
	}
	return j
}

// schema returns the first input schema there is.
func (j *toolJSON) schema() jsontext.Value {
	for _, s := range []jsontext.Value{j.InputSchema, j.MCPSchema, j.Parameters, j.ParametersJSONSchema, j.ParametersJSONSnake} {
		if len(s) > 0 && s.Kind() != jsontext.KindNull {
			return s
		}
	}
	return nil
}

// nameless names a tool that has no name by what it has instead.
func nameless(t Tool, j *toolJSON) (Tool, error) {
	switch {
	case j.ServerLabel != "":
		t.Name = j.ServerLabel
	case j.MCPServerName != "":
		t.Name = j.MCPServerName
	case j.Type != "" && j.Type != "function" && j.Type != "custom":
		t.Name = j.Type
	default:
		key := soleObject(t.Raw)
		if key == "" || key == "function" || key == "toolSpec" || key == "cachePoint" {
			return Tool{}, &Error{Path: "/name", Reason: "missing"}
		}
		t.Name, t.Type, t.ProviderRun = key, key, true
	}
	return t, nil
}

// providerRun starts the types of tools that a provider runs by itself.
var providerRun = []string{
	"web_search", "web_fetch", "code_execution", "tool_search", "mcp", "file_search", "code_interpreter", "image_generation",
	"openrouter:",
}

func runByProvider(typ string) bool {
	for _, p := range providerRun {
		if strings.HasPrefix(typ, p) {
			return true
		}
	}
	return false
}

// soleObject returns the name of the only member of an object, where its value is an object; else "".
func soleObject(raw jsontext.Value) string {
	var m map[string]jsontext.Value
	if unmarshal(raw, &m) != nil || len(m) != 1 {
		return ""
	}
	for k, v := range m {
		if v.Kind() == jsontext.KindBeginObject {
			return k
		}
	}
	return ""
}

// member returns a member of an object; nil when v is none or lacks it.
func member(v jsontext.Value, name string) (jsontext.Value, error) {
	if v.Kind() != jsontext.KindBeginObject {
		return nil, nil
	}
	var m map[string]jsontext.Value
	if err := unmarshal(v, &m); err != nil {
		return nil, err
	}
	return m[name], nil
}

// Tool returns the three digests of a tool definition in any form that [ParseTool] reads. A tool without an input schema has
// the schema digest of {}.
func (d Digester) Tool(raw []byte) (ToolDigests, error) {
	t, err := ParseTool(raw)
	if err != nil {
		return ToolDigests{}, err
	}
	wire, err := Unmarked(raw)
	if err != nil {
		return ToolDigests{}, err
	}
	def, err := withoutMembers(wire, "defer_loading")
	if err != nil {
		return ToolDigests{}, err
	}
	if def, err = Canonical(def); err != nil {
		return ToolDigests{}, err
	}
	schema, err := CanonicalSchema(t.Schema)
	if err != nil {
		return ToolDigests{}, err
	}
	return ToolDigests{Wire: d.Full(wire), Definition: d.Full(def), Schema: d.Full(schema)}, nil
}
