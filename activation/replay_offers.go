package activation

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
)

// requestOffer is a request: the tools in its array and the roster that it names.
type requestOffer struct {
	Moment
	tools  []string
	digest string
}

// offerIndex has the requests in order of time, by their ids and turns, and when each name was first offered to whom.
type offerIndex struct {
	all       []requestOffer
	byRequest map[string][]int
	byTurn    map[int64][]int
	first     map[offeredTo]firstOffer
}

// offeredTo is a name that an agent was offered, or anyone.
type offeredTo struct {
	name, agent string
	anyone      bool
}

// firstOffer is the earliest time and turn of what offered a name; turn 0 is not known.
type firstOffer struct {
	at   time.Time
	turn int64
}

// offersSeen is what requests say of a call.
type offersSeen struct {
	index *offerIndex
	call  *Moment
	// own says that the call's own requests are known, of which the first began at since; tools are what they offered, and nil where they had none.
	own   bool
	since time.Time
	tools []*requestOffer
	// digests are the rosters that they name, or that of the last request where they are not known, and others those named shortly before.
	digests, others []string
}

func (r *Replay) offerIndex() *offerIndex {
	if r.offers != nil {
		return r.offers
	}
	slices.SortStableFunc(r.requests, func(a, b requestOffer) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Turn, b.Turn), strings.Compare(a.digest, b.digest), slices.Compare(a.tools, b.tools))
	})
	x := &offerIndex{all: r.requests, byRequest: map[string][]int{}, byTurn: map[int64][]int{}, first: map[offeredTo]firstOffer{}}
	r.offers = x
	seen := map[offeredTo]map[*string]int64{}
	for i := range x.all {
		o := &x.all[i]
		r.work++
		if o.Request != "" {
			x.byRequest[o.Request] = append(x.byRequest[o.Request], i)
		}
		if o.Turn > 0 {
			x.byTurn[o.Turn] = append(x.byTurn[o.Turn], i)
		}
		if len(o.tools) == 0 {
			continue
		}
		for _, to := range [...]offeredTo{{agent: o.Agent}, {anyone: true}} {
			if turn, ok := seen[to][&o.tools[0]]; ok && (o.Turn == 0 || turn > 0 && turn <= o.Turn) {
				continue // the same array, earlier
			}
			if seen[to] == nil {
				seen[to] = map[*string]int64{}
			}
			seen[to][&o.tools[0]] = o.Turn
			x.offer(r, o, to)
		}
	}
	return x
}

// offer notes that a request offered its tools.
func (x *offerIndex) offer(r *Replay, o *requestOffer, to offeredTo) {
	for _, name := range o.tools {
		r.work++
		to.name = name
		f, ok := x.first[to]
		if !ok {
			f.at = o.At
		}
		if o.Turn > 0 && (f.turn == 0 || o.Turn < f.turn) {
			f.turn = o.Turn
		}
		x.first[to] = f
	}
}

// offered returns what the requests say of a call: its own, by its request's id, or by its turn where turns are not tangled. Where they are not
// known, those before it.
func (r *Replay) offered(c *ReplayCall) *offersSeen {
	x := r.offerIndex()
	o := &offersSeen{index: x, call: &c.Moment}
	of := x.byRequest[c.Request]
	if c.Request == "" || len(of) == 0 {
		of = nil
		if c.Turn > 0 && !r.tangled(c) {
			of = x.byTurn[c.Turn]
		}
	}
	after := sort.Search(len(of), func(i int) bool { return x.all[of[i]].At.After(c.At.Add(clockSkew)) })
	for _, i := range of[max(0, after-mostScanned):min(len(of), after+mostScanned)] {
		r.work++
		if q := &x.all[i]; q.surelySame(&c.Moment, false) || q.mayBeSame(&c.Moment) && q.Agent != c.Agent {
			o.add(q)
		}
	}
	if !o.own {
		o.before(r)
	}
	return o
}

// add adds one of the call's own requests.
func (o *offersSeen) add(q *requestOffer) {
	if !o.own {
		o.own, o.since = true, q.At
	}
	if len(q.tools) > 0 {
		o.tools = append(o.tools, q)
	}
	if q.digest != "" && !slices.Contains(o.digests, q.digest) {
		o.digests = append(o.digests, q.digest)
	}
}

// before finds the rosters that the requests before a call name.
func (o *offersSeen) before(r *Replay) {
	all := o.index.all
	after := sort.Search(len(all), func(i int) bool { return all[i].At.After(o.call.At.Add(clockSkew)) })
	for i := after - 1; i >= max(0, after-mostScanned); i-- {
		q := &all[i]
		r.work++
		switch {
		case q.digest == "" || !sameAgent(q.Agent, o.call.Agent) || !q.mayBeBefore(o.call):
		case len(o.digests) == 0:
			o.digests = []string{q.digest}
		case q.digest != o.digests[0] && !slices.Contains(o.others, q.digest):
			o.others = append(o.others, q.digest)
		}
	}
}

// apply makes a name callable that requests offered: one that the roster has by any of them, another by the call's own, or where these are not
// known by any, since the last may be of something else.
func (o *offersSeen) apply(s *State, name string) {
	if o == nil {
		return
	}
	key := s.canonical(name)
	has := s.has(key)
	ok := (has || len(o.tools) == 0) && (o.index.offered(name, o.call) || o.index.offered(key, o.call))
	for _, q := range o.tools {
		ok = ok || slices.Contains(q.tools, name) || slices.Contains(q.tools, key)
	}
	if ok {
		s.bring(key, has)
	}
}

// offered reports that a request may have offered a name to a call's agent before the call.
func (x *offerIndex) offered(name string, c *Moment) bool {
	agents := []offeredTo{{name: name, agent: c.Agent}, {name: name}}
	if c.Agent == "" {
		agents = []offeredTo{{name: name, anyone: true}}
	}
	for _, to := range agents {
		f, ok := x.first[to]
		if ok && (!f.at.After(c.At.Add(clockSkew)) || f.turn > 0 && f.turn < c.Turn) {
			return true
		}
	}
	return false
}
