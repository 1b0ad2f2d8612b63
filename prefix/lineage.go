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
)

// node is a request on its way to a verdict.
type node struct {
	req *Observed
	out Judged
	// at is its index in the input; place its place in the conversation's order.
	at, place int
	trail     *trail
	price     Price
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

// arrange returns the requests in the order of the conversation: by turn where each has one of its own, else by start.
func arrange(reqs []Observed) []*node {
	nodes := make([]*node, len(reqs))
	turns := map[int64]bool{}
	for i := range reqs {
		nodes[i] = &node{req: &reqs[i], at: i}
		if reqs[i].Turn > 0 {
			turns[reqs[i].Turn] = true
		}
	}
	byTurn := len(turns) == len(reqs)
	slices.SortStableFunc(nodes, func(a, b *node) int {
		if byTurn {
			return cmp.Compare(a.req.Turn, b.req.Turn)
		}
		return a.req.StartTime.Compare(b.req.StartTime)
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
	for _, n := range nodes {
		if !n.req.usable() {
			continue
		}
		if p := predecessor(nodes[:n.place], n); p != nil {
			n.compare(p, extends)
			p.continued = true
		}
	}
	for _, n := range nodes {
		if n.req.usable() {
			j.depart(nodes[:n.place], n)
		}
	}
}

func (n *node) compare(to *node, as relation) {
	n.to, n.relation, n.root = to, as, to.root
}

// predecessor returns the latest earlier request with usable usage whose messages n extends. Requests whose usage was not
// reported count only where there is no other, or where n has none itself.
func predecessor(earlier []*node, n *node) *node {
	var second *node
	for _, p := range slices.Backward(earlier) {
		if !p.req.usable() || !n.continues(p) {
			continue
		}
		if p.req.reported() || !n.req.reported() {
			return p
		}
		if second == nil {
			second = p
		}
	}
	return second
}

// continues reports whether n's messages begin with all of p's. Where either was not seen, it can't be told and is taken so.
func (n *node) continues(p *node) bool {
	return n.trail == nil || p.trail == nil || n.trail.extends(p.trail)
}

// depart looks, where n does not extend the latest earlier request, for what n made of that one's history.
func (j *judge) depart(earlier []*node, n *node) {
	last := latest(earlier, n)
	if last == nil || last == n.to || n.trail == nil || last.trail == nil {
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
	case !n.sameModel(last) && n.trail.len() >= 2 && 2*n.trail.len() > last.trail.len():
		n.compare(last, handedOver)
	case j.startsOver(n, last):
		n.compare(last, replaces)
		n.out.Message = shared
	}
}

// latest returns the latest earlier usable request, by the same preference as [predecessor].
func latest(earlier []*node, n *node) *node {
	for _, p := range slices.Backward(earlier) {
		if p.req.usable() && (p.req.reported() || !n.req.reported()) {
			return p
		}
	}
	return nil
}

// startsOver reports whether n looks like the compaction of last: the same agent with a long history that nobody continued,
// in whose place n has one at most half as long.
func (j *judge) startsOver(n, last *node) bool {
	long := last.trail.len()
	return !last.continued && n.sameModel(last) && long >= j.CompactionMessages && 2*n.trail.len() <= long &&
		!systemChanged(last.req, n.req) && (len(n.req.Tools) > 0) == (len(last.req.Tools) > 0)
}

func (n *node) sameModel(p *node) bool {
	return n.req.RequestModel == p.req.RequestModel && n.req.ProviderName == p.req.ProviderName
}
