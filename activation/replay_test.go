package activation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// second is a time, in seconds from the start of a conversation.
func second(n int) time.Time { return time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC) }

// turn is a moment at a second in a turn; 0 is not known.
func turn(n int64, at int) activation.Moment { return activation.Moment{At: second(at), Turn: n} }

func rosterAt(m activation.Moment, tools ...activation.Tool) activation.RosterAt {
	var e events.ToolRoster
	for _, t := range tools {
		e.Tools = append(e.Tools, events.RosterTool{Name: t.Name, Server: t.Server, Deferred: t.Deferred, Denied: t.Denied})
	}
	content := activation.RosterContent(&e)
	return activation.RosterAt{Moment: m, Digest: fmt.Sprint("r", len(tools)), Content: content, Roster: activation.RosterOf(&e, nil, activation.Settings{})}
}

func deferred(name string) activation.Tool { return activation.Tool{Name: name, Deferred: true} }

func loadedBy(via events.ActivationVia, names ...string) *events.Activation {
	return &events.Activation{Via: via, Asked: names, Loaded: names}
}

func refusedTool(name string, why events.RefusalReason) *events.Activation {
	return &events.Activation{Via: events.ViaActivationTool, Asked: []string{name}, Refused: []events.RefusedTool{{Name: name, Reason: why}}}
}

const activationTool = events.ViaActivationTool

