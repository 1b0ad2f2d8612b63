package prefix

import (
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// group judges the requests of one conversation as they come in order of start, and holds at most twice half of them: when it is full,
// it gives what it has verdicts on and lets go of the older half. So every request is judged with at least half of half before and
// behind it, where there are so many, and a conversation that fits is judged whole.
type group struct {
	settings Settings
	half     int
	// happened is what happened around the conversation, servers what servers told of their lists, in order of time.
	happened, servers []Happening
	emit              func(*events.RequestVerdict)

	reqs   []Observed
	at     []moment
	ids    map[string]bool
	shared trails
	last   []string // the messages of the request taken last
	// before is how many requests of the conversation came before the first one held, done how many of those held need no verdict.
	before int64
	done   int
}

// moment is when a request happened and when it was stored.
type moment struct{ happened, stored time.Time }

// take adds a request; one that is held already is stored twice and counts once, as stored when it first was.
func (g *group) take(r *requestRow) {
	if g.ids[r.ID] {
		g.earlier(r)
		return
	}
	if len(g.reqs) == 2*g.half {
		g.slide()
	}
	o := r.observed()
	repeat(o.Messages, g.last)
	g.last = o.Messages
	if n := len(g.reqs); n > 0 {
		o.alike(&g.reqs[n-1])
	}
	o.share(&g.shared)
	if g.ids == nil {
		g.ids = map[string]bool{}
	}
	g.ids[o.ID] = true
	g.reqs, g.at = append(g.reqs, o), append(g.at, moment{r.Time, r.Stored})
}

// earlier notes that a request that is held, one of the last, was stored at an earlier moment, too.
func (g *group) earlier(r *requestRow) {
	for i := len(g.reqs) - 1; i >= 0; i-- {
		if g.reqs[i].ID != r.ID {
			continue
		}
		if r.Stored.Before(g.at[i].stored) {
			g.at[i].stored = r.Stored
		}
		return
	}
}

// alike lets a request share the memory of what is the same in another.
func (o *Observed) alike(p *Observed) {
	if slices.Equal(o.Tools, p.Tools) {
		o.Tools = p.Tools
	}
	if slices.Equal(o.System, p.System) {
		o.System = p.System
	}
	if slices.Equal(o.Params, p.Params) {
		o.Params = p.Params
	}
}

// slide gives verdicts on what has enough behind it, and lets go of the first half.
func (g *group) slide() {
	upTo := 2*g.half - g.half/2
	g.judge(upTo, false)
	for i := range g.reqs[:g.half] {
		delete(g.ids, g.reqs[i].ID)
	}
	g.reqs, g.at = slices.Delete(g.reqs, 0, g.half), slices.Delete(g.at, 0, g.half)
	g.before, g.done = g.before+int64(g.half), upTo-g.half
}

// end gives the verdicts that are left, but for those on the last requests, left out of them so many; whole says that the conversation ends here.
func (g *group) end(leave int, whole bool) {
	g.judge(max(len(g.reqs)-leave, 0), whole)
}

// judge gives verdicts on the requests from done up to another place. At the end of a conversation the last one says what keeps changing.
func (g *group) judge(upTo int, last bool) {
	if upTo <= g.done {
		return
	}
	judged := Judge(g.reqs, g.settings, slices.Concat(g.happened, happenedAmong(g.servers, g.reqs))...)
	offset := g.before
	if byTurn(g.reqs, judged) {
		offset = 0
	}
	for i := g.done; i < upTo; i++ {
		o, v := &g.reqs[i], &judged[i]
		var compared *Observed
		if v.Compared >= 0 {
			compared = &g.reqs[v.Compared]
		}
		r := verdictRow(o, compared, v, g.at[i].happened, g.at[i].stored)
		r.Request += offset
		if last && i == upTo-1 {
			setFlux(&r, findFlux(g.reqs, judged, g.settings.FluxRequests))
		}
		g.emit(&r)
	}
	g.done = upTo
}

// byTurn says that requests are numbered by their turns, and not counted.
func byTurn(reqs []Observed, judged []Judged) bool {
	for i := range reqs {
		if reqs[i].Turn <= 0 || reqs[i].Turn != judged[i].Request {
			return false
		}
	}
	return true
}
