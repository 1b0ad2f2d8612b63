package activation

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tooltrail/tooltrail/events"
)

func TestNamesAreGuessedRepairedOrSplitInTheWaysThatModelsDo(t *testing.T) {
	guessed := func(how, server, name string) Resolution {
		return Resolution{events.ResolvedGuessed, how, server, name}
	}
	repaired := func(how, server, name string) Resolution {
		return Resolution{events.ResolvedPrefixRepair, how, server, name}
	}
	tests := []struct {
		name   string
		roster RosterInput
		call   string
		want   Resolution
	}{
		{"another case", RosterInput{Tools: []Tool{{Name: "web_search"}}}, "WebSearch", guessed(HowCase, "", "web_search")},
		{"a word of three", RosterInput{Tools: []Tool{{Name: "central_get_sites"}}}, "central_list_sites", guessed(HowNear, "", "central_get_sites")},
		{"a doubled prefix", RosterInput{Tools: []Tool{{Name: "codegraph_codegraph_explore"}}}, "codegraph_explore", repaired(HowDoubledPrefix, "", "codegraph_codegraph_explore")},
		{"a dropped prefix", RosterInput{Tools: []Tool{{Name: "mcp__basic_memory__list_memory_projects"}}}, "list_memory_projects", repaired(HowDroppedPrefix, "", "mcp__basic_memory__list_memory_projects")},
		{"a server with a double underscore", RosterInput{Tools: []Tool{{Name: "do_thing", Server: "my__server"}}, Servers: []string{"my"}}, "mcp__my__server__do_thing", Resolution{events.ResolvedOK, HowQualified, "my__server", "do_thing"}},
		{"a prefix that two tools have", RosterInput{Tools: []Tool{{Name: "mcp__a__find"}, {Name: "mcp__b__find"}}}, "find", repaired(HowCollision, "", "")},
		{"a prefix of one of two servers", RosterInput{Tools: []Tool{{Name: "a_find", Server: "a"}, {Name: "b_find", Server: "b"}}}, "find", repaired(HowCollision, "", "")},
		{"two tools that joining makes one", RosterInput{Tools: []Tool{{Name: "b__c", Server: "a"}, {Name: "c", Server: "a__b"}}}, "mcp__a__b__c", guessed(HowCollision, "", "")},
		{"two tools that sanitising makes one", RosterInput{Tools: []Tool{{Name: "a/b"}, {Name: "a:b"}}}, "a_b", guessed(HowCollision, "", "")},
		{"two tools that case makes one", RosterInput{Tools: []Tool{{Name: "getUser"}, {Name: "get_user"}}}, "GetUser", guessed(HowCollision, "", "")},
		{"one of two servers' tools of one name", RosterInput{Tools: []Tool{{Name: "read", Server: "files"}, {Name: "read", Server: "mail"}}}, "mail.read", Resolution{events.ResolvedOK, HowQualified, "mail", "mail__read"}},
		{"a former name with its server", RosterInput{Tools: []Tool{{Name: "issue_read", Server: "github"}}, Renames: map[string]string{"get_issue": "issue_read"}}, "mcp__github__get_issue", Resolution{events.ResolvedRenamed, HowQualified, "github", "issue_read"}},
		{"a former name of another server", RosterInput{Tools: []Tool{{Name: "issue_read", Server: "github"}}, Servers: []string{"jira"}, Renames: map[string]string{"fetch": "issue_read"}}, "jira__fetch", Resolution{Resolution: events.ResolvedUnknown}},
		{"a name renamed twice", RosterInput{Tools: []Tool{{Name: "c1"}}, Renames: map[string]string{"a1": "b1", "b1": "c1"}}, "a1", Resolution{events.ResolvedRenamed, "", "", "c1"}},
		{"names renamed in a circle", RosterInput{Tools: []Tool{{Name: "c1"}}, Renames: map[string]string{"a1": "b1", "b1": "a1"}}, "a1", Resolution{events.ResolvedRenamed, "", "", "b1"}},
		{"a synonym of a former name", RosterInput{Tools: []Tool{{Name: "issue_read"}}, Renames: map[string]string{"fetch_one_ticket": "issue_read"}}, "get_one_ticket", guessed(HowRemovedSynonym, "", "issue_read")},
		{"a connector", RosterInput{Tools: []Tool{{Name: "issue_read", Server: "github"}}}, "github", Resolution{events.ResolvedConnectorName, "", "github", ""}},
		{"a connector in another case", RosterInput{Tools: []Tool{{Name: "issue_read", Server: "github"}}}, "GitHub", Resolution{events.ResolvedConnectorName, "", "github", ""}},
		{"a connector misspelt", RosterInput{Tools: []Tool{{Name: "issue_read", Server: "github"}}}, "githb", Resolution{Resolution: events.ResolvedUnknown}},
		{"a look-alike", RosterInput{Tools: []Tool{{Name: "web_search"}}}, "w\u0435b_search", guessed(HowNear, "", "web_search")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := NewState(NewRoster(tt.roster)).Resolve(tt.call); got != tt.want {
				t.Errorf("Resolve(%q) = %+v, want %+v", tt.call, got, tt.want)
			}
		})
	}
}

