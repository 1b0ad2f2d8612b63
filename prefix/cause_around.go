package prefix

import (
	"cmp"
	"slices"
	"time"
)

// happeningSlack is how much later than the start of a request something may have happened by its clock and still be taken to
// come before: the clocks of an agent and of a server differ.
const happeningSlack = time.Second

// around is what happened around a conversation's requests, ready to be looked up.
type around struct {
	// turned are those that say their turn, by it; timed the others, all all of them, by time.
	turned, timed, all []*Happening
}

func newAround(happenings []Happening) around {
	var a around
	for i := range happenings {
		h := &happenings[i]
		a.all = append(a.all, h)
		if h.Turn > 0 {
			a.turned = append(a.turned, h)
		} else {
			a.timed = append(a.timed, h)
		}
	}
	byTime := func(x, y *Happening) int { return x.Time.Compare(y.Time) }
	slices.SortStableFunc(a.all, byTime)
	slices.SortStableFunc(a.timed, byTime)
	slices.SortStableFunc(a.turned, func(x, y *Happening) int { return cmp.Or(cmp.Compare(x.Turn, y.Turn), byTime(x, y)) })
	return a
}

// between returns what happened after the earlier of two requests was sent and before the later one was: by turn where all say
// theirs, by time within a turn and otherwise.
func (a *around) between(before, after *Observed) []*Happening {
	if before.Turn <= 0 || after.Turn <= 0 {
		return inTime(a.all, before, after)
	}
	var found []*Happening
	at, _ := slices.BinarySearchFunc(a.turned, before.Turn, func(h *Happening, turn int64) int { return cmp.Compare(h.Turn, turn) })
	for _, h := range a.turned[at:] {
		if h.Turn > after.Turn {
			break
		}
		inside := h.Turn > before.Turn && h.Turn < after.Turn
		untimed := h.Time.IsZero() && h.Turn < after.Turn
		if inside || untimed || isBetween(h, before, after) {
			found = append(found, h)
		}
	}
	return append(found, inTime(a.timed, before, after)...)
}

// inTime returns those of a list in order of time that happened between two requests by the clock.
func inTime(list []*Happening, before, after *Observed) []*Happening {
	at, _ := slices.BinarySearchFunc(list, before.StartTime, func(h *Happening, t time.Time) int {
		if h.Time.After(t) {
			return 1
		}
		return -1
	})
	var found []*Happening
	for _, h := range list[at:] {
		if !isBetween(h, before, after) {
			break
		}
		found = append(found, h)
	}
	return found
}

func isBetween(h *Happening, before, after *Observed) bool {
	return h.Time.After(before.StartTime) && !h.Time.After(after.StartTime.Add(happeningSlack))
}
