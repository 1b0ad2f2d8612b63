package activation

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// load is what an activation says of one name.
type load struct {
	Moment
	name string
	how  loadHow

	// key is the name by the roster of that moment, and had whether all rosters have it that may have been in force.
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

// loadsOf is whom loads are indexed for: an agent, and its line as it was then.
type loadsOf struct {
	agent string
	line  *RosterLine
	added int
}

// mostIndices is for how many agents loads are kept indexed at once.
const mostIndices = 64

// loadIndex has the loads by their names, those of the rosters and those given, each list in order of time.
type loadIndex struct {
	loads []load
	names map[string]*nameLoads
	// aliases are the names, by those of a roster's tools, that the roster takes for others.
	aliases map[*Roster]map[string][]string
}

// nameLoads is what happened to one name: what loaded it, and what took it back.
type nameLoads struct{ loaded, taken []*load }

// loaded returns the loads for the calls of an agent.
func (r *Replay) loaded(agent string, line *RosterLine) *loadIndex {
	of := loadsOf{agent: agent, line: line}
	if line != nil {
		of.added = line.added
	}
	if x := r.indices[of]; x != nil {
		return x
	}
	if r.indices == nil || len(r.indices) >= mostIndices {
		r.indices = map[loadsOf]*loadIndex{}
	}
	x := &loadIndex{loads: slices.Clone(r.loads), names: map[string]*nameLoads{}}
	r.indices[of] = x
	slices.SortStableFunc(x.loads, func(a, b load) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.how, b.how), strings.Compare(a.name, b.name))
	})
	for i := range x.loads {
		l := &x.loads[i]
		l.key, l.had = l.name, false
		r.work++
		at := ReplayCall{Moment: Moment{l.At, l.Turn, l.Request, agent}}
		if in := r.inForce(&at, line); len(in.all) > 0 {
			s := State{roster: in.all[0].Roster}
			l.key = s.canonical(l.name)
			l.had = r.surelyHad(&at, in.all, l.key)
		}
		x.add(l.key, l)
		if l.key != l.name {
			x.add(l.name, l)
		}
	}
	return x
}

func (x *loadIndex) add(name string, l *load) {
	n := x.names[name]
	if n == nil {
		n = &nameLoads{}
		x.names[name] = n
	}
	if l.how == takenBack {
		n.taken = append(n.taken, l)
		return
	}
	n.loaded = append(n.loaded, l)
}

// apply brings a name of a call's into the state that it had at the call.
func (x *loadIndex) apply(r *Replay, s *State, name string, c *Moment, tangled bool) {
	if len(x.names) == 0 {
		return
	}
	key := s.canonical(name)
	var taken *load
	if n := x.names[key]; n != nil {
		if taken = n.takenBack(r, key, c, tangled); taken != nil && !taken.had {
			taken = nil
		}
	}
	for _, as := range x.spelled(r, s, key) {
		x.applyKey(r, s, as, c, tangled, taken)
		if _, ok := s.loaded[as]; ok && as != key {
			s.bring(key, true) // what was loaded before the roster had it, or by another name
		}
	}
	x.applyKey(r, s, key, c, tangled, nil)
	if name != key {
		x.applyKey(r, s, name, c, tangled, taken)
	}
}

// spelled returns the names, other than its own, by which a tool of a roster was loaded.
func (x *loadIndex) spelled(r *Replay, s *State, key string) []string {
	if all, ok := x.aliases[s.roster]; ok {
		return all[key]
	}
	if x.aliases == nil || len(x.aliases) >= mostIndices {
		x.aliases = map[*Roster]map[string][]string{}
	}
	all := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(x.names)) {
		r.work++
		if of := s.canonical(name); of != name {
			all[of] = append(all[of], name)
		}
	}
	x.aliases[s.roster] = all
	return all[key]
}

// applyKey brings what was loaded under a name into the state, and what was asked for by it in the call's own message, unless it was taken back since
// under this name or another.
func (x *loadIndex) applyKey(r *Replay, s *State, key string, c *Moment, tangled bool, taken *load) {
	n := x.names[key]
	if n == nil {
		return
	}
	if own := n.takenBack(r, key, c, tangled); taken == nil || own != nil && own.At.After(taken.At) {
		taken = own
	}
	last, pending := n.last(r, key, c, taken, tangled)
	if last != nil {
		had := last.had || r.hadSince(last, key, c, tangled)
		s.bring(key, had && !n.mayBeBrought(r, key, last, c, tangled))
	}
	if pending {
		s.LoadNext(key)
	}
}

