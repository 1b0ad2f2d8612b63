package activation

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// ResolveCall looks up what a call means: the tool inside a bridge, else the name itself. The Unwrapped is zero where there
// was no bridge, and where the bridge itself can not be called. Nothing is said of a name, and the resolution is empty, where the arguments can be
// read in several ways that come to different things; [State.Refuse] and [State.RefusalOfCall] refuse such calls.
func (s *State) ResolveCall(name string, args jsontext.Value) (Resolution, Unwrapped) {
	if !s.settings().namesBridge(name) {
		return s.Resolve(name), Unwrapped{}
	}
	left := maxBridges
	return s.resolveCall(name, args, &left)
}

// settings are the roster's, or the defaults.
func (s *State) settings() *Settings {
	if s.roster == nil {
		return &defaults
	}
	return &s.roster.settings
}

// resolveCall takes at most some bridges apart.
func (s *State) resolveCall(name string, args jsontext.Value, left *int) (Resolution, Unwrapped) {
	if !s.settings().namesBridge(name) || len(args) == 0 {
		return s.Resolve(name), Unwrapped{}
	}
	if res, open := s.door(name); !open {
		return res, Unwrapped{}
	}
	if *left--; *left < 0 {
		return Resolution{}, Unwrapped{doubt: &Refusal{Reason: ReasonUnknown, Name: name, Unclear: true}}
	}
	b := readBridge(args)
	if len(b.names) == 0 {
		return s.nameless(name, args, &b)
	}
	var all []bridged
	for _, u := range s.settings().inside(&b) {
		all = append(all, s.read(name, u, left))
	}
	got := s.agreed(all)
	if b.broken && s.closes() && got.u.doubt == nil {
		got = s.doubted(s.RefusalOfCall(name, got.res, got.u), name)
	}
	return got.res, got.u
}

// bridged is one way to read a bridge's call.
type bridged struct {
	res Resolution
	u   Unwrapped
}

// read looks up one call that a bridge may pass on.
func (s *State) read(bridge string, u Unwrapped, left *int) bridged {
	u.Name, u.Bridge = s.ofServer(&u), bridge
	res, inner := s.resolveCall(u.Name, u.Arguments, left)
	switch {
	case inner.doubt != nil:
		u = inner
	case inner.Bridge != "":
		u, u.Bridge = inner, bridge
	}
	return bridged{res, u}
}

// agreed returns what all readings come to: the one that can be called where the others name no tool at all, and a doubt where another names a tool
// that can't.
func (s *State) agreed(all []bridged) bridged {
	best := all[0]
	same, open := true, false
	for _, r := range all {
		same = same && r.res == all[0].res && r.u.doubt == all[0].u.doubt
		if !open && s.isOpen(r.res) && r.u.doubt == nil {
			best, open = r, true
		}
	}
	if same || !s.closes() {
		return best
	}
	for _, r := range all {
		if r.u.doubt != nil || s.isShut(r.res) {
			return s.doubted(s.RefusalOfCall(r.u.Name, r.res, r.u), r.u.Name)
		}
	}
	return best
}

// doubted is a call of which nothing is said, and which is refused.
func (s *State) doubted(why *Refusal, name string) bridged {
	if why == nil {
		why = &Refusal{Reason: ReasonUnknown, Name: name, Unclear: true}
	}
	return bridged{u: Unwrapped{doubt: why}}
}

// isOpen reports whether what was looked up can be called, if by its present name.
func (s *State) isOpen(res Resolution) bool {
	return res.Resolution == events.ResolvedOK || res.Resolution == events.ResolvedRenamed && s.Loaded(res.Name)
}

// isShut reports whether what was looked up is or may be a tool that can't be called. What is no tool at all, a server's name or like a tool that can be
// called, harms nothing: it may stand there for something else than a tool.
func (s *State) isShut(res Resolution) bool {
	switch res.Resolution {
	case events.ResolvedNotPermitted, events.ResolvedNotActivated, events.ResolvedNotConnected:
		return true
	case events.ResolvedUnknown, events.ResolvedGuessed, events.ResolvedPrefixRepair, events.ResolvedRenamed:
		return res.How == HowCollision || res.How == HowRemoved || res.Name != "" && !s.Loaded(res.Name)
	}
	return false
}

