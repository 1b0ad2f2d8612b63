package activation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// openStore returns an empty store on the test's own database.
func openStore(t *testing.T) *store.DB {
	t.Helper()
	addr, database := enginetest.Database(t)
	return storetest.Open(t, addr, database)
}

// log makes events a second apart.
type log []*events.Event

func (l *log) add(all ...events.Data) {
	for _, d := range all {
		at := time.Date(2026, 1, 1, 0, 0, len(*l), 0, time.UTC)
		*l = append(*l, &events.Event{ID: uuid.NewString(), Source: "test", Time: at, Data: d})
	}
}

func call(conversation, tool, arguments string, r events.Resolution, o events.Outcome) *events.ToolCall {
	d := events.Digester{}
	return &events.ToolCall{
		Context: events.Context{ConversationID: conversation}, ToolName: tool, Resolution: r, Outcome: o,
		ArgumentsDigest: d.Short([]byte(arguments)), InputTokens: events.Tokens(100),
	}
}

func analyze(t *testing.T, db *store.DB) (activation.Report, map[string][]finding.Finding) {
	t.Helper()
	r, found, err := activation.Analyze(t.Context(), db, finding.Window{}, activation.DefaultSettings(), nil)
	if err != nil {
		t.Fatal(err)
	}
	byRule := map[string][]finding.Finding{}
	for _, f := range found {
		if f.Fingerprint == "" || f.Title == "" || f.Action == "" {
			t.Errorf("unfinished finding %+v", f)
		}
		byRule[f.Rule] = append(byRule[f.Rule], f)
	}
	return r, byRule
}

func TestAnalyzeCountsEachRule(t *testing.T) {
	const bad, ok = events.OutcomeExecutionError, events.OutcomeOK
	var l log
	guess := call("c1", "WebSearch", "q", events.ResolvedGuessed, bad)
	guess.ResolvedName, guess.ResolutionHow = "web_search", activation.HowCase
	for range 3 {
		g := *guess
		l.add(&g)
	}
	l.add(
		call("c1", "a", "1", events.ResolvedOK, bad), call("c2", "a", "1", events.ResolvedOK, bad), // two conversations
		call("c1", "a", "1", events.ResolvedOK, bad), call("c1", "a", "2", events.ResolvedOK, bad), // other arguments
		call("c1", "a", "1", events.ResolvedOK, bad),
		call("c3", "b", "1", events.ResolvedOK, ok), call("c3", "b", "1", events.ResolvedOK, ok), call("c3", "b", "1", events.ResolvedOK, ok),
		call("c3", "nothing", "1", events.ResolvedUnknown, bad),
		call("c3", "early", "1", events.ResolvedNotActivated, bad),
		call("c3", "unjudged", "1", "", ok),
	)
	made := call("c4", "pay", "x", events.ResolvedOK, bad)
	made.MadeUpIDs = []events.MadeUpID{{Path: "/card", Digest: events.Digester{}.Short([]byte("card_1")), Value: "card_1"}}
	l.add(made)
	r, found := func() (activation.Report, map[string][]finding.Finding) {
		db := openStore(t)
		storetest.Insert(t, db, l)
		return analyze(t, db)
	}()
	counts := map[string]uint64{}
	for name, rule := range r.Rules {
		if rule.Count > 0 {
			counts[name] = rule.Count
		}
	}
	want := map[string]uint64{"guessed": 3, "loop": 1, "unknown": 1, "not_activated": 1, "made_up_id": 1}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Error(diff)
	}
	if r.Calls != 15 || r.Judged != 14 || len(r.Rules) != 19 {
		t.Errorf("%d calls, %d judged, %d rules", r.Calls, r.Judged, len(r.Rules))
	}
	if len(r.MadeUpIDs) != 1 || r.MadeUpIDs[0].Value != "card_1" || r.MadeUpIDs[0].Conversation != "c4" || r.MadeUpIDs[0].Tool != "pay" {
		t.Errorf("made up %+v", r.MadeUpIDs)
	}
	if len(r.Loops) != 1 || r.Loops[0].Calls != 3 || r.Loops[0].Tokens != 300 {
		t.Errorf("loops %+v", r.Loops)
	}
	if f := found["guessed"]; len(f) != 1 || f[0].Title != "WebSearch was called, a guess at a name 3 times; meant was web_search" {
		t.Errorf("guessed %+v", f)
	}
	if len(found) != 5 {
		t.Errorf("findings of %d rules, want 5", len(found))
	}
}

