package drift

import (
	"container/list"
	"slices"
)

const (
	// RecentIDs is how many ids of calls the breaker remembers, the newest: a call that comes again under one of them counts no more.
	RecentIDs = 262_144
	// MaxStreaks is how many streaks the breaker follows; the one that was added to longest ago goes first.
	MaxStreaks = 16_384
	// MaxStreakErrors is how many errors all streaks have together; the streak that was added to longest ago goes first.
	MaxStreakErrors = 65_536
	// MaxStreak is how many errors a streak remembers: more than settings can ask for. Of more, those go first whose conversations
	// have others.
	MaxStreak = 256
)

// streakKey names what is counted in a row: the calls of a switch's tool, and agent where each agent's count by themselves, against one
// schema version.
type streakKey struct {
	SwitchKey
	Version string
}

// failure is one validation error of a streak.
type failure struct {
	ID           [16]byte
	Seq          uint64
	Conversation string
}

// streak is validation errors with no other end of a call between them.
type streak struct {
	key streakKey
	run []failure
}

// streaks are those that are not empty.
type streaks struct {
	all map[streakKey]*list.Element
	// order has them by when they were last added to, the longest ago first.
	order  *list.List
	ids    map[[16]byte]struct{}
	errors int
}

func newStreaks() *streaks {
	return &streaks{all: map[streakKey]*list.Element{}, order: list.New(), ids: map[[16]byte]struct{}{}}
}

// holds reports that a call is in a streak.
func (s *streaks) holds(id [16]byte) bool {
	_, ok := s.ids[id]
	return ok
}

// add puts a failure into a streak, of which all up to a sequence goes first, and returns the streak's errors until the next change.
func (s *streaks) add(k streakKey, f failure, floor uint64) []failure {
	s.prune(k, floor)
	e, ok := s.all[k]
	if !ok {
		e = s.order.PushBack(&streak{key: k})
		s.all[k] = e
	}
	s.order.MoveToBack(e)
	t := e.Value.(*streak)
	t.run = append(t.run, f)
	s.ids[f.ID] = struct{}{}
	s.errors++
	if len(t.run) > MaxStreak {
		s.remove(t, spare(t.run))
	}
	for len(s.all) > MaxStreaks || s.errors > MaxStreakErrors {
		s.end(s.order.Front().Value.(*streak).key)
	}
	return t.run
}

// spare finds the first failure whose conversation has another one, else the first.
func spare(run []failure) int {
	for i := range run {
		if slices.ContainsFunc(run[i+1:], func(f failure) bool { return f.Conversation == run[i].Conversation }) {
			return i
		}
	}
	return 0
}

// remove takes one failure out.
func (s *streaks) remove(t *streak, i int) {
	delete(s.ids, t.run[i].ID)
	t.run = slices.Delete(t.run, i, i+1)
	s.errors--
}

// prune takes out of a streak all up to a sequence.
func (s *streaks) prune(k streakKey, floor uint64) {
	e, ok := s.all[k]
	if !ok || floor == 0 {
		return
	}
	t := e.Value.(*streak)
	for len(t.run) > 0 && t.run[0].Seq <= floor {
		s.remove(t, 0)
	}
	if len(t.run) == 0 {
		s.end(k)
	}
}

// end takes a streak away.
func (s *streaks) end(k streakKey) {
	e, ok := s.all[k]
	if !ok {
		return
	}
	for _, f := range s.order.Remove(e).(*streak).run {
		delete(s.ids, f.ID)
		s.errors--
	}
	delete(s.all, k)
}

// drop takes the streaks away that fn names.
func (s *streaks) drop(fn func(streakKey) bool) {
	for k := range s.all {
		if fn(k) {
			s.end(k)
		}
	}
}

// idWindow remembers the newest ids.
type idWindow struct {
	seen map[[16]byte]struct{}
	// ring has the ids in the order in which they are forgotten; next is the oldest once it is full.
	ring  [][16]byte
	next  int
	limit int
}

func newIDWindow(limit int) *idWindow { return &idWindow{seen: map[[16]byte]struct{}{}, limit: limit} }

// add reports whether an id was not known.
func (w *idWindow) add(id [16]byte) bool {
	if _, ok := w.seen[id]; ok {
		return false
	}
	w.seen[id] = struct{}{}
	if len(w.ring) < w.limit {
		w.ring = append(w.ring, id)
		return true
	}
	delete(w.seen, w.ring[w.next])
	w.ring[w.next] = id
	w.next = (w.next + 1) % w.limit
	return true
}
