package activation

import (
	"slices"
	"sort"
)

const (
	// mostInForce is how many different rosters may have been in force at a call for it to be judged: with more in doubt nothing is said.
	mostInForce = 8
	// mostScanned is how many events of one kind are looked at for one call, so that a conversation costs about as much as it has events and calls.
	// Where more would have to be looked at, nothing is said.
	mostScanned = 64
)

// inForce is the rosters that may have been in force at a call, the likeliest first. They accuse a call together, where accuses says so; where not,
// and where there are more of them, they can only say that it is right.
type inForce struct {
	all           []*RosterAt
	accuses, more bool
}

// add adds rosters that may have been in force besides.
func (f *inForce) add(o inForce) {
	f.more = f.more || o.more
	for _, e := range o.all {
		if !slices.ContainsFunc(f.all, func(k *RosterAt) bool { return k.Roster == e.Roster }) {
			f.all = append(f.all, e)
		}
	}
	f.more = f.more || len(f.all) > mostInForce
}

// agentRosters is the conversation's rosters as the calls of one agent are held against them: those of the agent, and those that may be its own or
// another's, since one of the two has no name.
type agentRosters struct{ own, other RosterLine }

// rostersOf returns the conversation's rosters for an agent.
func (r *Replay) rostersOf(agent string) *agentRosters {
	if l, ok := r.lines[agent]; ok {
		return l
	}
	l := &agentRosters{}
	for i := range r.rosters {
		r.work++
		switch of := r.rosters[i].Agent; {
		case of == agent:
			l.own.Add(r.rosters[i])
		case sameAgent(of, agent):
			l.other.Add(r.rosters[i])
		}
	}
	if r.lines == nil {
		r.lines = map[string]*agentRosters{}
	}
	r.lines[agent] = l
	return l
}

// inForce returns the rosters that may have been in force at a call: the last one of the agent in the conversation and what its agent sent for no
// conversation since, else the last that its agent sent. A request's array does not take the place of a roster that a text shows.
func (r *Replay) inForce(c *ReplayCall, agent *RosterLine) inForce {
	of, tangled := r.rostersOf(c.Agent), r.tangled(c)
	set := of.own.at(r, &c.Moment, tangled, isText)
	if wide := agent.at(r, &c.Moment, false, isText); !set.accuses {
		wide.add(set)
		set = wide
	} else if len(wide.all) > 0 && wide.all[0].At.After(set.all[0].At) {
		set.add(wide)
	}
	for _, line := range [...]*RosterLine{&of.own, agent} {
		if set.accuses {
			break
		}
		array := line.at(r, &c.Moment, true, isArray)
		if len(array.all) > 0 {
			array.all, array.more = array.all[:1], false // the others can be called as what requests offered
		}
		array.add(set)
		set = array
	}
	set.add(of.other.at(r, &c.Moment, tangled, isText))
	set.add(of.other.at(r, &c.Moment, tangled, isArray))
	return set
}

func isText(e *RosterAt) bool  { return !e.Array }
func isArray(e *RosterAt) bool { return e.Array }

// at returns those of the rosters picked that may have been in force at a moment. Of a tangled line no roster takes the place of another for sure.
func (l *RosterLine) at(r *Replay, m *Moment, tangled bool, pick func(*RosterAt) bool) inForce {
	if l == nil {
		return inForce{}
	}
	l.sort()
	var f finder
	after := sort.Search(len(l.all), func(i int) bool { return l.all[i].At.After(m.At) })
	for i := after; i < len(l.all) && i < after+mostScanned; i++ {
		r.work++
		if e := &l.all[i]; pick(e) {
			f.later(e, m)
		}
	}
	slices.Reverse(f.all)
	for i := after - 1; i >= 0 && !f.more; i-- {
		e := &l.all[i]
		if r.work++; after-i > mostScanned {
			f.more = true
		} else if pick(e) && !f.earlier(e, m, tangled) {
			break
		}
	}
	f.accuses = f.likely != nil
	if at := slices.Index(f.all, f.likely); at > 0 {
		f.all = slices.Insert(slices.Delete(f.all, at, at+1), 0, f.likely)
	}
	return f.inForce
}

