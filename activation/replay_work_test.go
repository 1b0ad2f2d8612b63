package activation

import (
	"fmt"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// TestJudgingCostsAboutAsMuchAsThereAreEventsAndCalls counts what is looked at, in conversations that loop in all ways at once.
func TestJudgingCostsAboutAsMuchAsThereAreEventsAndCalls(t *testing.T) {
	for name, fill := range map[string]func(r *Replay, i int) ReplayCall{
		"one wrong name":                 loopOf(func(i int, m Moment) Moment { return m }),
		"turns that are not counted":     loopOf(func(_ int, m Moment) Moment { m.Turn = 0; return m }),
		"turns that stay at one":         loopOf(func(_ int, m Moment) Moment { m.Turn = 1; return m }),
		"turns counted anew":             loopOf(func(i int, m Moment) Moment { m.Turn = int64(i%10 + 1); return m }),
		"requests that are not named":    loopOf(func(_ int, m Moment) Moment { m.Request = ""; return m }),
		"two agents in turn":             loopOf(func(i int, m Moment) Moment { m.Agent = fmt.Sprint("agent", i%2); return m }),
		"agents of which one has a name": loopOf(func(i int, m Moment) Moment { m.Agent = []string{"", "a"}[i%2]; return m }),
		"all within a second":            loopOf(func(i int, m Moment) Moment { m.At = time.Unix(0, int64(i)); return m }),
	} {
		t.Run(name, func(t *testing.T) {
			small, large := workOf(1000, fill), workOf(4000, fill)
			if large > 6*small {
				t.Errorf("%d for 1,000 of each, %d for 4,000", small, large)
			}
		})
	}
}

func workOf(n int, fill func(r *Replay, i int) ReplayCall) int {
	var r Replay
	var calls []ReplayCall
	for i := range n {
		calls = append(calls, fill(&r, i))
	}
	for i := range calls {
		r.Judge(&calls[i], nil)
	}
	return r.work
}

func TestANameThatIsCalledAgainIsLookedUpOnce(t *testing.T) {
	var r Replay
	r.AddRoster(RosterAt{Roster: NewRoster(RosterInput{Tools: []Tool{{Name: "get_order"}}})})
	for i := range 100 {
		r.Judge(&ReplayCall{Moment: Moment{At: time.Unix(int64(i), 0)}, Name: "getOrders"}, nil)
	}
	if r.work > 1000 || len(r.known) != 1 {
		t.Errorf("%d looked at, %d kept", r.work, len(r.known))
	}
}

// loopOf makes a step of a conversation: a request that offers tools, a load that is refused or not, now and then a roster, and a wrong call.
func loopOf(change func(i int, m Moment) Moment) func(r *Replay, i int) ReplayCall {
	tools := []string{"read", "write"}
	return func(r *Replay, i int) ReplayCall {
		at := func(ms int) Moment {
			return change(i, Moment{At: time.Unix(int64(i), int64(ms)*1e6), Turn: int64(i + 1), Request: fmt.Sprint("rq", i), Agent: "a"})
		}
		if i%10 == 0 {
			in := RosterInput{Tools: []Tool{{Name: "read"}, {Name: "lazy", Deferred: true}, {Name: fmt.Sprint("t", i/10%3)}}}
			r.AddRoster(RosterAt{Moment: at(0), Digest: fmt.Sprint("d", i/10%3), Roster: NewRoster(in)})
		}
		r.AddRequest(at(1), tools, fmt.Sprint("d", i/10%3))
		if i%3 == 0 {
			r.AddActivation(at(2), &events.Activation{Via: events.ViaActivationTool, Loaded: []string{"lazy"}})
		} else {
			r.AddActivation(at(2), &events.Activation{Via: events.ViaActivationTool, Refused: []events.RefusedTool{{Name: "lazy", Reason: events.RefusedNotPermitted}}})
		}
		return ReplayCall{Moment: at(3), Name: []string{"lazy", "nothing"}[i%2]}
	}
}
