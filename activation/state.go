package activation

import (
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

// State is what one conversation knows about its tools at one moment: the roster in force and what was loaded. It is for one
// goroutine at a time. The zero State knows nothing and judges nothing.
type State struct {
	roster *Roster
	// loaded are the tools that were loaded, by name, and whether the roster of that moment had them.
	loaded  map[string]bool
	pending []string
	// former are rosters that were in force before, the last one first.
	former []*Roster
}

// maxFormer is how many former rosters a state keeps, to tell a removed tool from one that never was.
const maxFormer = 2

// NewState returns the state of a conversation that starts with a roster, which may be nil.
func NewState(r *Roster) *State { return &State{roster: r} }

// SetRoster puts another roster in force, as when tools or permissions changed outside the conversation. What was loaded stays
// loaded, for as long as the roster has it; what no roster had stays callable.
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
}

// Roster returns the roster in force, nil when there is none.
func (s *State) Roster() *Roster { return s.roster }

// Load makes tools callable at once, by the names they are called by: what a mention, a restore or a tool search brought. A
// name that no roster has is callable too: its definition came with the request.
func (s *State) Load(names ...string) {
	if s.loaded == nil {
		s.loaded = make(map[string]bool, len(names))
	}
	for _, n := range names {
		n = s.canonical(n)
		s.loaded[n] = s.has(n)
	}
}

// LoadNext makes tools callable from the next [State.Step] on: what the model asked for in the message it is still writing.
func (s *State) LoadNext(names ...string) { s.pending = append(s.pending, names...) }

// Step says that the model writes its next message.
func (s *State) Step() {
	s.Load(s.pending...)
	s.pending = s.pending[:0]
}

// Unload takes a loaded tool back, as when a restore found it not permitted any more.
func (s *State) Unload(name string) {
	name = s.canonical(name)
	delete(s.loaded, name)
	s.pending = slices.DeleteFunc(s.pending, func(n string) bool { return s.canonical(n) == name })
}

// Loaded reports whether a tool can be called now, by its exact name.
func (s *State) Loaded(name string) bool { return s.Resolve(name).Resolution == events.ResolvedOK }

// canonical returns the roster's own name for a tool that was named with its server.
func (s *State) canonical(name string) string {
	if s.roster == nil {
		return name
	}
	if i, ok := s.roster.exact(name); ok {
		return s.roster.tools[i].Name
	}
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
	_, ok := s.loaded[t.Name]
	return ok
}

// isPending reports whether a tool can be called from the next step on.
func (s *State) isPending(name string) bool {
	return len(s.pending) > 0 && slices.ContainsFunc(s.pending, func(n string) bool { return n == name || s.canonical(n) == name })
}

// isBrought reports whether a tool that no roster had was loaded.
func (s *State) isBrought(name string) bool {
	own, ok := s.loaded[name]
	return ok && !own
}
