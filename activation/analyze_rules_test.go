package activation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// about says whose an event is.
func about(agent, model, conversation string) events.Context {
	return events.Context{AgentName: agent, ProviderName: "maker", RequestModel: model, ConversationID: conversation}
}

// dollars are prices of one model: 2 dollars a million tokens of input, 10 of output.
func dollars(provider, model string, _ time.Time) (input, output float64, known bool) {
	return 2, 10, provider == "maker" && model == "priced"
}

// stored analyzes events with prices.
func stored(t *testing.T, l log) (activation.Report, map[string][]finding.Finding) {
	t.Helper()
	db := openStore(t)
	storetest.Insert(t, db, l)
	r, all, err := activation.Analyze(t.Context(), db, finding.Window{}, activation.DefaultSettings(), dollars)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]finding.Finding{}
	for _, f := range all {
		if f.Fingerprint == "" || f.Title == "" || f.Action == "" {
			t.Errorf("unfinished finding %+v", f)
		}
		found[f.Rule] = append(found[f.Rule], f)
	}
	for name, rule := range r.Rules {
		if (rule.Action != "") != (rule.Count > 0) {
			t.Errorf("%s was broken %d times, what to do: %q", name, rule.Count, rule.Action)
		}
	}
	return r, found
}

// counted returns the counts of the rules that were broken.
func counted(r *activation.Report) map[string]uint64 {
	counts := map[string]uint64{}
	for name, rule := range r.Rules {
		if rule.Count > 0 {
			counts[name] = rule.Count
		}
	}
	return counts
}

func TestARuleSaysWhoBrokeItHowAndWhatItCost(t *testing.T) {
	var l log
	wrong := func(agent, model, conversation, name, how, meant string) {
		c := call(conversation, name, name, events.ResolvedGuessed, events.OutcomeExecutionError)
		c.Context, c.ResolutionHow, c.ResolvedName = about(agent, model, conversation), how, meant
		c.InputTokens, c.OutputTokens = events.Tokens(1_000_000), events.Tokens(100_000)
		l.add(c)
	}
	wrong("a", "priced", "c1", "WebSearch", activation.HowCase, "web_search")
	wrong("a", "priced", "c1", "WebSearch", activation.HowCase, "web_search")
	wrong("a", "other", "c2", "web_searcher", activation.HowNear, "web_search")
	wrong("b", "priced", "c3", "WebSearch", activation.HowCase, "web_search")
	r, _ := stored(t, l)
	cost := 9.0
	want := activation.Parts{
		Conversations: 3,
		Agents:        []activation.Part{{Name: "a", Count: 3, Tokens: 3_300_000}, {Name: "b", Count: 1, Tokens: 1_100_000}},
		Models:        []activation.Part{{Name: "priced", Count: 3, Tokens: 3_300_000}, {Name: "other", Count: 1, Tokens: 1_100_000}},
		Worst: []activation.Part{
			{Name: "c1", Count: 2, Tokens: 2_200_000}, {Name: "c2", Count: 1, Tokens: 1_100_000}, {Name: "c3", Count: 1, Tokens: 1_100_000},
		},
		Hows:           []activation.Part{{Name: "case", Count: 3, Tokens: 3_300_000}, {Name: "near", Count: 1, Tokens: 1_100_000}},
		CostUSD:        &cost,
		UnpricedTokens: 1_100_000,
	}
	got := r.Rules["guessed"].Parts
	got.Action = ""
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
}

func TestThreeGuessesInARowAreALoopWithItsTokensAndMoney(t *testing.T) {
	s := activation.NewState(activation.NewRoster(activation.RosterInput{Tools: []activation.Tool{{Name: "web_search"}}}))
	var l log
	for range 3 {
		res := s.Resolve("WebSearch")
		c := call("c", "WebSearch", "q", res.Resolution, events.OutcomeExecutionError)
		c.Context, c.ResolutionHow, c.ResolvedName = about("a", "priced", "c"), res.How, res.Name
		c.InputTokens, c.OutputTokens = events.Tokens(500_000), events.Tokens(100_000)
		l.add(c)
	}
	r, found := stored(t, l)
	if diff := cmp.Diff(map[string]uint64{"guessed": 3, "loop": 1}, counted(&r)); diff != "" {
		t.Error(diff)
	}
	if h := r.Rules["guessed"].Hows; len(h) != 1 || h[0].Name != "case" {
		t.Errorf("how: %+v", h)
	}
	loop := r.Rules["loop"]
	if loop.Tokens != 1_800_000 || loop.CostUSD == nil || *loop.CostUSD != 6 || loop.Worst[0].Name != "c" || loop.Agents[0].Name != "a" {
		t.Errorf("loop %+v", loop)
	}
	if len(r.Loops) != 1 || r.Loops[0].Calls != 3 || *r.Loops[0].CostUSD != 6 || r.Loops[0].Model != "priced" {
		t.Errorf("loops %+v", r.Loops)
	}
	if len(found["loop"]) != 1 || len(found["guessed"]) != 1 {
		t.Errorf("found %+v", found)
	}
}

