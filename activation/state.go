package activation

import "github.com/tooltrail/tooltrail/events"

// State is what one conversation knows about its tools at one moment: the roster in force and what was loaded. It is for one
// goroutine at a time. The zero State knows nothing and judges nothing.
type State struct {
	roster  *Roster
	loaded  map[string]struct{}
	pending []string
}

// NewState returns the state of a conversation that starts with a roster, which may be nil.
func NewState(r *Roster) *State { return &State{roster: r} }

// SetRoster puts another roster in force, as when tools or permissions changed outside the conversation. What was loaded stays
// loaded.
func (s *State) SetRoster(r *Roster) { s.roster = r }

// Roster returns the roster in force, nil when there is none.
func (s *State) Roster() *Roster { return s.roster }

// Load makes tools callable at once, by the names they are called by: what a mention, a restore or a tool search brought. A
// name that no roster has is callable too: its definition came with the request.
func (s *State) Load(names ...string) {
	if s.loaded == nil {
		s.loaded = make(map[string]struct{}, len(names))
	}
	for _, n := range names {
		s.loaded[s.canonical(n)] = struct{}{}
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
func (s *State) Unload(name string) { delete(s.loaded, s.canonical(name)) }

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

// isLoaded reports whether the roster's tool can be called now.
func (s *State) isLoaded(t *Tool) bool {
	if !t.Deferred {
		return true
	}
	_, ok := s.loaded[t.Name]
	return ok
}