// finder gathers the rosters that may have been in force at a moment.
type finder struct {
	inForce
	likely *RosterAt
	// sure says that the likely one is that of the moment's own request.
	sure bool
	// before are those found that came surely before the moment.
	before []*RosterAt
}

// later adds a roster with a later time, which may have been shown before the moment all the same.
func (f *finder) later(e *RosterAt, m *Moment) {
	order, known := e.turns(m)
	own, _ := e.requests(m)
	switch {
	case own && (!known || order == 0):
		f.likely, f.sure = e, true
	case known && order < 0 && !f.sure && e.At.Sub(m.At) <= clockSkew:
		f.likely = e
	case known && order > 0, order >= 0 && !e.mayBeSame(m) && e.At.Sub(m.At) > clockSkew:
		return
	}
	f.add(inForce{all: []*RosterAt{e}})
}

// earlier adds a roster with an earlier time, the latest first. It reports false where a later one had surely taken its place.
func (f *finder) earlier(e *RosterAt, m *Moment, tangled bool) bool {
	if !tangled && slices.ContainsFunc(f.before, func(k *RosterAt) bool { return k.replaces(&e.Moment) }) {
		return false
	}
	order, known := e.turns(m)
	if own, _ := e.requests(m); own && !f.sure && (!known || order == 0) {
		f.likely, f.sure = e, true
	} else if f.likely == nil && order <= 0 {
		f.likely = e
	}
	if e.surelyBefore(m) {
		f.before = append(f.before, e)
	}
	f.add(inForce{all: []*RosterAt{e}})
	return true
}

// named puts the rosters first that the call's own requests name; where these are not known, that which the last request names. It reports false
// where nobody saw such a roster.
func (r *Replay) named(set inForce, c *ReplayCall, agent *RosterLine, offered *offersSeen) (inForce, bool) {
	if len(offered.digests) == 0 {
		return set, true
	}
	var first inForce
	for _, digest := range offered.digests {
		f := r.ofDigest(c, agent, digest)
		if len(f.all) == 0 {
			return inForce{}, false
		}
		first.accuses = first.accuses || f.accuses
		first.add(f)
	}
	for _, digest := range offered.others {
		f := r.ofDigest(c, agent, digest)
		first.add(f)
	}
	since := set
	if offered.own {
		since.all = slices.DeleteFunc(slices.Clone(set.all), func(e *RosterAt) bool {
			return !e.At.Add(clockSkew).After(offered.since) && e.Roster != first.all[0].Roster
		})
		since.more = false
	}
	first.add(since)
	return first, true
}

// ofDigest returns the rosters of a digest that may have been in force at a call. In place of an array they are those in force beside it.
func (r *Replay) ofDigest(c *ReplayCall, agent *RosterLine, digest string) inForce {
	of, tangled := r.rostersOf(c.Agent), r.tangled(c)
	text := func(e *RosterAt) bool { return e.Digest == digest && !e.Array }
	array := func(e *RosterAt) bool { return e.Digest == digest && e.Array }
	var found inForce
	for _, line := range [...]*RosterLine{&of.own, agent, &of.other} {
		f := line.at(r, &c.Moment, tangled, text)
		found.accuses = found.accuses || f.accuses
		found.add(f)
	}
	if len(found.all) > 0 {
		return found
	}
	for _, line := range [...]*RosterLine{&of.own, agent, &of.other} {
		if f := line.at(r, &c.Moment, tangled, array); len(f.all) > 0 {
			if set := r.inForce(c, agent); set.all[0].Array {
				return f
			} else {
				return set
			}
		}
	}
	return inForce{}
}
