package activation

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// Tool is one tool of a [Roster].
type Tool struct {
	// Name is the name that the model calls it by.
	Name string
	// Server is the server it belongs to; empty for the agent's own tools.
	Server string
	// NameOnServer is the name by which its server knows it, where [NewRoster] has written the server before the name; else empty.
	NameOnServer string
	// Deferred says that it has to be loaded before it can be called.
	Deferred bool
	// Denied says that it is known and may not be used.
	Denied bool
	// Definition is the tool's definition as it is sent to the model, in any API's form that [events.ParseTool] reads. Looking names
	// up does without it; [Roster.Text] and [Roster.Array] are made of it. Nobody changes it afterwards.
	Definition jsontext.Value
}

// Roster is what a conversation may know about its tools: an index that never changes after [NewRoster], so that many
// conversations and goroutines can share one.
type Roster struct {
	settings Settings
	tools    []Tool
	byName   map[string]int
	// longest is the length of the longest tool's name, in bytes.
	longest int
	// byServer finds a tool by its server and its name without the server's prefix.
	byServer map[serverTool]int
	// shared are the names that tools of several servers were given, with the tools.
	shared map[string][]int
	// byBare and byFold find a tool by its name without prefix, and by its letters and digits alone; collides marks two.
	byBare map[string]int
	byFold map[string]int
	// forms are the tools' names as nearness compares them.
	forms   []form
	servers []server
	// away are the servers that are not connected.
	away    map[string]bool
	renames map[string]string
	// descriptions are the servers' descriptions, and book what texts and arrays are made of, read when first asked for.
	descriptions map[string]string
	book         func() *book
}

type serverTool struct{ server, tool string }

// server is a server's name and whether its tools can be called.
type server struct {
	name      string
	connected bool
}

// collides is the index of a key that two tools share.
const collides = -1

// RosterInput is what a [Roster] is made of.
type RosterInput struct {
	Tools []Tool
	// Servers are servers that are connected, with or without tools; the servers of tools need not be named.
	Servers []string
	// NotConnected are servers that are known and not connected.
	NotConnected []string
	// Renames maps a tool's former name to its present one.
	Renames map[string]string
	// Descriptions are what [Roster.Text] says once of a server, by its name; that of the agent's own tools is under "".
	Descriptions map[string]string
	// Settings are the rules; the zero Settings are [DefaultSettings].
	Settings Settings
}

// NewRoster indexes the tools. Of a name that tools of several servers have each gets its server before it, as in shop__get_order, in its name and
// in its definition; the agent's own tool keeps the name. The name alone is then a collision, which is not resolved: see [Roster.Collisions]
// and [Roster.NameOnServer]. Of two tools of one server with one name that by definition comes first is shown.
func NewRoster(in RosterInput) *Roster { return newRoster(in, (*Roster).qualify) }

// newRoster indexes the tools; settle decides about names that tools of several servers have.
func newRoster(in RosterInput, settle func(*Roster)) *Roster {
	r := &Roster{
		settings: in.Settings.orDefault(),
		tools:    slices.Clone(in.Tools),
		byName:   make(map[string]int, len(in.Tools)),
		byServer: make(map[serverTool]int, len(in.Tools)),
		byBare:   make(map[string]int, len(in.Tools)),
		byFold:   make(map[string]int, len(in.Tools)),
		renames:  in.Renames,
	}
	r.descriptions, r.book = maps.Clone(in.Descriptions), sync.OnceValue(r.makeBook)
	r.addServers(in)
	mergeTwins(r.tools)
	settle(r)
	for i, t := range r.tools {
		r.addTool(i, t)
		r.forms = append(r.forms, formOf(t.Name))
	}
	return r
}

// RosterOf indexes the tools of an event. Names that it lists for several servers stand, and can be called where one of the tools can.
func RosterOf(e *events.ToolRoster, renames map[string]string, s Settings) *Roster {
	in := RosterInput{NotConnected: e.NotConnected, Renames: renames, Settings: s}
	if e.Server != "" {
		in.Servers = []string{e.Server}
	}
	for _, t := range e.Tools {
		in.Tools = append(in.Tools, Tool{
			Name: t.Name, Server: cmp.Or(t.Server, e.Server), Deferred: t.Deferred, Denied: t.Denied,
		})
	}
	return newRoster(in, (*Roster).tell)
}