// activates makes an activation in an answer of a model.
func activates(conversation string, turn int64, via events.ActivationVia, loaded []string, refused ...events.RefusedTool) *events.Activation {
	a := &events.Activation{
		Context: about("a", "priced", conversation), Via: via, Asked: loaded, Loaded: loaded, Refused: refused,
		InputTokens: events.Tokens(1000), OutputTokens: events.Tokens(50),
	}
	a.Turn = turn
	return a
}

func TestActivationsThatFollowOneAnotherOrLoadNothingAreSaid(t *testing.T) {
	const tool, search = events.ViaActivationTool, events.ViaToolSearch
	var l log
	l.add(
		activates("c1", 1, tool, []string{"x"}), activates("c1", 2, search, []string{"y"}), activates("c1", 3, tool, []string{"z"}), // two too many
		activates("c1", 5, tool, []string{"w"}),                                          // after work
		activates("c2", 1, tool, []string{"x"}), activates("c2", 1, tool, []string{"y"}), // one answer
		activates("c3", 0, tool, []string{"x"}), activates("c3", 0, tool, []string{"y"}), // not known which
		activates("c4", 1, events.ViaMention, []string{"x"}), activates("c4", 2, events.ViaRestore, []string{"y"}), // not by the model
		activates("c5", 1, tool, nil, events.RefusedTool{Name: "githb", Reason: events.RefusedUnknown}),
		activates("c5", 4, tool, nil, events.RefusedTool{Name: "x", Reason: events.RefusedAlreadyLoaded}), // nothing missing
		activates("c6", 1, tool, []string{"x"}, events.RefusedTool{Name: "rm", Reason: events.RefusedNotPermitted}),
	)
	r, found := stored(t, l)
	delete(r.Rules, "never_called")
	want := map[string]uint64{"activation_round_trips": 2, "activation_failed": 1, "activation_refused": 2, "repeated_activation": 1}
	got := counted(&r)
	delete(got, "repeated_activation") // "x" of c5 was loaded before the window
	delete(want, "repeated_activation")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	trips := r.Rules["activation_round_trips"]
	if trips.Tokens != 2100 || trips.CostUSD == nil || trips.Worst[0].Name != "c1" || trips.Agents[0].Count != 2 {
		t.Errorf("round trips %+v", trips)
	}
	if f := found["activation_round_trips"]; len(f) != 1 || f[0].Title != "a asked for tools 2 times in the answer right after one that did" {
		t.Errorf("round trips %+v", f)
	}
	if f := found["activation_failed"]; len(f) != 1 || f[0].Title != "An activation loaded nothing of what was asked for" {
		t.Errorf("failed %+v", f)
	}
	hows := r.Rules["activation_refused"].Hows
	if diff := cmp.Diff([]activation.Part{{Name: "not_permitted", Count: 1}, {Name: "unknown", Count: 1}}, hows); diff != "" {
		t.Error(diff)
	}
}

func TestLoadsSayWhoLoadedAgainAndNeverCalled(t *testing.T) {
	var l log
	l.add(
		activates("c1", 1, events.ViaActivationTool, []string{"files__read", "idle"}),
		activates("c1", 4, events.ViaActivationTool, []string{"files__read"}),
		activates("c2", 1, events.ViaActivationTool, []string{"files__read"}),
	)
	c := call("c1", "files__read", "1", events.ResolvedOK, events.OutcomeOK)
	c.Server, c.ResolvedName = "files", "read"
	elsewhere := call("c9", "files__read", "1", events.ResolvedOK, events.OutcomeOK)
	elsewhere.Server, elsewhere.ResolvedName = "files", "read"
	l.add(c, elsewhere)
	r, _ := stored(t, l)
	want := []activation.Load{{Tool: "files__read", Loaded: 2, Repeated: 1, NeverCalled: 1}, {Tool: "idle", Loaded: 1, NeverCalled: 1}}
	if diff := cmp.Diff(want, r.Loads); diff != "" {
		t.Error(diff)
	}
	never, again := r.Rules["never_called"], r.Rules["repeated_activation"]
	if never.Count != 2 || never.Conversations != 2 || never.Agents[0].Count != 2 || again.Count != 1 || again.Worst[0].Name != "c1" {
		t.Errorf("never %+v, again %+v", never, again)
	}
}

