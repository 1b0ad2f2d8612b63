package activation

import (
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

func TestResolveLooksNamesUpInTheOrderOfTheDesign(t *testing.T) {
	r := NewRoster(RosterInput{
		Tools: []Tool{
			{Name: "web_search"},
			{Name: "central_get_sites"},
			{Name: "codegraph_codegraph_explore"},
			{Name: "edit_file", Deferred: true},
			{Name: "mcp__basic_memory__list_memory_projects"},
			{Name: "do_thing", Server: "my__server"},
			{Name: "mcp__github__issue_read", Server: "github"},
			{Name: "mcp__jira__find", Server: "jira"},
			{Name: "rm", Denied: true},
			{Name: "a-b"}, {Name: "a_b"},
		},
		Servers:      []string{"my"},
		NotConnected: []string{"jira"},
		Renames:      map[string]string{"get_issue": "issue_read", "web_search": "other"},
	})
	s := NewState(r)
	tests := []struct {
		name, call string
		want       Resolution
	}{
		{"an exact name", "web_search", Resolution{events.ResolvedOK, "", "", "web_search"}},
		{"a name with its server", "mcp__my__server__do_thing", Resolution{events.ResolvedOK, HowQualified, "my__server", "do_thing"}},
		{"a name with its server and a dot", "my__server.do_thing", Resolution{events.ResolvedOK, HowQualified, "my__server", "do_thing"}},
		{"a name not loaded yet", "edit_file", Resolution{events.ResolvedNotActivated, "", "", "edit_file"}},
		{"a former name", "get_issue", Resolution{events.ResolvedRenamed, "", "", "issue_read"}},
		{"a tool of a server that is away", "mcp__jira__find", Resolution{events.ResolvedNotConnected, "", "jira", "mcp__jira__find"}},
		{"any tool of a server that is away", "mcp__jira__other", Resolution{events.ResolvedNotConnected, "", "jira", "other"}},
		{"a tool that is denied", "rm", Resolution{events.ResolvedNotPermitted, "", "", "rm"}},
		{"a connector's name", "GitHub", Resolution{events.ResolvedConnectorName, "", "github", ""}},
		{"a dropped prefix", "list_memory_projects", Resolution{events.ResolvedPrefixRepair, HowDroppedPrefix, "", "mcp__basic_memory__list_memory_projects"}},
		{"a dropped prefix of a known server", "issue_read", Resolution{events.ResolvedPrefixRepair, HowDroppedPrefix, "github", "mcp__github__issue_read"}},
		{"a doubled prefix in the roster", "codegraph_explore", Resolution{events.ResolvedPrefixRepair, HowDoubledPrefix, "", "codegraph_codegraph_explore"}},
		{"a doubled prefix in the call", "web_web_search", Resolution{events.ResolvedPrefixRepair, HowDoubledPrefix, "", "web_search"}},
		{"another case", "WebSearch", Resolution{events.ResolvedGuessed, HowCase, "", "web_search"}},
		{"another separator", "web-search", Resolution{events.ResolvedGuessed, HowSeparator, "", "web_search"}},
		{"two names that become one", "a.b", Resolution{events.ResolvedGuessed, HowCollision, "", ""}},
		{"a near name", "central_list_sites", Resolution{events.ResolvedGuessed, HowNear, "", "central_get_sites"}},
		{"a connector's name misspelt", "githb", Resolution{Resolution: events.ResolvedUnknown}},
		{"nothing like it", "launch_rocket", Resolution{Resolution: events.ResolvedUnknown}},
		{"no name", "", Resolution{Resolution: events.ResolvedUnknown}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := s.Resolve(tt.call); got != tt.want {
				t.Errorf("Resolve(%q) = %+v, want %+v", tt.call, got, tt.want)
			}
		})
	}
}
