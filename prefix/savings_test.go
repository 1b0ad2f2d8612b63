package prefix

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// verdicts makes rows of request_verdicts, each of a request an hour after the one before. They were stored just now: old rows are dropped.
type verdicts struct{ rows []events.RequestVerdict }

func (v *verdicts) add(conversation string, verdict Verdict, lost uint64, change ...func(*events.RequestVerdict)) {
	n := len(v.rows)
	at := t0.Add(time.Duration(n) * time.Hour)
	cost, usd := 0.5, float64(lost)/1e6
	r := events.RequestVerdict{
		ID: fmt.Sprintf("018f0000-0000-7000-8000-%012d", n+1), Conversation: conversation, JudgedAt: at, Time: at, IngestedAt: time.Now(), StartTime: at,
		AgentName: "agent", ProviderName: "anthropic", Request: int64(n + 1), Verdict: string(verdict), SystemBlock: -1, Message: -1,
		TokensLost: &lost, LostUSD: &usd, CostUSD: &cost,
	}
	for _, f := range change {
		f(&r)
	}
	v.rows = append(v.rows, r)
}

func (v *verdicts) stored(t *testing.T) *store.DB {
	t.Helper()
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	if err := db.SaveRequestVerdicts(t.Context(), v.rows); err != nil {
		t.Fatal(err)
	}
	return db
}

