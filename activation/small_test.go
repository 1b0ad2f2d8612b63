package activation_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// The small inputs: each is a roster of a line, a call or two, and what has to be said of them. The package e2e sends the same inputs through a
// client, NATS, the ingester and the engine, and reads them from the report.

// agent is one conversation of a small input: what it knows, and the calls that it made.
type agent struct {
	t      *testing.T
	state  *activation.State
	loader *activation.Loader
	calls  []*events.ToolCall
}

// newAgent starts a conversation whose tools, those named last, have to be loaded.
func newAgent(t *testing.T, in activation.RosterInput, deferred ...activation.Tool) *agent {
	t.Helper()
	for _, tool := range deferred {
		tool.Deferred = true
		in.Tools = append(in.Tools, tool)
	}
	a := &agent{t: t, state: activation.NewState(activation.NewRoster(in))}
	if len(deferred) > 0 {
		var err error
		if a.loader, err = activation.NewLoader(a.state, activation.Checks{}); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// call looks a call up as the gate does, checks that its refusal names no tool that the model did not name, and keeps its event.
func (a *agent) call(name, arguments string) activation.Resolution {
	a.t.Helper()
	res, bridge := a.state.ResolveCall(name, []byte(arguments))
	e := &events.ToolCall{
		Context: about("small", "priced", "c"), ToolName: name, Resolution: res.Resolution, ResolutionHow: res.How, Server: res.Server,
		ResolvedName: res.Name, Bridge: bridge.Bridge, BridgedName: bridge.BridgedName(res.Name), Outcome: events.OutcomeOK,
		ArgumentsDigest: events.Digester{}.Short([]byte(arguments)), InputTokens: events.Tokens(90), OutputTokens: events.Tokens(10),
	}
	if refusal := a.state.Refuse(name, []byte(arguments)); refusal != nil {
		e.Outcome, e.ErrorType = events.OutcomeRefused, string(refusal.Reason)
		if refusal.Name == name {
			a.namesNoOther(name, refusal.Error())
		}
	}
	a.calls = append(a.calls, e)
	return res
}

// namesNoOther fails where a text for the model has the name of a tool that the model did not give.
func (a *agent) namesNoOther(name, text string) {
	a.t.Helper()
	for _, tool := range a.state.Roster().Tools() {
		if tool.Name != name && strings.Contains(text, tool.Name) {
			a.t.Errorf("the model called %s and is told of %s: %s", name, tool.Name, text)
		}
	}
}

// want fails unless a call was looked up as it should be.
func (a *agent) want(got, want activation.Resolution) {
	a.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		a.t.Error(diff)
	}
}

func named(names ...string) activation.RosterInput {
	var in activation.RosterInput
	for _, n := range names {
		in.Tools = append(in.Tools, activation.Tool{Name: n})
	}
	return in
}

func TestSmallAnotherCaseThreeTimesIsGuessedAndALoop(t *testing.T) {
	a := newAgent(t, named("web_search"))
	var l log
	for range 3 {
		a.want(a.call("WebSearch", `{"query":"weather"}`), activation.Resolution{Resolution: events.ResolvedGuessed, How: activation.HowCase, Name: "web_search"})
	}
	for _, c := range a.calls {
		l.add(c)
	}
	r, found := stored(t, l)
	if diff := cmp.Diff(map[string]uint64{"guessed": 3, "loop": 1}, counted(&r)); diff != "" {
		t.Error(diff)
	}
	if len(found) != 2 || len(found["guessed"]) != 1 || len(found["loop"]) != 1 {
		t.Errorf("found %+v", found)
	}
	if loop := r.Rules["loop"]; loop.Tokens != 300 || loop.Agents[0].Name != "small" || loop.Models[0].Name != "priced" || loop.Worst[0].Name != "c" {
		t.Errorf("loop %+v", loop)
	}
}

func TestSmallAnotherVerbIsANearGuess(t *testing.T) {
	a := newAgent(t, named("central_get_sites"))
	a.want(a.call("central_list_sites", `{}`), activation.Resolution{Resolution: events.ResolvedGuessed, How: activation.HowNear, Name: "central_get_sites"})
}

func TestSmallAPrefixThatTheRosterDoublesIsRepaired(t *testing.T) {
	a := newAgent(t, named("codegraph_codegraph_explore"))
	a.want(a.call("codegraph_explore", `{}`), activation.Resolution{
		Resolution: events.ResolvedPrefixRepair, How: activation.HowDoubledPrefix, Name: "codegraph_codegraph_explore",
	})
}

func TestSmallAPrefixThatTheModelDropsIsRepaired(t *testing.T) {
	a := newAgent(t, named("mcp__basic_memory__list_memory_projects"))
	a.want(a.call("list_memory_projects", `{}`), activation.Resolution{
		Resolution: events.ResolvedPrefixRepair, How: activation.HowDroppedPrefix, Name: "mcp__basic_memory__list_memory_projects",
	})
}

func TestSmallAServerWithADoubleUnderscoreIsSplitByItsName(t *testing.T) {
	tools := []activation.Tool{{Name: "do_thing", Server: "my__server"}}
	for _, others := range [][]string{nil, {"my"}, {"server"}, {"my", "my__server__do"}} {
		a := newAgent(t, activation.RosterInput{Tools: tools, Servers: others})
		a.want(a.call("mcp__my__server__do_thing", `{}`), activation.Resolution{
			Resolution: events.ResolvedOK, How: activation.HowQualified, Server: "my__server", Name: "do_thing",
		})
		if a.calls[0].Outcome != events.OutcomeOK {
			t.Errorf("beside %v: %+v", others, a.calls[0])
		}
	}
}

func TestSmallACallBeforeItsActivationIsOneNotActivatedAndNoErrorOfTheTool(t *testing.T) {
	a := newAgent(t, activation.RosterInput{}, activation.Tool{Name: "edit_file", Server: "files"})
	for _, step := range []struct {
		what string
		then events.Resolution
		do   func()
	}{
		{"before", events.ResolvedNotActivated, func() {}},
		{"in the same message", events.ResolvedNotActivated, func() {
			if out := a.loader.Load("edit_file"); !slices.Equal(out.Names, []string{"edit_file"}) {
				t.Errorf("loaded %+v", out)
			}
		}},
		{"in the next message", events.ResolvedOK, a.state.Step},
		{"and later", events.ResolvedOK, func() { a.state.Step(); a.state.Step() }},
	} {
		step.do()
		if got := a.call("edit_file", `{"wrong":`+"1}"); got.Resolution != step.then {
			t.Errorf("%s: %+v", step.what, got)
		}
	}
	one := []*events.ToolCall{a.calls[0], a.calls[2]}
	var l log
	for _, c := range one {
		if len(c.ValidationErrors) > 0 {
			t.Errorf("validation errors %+v", c.ValidationErrors)
		}
		l.add(c)
	}
	r, _ := stored(t, l)
	if diff := cmp.Diff(map[string]uint64{"not_activated": 1}, counted(&r)); diff != "" {
		t.Error(diff)
	}
}

// TestSmallACallBeforeItsActivationDoesNotAdvanceTheBreaker has two validation errors, then calls before an activation whose arguments
// would not fit either, then a third error: the third alone disables.
func TestSmallACallBeforeItsActivationDoesNotAdvanceTheBreaker(t *testing.T) {
	b := drift.NewBreaker(drift.DefaultBreakerSettings())
	seq := uint64(0)
	feed := func(r events.Resolution, o events.Outcome) (drift.Fed, *drift.Decision) {
		seq++
		c := &events.ToolCall{ToolName: "edit_file", Server: "files", Resolution: r, Outcome: o, ActiveVersion: "v1", ValidationErrors: []events.ValidationError{{Path: "/wrong"}}}
		call := drift.BreakerCallOf([16]byte{byte(seq)}, time.Unix(int64(seq), 0), c, drift.Place{Epoch: "e", Seq: seq}, time.Unix(int64(seq), 0))
		return b.Feed(&call)
	}
	const ok, early = events.ResolvedOK, events.ResolvedNotActivated
	for i, step := range []struct {
		r       events.Resolution
		o       events.Outcome
		counted drift.Fed
		decides bool
	}{
		{ok, events.OutcomeValidationError, drift.FedCounted, false},
		{ok, events.OutcomeValidationError, drift.FedCounted, false},
		{early, events.OutcomeRefused, drift.FedIgnored, false},
		{early, events.OutcomeValidationError, drift.FedIgnored, false},
		{early, events.OutcomeExecutionError, drift.FedIgnored, false},
		{ok, events.OutcomeValidationError, drift.FedCounted, true},
	} {
		if fed, decision := feed(step.r, step.o); fed != step.counted || (decision != nil) != step.decides {
			t.Errorf("call %d, %s: fed %d, decision %+v", i+1, step.r, fed, decision)
		}
	}
}

func TestSmallABridgeIsJudgedAsTheToolThatItCalls(t *testing.T) {
	a := newAgent(t, named("edit_file"), activation.Tool{Name: "write_file"})
	a.want(a.call("tool_call", `{"name":"edit_file","arguments":{"path":"a"}}`), activation.Resolution{Resolution: events.ResolvedOK, Name: "edit_file"})
	a.want(a.call("tool_call", `{"name":"write_file"}`), activation.Resolution{Resolution: events.ResolvedNotActivated, Name: "write_file"})
	a.want(a.call("tool_call", `{"name":"EditFile"}`), activation.Resolution{Resolution: events.ResolvedGuessed, How: activation.HowCase, Name: "edit_file"})
	for i, bridged := range []string{"", "", "EditFile"} {
		if c := a.calls[i]; c.Bridge != "tool_call" || c.ResolvedName == "" || c.BridgedName != bridged {
			t.Errorf("the event %+v, want the name %q given to the bridge", c, bridged)
		}
	}
}

// TestSmallAskingForAConnectorListsItsToolsAndAMisspeltOneHasNoCandidates asks the loader for a connector by its name, in another case, and misspelt.
func TestSmallAskingForAConnectorListsItsToolsAndAMisspeltOneHasNoCandidates(t *testing.T) {
	tools := []activation.Tool{{Name: "issue_write", Server: "github"}, {Name: "issue_read", Server: "github"}, {Name: "page_read", Server: "wiki"}}
	for _, tt := range []struct {
		asks string
		want activation.Refused
		text string
	}{
		{
			"github", activation.Refused{Name: "github", Reason: events.RefusedConnectorName, Server: "github", Tools: []string{"issue_read", "issue_write"}},
			`"github" is a connector, not a tool. Load its tools by their names: issue_read, issue_write.`,
		},
		{
			"GitHub", activation.Refused{Name: "GitHub", Reason: events.RefusedConnectorName, Server: "github", Tools: []string{"issue_read", "issue_write"}},
			`"GitHub" is a connector, not a tool. Load its tools by their names: issue_read, issue_write.`,
		},
		{
			"githb", activation.Refused{Name: "githb", Reason: events.RefusedUnknown},
			`"githb" was not loaded: there is no such tool. Load only tools that are listed, by their exact names.`,
		},
	} {
		t.Run(tt.asks, func(t *testing.T) {
			a := newAgent(t, activation.RosterInput{}, tools...)
			out := a.loader.Load(tt.asks)
			if diff := cmp.Diff([]activation.Refused{tt.want}, out.Refused); diff != "" || len(out.Names) > 0 {
				t.Errorf("loaded %v; %s", out.Names, diff)
			}
			if got := out.Text(); got != tt.text {
				t.Errorf("the model reads %s", got)
			}
			called := a.call(tt.asks, `{}`)
			want := activation.Resolution{Resolution: events.ResolvedConnectorName, Server: "github"}
			if tt.want.Reason == events.RefusedUnknown {
				want = activation.Resolution{Resolution: events.ResolvedUnknown}
			}
			a.want(called, want)
		})
	}
}