func TestARemovedToolIsToldFromOneThatNeverWas(t *testing.T) {
	s := NewState(NewRoster(RosterInput{Tools: []Tool{{Name: "delete_old_file", Server: "files"}, {Name: "read", Deferred: true}}}))
	s.Load("read", "found_by_search")
	s.SetRoster(NewRoster(RosterInput{Tools: []Tool{{Name: "edit"}}}))
	for call, want := range map[string]Resolution{
		"delete_old_file":       {events.ResolvedUnknown, HowRemoved, "files", "delete_old_file"},
		"files.delete_old_file": {events.ResolvedUnknown, HowRemoved, "files", "delete_old_file"},
		"remove_old_file":       {events.ResolvedGuessed, HowRemovedSynonym, "files", "delete_old_file"},
		"read":                  {events.ResolvedUnknown, HowRemoved, "", "read"},
		"found_by_search":       {events.ResolvedOK, "", "", "found_by_search"},
		"launch_rocket":         {Resolution: events.ResolvedUnknown},
	} {
		if got := s.Resolve(call); got != want {
			t.Errorf("%s: %+v, want %+v", call, got, want)
		}
	}
	s.SetRoster(NewRoster(RosterInput{Tools: []Tool{{Name: "fetch"}}, Renames: map[string]string{"read": "fetch"}}))
	if got := s.Resolve("read"); got.Resolution != events.ResolvedRenamed || got.Name != "fetch" {
		t.Errorf("a loaded tool that was renamed: %+v", got)
	}
	s.SetRoster(NewRoster(RosterInput{Tools: []Tool{{Name: "read", Deferred: true}}}))
	if !s.Loaded("read") {
		t.Error("a tool that came back is not loaded any more")
	}
}

func TestAToolThatCameByAnyLegalWayIsLegal(t *testing.T) {
	for _, way := range []events.ActivationVia{events.ViaToolSearch, events.ViaMention, events.ViaRestore, events.ViaToolAddition} {
		s := NewState(NewRoster(RosterInput{Tools: []Tool{{Name: "search"}, {Name: "later", Deferred: true}}, NotConnected: []string{"jira"}}))
		s.Load("later", "brought", "jira__find")
		for range 3 { // and stays so in later turns
			for _, name := range []string{"later", "brought"} {
				if got := s.Resolve(name); got.Resolution != events.ResolvedOK {
					t.Errorf("%s, %s: %+v", way, name, got)
				}
			}
			s.Step()
		}
		if got := s.Resolve("jira__find"); got.Resolution != events.ResolvedNotConnected {
			t.Errorf("%s of a server that has gone: %+v", way, got)
		}
	}
}

func TestWhatIsFoundInTheSameMessageIsNotLoadedYet(t *testing.T) {
	s := NewState(NewRoster(RosterInput{Tools: []Tool{{Name: "search"}}}))
	s.LoadNext("brought")
	if got := s.Resolve("brought"); got.Resolution != events.ResolvedNotActivated {
		t.Errorf("%+v", got)
	}
	s.Step()
	if got := s.Resolve("brought"); got.Resolution != events.ResolvedOK {
		t.Errorf("%+v", got)
	}
}

func TestABridgeIsJudgedAsWhatItPassesOnUnlessItIsClosed(t *testing.T) {
	roster := NewRoster(RosterInput{Tools: []Tool{
		{Name: "edit_file"}, {Name: "use_tool", Denied: true}, {Name: "run_tool", Deferred: true}, {Name: "get_digit"}, {Name: "digit", Server: "get"},
		{Name: "call_tool", Server: "gateway"},
	}})
	for _, tt := range []struct {
		call, args string
		want       Resolution
	}{
		{"tool_call", `{"name":"edit_file"}`, Resolution{events.ResolvedOK, "", "", "edit_file"}},
		{"gateway.call_tool", `{"name":"edit_file"}`, Resolution{events.ResolvedOK, "", "", "edit_file"}},
		{"gateway_invoke_tool", `{"server":"unheard","tool":"edit_file"}`, Resolution{events.ResolvedOK, "", "", "edit_file"}},
		{"gateway_invoke_tool", `{"server":"git","tool":"get_digit"}`, Resolution{events.ResolvedOK, "", "", "get_digit"}},
		{"gateway_invoke_tool", `{"server":"get","tool":"digit"}`, Resolution{events.ResolvedOK, HowQualified, "get", "digit"}},
		{"use_tool", `{"name":"edit_file"}`, Resolution{events.ResolvedNotPermitted, "", "", "use_tool"}},
		{"run_tool", `{"name":"edit_file"}`, Resolution{events.ResolvedNotActivated, "", "", "run_tool"}},
	} {
		t.Run(fmt.Sprint(tt.call, tt.args), func(t *testing.T) {
			if got, _ := NewState(roster).ResolveCall(tt.call, []byte(tt.args)); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestNamesArePrintedWithoutControlCharacters(t *testing.T) {
	for _, name := range []string{"", "a\x00b", "\x1b[31mred", "two\nlines\r", "\xff\xfe", strings.Repeat("é", 1<<19)} {
		if p := printable(name); !utf8.ValidString(p) || strings.ContainsAny(p, "\x00\x1b\n\r") || len(p) > 2*maxName {
			t.Errorf("%.40q is printed as %.200q", name, p)
		}
	}
}