// takenBack returns what surely took a tool back from the call's agent, the last of it; nil where nothing did. Without turns nobody can tell
// agents of one name apart, one of which was refused what another had loaded.
func (n *nameLoads) takenBack(r *Replay, key string, c *Moment, tangled bool) *load {
	if tangled {
		return nil // it may be another's of the same name
	}
	end := behind(n.taken, c.At.Add(clockSkew))
	for i := end - 1; i >= max(0, end-mostScanned); i-- {
		l := n.taken[i]
		r.work++
		if _, known := l.turns(c); known && l.key == key && l.Agent == c.Agent && l.surelyBefore(c) {
			return l
		}
	}
	return nil
}

// behind returns the index of the first load behind a time.
func behind(all []*load, at time.Time) int {
	return sort.Search(len(all), func(i int) bool { return all[i].At.After(at) })
}

// last returns what made a tool callable by a call, nil where nothing did since it was taken back, and whether it was asked for in the call's own
// message. Where more was asked for in that message than is looked at, it was callable.
func (n *nameLoads) last(r *Replay, key string, c *Moment, taken *load, tangled bool) (last *load, pending bool) {
	end := behind(n.loaded, c.At.Add(clockSkew))
	for i := end; i < min(len(n.loaded), end+mostScanned); i++ { // by clocks that go ahead
		l := n.loaded[i]
		r.work++
		if l.key == key && (l.how != fromNext || !l.surelySame(c, tangled)) && (l.how != fromNext && l.mayBeSame(c) || l.mayBeBefore(c)) {
			last = l
		}
	}
	var again *load
	for i := end - 1; i >= 0 && last == nil; i-- {
		l := n.loaded[i]
		r.work++
		same := l.surelySame(c, tangled)
		switch {
		case taken != nil && l.surelyBefore(&taken.Moment):
			i = 0
		case end-i > mostScanned:
			last = l
		case same && l.how == fromNext:
			pending = pending || !l.At.After(c.At)
		case l.key != key:
		case same && l.how == wasLoaded:
			again = l
		case l.how != fromNext && l.mayBeSame(c), l.mayBeBefore(c):
			last = l
		}
	}
	if last == nil && !pending {
		last = again
	}
	return last, pending
}

// mayBeBrought reports that what was loaded last may be another agent's of the same name, and an earlier load brought what no roster had.
func (n *nameLoads) mayBeBrought(r *Replay, key string, last *load, c *Moment, tangled bool) bool {
	if _, known := last.turns(c); known && !tangled {
		return false
	}
	end := behind(n.loaded, c.At.Add(clockSkew))
	for i := end - 1; i >= max(0, end-mostScanned); i-- {
		l := n.loaded[i]
		if r.work++; !l.had && l.key == key && (l.how != fromNext || !l.surelySame(c, tangled)) {
			return true
		}
	}
	return end > mostScanned
}

// hadSince reports that a roster surely had a name between its loading and a call: then it is callable no more when a later one leaves it out.
func (r *Replay) hadSince(l *load, key string, c *Moment, tangled bool) bool {
	if tangled || c.Turn <= 0 {
		return false
	}
	own := &r.rostersOf(c.Agent).own
	own.sort()
	end := sort.Search(len(own.all), func(i int) bool { return own.all[i].At.After(c.At) })
	for i := end - 1; i >= max(0, end-mostScanned); i-- {
		e := &own.all[i]
		r.work++
		if e.Array || !l.surelyBefore(&e.Moment) {
			continue
		}
		if _, has := e.Roster.exact(key); has && e.surelyBefore(c) {
			return true
		}
	}
	return false
}

// surelyHad reports that all rosters have a name that may have been in force when it was loaded: without turns, and where they are tangled, those of
// all agents of one name.
func (r *Replay) surelyHad(at *ReplayCall, all []*RosterAt, key string) bool {
	lacks := func(e *RosterAt) bool { r.work++; _, has := e.Roster.byName[key]; return !has }
	if slices.ContainsFunc(all, lacks) {
		return false
	}
	if at.Turn > 0 && !r.tangled(at) {
		return true
	}
	own := r.rostersOf(at.Agent).own.all
	return len(own) <= mostScanned && !slices.ContainsFunc(own, func(e RosterAt) bool { return lacks(&e) })
}

// bring makes a tool callable that a roster had, or none.
func (s *State) bring(key string, had bool) {
	if s.loaded == nil {
		s.loaded = map[string]bool{}
	}
	s.loaded[key] = had
}
