package activation

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"strings"

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
	// added counts what was added ever.
	added int
}

// Add adds a roster, in any order.
func (l *RosterLine) Add(at RosterAt) {
	l.all, l.sorted = append(l.all, at), false
	l.added++
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
