package prefix

// trail is a list of message digests with its chain at every length.
type trail struct {
	list []string
	// base is the shortest length that the list can be compared at: the number of folded messages.
	base int
	// sums[i] is the chain of the first base+i messages.
	sums []chain
	// grown says that a longer trail lives behind this one in the same memory.
	grown bool
}

// trails makes the trails of one conversation. Each request repeats the messages of those before it, so trails share memory.
type trails struct {
	recent []*trail
}

// maxRecent is how many interleaved chains of one conversation share memory.
const maxRecent = 64

// add returns the trail of a list.
func (ts *trails) add(list []string) *trail {
	for i := len(ts.recent) - 1; i >= 0; i-- {
		like := ts.recent[i]
		if len(list) == 0 || len(like.list) == 0 || like.list[0] != list[0] {
			continue
		}
		t := like.grow(list)
		ts.recent = append(append(ts.recent[:i], ts.recent[i+1:]...), t)
		return t
	}
	t := newTrail(list)
	if len(ts.recent) == maxRecent {
		ts.recent = append(ts.recent[:0], ts.recent[1:]...)
	}
	ts.recent = append(ts.recent, t)
	return t
}

// newTrail computes the chains of a list.
func newTrail(list []string) *trail {
	n, start := chainStart(list)
	t := &trail{base: n, sums: []chain{start}}
	if n > 0 {
		t.list, list = list[:1:1], list[1:]
	}
	t.push(list)
	return t
}

// grow returns the trail of a list that has its first entry in common with t, taking from t all that they share.
func (t *trail) grow(list []string) *trail {
	same := commonHead(t.list, list)
	sums := same + 1
	if t.base > 0 {
		sums--
	}
	g := &trail{base: t.base, list: t.list[:same:same], sums: t.sums[:sums:sums]}
	if same == len(t.list) && !t.grown {
		t.grown = len(list) > same
		g.list, g.sums = t.list, t.sums
	}
	g.push(list[same:])
	return g
}

// push continues the trail.
func (t *trail) push(digests []string) {
	t.list = append(t.list, digests...)
	for _, d := range digests {
		t.sums = append(t.sums, t.sums[len(t.sums)-1].next(d))
	}
}

// len is the number of messages, folded ones too.
func (t *trail) len() int { return t.base + len(t.sums) - 1 }

// extends reports whether the list begins with all of the other.
func (t *trail) extends(other *trail) bool {
	at := other.len() - t.base
	return at >= 0 && at < len(t.sums) && t.sums[at] == other.sums[len(other.sums)-1]
}

// shared is the number of messages at the start that both lists have; 0 where folding hides it.
func (t *trail) shared(other *trail) int {
	same := 0
	for n := max(t.base, other.base); n <= min(t.len(), other.len()); n++ {
		if t.sums[n-t.base] != other.sums[n-other.base] {
			break
		}
		same = n
	}
	return same
}

// keeps reports whether, behind the messages that both share, t still has the last messages of the other, so many of them or as
// many as are left. That is how a history that was rewritten in place differs from one that took another branch.
func (t *trail) keeps(other *trail, shared, last int) bool {
	want := other.list[max(len(other.list)-last, min(other.entry(shared), len(other.list))):]
	if len(want) == 0 {
		return false
	}
	have := t.list[min(t.entry(shared), len(t.list)):]
	for i := 0; i+len(want) <= len(have); i++ {
		if commonHead(have[i:], want) == len(want) {
			return true
		}
	}
	return false
}

// endsAt reports whether t has the other's last message at the same place, behind messages that differ.
func (t *trail) endsAt(other *trail, shared int) bool {
	n := other.len() - 1
	return n > shared && n < t.len() && n >= t.base && n >= other.base && t.list[t.entry(n)] == other.list[other.entry(n)]
}

// entry is the index in the list of the message after the first n.
func (t *trail) entry(n int) int {
	if t.base == 0 {
		return n
	}
	return max(n-t.base, 0) + 1
}

// commonHead counts the equal strings at the start of both lists.
func commonHead(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// trailIn returns the trail of the request's messages, and nil when they were not seen. Where [Observed.share] was called, it
// is the one made then.
func (o *Observed) trailIn(ts *trails) *trail {
	if !o.MessagesKnown || o.trail != nil {
		return o.trail
	}
	return ts.add(o.Messages)
}

// share replaces the request's list of messages by a trail that shares memory with those of the requests before it.
func (o *Observed) share(ts *trails) {
	if o.MessagesKnown {
		o.trail, o.Messages = ts.add(o.Messages), nil
	}
}
