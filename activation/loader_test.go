package activation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func loaderRoster() RosterInput {
	return RosterInput{
		Tools: []Tool{
			{Name: "web_search"},
			{Name: "issue_read", Server: "github", Deferred: true}, {Name: "issue_write", Server: "github", Deferred: true},
			{Name: "repo_delete", Server: "github", Deferred: true, Denied: true},
			{Name: "ticket_find", Server: "jira", Deferred: true},
			{Name: "paint", Deferred: true}, {Name: "pay", Deferred: true},
		},
		NotConnected: []string{"jira"},
		Renames:      map[string]string{"get_issue": "issue_read"},
	}
}

func newLoader(t *testing.T, in RosterInput) (*State, *Loader) {
	t.Helper()
	s := NewState(NewRoster(in))
	l, err := NewLoader(s, Checks{
		Policy:  func(t Tool) bool { return t.Name != "pay" },
		Capable: func(t Tool) bool { return t.Name != "paint" },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, l
}

func TestALoaderLoadsExactNamesAndRefusesTheOthersWithTheReason(t *testing.T) {
	github := []string{"issue_read", "issue_write"}
	refused := func(name string, why events.RefusalReason) *Refused { return &Refused{Name: name, Reason: why} }
	tests := []struct {
		ask, loads string
		refused    *Refused
	}{
		{"issue_read", "issue_read", nil},
		{"mcp__github__issue_read", "issue_read", nil},
		{"get_issue", "issue_read", nil},
		{"Issue_Read", "", refused("Issue_Read", events.RefusedUnknown)},
		{"issue_raed", "", refused("issue_raed", events.RefusedUnknown)},
		{"web_search", "", refused("web_search", events.RefusedAlreadyLoaded)},
		{"repo_delete", "", refused("repo_delete", events.RefusedNotPermitted)},
		{"pay", "", refused("pay", events.RefusedPolicy)},
		{"paint", "", refused("paint", events.RefusedClientCapability)},
		{"ticket_find", "", &Refused{Name: "ticket_find", Reason: events.RefusedNotConnected, Server: "jira"}},
		{"jira__anything", "", &Refused{Name: "jira__anything", Reason: events.RefusedNotConnected, Server: "jira"}},
		{"jira", "", &Refused{Name: "jira", Reason: events.RefusedNotConnected, Server: "jira"}},
		{"github", "", &Refused{Name: "github", Reason: events.RefusedConnectorName, Server: "github", Tools: github}},
		{"GitHub", "", &Refused{Name: "GitHub", Reason: events.RefusedConnectorName, Server: "github", Tools: github}},
		{"githb", "", refused("githb", events.RefusedUnknown)},
		{"", "", refused("", events.RefusedUnknown)},
		{"a\x00\xff" + strings.Repeat("x", 1<<20), "", refused("a\x00\xff"+strings.Repeat("x", 1<<20), events.RefusedUnknown)},
	}
	for _, tt := range tests {
		t.Run(ShownName(tt.ask), func(t *testing.T) {
			s, l := newLoader(t, loaderRoster())
			got := l.Load(tt.ask, tt.ask)
			want := Loaded{Asked: []string{tt.ask, tt.ask}, Via: events.ViaActivationTool}
			if tt.loads != "" {
				want.Names = []string{tt.loads}
				if tt.ask != tt.loads {
					want.Meant = map[string]string{tt.ask: tt.loads}
				}
			} else {
				want.Refused = []Refused{*tt.refused}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if tt.loads == "" {
				return
			}
			if s.Loaded(tt.loads) {
				t.Error("it is callable in the same message")
			}
			s.Step()
			if !s.Loaded(tt.loads) {
				t.Error("it is not callable in the next message")
			}
			if got := l.Load(tt.ask); len(got.Refused) != 1 || got.Refused[0].Reason != events.RefusedAlreadyLoaded {
				t.Errorf("again: %+v", got)
			}
		})
	}
}

func TestAskingTwiceInOneMessageLoadsOnce(t *testing.T) {
	_, l := newLoader(t, loaderRoster())
	if got := l.Load("issue_read", "get_issue", "mcp__github__issue_read"); len(got.Names) != 1 || len(got.Refused) != 0 {
		t.Errorf("%+v", got)
	}
	if got := l.Load("issue_read"); len(got.Refused) != 1 || got.Refused[0].Reason != events.RefusedAlreadyLoaded {
		t.Errorf("%+v", got)
	}
}

func TestAModeWithEverythingUnfoldedHasNoLoader(t *testing.T) {
	for _, s := range []*State{nil, {}, NewState(nil), NewState(NewRoster(RosterInput{Tools: []Tool{{Name: "a"}, {Name: "b"}}}))} {
		if l, err := NewLoader(s, Checks{}); !errors.Is(err, ErrNothingDeferred) || l != nil {
			t.Errorf("have %v, %v", l, err)
		}
	}
}

func TestARestoreChecksEverythingAgainAndSaysWhatItDropped(t *testing.T) {
	s, l := newLoader(t, loaderRoster())
	l.Load("issue_read", "issue_write")
	saved := l.Saved()
	s.Step()
	if diff := cmp.Diff([]string{"issue_read", "issue_write"}, saved); diff != "" || !slices.Equal(saved, l.Saved()) {
		t.Fatal(diff, l.Saved())
	}
	in := loaderRoster()
	in.Tools[2].Denied = true
	s, l = newLoader(t, in)
	s.Load("pay") // by a policy that was another then
	got := l.Restore(append(saved, "pay", "gone", "paint", "ticket_find", "get_issue"))
	reasons := map[string]events.RefusalReason{}
	for _, r := range got.Refused {
		reasons[r.Name] = r.Reason
	}
	want := map[string]events.RefusalReason{
		"issue_write": events.RefusedNotPermitted, "pay": events.RefusedPolicy, "gone": events.RefusedUnknown,
		"paint": events.RefusedClientCapability, "ticket_find": events.RefusedNotConnected,
	}
	if diff := cmp.Diff(want, reasons); diff != "" || !slices.Equal(got.Names, []string{"issue_read"}) || got.Via != events.ViaRestore {
		t.Error(diff, got)
	}
	for name, ok := range map[string]bool{"issue_read": true, "issue_write": false, "pay": false, "paint": false} {
		if s.Loaded(name) != ok {
			t.Errorf("%s: callable %t", name, !ok)
		}
	}
}

func TestEveryActivationMakesEveryCheckAgain(t *testing.T) {
	for reason, checks := range map[events.RefusalReason]func(func(Tool) bool) Checks{
		events.RefusedNotPermitted:     func(f func(Tool) bool) Checks { return Checks{Permitted: f} },
		events.RefusedPolicy:           func(f func(Tool) bool) Checks { return Checks{Policy: f} },
		events.RefusedClientCapability: func(f func(Tool) bool) Checks { return Checks{Capable: f} },
	} {
		allowed, asked := true, 0
		s := NewState(NewRoster(loaderRoster()))
		l, err := NewLoader(s, checks(func(t Tool) bool {
			asked++
			return allowed && t.Name == "issue_read"
		}))
		if err != nil {
			t.Fatal(err)
		}
		l.Load("issue_read")
		s.Step()
		if !s.Loaded("issue_read") || asked != 1 {
			t.Errorf("%s: not loaded, or asked %d times", reason, asked)
		}
		saved := l.Saved()
		allowed = false
		if got := l.Load("issue_read"); len(got.Refused) != 1 || got.Refused[0].Reason != reason || s.Loaded("issue_read") {
			t.Errorf("%s: loaded again: %+v", reason, got)
		}
		if got := l.Restore(saved); len(got.Refused) != 1 || got.Refused[0].Reason != reason || s.Loaded("issue_read") {
			t.Errorf("%s: restored: %+v", reason, got)
		}
		if got := l.Mention(Mention{Server: "github", Loaded: saved}); len(got.Refused) != 1 || got.Refused[0].Reason != reason || s.Loaded("issue_read") {
			t.Errorf("%s: mentioned: %+v", reason, got)
		}
		if got := l.Load("github"); len(got.Refused[0].Tools) != 0 {
			t.Errorf("%s: listed: %+v", reason, got)
		}
	}
}

func TestALoaderWhoseRosterWentKnowsNoTool(t *testing.T) {
	s, l := newLoader(t, loaderRoster())
	s.SetRoster(nil)
	if got := l.Load("issue_read", "github"); len(got.Refused) != 2 || got.Refused[0].Reason != events.RefusedUnknown || len(l.Saved()) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAMentionLoadsAtOnceWhatMayBeUsed(t *testing.T) {
	s, l := newLoader(t, loaderRoster())
	s.Load("issue_read")
	got := l.Mention(Mention{Server: "github", Loaded: []string{"issue_read", "issue_write", "repo_delete"}})
	if !slices.Equal(got.Names, []string{"issue_write"}) || len(got.Refused) != 1 || got.Refused[0].Reason != events.RefusedNotPermitted {
		t.Errorf("%+v", got)
	}
	for range 3 {
		if !s.Loaded("issue_write") || s.Loaded("repo_delete") {
			t.Error("not what was loaded")
		}
		s.Step()
	}
}

func TestTheAnswerForTheModelSaysWhyAndGuessesNothing(t *testing.T) {
	_, l := newLoader(t, loaderRoster())
	out := l.Load("issue_read", "Issue-Write", "GitHub", "web_search", "repo_delete", "pay", "paint", "jira", "a\x1b[31m\u202e")
	want := `Loaded: issue_read. It can be called from your next message on.
"Issue-Write" was not loaded: there is no such tool. Load only tools that are listed, by their exact names.
"GitHub" is a connector, not a tool. Load its tools by their names: issue_read, issue_write.
"web_search" is loaded already. Call it; don't load it again.
"repo_delete" was not loaded: you are not permitted to use it.
"pay" was not loaded: the policy for tools does not allow it.
"paint" was not loaded: this client can not run it.
"jira" was not loaded: its connector is not connected.
"a\x1b[31m\u202e" was not loaded: there is no such tool. Load only tools that are listed, by their exact names.`
	if diff := cmp.Diff(want, out.Text()); diff != "" {
		t.Error(diff)
	}
	none := l.Load()
	if none.Text() != "Nothing was asked for." {
		t.Error(none.Text())
	}
}

func TestAConnectorsToolsAreListedUpToALimit(t *testing.T) {
	var in RosterInput
	for i := range 85 {
		in.Tools = append(in.Tools, Tool{Name: fmt.Sprintf("tool_%02d", 84-i), Server: "big", Deferred: true})
	}
	in.Tools = append(in.Tools, Tool{Name: "tool 85\n", Server: "big", Deferred: true})
	_, l := newLoader(t, in)
	out := l.Load("big")
	if r := out.Refused[0]; len(r.Tools) != ListLimit || len(r.Rest) != 26 || r.Tools[0] != "tool 85\n" || r.Rest[25] != "tool_84" {
		t.Errorf("%d listed, %d not", len(r.Tools), len(r.Rest))
	}
	if text := out.Text(); !strings.HasPrefix(text, `"big" is a connector, not a tool. Load its tools by their names: "tool 85\n", tool_00, `) ||
		!strings.HasSuffix(text, "tool_58. These are 60 of its 86 tools, the first by name; the others are in the list of tools.") {
		t.Error(text)
	}
	if out = l.Load("tool_84"); len(out.Names) != 1 {
		t.Error("a tool that was not listed can't be loaded")
	}
	in.Settings.Roster.ListLimit = 2
	_, l = newLoader(t, in)
	if out = l.Load("BIG"); len(out.Refused[0].Tools) != 2 || len(out.Refused[0].Rest) != 84 {
		t.Errorf("%+v", out.Refused)
	}
}

func TestAnActivationEventHoldsNamesOfAnyKind(t *testing.T) {
	_, l := newLoader(t, loaderRoster())
	names := []string{"github", "a\xff", strings.Repeat("é", 1<<19)}
	for range 2000 {
		names = append(names, "x"+strings.Repeat("y", len(names)%300))
	}
	out := l.Load(names...)
	a := out.Event(events.Context{ConversationID: "c-1"})
	e := &events.Event{ID: "1", Source: "/a", Data: &a}
	raw, err := events.AppendEvent(nil, e)
	if err != nil || len(raw) > 512<<10 {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
	if a.Server != "github" || a.Via != events.ViaActivationTool || len(a.Asked) != maxEventNames {
		t.Errorf("have %s, %s, %d", a.Server, a.Via, len(a.Asked))
	}
}

func TestRefusalsTellFiveReasonsApart(t *testing.T) {
	s := NewState(NewRoster(loaderRoster()))
	for call, want := range map[string]*Refusal{
		"web_search":  nil,
		"get_issue":   {Reason: ReasonNotActivated, Name: "get_issue", Server: "github"},
		"issue_read":  {Reason: ReasonNotActivated, Name: "issue_read", Server: "github"},
		"ticket_find": {Reason: ReasonNotConnected, Name: "ticket_find", Server: "jira"},
		"repo_delete": {Reason: ReasonNotPermitted, Name: "repo_delete", Server: "github"},
		"Web-Search":  {Reason: ReasonUnknown, Name: "Web-Search"},
		"GitHub":      {Reason: ReasonUnknown, Name: "GitHub"},
		"rocket":      {Reason: ReasonUnknown, Name: "rocket"},
	} {
		if diff := cmp.Diff(want, s.Refuse(call, nil)); diff != "" {
			t.Errorf("%s: %s", call, diff)
		}
	}
	texts := map[string]bool{}
	for _, r := range []Reason{ReasonNotActivated, ReasonUnknown, ReasonNotConnected, ReasonNotPermitted, ReasonDisabled} {
		var err error = &Refusal{Reason: r, Name: "x"}
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Reason != r {
			t.Errorf("%s: %v", r, err)
		}
		texts[err.Error()] = true
	}
	if len(texts) != 5 {
		t.Errorf("%d texts: %v", len(texts), texts)
	}
	if got := s.Refuse("call_tool", []byte(`{"name":"rocket"}`)); got == nil || got.Name != "rocket" {
		t.Errorf("inside a bridge: %+v", got)
	}
	if (&State{}).Refuse("anything", nil) != nil {
		t.Error("a state that knows nothing refuses")
	}
}