// offers makes a list of an agent's or server's tools.
func offers(agent, server string, tools ...events.RosterTool) *events.ToolRoster {
	d := events.Digester{}
	name := agent + server
	for i := range tools {
		full := d.Full([]byte(tools[i].Name))
		tools[i].WireDigest, tools[i].DefinitionDigest, tools[i].SchemaDigest = full, full, full
		name += "," + tools[i].Name
	}
	return &events.ToolRoster{
		Context: events.Context{AgentName: agent}, RosterDigest: d.Full([]byte(name)), Reason: events.RosterListChanged, Server: server, Tools: tools,
	}
}

func TestACallOfARemovedToolAndOneLikeItAreSaid(t *testing.T) {
	unknown := func(agent, name string) *events.ToolCall {
		c := call("c", name, "1", events.ResolvedUnknown, events.OutcomeExecutionError)
		c.Context = about(agent, "priced", "c")
		return c
	}
	bridged := call("c2", "call_tool", "1", events.ResolvedUnknown, events.OutcomeExecutionError)
	bridged.Context, bridged.Bridge, bridged.ResolvedName = about("a", "other", "c2"), "call_tool", "send_fax"
	var l log
	l.add(
		offers("a", "", events.RosterTool{Name: "send_fax"}, events.RosterTool{Name: "mail"}),
		unknown("a", "mail_early"),
		offers("a", "", events.RosterTool{Name: "mail"}),
		unknown("a", "send_fax"), unknown("a", "send_fax"), unknown("a", "SendFax"), unknown("a", "launch"), unknown("b", "send_fax"),
		bridged,
	)
	r, found := stored(t, l)
	removed := r.Rules["called_after_removal"]
	cost := 200 * 2 / 1e6
	want := activation.Rule{
		Count: 3, Tokens: 300, Names: []activation.Name{{Called: "send_fax", Count: 3, Tokens: 300, Conversations: 2}},
		Parts: activation.Parts{
			Conversations: 2, Agents: []activation.Part{{Name: "a", Count: 3, Tokens: 300}},
			Models:  []activation.Part{{Name: "priced", Count: 2, Tokens: 200}, {Name: "other", Count: 1, Tokens: 100}},
			Worst:   []activation.Part{{Name: "c", Count: 2, Tokens: 200}, {Name: "c2", Count: 1, Tokens: 100}},
			CostUSD: &cost, UnpricedTokens: 100, Action: removed.Action,
		},
	}
	if diff := cmp.Diff(&want, removed); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	if f := found["called_after_removal"]; len(f) != 1 || f[0].Title != "send_fax was called 3 times after it was removed" {
		t.Errorf("found %+v", f)
	}
	var like []activation.Name
	for _, n := range r.Rules["unknown"].Names {
		if n.How != "" {
			like = append(like, n)
		}
	}
	if len(like) != 1 || like[0].Called != "SendFax" || like[0].How != activation.HowRemovedSynonym || like[0].Meant != "send_fax" {
		t.Errorf("like a removed tool: %+v", like)
	}
}

func TestAPermissionForAToolThatItsServerDoesNotHaveIsSaid(t *testing.T) {
	var l log
	l.add(
		offers("", "github", events.RosterTool{Name: "issue_read"}, events.RosterTool{Name: "issue_write"}),
		offers("a", "",
			events.RosterTool{Name: "mcp__github__issue_write", Server: "github", Denied: true},
			events.RosterTool{Name: "get_issue", Server: "github", Denied: true},
			events.RosterTool{Name: "gone", Server: "jira", Denied: true}, // whose list nobody gave
			events.RosterTool{Name: "issue_read", Server: "github"}),
	)
	r, found := stored(t, l)
	idle := r.Rules["permission_matches_nothing"]
	if idle.Count != 1 || len(idle.Names) != 1 || idle.Names[0].Called != "get_issue" || idle.Agents[0].Name != "a" {
		t.Errorf("idle %+v", idle)
	}
	if f := found["permission_matches_nothing"]; len(f) != 1 || f[0].Subject.Server != "github" {
		t.Errorf("found %+v", f)
	}
}

