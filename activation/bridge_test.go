package activation

import (
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

// bridgeState has a bridge, a tool that can be called, a tool of each kind that can't, and a denied tool of a server.
func bridgeState() *State {
	return NewState(NewRoster(RosterInput{Tools: []Tool{
		{Name: "call_tool"}, {Name: "read_file"}, {Name: "delete_all", Denied: true}, {Name: "lazy_tool", Deferred: true},
		{Name: "del"}, {Name: "B_del", Server: "B", Denied: true}, {Name: "gone_tool", Server: "away"},
	}, NotConnected: []string{"away"}}))
}

func TestABridgeReachesNoToolThatCanNotBeCalled(t *testing.T) {
	for args, want := range map[string]Reason{
		`{"name":"delete_all"}`:                                  ReasonNotPermitted,
		`{"name":"call_tool","arguments":{"name":"delete_all"}}`: ReasonNotPermitted,
		`{"name":"call_tool","arguments":"{\"tool_name\":\"call_tool\",\"args\":{\"name\":\"delete_all\"}}"}`: ReasonNotPermitted,
		`{"name":"call_tool","arguments":{"name":"read_file"},"args":{"name":"delete_all"}}`:                  ReasonNotPermitted,
		`{"name":"delete_all","tool_name":5}`:                                                                 ReasonNotPermitted,
		`{"name":"delete_all","server":{"x":1}}`:                                                              ReasonNotPermitted,
		`{"name":"delete_all","tool_name":"read_file"}`:                                                       ReasonNotPermitted,
		`{"name":"read_file","name":"delete_all"}`:                                                            ReasonNotPermitted,
		`"{\"name\":\"delete_all\"}"`:                                                                         ReasonNotPermitted,
		`"\"{\\\"name\\\":\\\"delete_all\\\"}\""`:                                                             ReasonNotPermitted,
		`[{"name":"delete_all"}]`:                                                                             ReasonNotPermitted,
		`{"name":["delete_all"]}`:                                                                             ReasonNotPermitted,
		`{"Name":"delete_all"}`:                                                                               ReasonNotPermitted,
		`{"tool":{"name":"delete_all"}}`:                                                                      ReasonNotPermitted,
		`{"tool":"{\"name\":\"delete_all\"}","name":"read_file"}`:                                             ReasonNotPermitted,
		`{"function":{"name":"delete_all","arguments":"{}"}}`:                                                 ReasonNotPermitted,
		`{"tool_calls":[{"name":"delete_all"}]}`:                                                              ReasonNotPermitted,
		`{"params":{"name":"delete_all"}}`:                                                                    ReasonNotPermitted,
		`{"id":"delete_all"}`:                                                                                 ReasonNotPermitted,
		`{"delete_all":{}}`:                                                                                   ReasonNotPermitted,
		`{"name":"delete_all"`:                                                                                ReasonNotPermitted,
		`{"name":" delete_all"}`:                                                                              ReasonUnknown,
		`{"server":"B","name":"del"}`:                                                                         ReasonNotPermitted,
		`{"server":"B","name":"B_del"}`:                                                                       ReasonNotPermitted,
		`{"server":"b","name":"del"}`:                                                                         ReasonUnknown,
		`{"server":{"name":"B"},"name":"del"}`:                                                                ReasonNotPermitted,
		`{"server":" B","name":"del"}`:                                                                        ReasonNotPermitted,
		`{"name":"lazy_tool"}`:                                                                                ReasonNotActivated,
		`{"name":"read_file","tool":"gone_tool"}`:                                                             ReasonNotConnected,
		`{"name":5}`:          ReasonUnknown,
		`{"name":"read_file"`: ReasonUnknown,
		`{"tool":{"id":7}}`:   ReasonUnknown,
		`[]`:                  ReasonUnknown,
		`5`:                   ReasonUnknown,
		`delete_all`:          ReasonUnknown,
		`{"name":["read_file","read_file2","delete_all"]}`:                                                        ReasonNotPermitted,
		strings.Repeat(`{"name":"call_tool","arguments":`, 40) + `{"name":"read_file"}` + strings.Repeat("}", 40): ReasonUnknown,
		strings.Repeat(`{"tool":`, 40) + `"delete_all"` + strings.Repeat("}", 40):                                 ReasonNotPermitted,
	} {
		if no := bridgeState().Refuse("call_tool", []byte(args)); no == nil || no.Reason != want {
			t.Errorf("%.100s: %+v, want %s", args, no, want)
		}
	}
}

func TestABridgeWithOddAndLegalArgumentsIsLetPass(t *testing.T) {
	for _, args := range []string{
		`{"name":"read_file"}`, `{"name":"read_file","arguments":{"name":"delete_all"}}`, `{"tool_name":"read_file","name":"read_file"}`,
		`{"name":"read_file","tool_name":5}`, `{"name":"read_file","tool_name":null,"tool":""}`, `{"tool":"read_file","name":"My notes"}`,
		`{"tool":"read_file","name":"B"}`, `{"tool":{"name":"read_file"},"params":"{}"}`, `{"server":"elsewhere","name":"read_file"}`,
		`{"server":null,"name":"read_file"}`, `{"server":3,"name":"read_file"}`, `{"name":"call_tool","arguments":{"name":"read_file"}}`,
		`"{\"name\":\"read_file\"}"`, `{}`, `{"path":"a","n":1}`, `null`, ``, `{"name":"read_file","input":{"tool":"lazy_tool"}}`, `{"tool":"read_file","name":"Read File"}`,
	} {
		s := bridgeState()
		res, u := s.ResolveCall("call_tool", []byte(args))
		if no := s.RefusalOfCall("call_tool", res, u); no != nil || res.Resolution != events.ResolvedOK {
			t.Errorf("%s: %+v, refused: %v", args, res, no)
		}
	}
}

func TestNothingIsSaidOfABridgesCallThatCanBeReadInSeveralWays(t *testing.T) {
	for _, args := range []string{
		`{"name":"delete_all","tool_name":"read_file"}`, `{"name":5}`, `[]`, `{"id":"lazy_tool"}`, `{"name":"delete_all"`, `{"tool":"lazy_tool","name":"delete_all"}`,
	} {
		res, u := bridgeState().ResolveCall("call_tool", []byte(args))
		if res != (Resolution{}) || u.Bridge != "" || u.Name != "" {
			t.Errorf("%s: %+v, %+v", args, res, u)
		}
	}
}

func TestWhereEveryToolCanBeCalledNothingOfABridgeIsRefused(t *testing.T) {
	for _, args := range []string{`{"name":5}`, `[]`, `5`, `{"name":"read_file"`, `{"tool":"read_file","name":"readfile"}`, `{"name":["read_file","x"]}`} {
		s := NewState(NewRoster(RosterInput{Tools: []Tool{{Name: "call_tool"}, {Name: "read_file"}}}))
		if no := s.Refuse("call_tool", []byte(args)); no != nil {
			t.Errorf("%s: %v", args, no)
		}
	}
}

func TestABridgeThatIsNotThereIsNoBridge(t *testing.T) {
	args := []byte(`{"name":"read_file"}`)
	for _, name := range []string{"nosuch.server/call_tool", "evil__call_tool", "mcp__evil__run_tool", "B/call_tool"} {
		if no := bridgeState().Refuse(name, args); no == nil || no.Reason != ReasonUnknown {
			t.Errorf("%s: %+v", name, no)
		}
	}
	beside := NewState(NewRoster(RosterInput{Tools: []Tool{{Name: "read_file"}, {Name: "mcp__gate__run_tool", Server: "gate"}}}))
	for _, name := range []string{"call_tool", "mcp__gate__run_tool", "gate/run_tool"} {
		if no := beside.Refuse(name, args); no != nil {
			t.Errorf("%s: %v", name, no)
		}
	}
}

func TestACallThatIsNotClearIsRefusedWithATextOfItsOwn(t *testing.T) {
	want := `The call of "call_tool" does not say clearly which tool it means. Give one tool's exact name, as text and once.`
	if no := bridgeState().Refuse("call_tool", []byte(`{"name":5}`)); no == nil || no.Error() != want {
		t.Errorf("%v", no)
	}
}

func TestABridgeThatWasTakenAwayIsNotThere(t *testing.T) {
	s := bridgeState()
	s.SetRoster(NewRoster(RosterInput{Tools: []Tool{{Name: "read_file"}}}))
	if no := s.Refuse("call_tool", []byte(`{"name":"read_file"}`)); no == nil || no.Reason != ReasonUnknown {
		t.Errorf("%+v", no)
	}
}