// money reads what the rows come to.
func (v *verdicts) money(t *testing.T, w finding.Window) Report {
	t.Helper()
	r, _, err := analyzeStored(t.Context(), v.stored(t), w, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// changed says which tools changed, all in one way and for one cause.
func changed(kind ToolChangeKind, cause CauseKind, names ...string) func(*events.RequestVerdict) {
	return func(r *events.RequestVerdict) {
		r.Cause = string(cause)
		for i, n := range names {
			r.ToolNames, r.ToolKinds, r.ToolIndexes = append(r.ToolNames, n), append(r.ToolKinds, string(kind)), append(r.ToolIndexes, int64(i))
			r.ToolMiddle, r.ToolRhythms = append(r.ToolMiddle, false), append(r.ToolRhythms, "")
		}
	}
}

func inBlock(n int64, rhythm Rhythm) func(*events.RequestVerdict) {
	return func(r *events.RequestVerdict) { r.SystemBlock, r.SystemRhythm = n, string(rhythm) }
}

func unpriced(r *events.RequestVerdict)   { r.LostUSD, r.CostUSD = nil, nil }
func unreported(r *events.RequestVerdict) { r.LostUSD, r.CostUSD, r.TokensLost = nil, nil, nil }
func byAgent(name string) func(*events.RequestVerdict) {
	return func(r *events.RequestVerdict) { r.AgentName = name }
}

func TestSavingsAreWhatOneChangeWouldSaveTheLargestFirst(t *testing.T) {
	var v verdicts
	v.add("a", ColdStart, 0)
	v.add("a", OK, 0, changed(ToolAdded, CauseNone, "risk"))
	v.add("a", ToolsChanged, 100_000, changed(ToolAdded, CauseActivation, "lsp"))
	v.add("b", ToolsChanged, 300_000, changed(ToolAdded, CauseActivation, "grep"))
	v.add("b", SystemChanged, 500_000, inBlock(2, Volatile))
	v.add("b", SystemChanged, 200_000, inBlock(2, Volatile), byAgent("other"))
	v.add("c", ToolsChanged, 50_000, changed(ToolSameName, CauseNone, "X"))
	v.add("c", ToolsChanged, 60_000, changed(ToolSameName, CauseNone, "Y"))
	v.add("c", ParamsChanged, 70_000, func(r *events.RequestVerdict) { r.Params = []string{"thinking", "effort"} })
	v.add("c", ModelChanged, 0)
	v.add("c", TTLExpired, 9_000, unpriced)
	v.add("c", TTLExpired, 0, unreported)
	r := v.money(t, finding.Window{From: t0, To: t0.Add(48 * time.Hour)})

	var got []string
	var tokens int64
	var usd float64
	for _, s := range r.Savings {
		got = append(got, fmt.Sprintf("%s %s %s%s %s: %d breaks, %d conversations, %d tokens, $%.2f, $%.3f a day, %d unpriced, dearest %s %d",
			s.Agent, s.Verdict, s.Cause, s.Kind, strings.Join(s.Names, " "), s.Breaks, s.Conversations, s.TokensLost, deref(s.CostUSD),
			deref(s.USDPerDay), s.Unpriced, s.Conversation, s.Request))
		tokens, usd = tokens+s.TokensLost, usd+deref(s.CostUSD)
		if len(s.Fix) < 40 || s.Names == nil {
			t.Errorf("%+v", s)
		}
	}
	if d := cmp.Diff([]string{
		"agent system_changed  : 1 breaks, 1 conversations, 500000 tokens, $0.50, $0.250 a day, 0 unpriced, dearest b 5",
		"agent tools_changed activationadded grep lsp: 2 breaks, 2 conversations, 400000 tokens, $0.40, $0.200 a day, 0 unpriced, dearest b 4",
		"other system_changed  : 1 breaks, 1 conversations, 200000 tokens, $0.20, $0.100 a day, 0 unpriced, dearest b 6",
		"agent params_changed  effort thinking: 1 breaks, 1 conversations, 70000 tokens, $0.07, $0.035 a day, 0 unpriced, dearest c 9",
		"agent tools_changed same_name_churn Y: 1 breaks, 1 conversations, 60000 tokens, $0.06, $0.030 a day, 0 unpriced, dearest c 8",
		"agent tools_changed same_name_churn X: 1 breaks, 1 conversations, 50000 tokens, $0.05, $0.025 a day, 0 unpriced, dearest c 7",
		"agent ttl_expired  : 2 breaks, 1 conversations, 9000 tokens, $0.00, $0.000 a day, 2 unpriced, dearest c 11",
	}, got); d != "" {
		t.Errorf("savings (-want +got):\n%s", d)
	}
	if s := r.Savings[0]; s.SystemBlock == nil || *s.SystemBlock != 2 || s.Rhythm != Volatile || !strings.Contains(s.Fix, "out of block 2") {
		t.Errorf("system saving %+v", s)
	}
	var lost Spent
	for i := range r.Agents {
		lost.add(&r.Agents[i].Spent)
	}
	if lost.TokensLost != tokens || math.Abs(*lost.LostUSD-usd) > 1e-9 || lost.Requests != 12 || lost.Breaks != 10 {
		t.Errorf("savings of %d tokens and $%.2f; agents %+v", tokens, usd, lost)
	}
	if a := r.Agents; len(a) != 2 || a[0].Agent != "agent" || a[0].TokensLost != 1_089_000 || math.Abs(*a[0].CostUSD-4.5) > 1e-9 {
		t.Errorf("agents %+v", a)
	}
}

func TestAVerdictThatWasJudgedAgainCountsOnce(t *testing.T) {
	var v verdicts
	v.add("a", Unattributed, 5_000)
	again := v.rows[0]
	again.JudgedAt, again.Verdict = again.JudgedAt.Add(time.Minute), string(TTLExpired)
	v.rows = append(v.rows, again)
	r := v.money(t, finding.Window{})
	if len(r.Savings) != 1 || r.Savings[0].Verdict != TTLExpired || r.Agents[0].Requests != 1 {
		t.Errorf("savings %+v, agents %+v", r.Savings, r.Agents)
	}
	if p := r.Savings[0].USDPerDay; math.Abs(*p-*r.Savings[0].CostUSD) > 1e-12 {
		t.Errorf("$%v a day within less than one", *p)
	}
}

func TestDaysAreThoseOfUTC(t *testing.T) {
	var v verdicts
	for i := range 30 { // from 10:00 on
		v.add(fmt.Sprint("c", i%3), Unattributed, 1_000)
	}
	r := v.money(t, finding.Window{})
	if d := r.Days; len(d) != 2 || d[0].Day != "2026-03-01" || d[0].Requests != 14 || d[1].TokensLost != 16_000 {
		t.Errorf("days %+v", d)
	}
	if p := deref(r.Savings[0].USDPerDay) * 29 / 24; math.Abs(p-0.03) > 1e-9 {
		t.Errorf("$%v over 29 hours", p)
	}
}

func TestProvidersThatSayOtherwiseAreListed(t *testing.T) {
	var v verdicts
	says := func(a Agreement, words string, theirs Verdict) func(*events.RequestVerdict) {
		return func(r *events.RequestVerdict) {
			r.Agreement, r.Diagnosis, r.DiagnosisVerdict = string(a), words, string(theirs)
		}
	}
	v.add("a", ToolsChanged, 9_000, says(Agrees, "tools_changed", ToolsChanged))
	v.add("a", ToolsChanged, 9_000, says(Agrees, "tools_changed", ToolsChanged))
	v.add("a", Unattributed, 9_000, says(Disagrees, "system_changed", SystemChanged))
	v.add("b", TTLExpired, 20_000, says(Disagrees, "model_changed", ModelChanged))
	v.add("b", Unattributed, 9_000, says(Unclear, "unavailable", ""))
	v.add("b", OK, 0)
	d := v.money(t, finding.Window{}).Diagnoses
	if d.Agrees != 2 || d.Disagrees != 2 || d.Unclear != 1 || len(d.Disagreements) != 2 {
		t.Fatalf("diagnoses %+v", d)
	}
	first := d.Disagreements[0]
	if first.Conversation != "b" || first.Request != 4 || first.Ours != TTLExpired || first.Theirs != ModelChanged || first.Words != "model_changed" ||
		*first.TokensLost != 20_000 || !strings.HasSuffix(first.ID, "0004") {
		t.Errorf("first %+v", first)
	}
}

func TestArraysThatChangedAgainstTheirRuleAreFound(t *testing.T) {
	var v verdicts
	var reqs []*events.Event
	arrays := []string{"A:1,B:2", "A:1,AB:3,B:2", "AB:3,B:2", "B:2,AB:3", "A:1", "A:1,C:4"}
	for i, list := range arrays {
		c := "a"
		if i >= 4 {
			c = "deferring"
		}
		v.add(c, ToolsChanged, uint64(1000*(i+1)), changed(ToolAdded, CauseNone, "?"))
		row := &v.rows[i]
		if i > 0 && i != 4 {
			row.Compared = v.rows[i-1].ID
		}
		p := &events.RequestPrefix{
			Context: events.Context{ConversationID: c, AgentName: "agent"}, ToolsKnown: true, Status: events.StatusOK, StartTime: row.StartTime,
		}
		for _, tool := range toolsOf(list) {
			p.Tools = append(p.Tools, events.PrefixTool{Name: tool.Name, Digest: strings.Repeat(tool.Digest, 32)})
		}
		if c == "deferring" {
			p.RosterDigest = strings.Repeat("ab", 32)
		}
		reqs = append(reqs, &events.Event{ID: row.ID, Source: "test", Time: row.Time, Data: p})
	}
	db := v.stored(t)
	storetest.Insert(t, db, reqs)
	r := NewReport()
	f := facts{settings: DefaultSettings()}
	w := rosterWatch{stored: true, report: &r, facts: &f, known: KnownTools{Deferred: map[string]map[string]bool{strings.Repeat("ab", 32): {"D": true}}}}
	if err := w.run(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.ToolArrays {
		got = append(got, fmt.Sprintf("%s %d %s legal %t at %d %s, %d tokens", c.Conversation, c.Request, c.Kind, c.Legal, c.Place.Tool, c.Place.Known, *c.TokensLost))
	}
	if d := cmp.Diff([]string{
		"deferring 6 inserted legal false at 1 tool, 6000 tokens",
		"a 4 reordered legal false at 0 tool_start, 4000 tokens",
		"a 3 shrunk legal false at 0 tool_start, 3000 tokens",
		"a 2 inserted legal true at 1 tool, 2000 tokens",
	}, got); d != "" {
		t.Errorf("arrays (-want +got):\n%s", d)
	}
	var rules []string
	for _, x := range f.findings() {
		rules = append(rules, x.Rule+" "+x.Subject.Conversation)
	}
	if d := cmp.Diff([]string{"tools_array_changed a", "tools_array_changed deferring"}, rules); d != "" {
		t.Errorf("findings (-want +got):\n%s", d)
	}
}