// onDemand is an agent with two tools to be loaded, one of which is, and those of their definitions that are named.
func onDemand(definition []byte, defined ...string) log {
	roster := offers("a", "", events.RosterTool{Name: "x", Deferred: true}, events.RosterTool{Name: "y", Deferred: true})
	roster.TextLength = 40
	early := call("c1", "y", "1", events.ResolvedNotActivated, events.OutcomeRefused)
	early.Context = about("a", "priced", "c1")
	var l log
	l.add(roster, activates("c1", 1, events.ViaActivationTool, []string{"x"}), early)
	for _, name := range defined {
		digest := events.Digester{}.Full([]byte(name))
		l.add(&events.ToolDefinition{
			ToolName: name, WireDigest: digest, DefinitionDigest: digest, SchemaDigest: digest, Definition: definition,
		})
	}
	return l
}

func TestWithADefinitionMissingItIsNotSaidWhetherLoadingOnDemandPays(t *testing.T) {
	r, _ := stored(t, onDemand([]byte(`{"name":"x"}`), "x"))
	if len(r.Pays) != 1 || r.Pays[0].Pays != nil || r.Pays[0].ToolsKnown != 1 || r.Pays[0].Tools != 2 || r.Pays[0].Requests != 1 {
		t.Errorf("%+v", r.Pays)
	}
}

func TestLoadingOnDemandIsComparedWithLoadingEverything(t *testing.T) {
	text := []byte(`{"name":"x","description":"` + strings.Repeat("long ", 100) + `"}`)
	l := onDemand(text, "x", "y")
	for range 100 {
		l.add(&events.RequestPrefix{Context: about("a", "priced", "c1"), Status: events.StatusOK})
	}
	r, _ := stored(t, l)
	tokens, yes := float64(len(text))/4, true
	want := []activation.Pay{{
		Agent: "a", Requests: 100, Conversations: 1, Tools: 2, ToolsKnown: 2, RosterTokens: 10, LoadedTokens: tokens, EverythingTokens: 2 * tokens,
		Loads: 1, RoundTrips: 1, RoundTripTokens: new(uint64(1050)), RoundTripsPerConversation: 1, GuessTokens: new(uint64(100)), Guesses: 1, RequestsReported: true,
		OnDemandTokens: 100*(10+tokens) + 1150, AllLoadedTokens: 99 * 2 * tokens, SavedTokens: 98*tokens - 2150, Pays: &yes,
	}}
	if diff := cmp.Diff(want, r.Pays, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Error(diff)
	}
}

func TestTokensOfTextsAreOfTheSettingsBytes(t *testing.T) {
	db := openStore(t)
	storetest.Insert(t, db, onDemand([]byte(`{"name":"x","description":"x"}`), "x", "y"))
	pay := func(perToken float64) activation.Pay {
		s := activation.DefaultSettings()
		s.Roster.Cost.BytesPerToken = perToken
		r, _, err := activation.Analyze(t.Context(), db, finding.Window{}, s, nil)
		if err != nil || len(r.Pays) != 1 {
			t.Fatalf("%+v, %v", r.Pays, err)
		}
		return r.Pays[0]
	}
	half, whole := pay(2), pay(4)
	if whole.RosterTokens != 10 || half.RosterTokens != 20 || half.EverythingTokens != 2*whole.EverythingTokens || half.LoadedTokens != 2*whole.LoadedTokens {
		t.Errorf("with half of the bytes a token %+v, else %+v", half, whole)
	}
}

func TestWhatToDoNamesTheToolAndTheAgent(t *testing.T) {
	early, guess := call("c1", "y", "1", events.ResolvedNotActivated, events.OutcomeRefused), call("c1", "WebSearch", "2", events.ResolvedGuessed, events.OutcomeRefused)
	early.Context, guess.Context = about("desk", "priced", "c1"), about("desk", "priced", "c1")
	guess.ResolvedName = "web_search"
	other := call("c2", "WebSearch", "2", events.ResolvedGuessed, events.OutcomeRefused)
	other.Context, other.ResolvedName = about("bot", "priced", "c2"), "web_search"
	var l log
	l.add(early, guess, guess, other)
	r, found := stored(t, l)
	for rule, want := range map[string]string{
		"not_activated": "Tell the model of desk to load y first, together with the tool that supplies its arguments, and to call it in the next step.",
		"guessed":       "Put web_search into the roster in front of the model of desk and 1 more agent, written as it has to be called.",
	} {
		if r.Rules[rule].Action != want || len(found[rule]) != 1 || found[rule][0].Action != want {
			t.Errorf("%s: have %q and %+v", rule, r.Rules[rule].Action, found[rule])
		}
	}
	for rule, broken := range r.Rules {
		if strings.ContainsAny(broken.Action, "{}") {
			t.Errorf("%s: %s", rule, broken.Action)
		}
	}
}
