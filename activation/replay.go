package activation

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// Replay judges the calls of one conversation after the fact, by the events that tell what it knew of its tools: its rosters, what was loaded
// when, and what its requests offered. It says what the conversation's own [State] would have said at the moment of the call, whatever the
// order in which the events were added; where they leave a doubt it says that the call is right. Nothing in it waits or reads.
//
// A server's own list of tools ([events.ToolRoster] with a server) says what the server has, not what a model was shown: it is no roster of a
// conversation, and is to be left out. The zero Replay knows nothing. It is for one goroutine at a time.
type Replay struct {
	rosters  []RosterAt
	loads    []load
	requests []requestOffer

	// What is made of these when it is first asked for: the conversation's rosters and the order of turns by the name of the agent that calls, the
	// loads for each agent and its line, what requests offered, and what became of names.
	lines   map[string]*agentRosters
	turns   map[string]*turnLine
	indices map[loadsOf]*loadIndex
	offers  *offerIndex
	known   map[lookedUp]Judgment

	// work counts what was looked at.
	work int
}

// ReplayCall is a call to be judged.
type ReplayCall struct {
	Moment
	// Server is the server that the call's event names; empty where it names none.
	Server string
	// Name is the name as the model gave it; Arguments are what bridges are unwrapped by, nil where they are not known.
	Name      string
	Arguments jsontext.Value
	// Provider says that the provider ran the tool itself.
	Provider bool
}

// CallOf returns a call as [Replay.Judge] takes it.
func CallOf(at time.Time, t *events.ToolCall) ReplayCall {
	return ReplayCall{Moment: MomentOf(at, &t.Context), Server: t.Server, Name: t.ToolName, Arguments: t.Arguments, Provider: t.Execution == HowProvider}
}

// Judgment is what [Replay.Judge] says of a call.
type Judgment struct {
	Resolution
	// Unwrapped is the call inside a bridge's.
	Unwrapped Unwrapped
	// Doubted says that the rosters and what was loaded speak against the call, whatever was made of it by the requests.
	Doubted bool
}

// AddRequest adds a request to a model that began at a time.
func (r *Replay) AddRequest(at Moment, tools []string, rosterDigest string) {
	r.requests = append(r.requests, requestOffer{at, tools, rosterDigest})
	r.offers, r.turns, r.known = nil, nil, nil
}

// AddRoster adds a roster of the conversation itself. The tools of an array can be called besides, as those of a request.
func (r *Replay) AddRoster(at RosterAt) {
	if at.Array {
		r.AddRequest(at.Moment, at.Roster.offers(), "")
	}
	r.rosters = append(r.rosters, at)
	r.lines, r.indices, r.turns, r.known = nil, nil, nil, nil
}

// offers are the names of the tools that need no loading and may be used.
func (r *Roster) offers() []string {
	var names []string
	for i := range r.tools {
		if t := &r.tools[i]; !t.Deferred && !t.Denied && r.isConnected(t.Server) {
			names = append(names, t.Name)
		}
	}
	return names
}

// AddActivation adds a request to load tools.
func (r *Replay) AddActivation(at Moment, a *events.Activation) {
	for _, name := range a.Loaded {
		r.loads = append(r.loads, load{Moment: at, name: name, how: howLoaded(a.Via)})
	}
	for _, no := range a.Refused {
		switch no.Reason {
		case events.RefusedAlreadyLoaded:
			r.loads = append(r.loads, load{Moment: at, name: no.Name, how: wasLoaded})
		case events.RefusedNotPermitted, events.RefusedPolicy, events.RefusedClientCapability:
			r.loads = append(r.loads, load{Moment: at, name: no.Name, how: takenBack})
		}
	}
	r.indices, r.turns, r.known = nil, nil, nil
}

// Judge says what a call's name is, by what was added and by the rosters that the call's agent sent for no conversation, which may be nil. The
// resolution is empty where no roster is known to have been in force, where a request names one that nobody saw, and where turns, times, requests
// and agents leave too many rosters that may have been. Where they leave a few, the call is right if it is by one of them.
func (r *Replay) Judge(c *ReplayCall, agent *RosterLine) Judgment {
	set := r.inForce(c, agent)
	if len(set.all) == 0 {
		return Judgment{}.orProvider(c)
	}
	j := r.resolve(set.all[0], c, agent, nil)
	if j.right() || c.Provider {
		return j.orProvider(c)
	}
	j = r.secondLook(set, c, agent)
	j.Doubted = true
	return j
}

// JudgeRight says no more of a call than that its name is right, or the former one of a renamed tool: what activations that are added later
// don't change. Every other judgment it leaves empty. It looks at no requests.
func (r *Replay) JudgeRight(c *ReplayCall, agent *RosterLine) Judgment {
	set := r.inForce(c, agent)
	if len(set.all) == 0 {
		return Judgment{}.orProvider(c)
	}
	if j := r.right(set.all[0], c, agent, nil).orProvider(c); j.right() {
		return j
	}
	return Judgment{}
}

// right looks a call up in a roster where it may be right by it, and returns nothing else.
func (r *Replay) right(in *RosterAt, c *ReplayCall, agent *RosterLine, offered *offersSeen) Judgment {
	s, names := r.stateAt(in, c, agent, offered)
	if !slices.ContainsFunc(names, s.mayBeRight) {
		return Judgment{} // what is like a name takes long to find
	}
	if j := r.lookUp(s, c); j.right() {
		return j
	}
	return Judgment{}
}