// closes reports whether the roster has a tool that can't be called, so that a bridge may reach it.
func (s *State) closes() bool {
	if s.roster == nil {
		return false
	}
	if len(s.roster.away) > 0 {
		return true
	}
	for i := range s.roster.tools {
		if t := &s.roster.tools[i]; t.Denied || !s.isLoaded(t) {
			return true
		}
	}
	return false
}

// nameless judges a call that names no tool where bridges read one: the name of a tool that can't be called must not stand anywhere else either, and
// what can't be read may hold one. Else it is a call of the tool itself.
func (s *State) nameless(name string, args jsontext.Value, b *bridgeArguments) (Resolution, Unwrapped) {
	if s.closes() {
		var why *Refusal
		textsIn(args, 0, func(text string) bool {
			why = s.shutTool(strings.TrimSpace(text))
			return why != nil
		})
		if why != nil || b.unread || b.broken {
			got := s.doubted(why, name)
			return got.res, got.u
		}
	}
	return s.Resolve(name), Unwrapped{}
}

// shutTool returns why a tool of a text's exact name can't be called; nil where it can, and where there is none.
func (s *State) shutTool(name string) *Refusal {
	if i, ok := s.roster.exact(name); !ok && i != collides {
		return nil
	}
	return s.RefusalOf(name, s.Resolve(name))
}

// door reports whether a bridge can be called, and what it is where it can't. One that is not in the roster is taken to be there where the settings have its
// very name: an agent may offer it beside its roster. A server's bridge has to be in the roster as any tool.
func (s *State) door(name string) (Resolution, bool) {
	if s.roster == nil {
		return Resolution{}, true
	}
	if _, listed := s.roster.exact(name); !listed && s.settings().isBridge(name) && !s.isPending(name) && !s.hadBefore(name) {
		return Resolution{}, true
	}
	res := s.Resolve(name)
	return res, s.isOpen(res)
}

// hadBefore reports whether a roster that was in force before had a tool.
func (s *State) hadBefore(name string) bool {
	return slices.ContainsFunc(s.former, func(r *Roster) bool {
		_, ok := r.exact(name)
		return ok
	})
}

// ofServer returns the roster's name for what the arguments name: a tool of the server that they name, else the tool of the name alone where no server
// is known for it, since rosters need not know servers.
func (s *State) ofServer(u *Unwrapped) string {
	if s.roster == nil || u.Server == "" {
		return u.Name
	}
	if i, ok := s.roster.exact(u.Name); ok || i == collides {
		return u.Name
	}
	for _, name := range [...]string{u.Server + "_" + u.tool, u.Server + "-" + u.tool, u.tool} {
		i, ok := s.roster.byName[name]
		if !ok {
			continue
		}
		switch of := s.roster.tools[i].Server; {
		case of == u.Server, of == "" && (name != u.tool || !s.roster.knows(u.Server)):
			return name
		}
	}
	return u.Name
}

// knows reports whether the roster has a server of a name, whatever its case.
func (r *Roster) knows(name string) bool {
	for _, s := range r.servers {
		if strings.EqualFold(s.name, name) {
			return true
		}
	}
	return false
}

// callNames returns the names that the judgment of a call depends on: its own, and all that may be meant inside a bridge.
func (s *State) callNames(name string, args jsontext.Value) []string {
	names, left := []string{name}, maxBridges
	if s.settings().namesBridge(name) {
		s.namesInside(&names, name, args, &left)
	}
	return names
}

// namesInside adds the names of all calls inside a bridge's.
func (s *State) namesInside(to *[]string, name string, args jsontext.Value, left *int) {
	if *left--; *left < 0 || len(args) == 0 || !s.settings().namesBridge(name) {
		return
	}
	b := readBridge(args)
	for _, u := range s.settings().inside(&b) {
		for _, n := range [...]string{u.Name, u.tool, s.ofServer(&u)} {
			if !slices.Contains(*to, n) {
				*to = append(*to, n)
			}
		}
		s.namesInside(to, u.Name, u.Arguments, left)
	}
}
