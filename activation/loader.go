package activation

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// ErrNothingDeferred is returned by [NewLoader] where the roster has no tool that needs loading: every tool is callable as it is, and
// a helper that loads tools would only be one more thing to call wrongly. The agent then offers its model none.
var ErrNothingDeferred = errors.New("no tool of the roster has to be loaded")

// Checks are what a tool must pass to be loaded, beside those of the roster ([Tool.Denied], a server that is not connected). Each is
// asked about a tool on every [Loader.Load] and [Loader.Restore], never remembered; nil passes every tool. They see the roster's tool, and must
// not use the loader or its state.
type Checks struct {
	// Permitted says that this user or agent may use the tool.
	Permitted func(Tool) bool
	// Policy says that the owner's policy for tools allows it.
	Policy func(Tool) bool
	// Capable says that this client can run the tool, such as one that needs to show a picture.
	Capable func(Tool) bool
}

// Loader loads tools of one conversation by their exact names: what stands behind an agent's activation tool. It does no I/O; the
// client's Load and Restore also tell of what it did. It is for one goroutine at a time, as its [State] is.
type Loader struct {
	state  *State
	checks Checks
}

// NewLoader returns the loader of a conversation. The error is [ErrNothingDeferred] where the roster in force has no deferred tool, or
// where there is no roster.
func NewLoader(s *State, c Checks) (*Loader, error) {
	if s == nil || s.roster == nil || !slices.ContainsFunc(s.roster.tools, func(t Tool) bool { return t.Deferred }) {
		return nil, ErrNothingDeferred
	}
	return &Loader{state: s, checks: c}, nil
}

// roster returns the roster in force, an empty one where there is none any more.
func (l *Loader) roster() *Roster {
	if r := l.state.Roster(); r != nil {
		return r
	}
	return &Roster{}
}

// Loaded is what came of a request to load tools.
type Loaded struct {
	// Asked are the names that were asked for, as they were given.
	Asked []string
	// Names are the tools that were loaded, by the roster's names, in the order asked for, each once.
	Names []string
	// Refused are the names that were not loaded, each once, in the order asked for.
	Refused []Refused
	// Meant has, by the name that was asked for, the name of a loaded tool where it is another: that of a renamed tool, or without its server.
	Meant map[string]string
	// Via is what asked: the model's activation tool, a restore or a mention.
	Via events.ActivationVia
}

// Refused is a name that was not loaded.
type Refused struct {
	// Name is the name as it was asked for.
	Name string
	// Reason is why.
	Reason events.RefusalReason
	// Server is the connector that is meant, for [events.RefusedConnectorName] and [events.RefusedNotConnected].
	Server string
	// Tools are the names of a connector's tools that may be used, sorted, for [events.RefusedConnectorName] alone: the first by name up to
	// [RosterSettings.ListLimit]. Rest are those beyond the limit, which are in the roster and can be loaded by name.
	Tools, Rest []string
	// NoDefinition says that the tool has no definition that can be sent, see [Roster.CheckDefinitions]. The reason is
	// [events.RefusedClientCapability] then.
	NoDefinition bool
}

// Load loads tools that the model asked for in the message it is writing: they can be called from its next message on, see
// [State.Step]. Names are exact: those of the roster, with their server before them or not, or the former name of a tool that was
// renamed. Nothing near is ever loaded. The name of a connector, in any case, loads nothing and lists the connector's tools, at most
// [RosterSettings.ListLimit] of them.
//
// A tool that is loaded and does not pass its checks any more is taken back, and refused with the reason.
func (l *Loader) Load(names ...string) Loaded {
	out := l.load(events.ViaActivationTool, names)
	l.state.LoadNext(out.Names...)
	return out
}

// Restore loads what [Loader.Saved] returned in an earlier run of the conversation, callable at once. Every check is made again: what
// does not pass is dropped, and stands in Refused with the reason.
func (l *Loader) Restore(saved []string) Loaded {
	out := l.load(events.ViaRestore, saved)
	l.state.Load(out.Names...)
	return out
}

// Mention loads the tools that a user's mention of a server brings (see [Roster.Mention]), callable at once and in every later turn.
// Tools that are callable already are passed over; what does not pass its checks stands in Refused.
func (l *Loader) Mention(m Mention) Loaded {
	out := l.load(events.ViaMention, m.Loaded)
	l.state.Load(out.Names...)
	out.Refused = slices.DeleteFunc(out.Refused, func(r Refused) bool { return r.Reason == events.RefusedAlreadyLoaded })
	return out
}

