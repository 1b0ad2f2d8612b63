package activation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

func TestACallInsideABridgeCountsUnderTheNameThatTheBridgeWasAskedFor(t *testing.T) {
	bridged := func(r events.Resolution, given, meant string) *events.ToolCall {
		c := call("c", "call_tool", given, r, events.OutcomeExecutionError)
		c.Bridge, c.BridgedName, c.ResolvedName = "call_tool", given, meant
		return c
	}
	all := []struct {
		call *events.ToolCall
		want activation.Name
	}{
		{bridged(events.ResolvedGuessed, "WebSerch", "web_search"), activation.Name{Called: "WebSerch", Meant: "web_search"}},
		{bridged(events.ResolvedPrefixRepair, "web/search", "web_search"), activation.Name{Called: "web/search", Meant: "web_search"}},
		{bridged(events.ResolvedNotActivated, "", "edit_file"), activation.Name{Called: "edit_file"}},
		{bridged(events.ResolvedUnknown, "", "launch"), activation.Name{Called: "launch"}},
		{bridged(events.ResolvedGuessed, "", "find"), activation.Name{Called: "call_tool", Meant: "find"}}, // from a sender that does not give it
	}
	var l log
	want, titles := map[string][]activation.Name{}, map[string][]string{}
	for _, tt := range all {
		l.add(tt.call)
		tt.want.Count, tt.want.Tokens, tt.want.Conversations, tt.want.Models = 1, 100, 1, []string{}
		rule := string(tt.call.Resolution)
		want[rule] = append(want[rule], tt.want)
		titles[rule] = append(titles[rule], tt.want.Called)
	}
	r, found := stored(t, l)
	for rule, names := range want {
		if diff := cmp.Diff(names, r.Rules[rule].Names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
		for i, called := range titles[rule] {
			if f := found[rule][i]; !strings.HasPrefix(f.Title, called+" was called") || f.Subject.Tool != called {
				t.Errorf("found %+v", f)
			}
		}
	}
}

func TestACallOfOneNameCountsOnceWhetherABridgeWasAskedOrNot(t *testing.T) {
	inside := call("c", "call_tool", "1", events.ResolvedUnknown, events.OutcomeExecutionError)
	inside.Bridge, inside.ResolvedName = "call_tool", "launch"
	var l log
	l.add(call("c", "launch", "1", events.ResolvedUnknown, events.OutcomeExecutionError), inside)
	r, _ := stored(t, l)
	if n := r.Rules["unknown"].Names; len(n) != 1 || n[0].Called != "launch" || n[0].Count != 2 || n[0].Meant != "" {
		t.Errorf("names %+v", n)
	}
}

func TestALoopThroughABridgeHasTheNameOfTheToolInsideIt(t *testing.T) {
	var l log
	for range 3 {
		c := call("c", "call_tool", "1", events.ResolvedGuessed, events.OutcomeExecutionError)
		c.Bridge, c.BridgedName, c.ResolvedName = "call_tool", "WebSerch", "web_search"
		l.add(c)
	}
	r, found := stored(t, l)
	if len(r.Loops) != 1 || r.Loops[0].Tool != "web_search" || r.Loops[0].Calls != 3 {
		t.Errorf("loops %+v", r.Loops)
	}
	if f := found["loop"]; len(f) != 1 || !strings.Contains(f[0].Title, "web_search") {
		t.Errorf("found %+v", f)
	}
}

func TestWhatABridgeWasAskedForIsStampedAndCut(t *testing.T) {
	long := strings.Repeat("n", 5000)
	for _, tt := range []struct{ arguments, meant, bridged string }{
		{`{"name":"edit_file"}`, "edit_file", ""},
		{`{"name":"EditFile"}`, "edit_file", "EditFile"},
		{`{"tool":"EditFile","server":"files"}`, "files/EditFile", ""},
		{`{"tool":"edit_file","server":"files"}`, "edit_file", "files/edit_file"},
		{`{"name":"launch"}`, "launch", ""},
		{`{"name":"` + long + `"}`, activation.EventName(long), ""},
		{`{"name":"files__` + long + `"}`, activation.EventName("files__" + long), ""},
		{`{"path":"a"}`, "", ""},
	} {
		var r activation.Replay
		r.AddRoster(rosterAt(turn(1, 0), activation.Tool{Name: "edit_file", Server: "files"}))
		j := r.Judge(&activation.ReplayCall{Moment: turn(1, 1), Name: "call_tool", Arguments: []byte(tt.arguments)}, nil)
		c := events.ToolCall{ToolName: "call_tool"}
		j.Stamp(&c)
		if got, want := []string{c.ResolvedName, c.BridgedName}, []string{tt.meant, tt.bridged}; !slices.Equal(got, want) {
			t.Errorf("%.60s: %.60q, want %.60q", tt.arguments, got, want)
		}
	}
}
