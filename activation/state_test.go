package activation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func TestAStateWithoutARosterJudgesNothing(t *testing.T) {
	for _, s := range []*State{{}, NewState(nil)} {
		if got := s.Resolve("anything"); got != (Resolution{}) {
			t.Errorf("%+v", got)
		}
		s.Load("loaded")
		if got := s.Resolve("loaded"); got.Resolution != events.ResolvedOK {
			t.Errorf("%+v", got)
		}
	}
}

func TestAnEmptyRosterKnowsThatThereAreNoTools(t *testing.T) {
	if got := NewState(NewRoster(RosterInput{})).Resolve("anything"); got.Resolution != events.ResolvedUnknown {
		t.Errorf("%+v", got)
	}
}

func TestAToolCanBeCalledFromTheStepAfterItsActivation(t *testing.T) {
	s := NewState(NewRoster(RosterInput{Tools: []Tool{{Name: "edit", Deferred: true}}}))
	check := func(when string, want events.Resolution) {
		t.Helper()
		if got := s.Resolve("edit").Resolution; got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	check("before", events.ResolvedNotActivated)
	s.LoadNext("edit")
	check("in the same message", events.ResolvedNotActivated)
	s.Step()
	check("in the next", events.ResolvedOK)
	s.Step()
	check("in the one after", events.ResolvedOK)
	s.SetRoster(NewRoster(RosterInput{Tools: []Tool{{Name: "edit", Deferred: true}, {Name: "new"}}}))
	check("under another roster", events.ResolvedOK)
	s.SetRoster(NewRoster(RosterInput{Tools: []Tool{{Name: "edit", Deferred: true, Denied: true}}}))
	check("after the permission went", events.ResolvedNotPermitted)
	s.Unload("edit")
	s.SetRoster(NewRoster(RosterInput{Tools: []Tool{{Name: "edit", Deferred: true}}}))
	check("after it was taken back", events.ResolvedNotActivated)
}

func TestWhatWasLoadedWithItsServerIsCalledByItsName(t *testing.T) {
	s := NewState(NewRoster(RosterInput{Tools: []Tool{{Name: "read", Server: "files", Deferred: true}}}))
	s.Load("mcp__files__read")
	for _, name := range []string{"read", "mcp__files__read", "files.read", "files/read", "files:read"} {
		if got := s.Resolve(name); got.Resolution != events.ResolvedOK || got.Name != "read" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAToolThatNoRosterHasIsLegalOnceLoaded(t *testing.T) {
	s := NewState(NewRoster(RosterInput{Tools: []Tool{{Name: "search"}}}))
	s.Load("found_by_search")
	if got := s.Resolve("found_by_search"); got.Resolution != events.ResolvedOK {
		t.Errorf("%+v", got)
	}
}

func TestBridgesAreUnwrapped(t *testing.T) {
	s := NewState(NewRoster(RosterInput{Tools: []Tool{
		{Name: "edit_file"}, {Name: "read", Server: "files"}, {Name: "call_tool"}, {Name: "tool_call"}, {Name: "gateway_invoke_tool"}, {Name: "call_tool", Server: "gateway"},
	}}))
	tests := []struct {
		name, call, args string
		want             Resolution
		inner            string
	}{
		{"by name", "tool_call", `{"name":"edit_file","arguments":{"a":1}}`, Resolution{events.ResolvedOK, "", "", "edit_file"}, `{"a":1}`},
		{"with arguments in a string", "call_tool", `{"tool_name":"edit_file","args":"{\"a\":1}"}`, Resolution{events.ResolvedOK, "", "", "edit_file"}, `{"a":1}`},
		{"with a server", "gateway_invoke_tool", `{"server":"files","tool":"read"}`, Resolution{events.ResolvedOK, HowQualified, "files", "read"}, ""},
		{"a bridge of a server", "mcp__gateway__call_tool", `{"name":"edit_fil"}`, Resolution{events.ResolvedGuessed, HowNear, "", "edit_file"}, ""},
		{"a bridge that names nothing", "call_tool", `{}`, Resolution{events.ResolvedOK, "", "", "call_tool"}, ""},
		{"no bridge", "edit_file", `{"name":"read"}`, Resolution{events.ResolvedOK, "", "", "edit_file"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, u := s.ResolveCall(tt.call, []byte(tt.args))
			if got != tt.want || string(u.Arguments) != tt.inner {
				t.Errorf("%+v, %+v; want %+v, %s", got, u, tt.want, tt.inner)
			}
		})
	}
}

func TestCollisionsAreReported(t *testing.T) {
	r := NewRoster(RosterInput{Tools: []Tool{{Name: "get_user"}, {Name: "x"}, {Name: "getUser"}, {Name: "get.user"}, {Name: "x"}}})
	if diff := cmp.Diff([][]string{{"get_user", "getUser", "get.user"}}, r.Collisions()); diff != "" {
		t.Error(diff)
	}
}

func TestRosterOfAnEventKnowsItsServers(t *testing.T) {
	r := RosterOf(&events.ToolRoster{
		Server: "github", NotConnected: []string{"jira"},
		Tools: []events.RosterTool{{Name: "issue_read"}, {Name: "secret", Denied: true}, {Name: "later", Deferred: true}},
	}, map[string]string{"get_issue": "issue_read"}, Settings{})
	s := NewState(r)
	for name, want := range map[string]events.Resolution{
		"issue_read": events.ResolvedOK, "mcp__github__issue_read": events.ResolvedOK, "get_issue": events.ResolvedRenamed,
		"secret": events.ResolvedNotPermitted, "later": events.ResolvedNotActivated, "jira__find": events.ResolvedNotConnected,
		"GITHUB": events.ResolvedConnectorName,
	} {
		if got := s.Resolve(name).Resolution; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	if err := DefaultSettings().Validate(); err != nil {
		t.Error(err)
	}
	bad := DefaultSettings()
	bad.LoopCalls = 1
	if bad.Validate() == nil {
		t.Error("a loop of one call passed")
	}
}

// manyTools is a roster of n tools of some servers, each third of them deferred.
func manyTools(n, servers int) *Roster {
	in := RosterInput{}
	for i := range n {
		in.Tools = append(in.Tools, Tool{
			Name: fmt.Sprintf("server%d_do_something_%d", i%servers, i), Server: fmt.Sprintf("server%d", i%servers), Deferred: i%3 == 0,
		})
	}
	return NewRoster(in)
}

func TestAnExactMatchAllocatesNothing(t *testing.T) {
	s := NewState(manyTools(10_000, 1000))
	s.Load("server6_do_something_6", "brought")
	for _, name := range []string{
		"server7_do_something_7", "server6_do_something_6", "server9_do_something_9", "mcp__server7__server7_do_something_7", "brought",
	} {
		if n := testing.AllocsPerRun(100, func() { s.Resolve(name) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	s, of1000 := NewState(manyTools(10_000, 20)), NewState(manyTools(10_000, 1000))
	for _, bb := range []struct{ name, call string }{
		{"exact", "server7_do_something_7"},
		{"qualified", "mcp__server7__server7_do_something_7"},
		{"case", "Server7_Do_Something_7"},
		{"unknown", "completely_different"},
		{"megabyte", strings.Repeat("x", 1<<20)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Resolve(bb.call)
			}
		})
		b.Run(bb.name+"_1000_servers", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				of1000.Resolve(bb.call)
			}
		})
	}
}
