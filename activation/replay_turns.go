package activation

import (
	"slices"
	"sort"
	"time"
)

// turnLine is the turns of an agent's events in order of time.
type turnLine struct {
	events []turnEvent
	// most has the latest turn up to each event.
	most []int64
	// tangledAt is the time of the first event that counts turns otherwise than those before it: the turns of another process, or of another agent of
	// the same name. It is zero where none does.
	tangledAt time.Time
}

// turnEvent is an event with a turn, and what is one in a turn.
type turnEvent struct {
	Moment
	marks [2]mark
}

// mark is what one turn of one agent has one of: the id of its request, the roster that it names, and the time at which a roster was shown.
type mark struct {
	kind  byte
	value string
}

// tangled reports that the turns of the call's agent prove nothing at the call: by then they, or the call's own, had not grown with time, or one
// turn had two requests or rosters. So it is where a process that resumes a conversation counts anew, and where agents of one name share a conversation.
func (r *Replay) tangled(c *ReplayCall) bool {
	t := r.turnLines()[c.Agent]
	if t == nil {
		return false
	}
	if !t.tangledAt.IsZero() && !t.tangledAt.After(c.At.Add(clockSkew)) {
		return true
	}
	n := sort.Search(len(t.events), func(i int) bool { return !t.events[i].At.Add(clockSkew).Before(c.At) })
	return c.Turn > 0 && n > 0 && t.most[n-1] > c.Turn
}

func (r *Replay) turnLines() map[string]*turnLine {
	if r.turns != nil {
		return r.turns
	}
	r.turns = map[string]*turnLine{}
	for i := range r.rosters {
		e := &r.rosters[i]
		marks := [2]mark{{'q', e.Request}}
		if !e.Array {
			marks[1] = mark{'r', e.At.Format(time.RFC3339Nano)}
		}
		r.addTurn(e.Moment, marks)
	}
	for i := range r.loads {
		r.addTurn(r.loads[i].Moment, [2]mark{{'q', r.loads[i].Request}})
	}
	for i := range r.requests { // one that failed is made again in its turn, under another id
		r.addTurn(r.requests[i].Moment, [2]mark{{'d', r.requests[i].digest}})
	}
	for _, t := range r.turns {
		t.find()
	}
	return r.turns
}

func (r *Replay) addTurn(m Moment, marks [2]mark) {
	if m.Turn <= 0 {
		return
	}
	r.work++
	t := r.turns[m.Agent]
	if t == nil {
		t = &turnLine{}
		r.turns[m.Agent] = t
	}
	t.events = append(t.events, turnEvent{m, marks})
}

// ofTurn is a mark's kind in a turn.
type ofTurn struct {
	turn int64
	kind byte
}

// find finds the first event whose turn does not go with those before it.
func (t *turnLine) find() {
	slices.SortFunc(t.events, func(a, b turnEvent) int { return a.At.Compare(b.At) })
	t.most = make([]int64, len(t.events))
	one := map[ofTurn]string{}
	settled, most := 0, int64(0) // the latest turn of events that came surely before
	for i := range t.events {
		e := &t.events[i]
		for ; t.events[settled].At.Add(clockSkew).Before(e.At); settled++ {
			most = max(most, t.events[settled].Turn)
		}
		if two := e.another(one); t.tangledAt.IsZero() && (most > e.Turn || two) {
			t.tangledAt = e.At
		}
		t.most[i] = e.Turn
		if i > 0 {
			t.most[i] = max(t.most[i-1], e.Turn)
		}
	}
}

// another reports that an event has another mark than its turn had.
func (e *turnEvent) another(one map[ofTurn]string) bool {
	two := false
	for _, m := range e.marks {
		if m.value == "" {
			continue
		}
		of := ofTurn{e.Turn, m.kind}
		first, known := one[of]
		if !known {
			one[of] = m.value
		}
		two = two || known && first != m.value
	}
	return two
}