// Saved returns the tools of the roster that were loaded, by name, sorted: what to keep for [Loader.Restore]. What was asked for in the
// message that is still being written is among them.
func (l *Loader) Saved() []string {
	var all []string
	for i := range l.roster().tools {
		t := &l.roster().tools[i]
		if t.Deferred && (l.state.isLoaded(t) || l.state.isPending(t.Name)) {
			all = append(all, t.Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// load decides about every name, each once.
func (l *Loader) load(via events.ActivationVia, names []string) Loaded {
	out := Loaded{Asked: slices.Clone(names), Via: via}
	asked, taken := map[string]bool{}, map[string]bool{}
	for _, name := range names {
		if asked[name] {
			continue
		}
		asked[name] = true
		t, refused := l.decide(name)
		switch {
		case refused != nil:
			out.Refused = append(out.Refused, *refused)
			continue
		case !taken[t.Name]:
			taken[t.Name] = true
			out.Names = append(out.Names, t.Name)
		}
		out.mean(name, t.Name)
	}
	return out
}

// mean notes that a name means a tool of another.
func (l *Loaded) mean(name, tool string) {
	if name == tool {
		return
	}
	if l.Meant == nil {
		l.Meant = map[string]string{}
	}
	l.Meant[name] = tool
}

// decide returns the tool to load for a name, or why none is.
func (l *Loader) decide(name string) (*Tool, *Refused) {
	t, refused := l.find(name)
	if refused != nil {
		return nil, refused
	}
	return t, l.judge(name, t)
}

// find returns the roster's tool of an exact name, or why there is none.
func (l *Loader) find(name string) (*Tool, *Refused) {
	r := l.roster()
	if t, ok := r.named(name); ok {
		return t, nil
	}
	if server, _, ok := r.notConnected(name, 0, false); ok {
		return nil, &Refused{Name: name, Reason: events.RefusedNotConnected, Server: server}
	}
	if refused := l.connector(name); refused != nil {
		return nil, refused
	}
	if l.state.isPending(name) || l.state.isBrought(name) {
		return nil, &Refused{Name: name, Reason: events.RefusedAlreadyLoaded}
	}
	return nil, &Refused{Name: name, Reason: events.RefusedUnknown}
}

// named finds a tool by its exact name, with its server or without, or by a former one.
func (r *Roster) named(name string) (*Tool, bool) {
	if i, ok := r.exact(name); ok {
		return &r.tools[i], true
	}
	res, ok := r.renamed(name)
	if !ok {
		return nil, false
	}
	i, ok := r.exact(res.Name)
	if !ok {
		return nil, false
	}
	return &r.tools[i], true
}

// judge makes all checks; what fails them is taken back.
func (l *Loader) judge(name string, t *Tool) *Refused {
	switch reason := l.reason(t); {
	case reason == events.RefusedNotConnected:
		return &Refused{Name: name, Reason: reason, Server: t.Server}
	case reason != "":
		l.state.Unload(t.Name)
		return &Refused{Name: name, Reason: reason}
	case !l.roster().canSend(t):
		l.state.Unload(t.Name)
		return &Refused{Name: name, Reason: events.RefusedClientCapability, NoDefinition: true}
	case l.state.isLoaded(t) || l.state.isPending(t.Name):
		return &Refused{Name: name, Reason: events.RefusedAlreadyLoaded}
	}
	return nil
}

// reason is why a tool may not be used; empty when it may.
func (l *Loader) reason(t *Tool) events.RefusalReason {
	passes := func(check func(Tool) bool) bool { return check == nil || check(*t) }
	switch {
	case !l.roster().isConnected(t.Server):
		return events.RefusedNotConnected
	case t.Denied || !passes(l.checks.Permitted):
		return events.RefusedNotPermitted
	case !passes(l.checks.Policy):
		return events.RefusedPolicy
	case !passes(l.checks.Capable):
		return events.RefusedClientCapability
	}
	return ""
}

// connector refuses a connector's own name, whatever its case, and lists its tools; nil for any other name. Of connectors whose
// names differ by case alone, the one of the exact name is meant, else all of them are.
func (l *Loader) connector(name string) *Refused {
	r := l.roster()
	var meant []server
	for _, s := range r.servers {
		if s.name == name {
			meant = []server{s}
			break
		}
		if strings.EqualFold(s.name, name) {
			meant = append(meant, s)
		}
	}
	if len(meant) == 0 {
		return nil
	}
	if !slices.ContainsFunc(meant, func(s server) bool { return s.connected }) {
		return &Refused{Name: name, Reason: events.RefusedNotConnected, Server: meant[0].name}
	}
	all := l.toolsOf(meant)
	out := &Refused{Name: name, Reason: events.RefusedConnectorName, Server: meant[0].name, Tools: all}
	if limit := cmp.Or(r.settings.Roster.ListLimit, ListLimit); len(all) > limit {
		out.Tools, out.Rest = all[:limit:limit], slices.Clip(all[limit:])
	}
	return out
}

// toolsOf returns the names of some connectors' tools that may be used, sorted.
func (l *Loader) toolsOf(servers []server) []string {
	var all []string
	for i := range l.roster().tools {
		t := &l.roster().tools[i]
		if slices.ContainsFunc(servers, func(s server) bool { return s.name == t.Server }) && l.reason(t) == "" {
			all = append(all, t.Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
