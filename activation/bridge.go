package activation

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Unwrapped is the call inside a call of a bridge tool.
type Unwrapped struct {
	// Bridge is the name of the bridge tool as it was called; of bridges within each other the outermost.
	Bridge string
	// Name is the tool that the bridge was asked for, with its server written before it where the arguments name one.
	Name string
	// Server is the server that the arguments name beside the tool; empty where they name none.
	Server string
	// Arguments are the inner arguments; nil when the bridge was given none.
	Arguments jsontext.Value
	// tool is the name as the arguments give it.
	tool string
	// doubt is what the gate refuses the call for where nothing is said of its name.
	doubt *Refusal
}

// BridgedName returns the name that the bridge was asked for, for an event with the name of the tool that was meant: it is empty where they are
// the same, and where there was no bridge.
func (u *Unwrapped) BridgedName(meant string) string {
	if u.Bridge == "" || u.Name == meant {
		return ""
	}
	return u.Name
}

// maxBridges is how many calls of bridges are taken apart for one call; bridges can be within each other.
const maxBridges = 32

// Unwrap takes a call of a bridge tool apart, also where it passes on to another bridge. It reports false for any other call, and for a bridge that
// names no tool. Where the arguments give several names it returns the one that bridges read first; [State.ResolveCall] looks at all.
func (s Settings) Unwrap(name string, args jsontext.Value) (Unwrapped, bool) {
	var u Unwrapped
	inner := name
	for range maxBridges {
		if !s.namesBridge(inner) || len(args) == 0 {
			break
		}
		b := readBridge(args)
		all := s.inside(&b)
		if len(all) == 0 {
			break
		}
		u = all[0]
		inner, args = u.Name, u.Arguments
	}
	if u.Name == "" {
		return Unwrapped{}, false
	}
	u.Bridge = name
	return u, true
}

// namesBridge reports whether a name is that of a bridge, with a server before it or not.
func (s Settings) namesBridge(name string) bool {
	return s.isBridge(name) || s.isBridge(lastPart(name))
}

// inside returns the calls that a bridge may pass on: one for each name and server, and for each of several arguments where that is a bridge again.
func (s Settings) inside(b *bridgeArguments) []Unwrapped {
	servers := b.servers
	if len(servers) == 0 {
		servers = []string{""}
	}
	var all []Unwrapped
	for _, name := range b.names {
		for _, server := range servers {
			u := Unwrapped{Name: name, Server: server, tool: name}
			if _, named := cutServer(name, server); server != "" && !named {
				u.Name = server + "/" + name
			}
			for i, v := range b.arguments {
				if u.Arguments = innerArguments(v); i == len(b.arguments)-1 || !s.namesBridge(name) {
					break
				}
				all = append(all, u)
			}
			all = append(all, u)
		}
	}
	return all
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