// Tools returns the tools in the order given. The caller does not change them.
func (r *Roster) Tools() []Tool { return r.tools }

func (r *Roster) addServers(in RosterInput) {
	connected := map[string]bool{}
	r.away = map[string]bool{}
	for _, t := range in.Tools {
		if t.Server != "" {
			connected[t.Server] = true
		}
	}
	for _, s := range in.Servers {
		connected[s] = true
	}
	for _, s := range in.NotConnected {
		connected[s] = false
	}
	delete(connected, "")
	for name, ok := range connected {
		r.servers = append(r.servers, server{name, ok})
		if !ok {
			r.away[name] = true
		}
	}
	// The longest name first: of the servers "my" and "my__server" the second takes mcp__my__server__do.
	slices.SortFunc(r.servers, func(a, b server) int {
		return cmp.Or(cmp.Compare(len(b.name), len(a.name)), cmp.Compare(a.name, b.name))
	})
}

func (r *Roster) addTool(i int, t Tool) {
	bare := r.bare(t)
	r.longest = max(r.longest, len(t.Name))
	if _, taken := r.byServer[serverTool{t.Server, bare}]; t.Server != "" && !taken {
		r.byServer[serverTool{t.Server, bare}] = i // of another server, too, whose tool has the same name
	}
	if at, taken := r.byName[t.Name]; taken && at != i {
		return
	}
	r.byName[t.Name] = i
	if bare != t.Name {
		putOnce(r.byBare, bare, i)
	}
	if len(t.Name) <= maxName {
		putOnce(r.byFold, fold(t.Name), i)
	}
}

// putOnce sets m[key], or marks the key as shared by two.
func putOnce(m map[string]int, key string, i int) {
	if _, taken := m[key]; taken {
		i = collides
	}
	m[key] = i
}

// bare returns a tool's name without its server's prefix.
func (r *Roster) bare(t Tool) string {
	if t.Server != "" {
		name := cmp.Or(t.NameOnServer, t.Name)
		if rest, ok := cutServer(name, t.Server); ok {
			return rest
		}
		return name
	}
	if _, rest, ok := r.split(t.Name); ok {
		return rest
	}
	if strings.HasPrefix(t.Name, mcpPrefix) {
		if at := strings.LastIndex(t.Name, mcpSeparator); at > len(mcpPrefix) {
			return t.Name[at+len(mcpSeparator):]
		}
	}
	return t.Name
}

const (
	mcpPrefix    = "mcp__"
	mcpSeparator = "__"
)

// split takes a name apart into a known server and the rest.
func (r *Roster) split(name string) (server, string, bool) {
	for _, s := range r.servers {
		if rest, ok := cutServer(name, s.name); ok {
			return s, rest, true
		}
	}
	return server{}, "", false
}

// cutServer cuts a server in one of the usual ways of writing it off a name: mcp__server__tool, server__tool, server.tool,
// server:tool, server/tool.
func cutServer(name, server string) (string, bool) {
	if rest, ok := strings.CutPrefix(name, mcpPrefix); ok {
		if rest, ok = strings.CutPrefix(rest, server); ok {
			return cutSeparator(rest, mcpSeparator)
		}
	}
	rest, ok := strings.CutPrefix(name, server)
	if !ok {
		return "", false
	}
	for _, sep := range [...]string{mcpSeparator, ".", ":", "/"} {
		if rest, ok := cutSeparator(rest, sep); ok {
			return rest, true
		}
	}
	return "", false
}

func cutSeparator(s, sep string) (string, bool) {
	rest, ok := strings.CutPrefix(s, sep)
	return rest, ok && rest != ""
}

// Collisions returns the groups of two and more names that become one when case and separators are dropped, or when the servers are that
// [NewRoster] wrote before them, each group in the roster's order. What such names become is reported, never resolved. Names of more than 256 bytes are not compared.
func (r *Roster) Collisions() [][]string {
	groups := map[string][]string{}
	var order []string
	for i, t := range r.tools {
		if r.byName[t.Name] != i || len(t.Name) > maxName {
			continue
		}
		key := fold(t.Name)
		if groups[key] = append(groups[key], t.Name); len(groups[key]) == 2 {
			order = append(order, key)
		}
	}
	var all [][]string
	for _, key := range order {
		all = append(all, groups[key])
	}
	return append(all, r.sharedGroups()...)
}
