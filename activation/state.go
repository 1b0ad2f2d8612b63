package activation

import (
	"maps"
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

// State is what one conversation knows about its tools at one moment: the roster in force and what was loaded. It is for one
// goroutine at a time. The zero State knows nothing and judges nothing.
type State struct {
	roster *Roster
	// loaded are the tools that were loaded, by name, and whether a roster that was in force then or since had them. servers are those of the tools that
	// rosters had: the same name may become another server's.
	loaded  map[string]bool
	servers map[string]string
	// since are the former names, by the present one, of loaded tools that got other names.
	since map[string][]string
	// pending are the tools that can be called from the next step on, by name.
	pending map[string]pendingTool
	// former are rosters that were in force before, the last one first.
	former []*Roster
}

// pendingTool says whether a roster had the tool since it was asked for, and of which server.
type pendingTool struct {
	had    bool
	server string
}

// maxFormer is how many former rosters a state keeps, to tell a removed tool from one that never was.
const maxFormer = 2

// NewState returns the state of a conversation that starts with a roster, which may be nil.
func NewState(r *Roster) *State { return &State{roster: r} }

// SetRoster puts another roster in force, as when tools or permissions changed outside the conversation. What was loaded stays
// loaded, for as long as the roster has it on the same server, also under a new name where it says so; what no roster had stays callable.
func (s *State) SetRoster(r *Roster) {
	if s.roster == r {
		return
	}
	s.former = slices.DeleteFunc(s.former, func(f *Roster) bool { return f == r || f == s.roster })
	if s.roster != nil {
		s.former = slices.Insert(s.former, 0, s.roster)
	}
	if len(s.former) > maxFormer {
		s.former = slices.Delete(s.former, maxFormer, len(s.former))
	}
	s.roster = r
	s.follow()
}

// follow brings what was loaded and asked for under the names of the roster in force. What it has once is not callable any more when a later one leaves
// it out.
func (s *State) follow() {
	if s.roster == nil {
		return
	}
	for name, had := range maps.Clone(s.loaded) {
		t, ok := s.roster.named(name)
		if !ok || t.Name == name && had || slices.Contains(s.since[t.Name], name) {
			continue
		}
		if server, known := s.servers[name]; known && server != t.Server {
			continue
		}
		s.put(t.Name, pendingTool{true, t.Server})
		if t.Name != name {
			s.put(name, pendingTool{true, t.Server})
			s.since[t.Name] = append(s.since[t.Name], name)
		}
	}
	for name, p := range maps.Clone(s.pending) {
		t, ok := s.roster.named(name)
		if !ok || t.Name == name && p.had || p.had && p.server != t.Server {
			continue
		}
		delete(s.pending, name)
		s.pending[t.Name] = pendingTool{true, t.Server}
	}
}

// Roster returns the roster in force, nil when there is none.
func (s *State) Roster() *Roster { return s.roster }

// Load makes tools callable at once, by the names they are called by: what a mention, a restore or a tool search brought. A
// name that no roster has is callable too: its definition came with the request.
func (s *State) Load(names ...string) {
	for _, n := range names {
		n, p := s.asked(n)
		s.put(n, p)
	}
}

// asked returns the roster's own name for a tool, and what is known of it now.
func (s *State) asked(name string) (string, pendingTool) {
	if s.roster != nil {
		if t, ok := s.roster.named(name); ok {
			return t.Name, pendingTool{true, t.Server}
		}
	}
	return name, pendingTool{}
}

// put makes a tool callable.
func (s *State) put(name string, p pendingTool) {
	if s.servers == nil {
		s.servers, s.since = map[string]string{}, map[string][]string{}
	}
	if s.loaded == nil {
		s.loaded = map[string]bool{}
	}
	s.loaded[name] = p.had
	delete(s.servers, name)
	if p.had {
		s.servers[name] = p.server
	}
}

// LoadNext makes tools callable from the next [State.Step] on: what the model asked for in the message it is still writing.
func (s *State) LoadNext(names ...string) {
	if s.pending == nil {
		s.pending = make(map[string]pendingTool, len(names))
	}
	for _, n := range names {
		n, p := s.asked(n)
		if !s.pending[n].had {
			s.pending[n] = p
		}
	}
}

// Step says that the model writes its next message.
func (s *State) Step() {
	for n, p := range s.pending {
		s.put(n, p)
	}
	clear(s.pending)
}

// Unload takes a loaded tool back, as when a restore found it not permitted any more.
func (s *State) Unload(name string) {
	name = s.canonical(name)
	for _, n := range append(s.since[name], name) {
		delete(s.loaded, n)
		delete(s.servers, n)
		delete(s.pending, n)
	}
	delete(s.since, name)
}

// Loaded reports whether a tool can be called now, by its exact name.
func (s *State) Loaded(name string) bool { return s.Resolve(name).Resolution == events.ResolvedOK }

// canonical returns the roster's own name for a tool that was named with its server, or by its former name.
func (s *State) canonical(name string) string {
	name, _ = s.asked(name)
	return name
}

// has reports whether the roster in force has a tool of that very name.
func (s *State) has(name string) bool {
	if s.roster == nil {
		return false
	}
	_, ok := s.roster.byName[name]
	return ok
}

// isLoaded reports whether the roster's tool can be called now.
func (s *State) isLoaded(t *Tool) bool {
	if !t.Deferred {
		return true
	}
	if _, ok := s.loaded[t.Name]; !ok {
		return false
	}
	server, known := s.servers[t.Name]
	return !known || server == t.Server
}

// isPending reports whether a tool can be called from the next step on.
func (s *State) isPending(name string) bool {
	if len(s.pending) == 0 {
		return false
	}
	if _, ok := s.pending[name]; ok {
		return true
	}
	_, ok := s.pending[s.canonical(name)]
	return ok
}

// isBrought reports whether a tool that no roster had was loaded.
func (s *State) isBrought(name string) bool {
	own, ok := s.loaded[name]
	return ok && !own
}
