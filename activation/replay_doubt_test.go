package activation_test

import (
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// of is a moment of an agent's request, at so many milliseconds.
func of(agent, request string, n int64, ms int) activation.Moment {
	return activation.Moment{At: second(0).Add(time.Duration(ms) * time.Millisecond), Turn: n, Request: request, Agent: agent}
}

// digested is a roster with a digest.
func digested(digest string, m activation.Moment, tools ...activation.Tool) activation.RosterAt {
	at := rosterAt(m, tools...)
	at.Digest = digest
	return at
}

func tool(name string) activation.Tool { return activation.Tool{Name: name} }

// doubts are calls that turns, times, requests and agents leave a doubt about, and some beside them about which they leave none.
var doubts = []struct {
	name string
	with func(r *activation.Replay)
	at   activation.Moment
	tool string
	want string
}{
	{"a worker's call under the roster that its own request names", workers, of("w", "rq1", 0, 3000), "alpha", "ok"},
	{"a worker's call of what only the other worker has", workers, of("w", "rq2", 0, 3000), "alpha", "unknown/removed"},
	{"a worker's call without a request", workers, of("w", "", 0, 3000), "alpha", "ok"},
	{"a worker's call in a turn that both have", workersByTurn, of("w", "", 3, 9000), "alpha", "ok"},
	{"a worker's call in a turn that both have, of what none has", workersByTurn, of("w", "", 3, 9000), "other", "unknown"},
	{"a tool that the call's own request offers, after a side request", sideRequest, of("m", "rq1", 0, 3000), "inline", "ok"},
	{"a tool that a request before offered, where the call's own is not known", sideRequest, of("m", "", 0, 3000), "inline", "ok"},
	{"a tool that the call's own request does not offer", sideRequest, of("m", "rq2", 0, 3000), "inline", "unknown"},
	{"a tool of the call's own array, after the array of a side request", sideArray, of("m", "rq1", 1, 7000), "write_x", "ok"},
	{"a tool of an array before that of a side request", sideArray, of("m", "rq3", 2, 8000), "write_x", "ok"},
	{"a tool that no array has", sideArray, of("m", "rq3", 2, 8000), "zzz", "unknown"},
	{"a tool that another agent was refused", refusedTo("sub", 2), of("main", "", 3, 30_000), "edit_file", "ok"},
	{"a tool that an agent without a name was refused", refusedTo("", 2), of("main", "", 3, 30_000), "edit_file", "ok"},
	{"a tool that the agent was refused", refusedTo("main", 2), of("main", "", 3, 30_000), "edit_file", "not_activated"},
	{"a tool that was refused in a later turn by an earlier clock", refusedTo("main", 5), of("main", "", 3, 30_000), "edit_file", "ok"},
	{"a load in a turn of the same number, long ago", func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("m", "", 1, 0), tool("read"), deferred("edit_file")))
		r.AddActivation(of("m", "", 2, 2000), loadedBy(activationTool, "edit_file"))
	}, of("m", "", 2, 900_000), "edit_file", "ok"},
	{"a load in a turn of the same number, with the first turn again between", func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("m", "", 1, 0), tool("read"), deferred("edit_file")))
		r.AddActivation(of("m", "", 2, 2000), loadedBy(activationTool, "edit_file"))
		r.AddRoster(rosterAt(of("m", "", 1, 10_000), tool("read"), deferred("edit_file")))
	}, of("m", "", 2, 12_000), "edit_file", "ok"},
	{"a roster of a later turn at an earlier time", func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("m", "", 1, 0), tool("read")))
		r.AddRoster(rosterAt(of("m", "", 5, 5000), tool("read"), tool("fresh")))
	}, of("m", "", 2, 900_000), "fresh", "ok"},
	{"a roster of a later turn at an earlier time, and a tool of none", func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("m", "", 5, 5000), tool("read"), tool("fresh")))
	}, of("m", "", 2, 900_000), "zzz", ""},
	{"a roster of the call's own message with a later time", func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("m", "", 1, 0), tool("read")))
		r.AddRoster(rosterAt(of("m", "rq3", 3, 3001), tool("read"), tool("fresh")))
	}, of("m", "rq3", 3, 3000), "fresh", "ok"},
	{"a roster of the call's own turn with a later time", func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("m", "", 1, 0), tool("read")))
		r.AddRoster(rosterAt(of("m", "", 3, 9000), tool("read"), tool("fresh")))
	}, of("m", "", 3, 3000), "fresh", "ok"},
	{"a roster of a later turn", func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("m", "", 1, 0), tool("read")))
		r.AddRoster(rosterAt(of("m", "", 4, 9000), tool("read"), tool("fresh")))
	}, of("m", "", 3, 3000), "fresh", "unknown"},
	{"a load some milliseconds after the call, by another request", skewed(5, activationTool), of("m", "rq2", 0, 2000), "edit_file", "ok"},
	{"a search some milliseconds after the call", skewed(5, events.ViaToolSearch), of("m", "", 0, 2000), "edit_file", "ok"},
	{"a load a second after the call", skewed(1000, activationTool), of("m", "", 0, 2000), "edit_file", "not_activated"},
	{"a roster without a turn some milliseconds after the call", func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("m", "", 0, 0), tool("read")))
		r.AddRoster(rosterAt(of("m", "", 0, 2005), tool("read"), tool("fresh")))
	}, of("m", "", 0, 2000), "fresh", "ok"},
	{"a roster of an agent without a name, and a named one's own tool", func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("", "", 0, 0), tool("read")))
	}, of("sub", "", 0, 2000), "sub_tool", ""},
	{"a roster of an agent without a name, and a tool of it", func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("", "", 0, 0), tool("read")))
	}, of("sub", "", 0, 2000), "read", "ok"},
	{"a tool that came or went so often that nobody knows", func(r *activation.Replay) {
		for i := range 20 {
			r.AddRoster(rosterAt(of("m", "", 1, i), tool(string(rune('a'+i)))))
		}
	}, of("m", "", 1, 9000), "zzz", ""},
}

