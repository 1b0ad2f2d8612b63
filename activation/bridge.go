package activation

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// Unwrapped is the call inside a call of a bridge tool.
type Unwrapped struct {
	// Bridge is the name of the bridge tool as it was called.
	Bridge string
	// Name is the tool that the bridge was asked for, with its server written before it where the arguments name one.
	Name string
	// Server is the server that the arguments name beside the tool; empty where they name none.
	Server string
	// Arguments are the inner arguments; nil when the bridge was given none.
	Arguments jsontext.Value
	// tool is the name as the arguments give it.
	tool string
}

// BridgedName returns the name that the bridge was asked for, for an event with the name of the tool that was meant: it is empty where they are
// the same, and where there was no bridge.
func (u *Unwrapped) BridgedName(meant string) string {
	if u.Bridge == "" || u.Name == meant {
		return ""
	}
	return u.Name
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
	u.tool, u.Server = u.Name, firstString(b.Server, b.ServerName)
	if _, named := cutServer(u.Name, u.Server); u.Server != "" && !named {
		u.Name = u.Server + "/" + u.Name
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

// lastPart returns what follows the last separator of a server and a tool.
func lastPart(name string) string {
	for _, sep := range [...]string{mcpSeparator, ".", ":", "/"} {
		if at := strings.LastIndex(name, sep); at >= 0 {
			name = name[at+len(sep):]
		}
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
// was no bridge, and where the bridge itself is in the roster and can not be called.
func (s *State) ResolveCall(name string, args jsontext.Value) (Resolution, Unwrapped) {
	settings := &defaults
	if s.roster != nil {
		settings = &s.roster.settings
	}
	u, ok := settings.Unwrap(name, args)
	if !ok {
		return s.Resolve(name), Unwrapped{}
	}
	if res, ok := s.closedBridge(name); ok {
		return res, Unwrapped{}
	}
	if t, ok := s.ofServer(&u); ok {
		u.Name = t
	}
	return s.Resolve(u.Name), u
}

// closedBridge returns what is wrong with a bridge of the roster that can not be called.
func (s *State) closedBridge(name string) (Resolution, bool) {
	if s.roster == nil {
		return Resolution{}, false
	}
	if _, ok := s.roster.exact(name); !ok {
		return Resolution{}, false
	}
	res := s.Resolve(name)
	return res, res.Resolution != events.ResolvedOK
}

// ofServer returns the name that the arguments give where the roster has the tool by it and no other server for it: rosters need not
// know servers.
func (s *State) ofServer(u *Unwrapped) (string, bool) {
	if s.roster == nil || u.Server == "" {
		return "", false
	}
	if _, ok := s.roster.exact(u.Name); ok {
		return "", false
	}
	i, ok := s.roster.byName[u.tool]
	if !ok {
		return "", false
	}
	t := &s.roster.tools[i]
	return t.Name, t.Server == "" || t.Server == u.Server
}
