package activation

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"
	"sync"

	"github.com/tooltrail/tooltrail/events"
)

// RosterAt is a roster that was put in force at some moment.
type RosterAt struct {
	Moment
	// Digest is the roster's name in requests.
	Digest string
	// Content tells rosters apart by all that looking names up depends on; see [RosterContent].
	Content uint64
	Roster  *Roster
	// Array says that it is a request's tools array, told of without a text: it stands beside a roster that a text showed, and does not take its
	// place. See [IsArray].
	Array bool

	// former are the rosters before it, the last one first, as a [State] keeps them.
	former []*Roster
}

// RosterLine is the rosters that followed each other, of an agent or a conversation. It is for one goroutine at a time.
type RosterLine struct {
	all    []RosterAt
	sorted bool
}

// Add adds a roster, in any order.
func (l *RosterLine) Add(at RosterAt) {
	l.all, l.sorted = append(l.all, at), false
}

// Len is how many rosters were added.
func (l *RosterLine) Len() int { return len(l.all) }

// Keep lets go of all but the latest n.
func (l *RosterLine) Keep(n int) {
	l.sort()
	if over := len(l.all) - n; over > 0 {
		l.all = slices.Delete(l.all, 0, over)
	}
}

// sort brings the rosters into the order of their times and finds which were in force before each.
func (l *RosterLine) sort() {
	if l.sorted {
		return
	}
	slices.SortStableFunc(l.all, func(a, b RosterAt) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Turn, b.Turn), strings.Compare(a.Digest, b.Digest), cmp.Compare(a.Content, b.Content))
	})
	var s State
	for i := range l.all {
		s.SetRoster(l.all[i].Roster)
		l.all[i].former = slices.Clone(s.former)
	}
	l.sorted = true
}

// IsArray reports that a roster's event tells of a request's tools array alone: no text showed it, and nothing changed that it gives as its reason.
func IsArray(e *events.ToolRoster) bool {
	return e.TextDigest == "" && e.Reason == events.RosterUnknown
}

// at returns the last roster before a moment, of a digest where one is given; nil where there is none. In place of an array it is the last
// roster before the moment that is none, where there is one.
func (l *RosterLine) at(m *Moment, digest string) *RosterAt {
	if l == nil {
		return nil
	}
	l.sort()
	var array *RosterAt
	for i := len(l.all) - 1; i >= 0; i-- {
		e := &l.all[i]
		if array == nil && digest != "" && e.Digest != digest || !e.before(m) {
			continue
		}
		if !e.Array {
			return e
		}
		if array == nil {
			array = e
		}
	}
	return array
}

// own returns the conversation's rosters that an agent's calls are held against.
func (r *Replay) own(agent string) *RosterLine {
	if l, ok := r.lines[agent]; ok {
		return l
	}
	l := &RosterLine{}
	for i := range r.rosters {
		if sameAgent(r.rosters[i].Agent, agent) {
			l.Add(r.rosters[i])
		}
	}
	if r.lines == nil {
		r.lines = map[string]*RosterLine{}
	}
	r.lines[agent] = l
	return l
}

// inForce returns the roster in force at a call: the conversation's last one, else its agent's.
func (r *Replay) inForce(c *ReplayCall, agent *RosterLine) *RosterAt { return r.named(c, agent, "") }

// named returns the last roster of a digest, or of any. A conversation's array does not take the place of a roster that a text of its agent shows.
func (r *Replay) named(c *ReplayCall, agent *RosterLine, digest string) *RosterAt {
	own := r.own(c.Agent).at(&c.Moment, digest)
	switch {
	case own == nil:
		return agent.at(&c.Moment, digest)
	case !own.Array:
		return own
	}
	if e := agent.at(&c.Moment, ""); e != nil && !e.Array {
		return e
	}
	return own
}

// RosterContent is a hash of what looking names up in a roster depends on, in the roster's order. A digest does not cover permissions.
func RosterContent(e *events.ToolRoster) uint64 {
	h := fnv.New64a()
	var b []byte
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	for i := range e.Tools {
		t := &e.Tools[i]
		b = b[:0]
		text(t.Name)
		text(t.Server)
		b = append(b, flag(t.Deferred), flag(t.Denied))
		_, _ = h.Write(b)
	}
	b = append(b[:0], '\n')
	for _, s := range e.NotConnected {
		text(s)
	}
	_, _ = h.Write(b)
	return h.Sum64()
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// RosterCache shares the indices of rosters of the same content. It may be used by several goroutines at once.
type RosterCache struct {
	settings Settings
	most     int

	mu        sync.Mutex
	byContent map[uint64]*Roster
	tools     int
}

// NewRosterCache returns an empty cache that holds rosters of at most so many tools together; when it is full it begins anew. A tool takes
// about half a kilobyte.
func NewRosterCache(s Settings, mostTools int) *RosterCache {
	return &RosterCache{settings: s, most: mostTools, byContent: map[uint64]*Roster{}}
}

// Get returns the index of a content that is held; nil where it is not.
func (c *RosterCache) Get(content uint64) *Roster {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byContent[content]
}

// Of returns the index of an event's roster.
func (c *RosterCache) Of(content uint64, e *events.ToolRoster) *Roster {
	if r := c.Get(content); r != nil {
		return r
	}
	r := RosterOf(e, nil, c.settings)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tools+len(e.Tools) > c.most {
		clear(c.byContent)
		c.tools = 0
	}
	c.byContent[content] = r
	c.tools += len(e.Tools)
	return r
}
