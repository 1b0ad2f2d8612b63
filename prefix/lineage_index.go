package prefix

import (
	"strings"
	"time"
)

// ancestors finds, among the requests added so far, the latest that one extends; without it, many chains in one conversation would
// be searched once for each request.
type ancestors struct {
	// all are the usable requests, reported those whose usage was given.
	all, reported family
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
	a.all.add(n)
	if n.req.reported() {
		a.reported.add(n)
	}
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

// predecessor returns the latest request whose messages n extends. Requests whose usage was not reported count only where there
// is no other, or where n has none itself.
func (a *ancestors) predecessor(n *node) *node {
	if n.req.reported() {
		if p := a.reported.extendedBy(n); p != nil {
			return p
		}
	}
	return a.all.extendedBy(n)
}

// last returns the latest request, by the same preference.
func (a *ancestors) last(n *node) *node {
	if n.req.reported() {
		return a.reported.latest
	}
	return a.all.latest
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
func firstKey(o *Observed) string {
	if !o.ToolsKnown || len(o.Tools)+len(o.System) == 0 {
		return ""
	}
	var b strings.Builder
	for _, s := range []string{o.ProviderName, o.RequestModel} {
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

func (f firsts) add(o *Observed) {
	key := firstKey(o)
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

// overlaps reports that o began while one of its kind had begun and not been answered.
func (f firsts) overlaps(o *Observed) bool {
	key := firstKey(o)
	if key == "" {
		return false
	}
	t := f[key]
	return t != nil && (o.StartTime.Before(t.ends) || t.starts[o.StartTime.UnixNano()])
}
