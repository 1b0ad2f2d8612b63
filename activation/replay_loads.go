package activation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// load is what an activation says of one name.
type load struct {
	Moment
	name string
	how  loadHow

	// key is the name by the roster of that moment, and had whether that roster had it.
	key string
	had bool
}

// loadHow is what became of a name, in the order in which what happened at one time counts.
type loadHow uint8

const (
	// takenBack is a tool that may not be used any more.
	takenBack loadHow = iota
	// fromNext is a tool that can be called from the next message on.
	fromNext
	// atOnce is a tool that can be called at once.
	atOnce
	// wasLoaded is a tool that was loaded before.
	wasLoaded
)

func howLoaded(via events.ActivationVia) loadHow {
	if via == events.ViaActivationTool {
		return fromNext
	}
	return atOnce
}

// loadIndex has the loads by their names, those of the rosters and those given, each list in order of time.
type loadIndex struct {
	names map[string][]*load
	agent string
	line  *RosterLine
}

// loaded returns the loads for the calls of an agent.
func (r *Replay) loaded(agent string, line *RosterLine) *loadIndex {
	x := &r.index
	if x.names != nil && x.agent == agent && x.line == line {
		return x
	}
	slices.SortStableFunc(r.loads, func(a, b load) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.how, b.how), strings.Compare(a.name, b.name))
	})
	*x = loadIndex{names: map[string][]*load{}, agent: agent, line: line}
	for i := range r.loads {
		l := &r.loads[i]
		l.key, l.had = l.name, false
		if in := r.inForce(&ReplayCall{Moment: Moment{l.At, l.Turn, l.Request, agent}}, line); in != nil {
			s := State{roster: in.Roster}
			l.key = s.canonical(l.name)
			l.had = s.has(l.key)
		}
		x.names[l.key] = append(x.names[l.key], l)
		if l.key != l.name {
			x.names[l.name] = append(x.names[l.name], l)
		}
	}
	return x
}

// apply brings a name of a call's into the state that it had at the call.
func (x *loadIndex) apply(s *State, name string, c *Moment) {
	if len(x.names) == 0 {
		return
	}
	x.applyKey(s, name, c)
	if key := s.canonical(name); key != name {
		x.applyKey(s, key, c)
	}
}

// applyKey brings what was loaded under a name into the state, and what was asked for by it in the call's own message.
func (x *loadIndex) applyKey(s *State, key string, c *Moment) {
	var last *load
	pending := false
	for _, l := range x.names[key] {
		same := l.sameMessage(c)
		switch {
		case l.how == takenBack && !l.surelyBefore(c):
		case l.how == takenBack:
			pending = false
			if l.key == key {
				last = nil
			}
		case same && l.how == fromNext:
			pending = pending || !l.At.After(c.At)
		case l.key != key, same && l.how == wasLoaded && pending:
		case same, l.mayBeBefore(c):
			last = l
		}
	}
	if last != nil {
		s.bring(key, last.had)
	}
	if pending {
		s.LoadNext(key)
	}
}

// bring makes a tool callable that a roster had, or none.
func (s *State) bring(key string, had bool) {
	if s.loaded == nil {
		s.loaded = map[string]bool{}
	}
	s.loaded[key] = had
}

// offer is a request: the tools in its array and the roster that it names.
type offer struct {
	Moment
	tools  []string
	digest string
}

// offered returns the requests before a call, in order of time.
func (r *Replay) offered(c *ReplayCall) []offer {
	if !r.sorted {
		slices.SortStableFunc(r.requests, func(a, b offer) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Turn, b.Turn), strings.Compare(a.digest, b.digest), slices.Compare(a.tools, b.tools))
		})
		r.sorted = true
	}
	var all []offer
	for i := range r.requests {
		if o := &r.requests[i]; sameAgent(o.Agent, c.Agent) && (o.sameMessage(&c.Moment) || o.before(&c.Moment)) {
			all = append(all, *o)
		}
	}
	return all
}

// digestOf returns the roster that the last request names.
func digestOf(offered []offer) string {
	for _, o := range slices.Backward(offered) {
		if o.digest != "" {
			return o.digest
		}
	}
	return ""
}

// applyOffers makes a name callable that requests offered: one that the roster has by any of them, another by the last that had tools.
func applyOffers(s *State, name string, offered []offer) {
	last := true
	for _, o := range slices.Backward(offered) {
		if len(o.tools) == 0 {
			continue
		}
		if slices.Contains(o.tools, name) || slices.Contains(o.tools, s.canonical(name)) {
			if key := s.canonical(name); s.has(key) || last {
				s.bring(key, s.has(key))
				return
			}
		}
		last = false
	}
}