func TestAnalyzeCountsLoadsAndRosterFlags(t *testing.T) {
	var l log
	load := func(conversation string, loaded ...string) {
		l.add(&events.Activation{Context: events.Context{ConversationID: conversation}, Via: events.ViaActivationTool, Asked: loaded, Loaded: loaded})
	}
	load("c1", "used", "idle")
	load("c1", "used")
	l.add(call("c1", "used", "1", events.ResolvedOK, events.OutcomeOK))
	l.add(&events.Activation{
		Context: events.Context{ConversationID: "c2"}, Via: events.ViaActivationTool, Asked: []string{"github", "used"},
		Refused: []events.RefusedTool{
			{Name: "github", Reason: events.RefusedConnectorName}, {Name: "used", Reason: events.RefusedAlreadyLoaded},
		},
	})
	for i := range 12 {
		load("many-"+string(rune('a'+i)), "idle")
	}
	d := events.Digester{}
	tool := func(name string, cut bool) events.RosterTool {
		full := d.Full([]byte(name))
		return events.RosterTool{Name: name, WireDigest: full, DefinitionDigest: full, SchemaDigest: full, SummaryCut: cut, SummaryLength: 300}
	}
	for range 2 {
		l.add(&events.ToolRoster{
			RosterDigest: d.Full([]byte("r")), Reason: events.RosterUnknown, Server: "s",
			Tools: []events.RosterTool{tool("get_user", true), tool("getUser", false), tool("other", false)},
		})
	}
	db := openStore(t)
	storetest.Insert(t, db, l)
	r, found := analyze(t, db)
	want := []activation.Load{{Tool: "idle", Loaded: 13, NeverCalled: 13}, {Tool: "used", Loaded: 2, Repeated: 2, NeverCalled: 1}}
	if diff := cmp.Diff(want, r.Loads); diff != "" {
		t.Error(diff)
	}
	counts := map[string]uint64{}
	for name, rule := range r.Rules {
		if rule.Count > 0 {
			counts[name] = rule.Count
		}
	}
	wantCounts := map[string]uint64{
		"repeated_activation": 2, "never_called": 14, "activation_refused": 1, "activation_failed": 1, "summary_cut": 1,
		"name_collision": 1,
	}
	if diff := cmp.Diff(wantCounts, counts); diff != "" {
		t.Error(diff)
	}
	if got := r.Rules["name_collision"].Names; len(got) != 1 || got[0].Called != "getUser, get_user" {
		t.Errorf("collisions %+v", got)
	}
	if len(found) != 6 {
		t.Errorf("findings of %d rules: %v", len(found), found)
	}
}

func TestAnalyzeOfNothingIsEmpty(t *testing.T) {
	r, found := analyze(t, openStore(t))
	if r.Calls != 0 || len(found) != 0 || r.MadeUpIDs == nil || r.Loops == nil || r.Loads == nil {
		t.Errorf("report %+v, findings %v", r, found)
	}
}

// recording reads a shared file, and skips the test where it is not there.
func recording(t *testing.T, name string, o capture.Options) []*events.Event {
	t.Helper()
	r, err := capture.Open(eventstest.SharedFile(t, name), o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []*events.Event
	if _, err := r.Read(t.Context(), func(e *events.Event) error { all = append(all, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAirlineTrajectoriesBreakNoRuleButMadeUpIDs(t *testing.T) {
	all := recording(t, "airline-trajectories.jsonl", capture.Options{ToolsFile: eventstest.SharedFile(t, "airline-tools.json"), IncludeValues: true})
	db := openStore(t)
	storetest.Insert(t, db, all)
	report, found := analyze(t, db)
	if report.Calls != 621 || report.Judged != 621 {
		t.Errorf("%d calls, %d judged", report.Calls, report.Judged)
	}
	for name, rule := range report.Rules {
		if want := map[string]uint64{"made_up_id": 2}[name]; rule.Count != want {
			t.Errorf("%s: %d, want %d %+v", name, rule.Count, want, report.Loops)
		}
	}
	for _, m := range report.MadeUpIDs {
		if m.Value != "credit_card_5634230" {
			t.Errorf("made up %+v", m)
		}
	}
	if len(found) != 1 {
		t.Errorf("findings %+v", found)
	}
}
