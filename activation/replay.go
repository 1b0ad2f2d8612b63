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
	requests []offer

	// lines has the conversation's rosters by the name of the agent that calls; index has the loads for one agent and its line.
	lines map[string]*RosterLine
	index loadIndex
	// sorted says that requests are in order.
	sorted bool
}

// Moment is where in a conversation an event stands.
type Moment struct {
	// At is the time of the event.
	At time.Time
	// Turn counts the model's answers from 1, and Request names one; 0 and empty are not known.
	Turn    int64
	Request string
	// Agent is the agent's name; several can share a conversation, and each counts its own turns.
	Agent string
}

// MomentOf returns where an event stands.
func MomentOf(at time.Time, c *events.Context) Moment {
	return Moment{At: at, Turn: c.Turn, Request: c.RequestID, Agent: c.AgentName}
}

// turns compares the turns of two moments, where both are known.
func (m *Moment) turns(o *Moment) (order int, known bool) {
	if m.Turn <= 0 || o.Turn <= 0 || !sameAgent(m.Agent, o.Agent) {
		return 0, false
	}
	return cmp.Compare(m.Turn, o.Turn), true
}

// sameAgent reports that two agents may be one.
func sameAgent(a, b string) bool { return a == b || a == "" || b == "" }

// sameMessage reports that the model wrote both in one message: the turn, the request or both say so, and neither says otherwise.
func (m *Moment) sameMessage(o *Moment) bool {
	order, turns := m.turns(o)
	requests := m.Request != "" && o.Request != "" && sameAgent(m.Agent, o.Agent)
	switch {
	case turns && order != 0, requests && m.Request != o.Request:
		return false
	}
	return turns || requests
}

// before reports that something came before a call or with it: by the turns where they are known and differ, else by time.
func (m *Moment) before(call *Moment) bool {
	if order, known := m.turns(call); known && order != 0 {
		return order < 0
	}
	return !m.At.After(call.At)
}

// mayBeBefore reports that turns or time say that something came before a call.
func (m *Moment) mayBeBefore(call *Moment) bool {
	order, _ := m.turns(call)
	return order < 0 || !m.At.After(call.At)
}

// surelyBefore reports that neither turns nor time leave a doubt that something came before a call.
func (m *Moment) surelyBefore(call *Moment) bool {
	order, _ := m.turns(call)
	return order <= 0 && m.At.Before(call.At)
}

// ReplayCall is a call to be judged.
type ReplayCall struct {
	Moment
	// Name is the name as the model gave it; Arguments are what bridges are unwrapped by, nil where they are not known.
	Name      string
	Arguments jsontext.Value
	// Provider says that the provider ran the tool itself.
	Provider bool
}

// CallOf returns a call as [Replay.Judge] takes it.
func CallOf(at time.Time, t *events.ToolCall) ReplayCall {
	return ReplayCall{Moment: MomentOf(at, &t.Context), Name: t.ToolName, Arguments: t.Arguments, Provider: t.Execution == HowProvider}
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
	r.requests = append(r.requests, offer{at, tools, rosterDigest})
	r.sorted = false
}

// AddRoster adds a roster of the conversation itself. The tools of an array can be called besides, as those of a request.
func (r *Replay) AddRoster(at RosterAt) {
	if at.Array {
		r.AddRequest(at.Moment, at.Roster.offers(), "")
	}
	r.rosters = append(r.rosters, at)
	r.lines, r.index.names = nil, nil
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
	r.index.names = nil
}

// Judge says what a call's name is, by what was added and by the rosters that the call's agent sent for no conversation, which may be nil. The
// resolution is empty where no roster is known to have been in force, and where a request names one that nobody saw.
func (r *Replay) Judge(c *ReplayCall, agent *RosterLine) Judgment {
	in, j := r.firstLook(c, agent)
	if in == nil || j.right() || c.Provider {
		return j.orProvider(c)
	}
	j = r.secondLook(in, c, agent, j)
	j.Doubted = true
	return j
}

// JudgeRight says no more of a call than that its name is right, or the former one of a renamed tool: what activations that are added later
// don't change. Every other judgment it leaves empty. It looks at no requests.
func (r *Replay) JudgeRight(c *ReplayCall, agent *RosterLine) Judgment {
	in := r.inForce(c, agent)
	if in == nil {
		return Judgment{}.orProvider(c)
	}
	s, names := r.stateAt(in, c, agent, nil)
	if !slices.ContainsFunc(names, s.mayBeRight) {
		return Judgment{}.orProvider(c) // what is like a name takes long to find
	}
	res, u := s.ResolveCall(c.Name, c.Arguments)
	j := Judgment{Resolution: res, Unwrapped: u}.orProvider(c)
	if !j.right() {
		return Judgment{}
	}
	return j
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

// firstLook looks a call up in the roster in force, nil where there is none.
func (r *Replay) firstLook(c *ReplayCall, agent *RosterLine) (*RosterAt, Judgment) {
	in := r.inForce(c, agent)
	if in == nil {
		return nil, Judgment{}
	}
	return in, r.resolve(in, c, agent, nil)
}

// Stamp writes a judgment into a call's event, as an agent's own gate does. Names are cut as those of events are, see [EventName].
func (j *Judgment) Stamp(t *events.ToolCall) {
	t.Resolution, t.ResolutionHow, t.Bridge = j.Resolution.Resolution, j.How, eventName(j.Unwrapped.Bridge)
	t.Server = eventName(cmp.Or(j.Server, t.Server))
	meant := cmp.Or(j.Name, j.Unwrapped.Name)
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

// secondLook holds a call that is in doubt against the requests: what they offered can be called, and the roster that they name was in force.
func (r *Replay) secondLook(in *RosterAt, c *ReplayCall, agent *RosterLine, j Judgment) Judgment {
	settings := &in.Roster.settings
	if len(c.Arguments) == 0 && (settings.isBridge(c.Name) || settings.isBridge(lastPart(c.Name))) {
		return Judgment{} // nobody knows what it was to pass on
	}
	offered := r.offered(c)
	if len(offered) == 0 {
		return j
	}
	if digest := digestOf(offered); digest != "" && digest != in.Digest {
		if in = r.named(c, agent, digest); in == nil {
			return Judgment{}
		}
	}
	return r.resolve(in, c, agent, offered)
}

// resolve looks a call up in a roster, with what was loaded by then.
func (r *Replay) resolve(in *RosterAt, c *ReplayCall, agent *RosterLine, offered []offer) Judgment {
	s, _ := r.stateAt(in, c, agent, offered)
	res, u := s.ResolveCall(c.Name, c.Arguments)
	return Judgment{Resolution: res, Unwrapped: u}
}

// stateAt returns what the conversation knew of the names that a call's judgment depends on, and those names.
func (r *Replay) stateAt(in *RosterAt, c *ReplayCall, agent *RosterLine, offered []offer) (*State, []string) {
	s := &State{roster: in.Roster, former: in.former}
	names := s.namesOf(c)
	index := r.loaded(c.Agent, agent)
	for _, name := range names {
		index.apply(s, name, &c.Moment)
		applyOffers(s, name, offered)
	}
	return s, names
}

// namesOf returns the names that a call's judgment depends on.
func (s *State) namesOf(c *ReplayCall) []string {
	u, ok := s.roster.settings.Unwrap(c.Name, c.Arguments)
	if !ok {
		return []string{c.Name}
	}
	names := []string{c.Name, u.Name, u.tool}
	return slices.Compact(names)
}