func workers(r *activation.Replay) {
	r.AddRoster(digested("d1", of("w", "rq1", 0, 0), tool("alpha")))
	r.AddRequest(of("w", "rq1", 0, 1000), []string{"alpha"}, "d1")
	r.AddRoster(digested("d2", of("w", "rq2", 0, 1500), tool("beta")))
	r.AddRequest(of("w", "rq2", 0, 2000), []string{"beta"}, "d2")
}

func workersByTurn(r *activation.Replay) {
	r.AddRoster(digested("d1", of("w", "", 1, 0), tool("alpha")))
	r.AddRoster(digested("d2", of("w", "", 1, 5000), tool("beta")))
}

func sideRequest(r *activation.Replay) {
	r.AddRoster(rosterAt(of("m", "", 0, 0), tool("read"), deferred("lazy")))
	r.AddRequest(of("m", "rq1", 0, 1000), []string{"read", "inline"}, "")
	r.AddRequest(of("m", "rq2", 0, 2000), []string{"set_title"}, "")
}

func sideArray(r *activation.Replay) {
	for i, tools := range [][]activation.Tool{{tool("read"), tool("write_x")}, {tool("set_title")}} {
		at := digested("a", of("m", []string{"rq1", "rq2"}[i], 1, i*5000), tools...)
		at.Array = true
		r.AddRoster(at)
	}
}

func refusedTo(agent string, n int64) func(r *activation.Replay) {
	return func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("main", "", 1, 0), tool("read"), deferred("edit_file")))
		r.AddActivation(of("main", "", 1, 1000), loadedBy(activationTool, "edit_file"))
		r.AddActivation(of(agent, "", n, 5000), refusedTool("edit_file", events.RefusedNotPermitted))
	}
}

func skewed(by int, via events.ActivationVia) func(r *activation.Replay) {
	return func(r *activation.Replay) {
		r.AddRoster(rosterAt(of("m", "", 0, 0), tool("read"), deferred("edit_file")))
		request := "rq1"
		if via != activationTool {
			request = ""
		}
		r.AddActivation(of("m", request, 0, 2000+by), loadedBy(via, "edit_file"))
	}
}

func TestWhatLeavesADoubtIsNoFault(t *testing.T) {
	for _, tt := range doubts {
		t.Run(tt.name, func(t *testing.T) {
			var r activation.Replay
			tt.with(&r)
			if got := said(r.Judge(&activation.ReplayCall{Moment: tt.at, Name: tt.tool}, nil)); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestANewerRosterOfTheAgentMayHaveBeenShown(t *testing.T) {
	var r activation.Replay
	var line activation.RosterLine
	r.AddRoster(rosterAt(of("m", "", 0, 0), tool("read")))
	line.Add(rosterAt(of("m", "", 0, 50_000), tool("read"), tool("fresh")))
	for ms, want := range map[int]string{60_000: "ok", 40_000: "unknown"} {
		if got := said(r.Judge(&activation.ReplayCall{Moment: of("m", "", 0, ms), Name: "fresh"}, &line)); got != want {
			t.Errorf("at %d ms %q, want %q", ms, got, want)
		}
	}
}

func TestTheServerThatACallNamesIsKept(t *testing.T) {
	var r activation.Replay
	r.AddRoster(rosterAt(turn(1, 0),
		activation.Tool{Name: "search", Server: "A", Denied: true}, activation.Tool{Name: "search", Server: "B"}, activation.Tool{Name: "A_do", Server: "A"}))
	for _, tt := range []struct{ server, name, want, wantServer string }{
		{"B", "search", "ok", "B"},
		{"", "search", "ok", "B"},
		{"C", "search", "ok", "C"},
		{"A", "do", "prefix_repair/dropped_prefix", "A"},
	} {
		call := events.ToolCall{ToolName: tt.name, Server: tt.server}
		c := activation.CallOf(second(5), &call)
		j := r.Judge(&c, nil)
		j.Stamp(&call)
		if said(j) != tt.want || call.Server != tt.wantServer {
			t.Errorf("%s of %q: %q on %q, want %q on %q", tt.name, tt.server, said(j), call.Server, tt.want, tt.wantServer)
		}
	}
}

func TestWhatWasLoadedFollowsARename(t *testing.T) {
	var r activation.Replay
	renamed := activation.NewRoster(activation.RosterInput{Tools: []activation.Tool{deferred("newn"), tool("x")}, Renames: map[string]string{"oldn": "newn"}})
	r.AddRoster(rosterAt(turn(1, 0), deferred("oldn")))
	r.AddActivation(turn(1, 2), loadedBy(activationTool, "oldn"))
	r.AddRoster(activation.RosterAt{Moment: turn(3, 10), Roster: renamed})
	for name, want := range map[string]string{"newn": "ok", "oldn": "renamed"} {
		if got := said(r.Judge(&activation.ReplayCall{Moment: turn(4, 20), Name: name}, nil)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
