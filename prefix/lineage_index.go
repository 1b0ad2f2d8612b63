package prefix

import (
	"slices"
	"strings"
	"time"
)

// ancestors finds, among the requests added so far, the latest that one extends; without it, many chains in one conversation would
// be searched once for each request. Chains of different agents are apart; who made a request without an agent's name is not known.
type ancestors struct {
	byAgent map[string]*kin
	// any has the requests of all agents, where there are requests without a name.
	any *kin
}

// kin are the usable requests of an agent, and those of them whose usage was given.
type kin struct {
	all, reported family
}

// newAncestors returns an empty index for some requests.
func newAncestors(nodes []*node) ancestors {
	a := ancestors{byAgent: map[string]*kin{}}
	if slices.ContainsFunc(nodes, func(n *node) bool { return n.req.AgentName == "" }) {
		a.any = &kin{}
	}
	return a
}

// family is some requests by the chain of their messages.
type family struct {
	latest *node
	// unseen is the latest whose messages were not seen: any request may extend it.
	unseen *node
	// ends has the latest request for each chain of all its messages.
	ends map[chain]*node
}

func (a *ancestors) add(n *node) {
	k := a.byAgent[n.req.AgentName]
	if k == nil {
		k = &kin{}
		a.byAgent[n.req.AgentName] = k
	}
	k.add(n)
	if a.any != nil {
		a.any.add(n)
	}
}

func (k *kin) add(n *node) {
	k.all.add(n)
	if n.req.reported() {
		k.reported.add(n)
	}
}

// find returns the latest request that a search finds among those that n may be compared with. Requests whose usage was not reported count only
// where there is no other, or where n has none itself.
func (a *ancestors) find(n *node, search func(*family) *node) *node {
	some := [2]*kin{a.any}
	if n.req.AgentName != "" {
		some = [2]*kin{a.byAgent[n.req.AgentName], a.byAgent[""]}
	}
	if n.req.reported() {
		if p := later(some, func(k *kin) *node { return search(&k.reported) }); p != nil {
			return p
		}
	}
	return later(some, func(k *kin) *node { return search(&k.all) })
}

// later returns the latest of what is found.
func later(some [2]*kin, search func(*kin) *node) *node {
	var best *node
	for _, k := range some {
		if k == nil {
			continue
		}
		if p := search(k); p != nil && (best == nil || p.place > best.place) {
			best = p
		}
	}
	return best
}

func (f *family) add(n *node) {
	f.latest = n
	if n.trail == nil {
		f.unseen = n
		return
	}
	if f.ends == nil {
		f.ends = map[chain]*node{}
	}
	f.ends[n.trail.sums[len(n.trail.sums)-1]] = n
}

// predecessor returns the latest request whose messages n extends.
func (a *ancestors) predecessor(n *node) *node {
	return a.find(n, func(f *family) *node { return f.extendedBy(n) })
}

// last returns the latest request, whatever its messages.
func (a *ancestors) last(n *node) *node {
	return a.find(n, func(f *family) *node { return f.latest })
}

func (f *family) extendedBy(n *node) *node {
	if f.latest == nil || n.continues(f.latest) {
		return f.latest
	}
	best := f.unseen
	for _, sum := range n.trail.sums {
		if p := f.ends[sum]; p != nil && (best == nil || p.place > best.place) {
			best = p
		}
	}
	return best
}

// firsts finds whether the first answer to the same tools and system was still to come when a request began.
type firsts map[string]*firstTimes

// firstTimes are when the first requests of one kind began, and when the last of their answers was there.
type firstTimes struct {
	starts map[int64]bool
	ends   time.Time
}

// firstKey names the tools, system and model of a request; "" where too little was seen to say that two are the same.
func firstKey(n *node) string {
	o := n.req
	if !o.ToolsKnown || len(o.Tools)+len(o.System) == 0 {
		return ""
	}
	var b strings.Builder
	for _, s := range []string{n.name.provider, n.name.model} {
		b.WriteString(s + "\x00")
	}
	for _, t := range o.Tools {
		b.WriteString(t.Name + "\x00" + t.Digest + "\x00")
	}
	b.WriteString("\x01")
	for _, s := range o.System {
		b.WriteString(s + "\x00")
	}
	return b.String()
}

func (f firsts) add(n *node) {
	o, key := n.req, firstKey(n)
	if key == "" {
		return
	}
	t := f[key]
	if t == nil {
		t = &firstTimes{starts: map[int64]bool{}}
		f[key] = t
	}
	t.starts[o.StartTime.UnixNano()] = true
	if o.end().After(t.ends) {
		t.ends = o.end()
	}
}

// overlaps reports that n began while one of its kind had begun and not been answered.
func (f firsts) overlaps(n *node) bool {
	o, key := n.req, firstKey(n)
	if key == "" {
		return false
	}
	t := f[key]
	return t != nil && (o.StartTime.Before(t.ends) || t.starts[o.StartTime.UnixNano()])
}
