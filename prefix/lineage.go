package prefix

import (
	"cmp"
	"slices"
)

// relation is what a request has to do with the one it is compared with.
type relation int

const (
	// The zero relation: it is compared with none.
	_ relation = iota
	// extends: it continues the other.
	extends
	// rewrites: it has the other's history with something changed on the way.
	rewrites
	// replaces: it starts over with a shorter history in place of the other, which nobody continued.
	replaces
	// handedOver: another model or provider took over, in whose form no message looks the same.
	handedOver
	// reads: it continues none, and read what the other did nothing but write.
	reads
)

// node is a request on its way to a verdict.
type node struct {
	req *Observed
	out Judged
	// at is its index in the input; place its place in the conversation's order.
	at, place int
	trail     *trail
	price     Price
	// name is that of its model as caches have it.
	name cacheName
	// to is the node it is compared with, nil when there is none.
	to       *node
	relation relation
	// root is the node that its chain of comparisons began with.
	root *node
	// continued says that a later request extends it.
	continued bool
	// cached says that it, or one before it with the same model, read from the cache.
	cached bool
}

// byStart orders requests by start; those that began at once by what else they have, so that it doesn't matter which is told of first.
func byStart(a, b *Observed) int {
	if c := a.StartTime.Compare(b.StartTime); c != 0 {
		return c
	}
	return cmp.Or(a.end().Compare(b.end()), cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.RequestID, b.RequestID), cmp.Compare(a.ID, b.ID))
}

// arrange returns the requests in the order of the conversation: by turn where each has one of its own, else by start.
func arrange(reqs []Observed) []*node {
	nodes := make([]*node, len(reqs))
	turns := map[int64]bool{}
	names := map[[2]string]cacheName{}
	for i := range reqs {
		given := [2]string{reqs[i].ProviderName, reqs[i].RequestModel}
		name, ok := names[given]
		if !ok {
			name = cacheNameOf(given[0], given[1])
			names[given] = name
		}
		nodes[i] = &node{req: &reqs[i], at: i, name: name}
		if reqs[i].Turn > 0 {
			turns[reqs[i].Turn] = true
		}
	}
	byTurn := len(turns) == len(reqs)
	slices.SortStableFunc(nodes, func(a, b *node) int {
		if byTurn {
			return cmp.Compare(a.req.Turn, b.req.Turn)
		}
		return byStart(a.req, b.req)
	})
	var ts trails
	for i, n := range nodes {
		n.place, n.root = i, n
		n.out = Judged{Request: int64(i + 1), Compared: -1, System: -1, Message: -1}
		if byTurn {
			n.out.Request = n.req.Turn
		}
		n.trail = n.req.trailIn(&ts)
	}
	return nodes
}

// link finds for each request the one it is compared with: first whom it extends, then, now that it is known who was
// continued, what else it may have come from.
func (j *judge) link(nodes []*node) {
	before := newAncestors(nodes)
	for _, n := range nodes {
		if !n.req.usable() {
			continue
		}
		if p := before.predecessor(n); p != nil {
			n.compare(p, extends)
			p.continued = true
		}
		before.add(n)
	}
	before = newAncestors(nodes)
	var caches madeCaches
	for _, n := range nodes {
		if !n.req.usable() {
			continue
		}
		if n.to != nil {
			n.root = n.to.root // which may have found one to be compared with by now
		}
		j.depart(before.last(n), n)
		if n.to == nil {
			caches.find(n, j.MinReadShare)
		}
		before.add(n)
		caches.add(n)
	}
}

func (n *node) compare(to *node, as relation) {
	n.to, n.relation, n.root = to, as, to.root
}

// continues reports whether n's messages begin with all of p's. Where either was not seen, it can't be told and is taken so.
func (n *node) continues(p *node) bool {
	return n.trail == nil || p.trail == nil || n.trail.extends(p.trail)
}

// depart looks, where n does not extend the latest earlier request, for what n made of that one's history.
func (j *judge) depart(last, n *node) {
	if last == nil || last == n.to || n.trail == nil || last.trail == nil {
		return
	}
	if !n.sameProvider(last) {
		n.takeOver(last)
		return
	}
	shared := n.trail.shared(last.trail)
	kept := 2 // one message may be the same by chance: "continue"
	if n.to == nil && shared == 0 {
		kept = 1
	}
	switch {
	case n.trail.keeps(last.trail, shared, kept) || n.trail.endsAt(last.trail, shared):
		n.compare(last, rewrites)
		n.out.Message = shared
	case n.to != nil:
	case !n.sameModel(last) && n.asLongAs(last):
		n.compare(last, handedOver)
	case j.startsOver(n, last):
		n.compare(last, replaces)
		n.out.Message = shared
	}
}

// takeOver compares n with the latest earlier request where that is another provider's. In the form of another provider no message
// but perhaps the first looks the same, so to extend an early request of that provider says nothing.
func (n *node) takeOver(last *node) {
	byChance := n.to != nil && !n.sameProvider(n.to) && n.to.root == last.root
	if (n.to == nil || byChance) && n.asLongAs(last) {
		n.compare(last, handedOver)
	}
}

// asLongAs reports a history too long to be a new one beside that of last.
func (n *node) asLongAs(last *node) bool {
	return n.trail.len() >= 2 && 2*n.trail.len() > last.trail.len()
}

// startsOver reports whether n looks like the compaction of last: the same agent with a long history that nobody continued,
// in whose place n has one at most half as long.
func (j *judge) startsOver(n, last *node) bool {
	long := last.trail.len()
	return !last.continued && n.sameModel(last) && long >= j.CompactionMessages && 2*n.trail.len() <= long &&
		!systemChanged(last.req, n.req) && (len(n.req.Tools) > 0) == (len(last.req.Tools) > 0)
}

func (n *node) sameModel(p *node) bool {
	return n.name.same(p.name)
}

func (n *node) sameProvider(p *node) bool { return n.name.provider == p.name.provider }

// apart reports that two requests are known to be of different agents, which share a conversation's id and no history.
func (n *node) apart(p *node) bool {
	return n.req.AgentName != p.req.AgentName && n.req.AgentName != "" && p.req.AgentName != ""
}

// duplicates reports that n tells of the same request as p: by its id, its messages and its usage.
func (n *node) duplicates(p *node) bool {
	a, b := n.req, p.req
	return a.RequestID != "" && a.RequestID == b.RequestID && n.sameModel(p) && (n.trail == nil) == (p.trail == nil) &&
		(n.trail == nil || n.trail.len() == p.trail.len() && n.trail.extends(p.trail)) &&
		a.UncachedInputTokens == b.UncachedInputTokens && a.CacheReadInputTokens == b.CacheReadInputTokens &&
		a.CacheWrite5mInputTokens == b.CacheWrite5mInputTokens && a.CacheWrite1hInputTokens == b.CacheWrite1hInputTokens &&
		a.OutputTokens == b.OutputTokens
}

// tooEarly reports that n began when the answer to p was not there yet, so that what p wrote could not be read. One with two more messages has
// that answer and what followed on it, whatever the clocks say.
func (n *node) tooEarly(p *node) bool {
	if n.trail != nil && p.trail != nil && n.trail.len() >= p.trail.len()+2 {
		return false
	}
	return n.req.StartTime.Before(p.req.end()) || n.req.StartTime.Equal(p.req.StartTime)
}
