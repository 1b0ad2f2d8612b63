package activation

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unwrapped is the call inside a call of a bridge tool.
type Unwrapped struct {
	// Bridge is the name of the bridge tool as it was called.
	Bridge string
	// Name is the tool that the bridge was asked for, with its server written before it where the arguments name one.
	Name string
	// Arguments are the inner arguments; nil when the bridge was given none.
	Arguments jsontext.Value
}

// bridgeArguments are the ways in which bridge tools take what they pass on.
type bridgeArguments struct {
	Name       string         `json:"name"`
	ToolName   string         `json:"tool_name"`
	ToolName2  string         `json:"toolName"`
	Tool       string         `json:"tool"`
	Server     string         `json:"server"`
	ServerName string         `json:"server_name"`
	Arguments  jsontext.Value `json:"arguments"`
	Args       jsontext.Value `json:"args"`
	Input      jsontext.Value `json:"input"`
	Params     jsontext.Value `json:"params"`
	Parameters jsontext.Value `json:"parameters"`
}

// Unwrap takes a call of a bridge tool apart. It reports false for any other call, and for a bridge that names no tool.
func (s Settings) Unwrap(name string, args jsontext.Value) (Unwrapped, bool) {
	if !s.isBridge(name) && !s.isBridge(lastPart(name)) {
		return Unwrapped{}, false
	}
	var b bridgeArguments
	if err := json.Unmarshal(args, &b, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return Unwrapped{}, false
	}
	u := Unwrapped{Bridge: name, Name: firstString(b.ToolName, b.ToolName2, b.Name, b.Tool)}
	if u.Name == "" {
		return Unwrapped{}, false
	}
	if server := firstString(b.Server, b.ServerName); server != "" && !strings.Contains(u.Name, server) {
		u.Name = server + "/" + u.Name
	}
	for _, v := range []jsontext.Value{b.Arguments, b.Args, b.Input, b.Params, b.Parameters} {
		if len(v) > 0 {
			u.Arguments = innerArguments(v)
			break
		}
	}
	return u, true
}

// innerArguments reads arguments that may be an object or a string that holds one.
func innerArguments(v jsontext.Value) jsontext.Value {
	if v.Kind() != '"' {
		return v
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil || !jsontext.Value(text).IsValid() {
		return v
	}
	return text
}

// lastPart returns what follows the last double underscore.
func lastPart(name string) string {
	if at := strings.LastIndex(name, mcpSeparator); at >= 0 {
		return name[at+len(mcpSeparator):]
	}
	return name
}

func firstString(all ...string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// ResolveCall looks up what a call means: the tool inside a bridge, else the name itself. The Unwrapped is zero where there
// was no bridge.
func (s *State) ResolveCall(name string, args jsontext.Value) (Resolution, Unwrapped) {
	settings := &defaults
	if s.roster != nil {
		settings = &s.roster.settings
	}
	u, ok := settings.Unwrap(name, args)
	if !ok {
		return s.Resolve(name), Unwrapped{}
	}
	return s.Resolve(u.Name), u
}