func TestACallIsJudgedByWhatWasLoadedWhen(t *testing.T) {
	big := []activation.Tool{deferred("edit_file"), {Name: "web_search"}, {Name: "secret", Denied: true}}
	for _, tt := range []struct {
		name string
		with func(r *activation.Replay)
		call activation.ReplayCall
		want string
	}{
		{"deferred and never loaded", nil, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, "not_activated"},
		{"asked for in the same message", func(r *activation.Replay) {
			r.AddActivation(turn(2, 10), loadedBy(activationTool, "edit_file"))
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, "not_activated"},
		{"asked for after the call in the same message", func(r *activation.Replay) {
			r.AddActivation(turn(2, 30), loadedBy(activationTool, "edit_file"))
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, "not_activated"},
		{"asked for in the message before", func(r *activation.Replay) {
			r.AddActivation(turn(1, 10), loadedBy(activationTool, "edit_file"))
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, "ok"},
		{"asked for in the message before, by a clock that goes ahead", func(r *activation.Replay) {
			r.AddActivation(turn(1, 25), loadedBy(activationTool, "edit_file"))
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, "ok"},
		{"asked for many turns before", func(r *activation.Replay) {
			r.AddActivation(turn(1, 10), loadedBy(activationTool, "edit_file"))
		}, activation.ReplayCall{Moment: turn(90, 900), Name: "edit_file"}, "ok"},
		{"asked for in a later message", func(r *activation.Replay) {
			r.AddActivation(turn(3, 30), loadedBy(activationTool, "edit_file"))
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, "not_activated"},
		{"asked for before, and turns are not known", func(r *activation.Replay) {
			r.AddActivation(turn(0, 20), loadedBy(activationTool, "edit_file"))
		}, activation.ReplayCall{Moment: turn(0, 20), Name: "edit_file"}, "ok"},
		{"asked for after, and turns are not known", func(r *activation.Replay) {
			r.AddActivation(turn(0, 21), loadedBy(activationTool, "edit_file"))
		}, activation.ReplayCall{Moment: turn(0, 20), Name: "edit_file"}, "not_activated"},
		{"asked for in the same request, and turns are not known", func(r *activation.Replay) {
			r.AddActivation(activation.Moment{At: second(10), Request: "q"}, loadedBy(activationTool, "edit_file"))
		}, activation.ReplayCall{Moment: activation.Moment{At: second(20), Request: "q"}, Name: "edit_file"}, "not_activated"},
		{"asked for in another request of a turn that was counted once", func(r *activation.Replay) {
			r.AddActivation(activation.Moment{At: second(10), Turn: 1, Request: "q"}, loadedBy(activationTool, "edit_file"))
		}, activation.ReplayCall{Moment: activation.Moment{At: second(20), Turn: 1, Request: "p"}, Name: "edit_file"}, "ok"},
		{"found by a search in the same message", func(r *activation.Replay) {
			r.AddActivation(turn(2, 30), loadedBy(events.ViaToolSearch, "edit_file"))
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, "ok"},
		{"brought by an addition, and in no roster", func(r *activation.Replay) {
			r.AddActivation(turn(2, 20), loadedBy(events.ViaToolAddition, "brought"))
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "brought"}, "ok"},
		{"mentioned turns before", func(r *activation.Replay) {
			r.AddActivation(turn(1, 5), loadedBy(events.ViaMention, "edit_file"))
		}, activation.ReplayCall{Moment: turn(7, 70), Name: "edit_file"}, "ok"},
		{"restored", func(r *activation.Replay) {
			r.AddActivation(turn(0, 5), loadedBy(events.ViaRestore, "edit_file"))
		}, activation.ReplayCall{Moment: turn(1, 20), Name: "edit_file"}, "ok"},
		{"refused since it was loaded before", func(r *activation.Replay) {
			r.AddActivation(turn(2, 5), refusedTool("edit_file", events.RefusedAlreadyLoaded))
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, "ok"},
		{"asked for twice in the same message", func(r *activation.Replay) {
			r.AddActivation(turn(2, 4), loadedBy(activationTool, "edit_file"))
			r.AddActivation(turn(2, 5), refusedTool("edit_file", events.RefusedAlreadyLoaded))
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, "not_activated"},
		{"loaded and taken back", func(r *activation.Replay) {
			r.AddActivation(turn(1, 4), loadedBy(activationTool, "edit_file"))
			r.AddActivation(turn(2, 5), refusedTool("edit_file", events.RefusedPolicy))
		}, activation.ReplayCall{Moment: turn(3, 20), Name: "edit_file"}, "not_activated"},
		{"offered by the request before", func(r *activation.Replay) {
			r.AddRequest(turn(2, 10), []string{"edit_file"}, "")
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, "ok"},
		{"offered by a request and in no roster", func(r *activation.Replay) {
			r.AddRequest(turn(2, 10), []string{"builtin"}, "")
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "builtin"}, "ok"},
		{"offered by a request long ago and in no roster", func(r *activation.Replay) {
			r.AddRequest(turn(1, 5), []string{"builtin"}, "")
			r.AddRequest(turn(2, 10), []string{"web_search"}, "")
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "builtin"}, "unknown"},
		{"offered by the next request", func(r *activation.Replay) {
			r.AddRequest(turn(3, 30), []string{"edit_file"}, "")
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, "not_activated"},
		{"under a roster that nobody saw", func(r *activation.Replay) {
			r.AddRequest(turn(2, 10), []string{"web_search"}, "another")
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "edit_file"}, ""},
		{"run by the provider", nil, activation.ReplayCall{Moment: turn(2, 20), Name: "code_execution", Provider: true}, "ok/provider"},
		{"case", nil, activation.ReplayCall{Moment: turn(2, 20), Name: "WebSearch"}, "guessed/case"},
		{"not permitted", nil, activation.ReplayCall{Moment: turn(2, 20), Name: "secret"}, "not_permitted"},
		{"inside a bridge", func(r *activation.Replay) {
			r.AddActivation(turn(1, 10), loadedBy(activationTool, "edit_file"))
		}, activation.ReplayCall{Moment: turn(2, 20), Name: "tool_call", Arguments: []byte(`{"name":"edit_file"}`)}, "ok"},
		{"inside a bridge and not loaded", nil,
			activation.ReplayCall{Moment: turn(2, 20), Name: "tool_call", Arguments: []byte(`{"name":"edit_file"}`)}, "not_activated"},
		{"a bridge whose arguments nobody kept", nil, activation.ReplayCall{Moment: turn(2, 20), Name: "tool_call"}, ""},
		{"before any roster", nil, activation.ReplayCall{Moment: turn(0, -1), Name: "edit_file"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r activation.Replay
			r.AddRoster(rosterAt(turn(1, 0), big...))
			if tt.with != nil {
				tt.with(&r)
			}
			if got := said(r.Judge(&tt.call, nil)); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// said is a judgment in a word or two.
func said(j activation.Judgment) string {
	return strings.TrimSuffix(string(j.Resolution.Resolution)+"/"+j.How, "/")
}

func TestTheRosterInForceIsTheConversationsLastElseItsAgents(t *testing.T) {
	var line activation.RosterLine
	line.Add(rosterAt(turn(0, 0), activation.Tool{Name: "old_tool"}))
	line.Add(rosterAt(turn(0, 50), activation.Tool{Name: "other"}, activation.Tool{Name: "present"}))
	own := rosterAt(turn(3, 30), activation.Tool{Name: "mine"})
	for _, tt := range []struct {
		at   activation.Moment
		name string
		own  bool
		want string
	}{
		{turn(1, 10), "old_tool", false, "ok"},
		{turn(1, 10), "mine", true, "unknown"},
		{turn(3, 30), "mine", true, "ok"},
		{turn(9, 90), "present", true, "ok"}, // the conversation may have been shown it
		{turn(9, 40), "present", true, "unknown"},
		{turn(9, 90), "present", false, "ok"},
		{turn(9, 90), "old_tool", false, "unknown/removed"},
	} {
		var r activation.Replay
		if tt.own {
			r.AddRoster(own)
		}
		if got := said(r.Judge(&activation.ReplayCall{Moment: tt.at, Name: tt.name}, &line)); got != tt.want {
			t.Errorf("%s at %v: %q, want %q", tt.name, tt.at.At, got, tt.want)
		}
	}
}

func TestAnAgentsCallsAreNotHeldAgainstAnotherAgentsRoster(t *testing.T) {
	var r activation.Replay
	at := func(agent string, n int) activation.Moment {
		return activation.Moment{At: second(n), Turn: int64(n), Agent: agent}
	}
	r.AddRoster(rosterAt(at("main", 1), activation.Tool{Name: "plan"}))
	r.AddRoster(rosterAt(at("sub", 2), activation.Tool{Name: "grep"}))
	for call, want := range map[activation.Moment]string{at("main", 3): "unknown", at("sub", 3): "ok", at("third", 3): ""} {
		if got := said(r.Judge(&activation.ReplayCall{Moment: call, Name: "grep"}, nil)); got != want {
			t.Errorf("%s: %q, want %q", call.Agent, got, want)
		}
	}
}

func TestARosterThatTheRequestNamesIsTheOneInForce(t *testing.T) {
	var r activation.Replay
	first, second := rosterAt(turn(1, 0), activation.Tool{Name: "a"}), rosterAt(turn(2, 5), activation.Tool{Name: "b"}, activation.Tool{Name: "c"})
	r.AddRoster(first)
	r.AddRoster(second)
	call := activation.ReplayCall{Moment: turn(3, 20), Name: "a"}
	if got := said(r.Judge(&call, nil)); got != "unknown/removed" {
		t.Errorf("%q before the request is known", got)
	}
	r.AddRequest(turn(3, 10), nil, first.Digest)
	if got := said(r.Judge(&call, nil)); got != "ok" {
		t.Errorf("%q of a tool of the roster that the request names", got)
	}
}
