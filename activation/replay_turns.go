package activation

import (
	"slices"
	"sort"
	"time"
)

// turnLine is the turns of an agent's events in order of time.
type turnLine struct {
	events []Moment
	// most has the latest turn up to each event.
	most []int64
	// tangledAt is the time of the first event that counts turns otherwise than those before it: the turns of another process, or of another agent of
	// the same name. It is zero where none does.
	tangledAt time.Time
}

// tangled reports that the turns of the call's agent prove nothing at the call: by then they, or the call's own, had not grown with time, or one
// turn had two requests. So it is where a process that resumes a conversation counts anew, and where agents of one name share a conversation.
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
	add := func(m Moment) {
		if m.Turn <= 0 {
			return
		}
		r.work++
		if r.turns[m.Agent] == nil {
			r.turns[m.Agent] = &turnLine{}
		}
		t := r.turns[m.Agent]
		t.events = append(t.events, m)
	}
	for i := range r.rosters {
		add(r.rosters[i].Moment)
	}
	for i := range r.loads {
		add(r.loads[i].Moment)
	}
	for i := range r.requests {
		m := r.requests[i].Moment
		m.Request = "" // a request that failed is made again in its turn
		add(m)
	}
	for _, t := range r.turns {
		t.find()
	}
	return r.turns
}

// find finds the first event whose turn does not go with those before it.
func (t *turnLine) find() {
	slices.SortFunc(t.events, func(a, b Moment) int { return a.At.Compare(b.At) })
	t.most = make([]int64, len(t.events))
	request := map[int64]string{}
	settled, most := 0, int64(0) // the latest turn of events that came surely before
	for i := range t.events {
		e := &t.events[i]
		for ; t.events[settled].At.Add(clockSkew).Before(e.At); settled++ {
			most = max(most, t.events[settled].Turn)
		}
		first, known := request[e.Turn]
		two := known && e.Request != "" && first != e.Request
		if e.Request != "" && !known {
			request[e.Turn] = e.Request
		}
		if t.tangledAt.IsZero() && (most > e.Turn || two) {
			t.tangledAt = e.At
		}
		t.most[i] = e.Turn
		if i > 0 {
			t.most[i] = max(t.most[i-1], e.Turn)
		}
	}
}