// mayBeRight reports whether a name is one that the roster has or had, or that was loaded.
func (s *State) mayBeRight(name string) bool {
	_, ok := s.roster.exact(name)
	return ok || s.isBrought(name) || len(s.roster.renames) > 0
}

// right reports that a call's name is one that a tool has, or had before it was renamed.
func (j *Judgment) right() bool {
	return j.Resolution.Resolution == events.ResolvedOK || j.Resolution.Resolution == events.ResolvedRenamed
}

// Stamp writes a judgment into a call's event, as an agent's own gate does. Names are cut as those of events are, see [EventName].
func (j *Judgment) Stamp(t *events.ToolCall) {
	t.Resolution, t.ResolutionHow, t.Bridge = j.Resolution.Resolution, j.How, eventName(j.Unwrapped.Bridge)
	meant := cmp.Or(j.Name, j.Unwrapped.Name)
	if t.Server == "" || meant != t.ToolName {
		t.Server = eventName(cmp.Or(j.Server, t.Server))
	}
	if meant != t.ToolName {
		t.ResolvedName = eventName(meant)
	}
	t.BridgedName = eventName(j.Unwrapped.BridgedName(meant))
}

// orProvider lets tools pass that the provider ran.
func (j Judgment) orProvider(c *ReplayCall) Judgment {
	if !c.Provider || j.right() {
		return j
	}
	return Judgment{Resolution: Resolution{Resolution: events.ResolvedOK, How: HowProvider}}
}

// secondLook holds a call that is in doubt against the requests and all rosters that may have been in force: what requests offered can be called,
// and the roster that the call's own request names was in force.
func (r *Replay) secondLook(set inForce, c *ReplayCall, agent *RosterLine) Judgment {
	settings := &set.all[0].Roster.settings
	if len(c.Arguments) == 0 && (settings.isBridge(c.Name) || settings.isBridge(lastPart(c.Name))) {
		return Judgment{} // nobody knows what it was to pass on
	}
	offered := r.offered(c)
	set, seen := r.named(set, c, agent, offered)
	if !seen || len(set.all) == 0 {
		return Judgment{}
	}
	for _, in := range set.all {
		if j := r.right(in, c, agent, offered); j.right() {
			return j
		}
	}
	if !set.accuses || set.more {
		return Judgment{}
	}
	return r.resolve(set.all[0], c, agent, offered)
}

// resolve looks a call up in a roster, with what was loaded by then.
func (r *Replay) resolve(in *RosterAt, c *ReplayCall, agent *RosterLine, offered *offersSeen) Judgment {
	s, names := r.stateAt(in, c, agent, offered)
	key, ok := s.key(in, c, names)
	if !ok {
		return r.lookUp(s, c)
	}
	if j, ok := r.known[key]; ok {
		return j
	}
	if r.known == nil || len(r.known) >= mostKnown {
		r.known = map[lookedUp]Judgment{}
	}
	j := r.lookUp(s, c)
	r.known[key] = j
	return j
}

// lookUp looks a call up, and if its name is not right the tool of that name of the server that the call's event names.
func (r *Replay) lookUp(s *State, c *ReplayCall) Judgment {
	r.work++
	res, u := s.ResolveCall(c.Name, c.Arguments)
	j := Judgment{Resolution: res, Unwrapped: u}
	if j.right() || c.Server == "" || u.Bridge != "" {
		return j
	}
	if i, ok := s.roster.ofServer(c.Server, c.Name); ok && s.roster.tools[i].Server == c.Server {
		if res, ok := s.resolveOffered(s.roster.tools[i].Name, &s.roster.tools[i]); ok && res.Resolution == events.ResolvedOK {
			j.Resolution = res
		}
	}
	return j
}

// mostKnown is how many names a replay keeps with what became of them; it begins anew when it has so many.
const mostKnown = 4096

// lookedUp is all that looking a name up depends on.
type lookedUp struct {
	roster                         *Roster
	former                         [maxFormer]*Roster
	name, server, arguments, flags string
}

// mostKept is the longest arguments of a bridge, in bytes, by which a judgment is kept.
const mostKept = 1024

// key returns what looking a call up in a state depends on; it reports false where that is too long to keep.
func (s *State) key(in *RosterAt, c *ReplayCall, names []string) (lookedUp, bool) {
	k := lookedUp{roster: in.Roster, name: c.Name, server: c.Server}
	copy(k.former[:], in.former)
	if len(names) > 1 || s.roster.settings.isBridge(lastPart(c.Name)) || s.roster.settings.isBridge(c.Name) {
		if len(c.Arguments) > mostKept {
			return k, false
		}
		k.arguments = string(c.Arguments)
	}
	var flags []byte
	for _, name := range names {
		key := s.canonical(name)
		had, loaded := s.loaded[key]
		flags = append(flags, flag(loaded)|flag(had)<<1|flag(s.isPending(name))<<2)
	}
	k.flags = string(flags)
	return k, true
}

// stateAt returns what the conversation knew of the names that a call's judgment depends on, and those names.
func (r *Replay) stateAt(in *RosterAt, c *ReplayCall, agent *RosterLine, offered *offersSeen) (*State, []string) {
	s := &State{roster: in.Roster, former: in.former}
	names := s.callNames(c.Name, c.Arguments)
	index := r.loaded(c.Agent, agent)
	tangled := r.tangled(c)
	for _, name := range names {
		index.apply(r, s, name, &c.Moment, tangled)
		offered.apply(s, name)
	}
	return s, names
}
