package drift

import (
	"cmp"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// serverSeparators are what agents put between a server's name and its tool's.
var serverSeparators = []string{"__", ".", ":", "/"}

// maxSplitName is the longest name that is taken apart, in bytes.
const maxSplitName = 512

// SplitName returns the tool that a name with its server's in front means, such as mcp__server__tool, server__tool, server.tool,
// server:tool or server/tool: the one place to split at where the parts are a known server's and tool's. It returns false where there is
// none, or more than one.
func SplitName(name string, known func(Key) bool) (Key, bool) {
	if len(name) > maxSplitName {
		return Key{}, false
	}
	name = strings.TrimPrefix(name, "mcp__")
	found := map[Key]bool{}
	for _, sep := range serverSeparators {
		for at := 1; at < len(name); at++ {
			if !strings.HasPrefix(name[at:], sep) {
				continue
			}
			if k := (Key{name[:at], name[at+len(sep):]}); k.Tool != "" && known(k) {
				found[k] = true
			}
		}
	}
	for k := range found {
		return k, len(found) == 1
	}
	return Key{}, false
}

// PlaceCall writes into a call that does not say whose tool it calls what [SplitName] makes of its name, where no tool of the agent's own has
// it, and returns the tool.
func PlaceCall(c *events.ToolCall, known func(Key) bool) Key {
	k := Key{c.Server, cmp.Or(c.ResolvedName, c.ToolName)}
	if k.Server != "" || c.ResolvedName != "" || known(k) {
		return k
	}
	if split, ok := SplitName(c.ToolName, known); ok {
		c.Server, c.ResolvedName = split.Server, split.Tool
		return split
	}
	return k
}

// Places reports whether it is known whose tool a call calls: it says so, its name was looked up, or its name has its server in front, which
// is written into the call then (see [PlaceCall]). A bare name that nobody looked up may be any server's: that the registry knows an agent's own
// tool of that name says nothing of another agent's.
func (r *Registry) Places(c *events.ToolCall) bool {
	return PlaceCall(c, r.Knows).Server != "" || c.Resolution != ""
}
