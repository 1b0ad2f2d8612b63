package drift_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// noon is when the windows of these tests end.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// calls makes n calls like c, all made a while before noon, of which the first so many are drifted.
func calls(n, drifted int, before time.Duration, c events.ToolCall) []*events.Event {
	var all []*events.Event
	for i := range n {
		d := c
		if d.Outcome == "" {
			d.Outcome = events.OutcomeOK
		}
		if d.DriftClass = events.DriftCurrent; i < drifted {
			d.DriftClass = events.DriftOldVersion
		}
		all = append(all, &events.Event{ID: uuid.NewString(), Source: "test", Time: noon.Add(-before), Data: &d})
	}
	return all
}

// order is a call of the tool of these tests.
var order = events.ToolCall{Server: "shop", ToolName: "process_order"}

func by(model, agent, version string) events.ToolCall {
	c := order
	c.RequestModel, c.AgentName, c.AgentVersion = model, agent, version
	return c
}

// at analyses all up to noon.
func at(t *testing.T, db *store.DB, s drift.Settings, known drift.Schemas) (drift.Report, []finding.Finding) {
	t.Helper()
	r, found, err := drift.Analyze(t.Context(), db, finding.Window{From: noon.Add(-24 * time.Hour), To: noon}, s, known)
	if err != nil {
		t.Fatal(err)
	}
	return r, found
}

// only returns the one finding of a rule about a subject, nil when there is none.
func only(t *testing.T, found []finding.Finding, rule string, subject finding.Subject) *finding.Finding {
	t.Helper()
	var one *finding.Finding
	for i := range found {
		if f := &found[i]; f.Rule == rule && f.Subject == subject {
			if one != nil {
				t.Fatalf("two findings of %s about %+v", rule, subject)
			}
			one = f
		}
	}
	return one
}

func TestRatiosAreSaidByToolModelAndAgentVersionOverEachWindow(t *testing.T) {
	db := openStore(t)
	failed, retried := by("a", "desk", "2"), by("a", "desk", "2")
	failed.Outcome = events.OutcomeExecutionError
	retried.ConversationID, retried.InputTokens = "c", events.Tokens(100)
	first, second := retried, retried
	first.Attempt, second.Attempt, second.InputTokens = 1, 2, events.Tokens(250)
	storetest.Insert(t, db, join(
		calls(10, 1, 2*time.Minute, by("a", "desk", "2")), calls(1, 0, time.Minute, failed),
		calls(20, 4, 30*time.Minute, by("b", "desk", "1")),
		calls(1, 0, 40*time.Minute, first), calls(1, 0, 39*time.Minute, second),
		calls(68, 0, 20*time.Hour, by("b", "desk", "1")),
		calls(500, 500, 30*time.Hour, by("b", "desk", "0")),
	))
	r, _ := at(t, db, drift.DefaultSettings(), nil)
	if len(r.Windows) != 3 || r.Calls != 101 || r.Drifted != 5 {
		t.Fatalf("%d windows, %d of %d drifted", len(r.Windows), r.Drifted, r.Calls)
	}
	for i, want := range []struct {
		name                          string
		calls, drifted                uint64
		models, versions              int
		retries, retryTokens, repeats uint64
	}{{"5m", 11, 1, 1, 1, 0, 0, 0}, {"1h", 33, 5, 2, 2, 1, 250, 100}, {"24h", 101, 5, 2, 2, 1, 250, 100}} {
		w := r.Windows[i]
		if w.Window != want.name || w.Calls != want.calls || w.Drifted != want.drifted || !w.To.Equal(noon) || noon.Sub(w.From) != time.Duration(w.Seconds)*time.Second {
			t.Errorf("%+v, want %+v", w, want)
		}
		if len(w.ByTool) != 1 || len(w.ByModel) != want.models || len(w.ByAgentVersion) != want.versions {
			t.Errorf("%s: %d tools, %d models, %d versions", w.Window, len(w.ByTool), len(w.ByModel), len(w.ByAgentVersion))
			continue
		}
		if d := w.ByTool[0]; d.Retries != want.retries || d.RetryTokens != want.retryTokens || d.FirstTokens != want.repeats || d.ExecutionErrors != 1 {
			t.Errorf("%s: %+v", w.Window, d)
		}
	}
	d := r.Windows[1].ByAgentVersion[0]
	if d.Agent != "desk" || d.AgentVersion != "1" || d.Calls != 20 || d.Drifted != 4 || d.Ratio != 0.2 || d.CILow >= 0.2 || d.CIHigh <= 0.2 {
		t.Errorf("the worst version of the last hour: %+v", d)
	}
	if d := r.Windows[0].ByModel[0]; d.Model != "a" || d.ErrorRatio != 1.0/11 || d.ErrorCIHigh <= d.ErrorRatio {
		t.Errorf("the model of the last minutes: %+v", d)
	}
	if d := r.Windows[1].ByModel[1]; d.Model != "a" || d.RetryMultiple != 2.5 {
		t.Errorf("the retried model of the last hour: %+v", d)
	}
}

func join(lists ...[]*events.Event) []*events.Event {
	var all []*events.Event
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

var shopOrder = finding.Subject{Server: "shop", Tool: "process_order"}

func TestTheSameRatioOverSeveralWindowsIsOneFindingOfTheWorst(t *testing.T) {
	db := openStore(t)
	storetest.Insert(t, db, join(calls(100, 30, time.Minute, order), calls(900, 30, 10*time.Hour, order)))
	_, found := at(t, db, drift.DefaultSettings(), nil)
	f := only(t, found, drift.RuleRatio, shopOrder)
	if f == nil || f.Severity != finding.Critical || f.Numbers["window_seconds"] != 3600 || f.Numbers["ratio"] != 0.3 {
		t.Fatalf("finding %+v", f)
	}
	if f.Numbers["ratio_24h"] != 0.06 || f.Numbers["ratio_5m"] != 0.3 || f.Numbers["calls_24h"] != 1000 {
		t.Errorf("numbers %v", f.Numbers)
	}
	if want := "30.0 % of the calls of shop/process_order do not fit its schema (30 of 100 within 1 hour)"; f.Title != want {
		t.Errorf("title %q, want %q", f.Title, want)
	}
	if f.Action != "Pin the model version or put explicit migration guidance into the system prompt." || !f.Window.From.Equal(noon.Add(-time.Hour)) {
		t.Errorf("action %q, window %+v", f.Action, f.Window)
	}
	later, again, err := drift.Analyze(t.Context(), db, finding.Window{From: noon.Add(-23 * time.Hour), To: noon.Add(time.Hour)}, drift.DefaultSettings(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if g := only(t, again, drift.RuleRatio, shopOrder); g == nil || g.Severity != finding.Warning || g.Fingerprint != f.Fingerprint {
		t.Errorf("an hour later %+v of %+v, want the same finding, milder", g, later)
	}
}

func TestAWindowWithTooFewCallsSaysNothingWhereAnotherHasEnough(t *testing.T) {
	db := openStore(t)
	storetest.Insert(t, db, join(calls(3, 3, time.Minute, order), calls(197, 0, 2*time.Hour, order)))
	if _, found := at(t, db, drift.DefaultSettings(), nil); len(found) != 0 {
		t.Errorf("3 of 3 calls are a finding: %+v", found)
	}
}

func TestTooFewCallsInAllWindowsAreANoteThatSaysSo(t *testing.T) {
	db := openStore(t)
	storetest.Insert(t, db, calls(3, 3, time.Minute, order))
	_, found := at(t, db, drift.DefaultSettings(), nil)
	f := only(t, found, drift.RuleRatio, shopOrder)
	if f == nil || f.Severity != finding.Info || !strings.HasSuffix(f.Title, "fewer than 20 calls say little") {
		t.Errorf("finding %+v", f)
	}
}

func TestACertainWindowAsksForTheWholeInterval(t *testing.T) {
	db := openStore(t)
	storetest.Insert(t, db, join(calls(100, 7, time.Minute, order), calls(900, 0, 2*time.Hour, order)))
	s := drift.DefaultSettings()
	if _, found := at(t, db, s, nil); only(t, found, drift.RuleRatio, shopOrder) == nil {
		t.Error("7 of 100 calls in a window are no finding")
	}
	for i := range s.Windows {
		s.Windows[i].Certain = true
	}
	if _, found := at(t, db, s, nil); only(t, found, drift.RuleRatio, shopOrder) != nil {
		t.Error("7 of 100 calls are not certainly over 5 %")
	}
}

func TestSettingsOfAToolOverrideThoseOfAll(t *testing.T) {
	db := openStore(t)
	other := order
	other.ToolName = "cancel_order"
	storetest.Insert(t, db, join(calls(100, 10, time.Minute, order), calls(100, 10, time.Minute, other)))
	warn, critical, few := 0.5, 0.09, uint64(1000)
	s := drift.DefaultSettings()
	for _, c := range []struct {
		name string
		own  drift.ToolSettings
		want finding.Severity
	}{
		{"nothing", drift.ToolSettings{}, finding.Warning},
		{"higher thresholds", drift.ToolSettings{WarnRatio: &warn, CriticalRatio: &warn}, ""},
		{"a lower one for critical", drift.ToolSettings{CriticalRatio: &critical}, finding.Critical},
		{"more calls needed", drift.ToolSettings{MinCalls: &few}, finding.Info},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.Tools = map[string]drift.ToolSettings{"shop/process_order": c.own}
			_, found := at(t, db, s, nil)
			got := finding.Severity("")
			if f := only(t, found, drift.RuleRatio, shopOrder); f != nil {
				got = f.Severity
			}
			if got != c.want {
				t.Errorf("severity %q, want %q", got, c.want)
			}
			if f := only(t, found, drift.RuleRatio, finding.Subject{Server: "shop", Tool: "cancel_order"}); f == nil || f.Severity != finding.Warning {
				t.Errorf("the other tool: %+v", f)
			}
		})
	}
}

func TestAVersionOfAnAgentIsAFindingWhereItIsGraverThanTheTool(t *testing.T) {
	db := openStore(t)
	storetest.Insert(t, db, join(calls(50, 20, time.Minute, by("m", "desk", "2")), calls(150, 0, time.Minute, by("m", "desk", "1")),
		calls(3, 3, time.Minute, by("m", "desk", "3"))))
	_, found := at(t, db, drift.DefaultSettings(), nil)
	tool := only(t, found, drift.RuleRatio, shopOrder)
	bad := only(t, found, drift.RuleRatio, finding.Subject{Server: "shop", Tool: "process_order", Agent: "desk", Release: "2"})
	if tool == nil || bad == nil || tool.Severity != finding.Warning || bad.Severity != finding.Critical || len(found) != 2 {
		t.Fatalf("findings %+v", found)
	}
	if want := "40.0 % of the calls of shop/process_order by desk 2 do not fit its schema (20 of 50)"; bad.Title != want {
		t.Errorf("title %q, want %q", bad.Title, want)
	}
}

func TestWindowsOfAnOpenEndEndWithTheNewestCall(t *testing.T) {
	db := openStore(t)
	wrong := calls(1, 0, -1000*24*time.Hour, order)
	storetest.Insert(t, db, join(calls(10, 0, 0, order), calls(5, 0, 6*time.Minute, order), calls(7, 0, 2*time.Hour, order)))
	r, _ := analyze(t, db)
	if w := r.Windows; w[0].Calls != 10 || w[1].Calls != 15 || w[2].Calls != 22 || !w[0].To.Equal(noon.Add(time.Microsecond)) {
		t.Errorf("windows %+v", w)
	}
	lane := "2/" + events.Subject(0, events.KindToolCall)
	if err := db.Insert(t.Context(), lane, lane+"@0", []events.Row{{Seq: 1, Event: wrong[0]}}); err != nil {
		t.Fatal(err)
	}
	r, _ = analyze(t, db)
	if to := r.Windows[0].To; to.After(time.Now().Add(time.Hour)) {
		t.Errorf("a call that claims to be of %s ends the windows at %s", wrong[0].Time, to)
	}
}

func TestABatchThatIsDeliveredAgainCountsOnce(t *testing.T) {
	db := openStore(t)
	lane := "1/" + events.Subject(0, events.KindToolCall)
	var rows []events.Row
	for i, e := range calls(100, 6, time.Minute, order) {
		rows = append(rows, events.Row{Seq: uint64(i + 1), Event: e})
	}
	for range 3 {
		if err := db.Insert(t.Context(), lane, lane+"@0", rows); err != nil {
			t.Fatal(err)
		}
	}
	r, found := at(t, db, drift.DefaultSettings(), nil)
	if r.Calls != 100 || r.Drifted != 6 || r.Windows[0].Calls != 100 {
		t.Errorf("%d of %d drifted", r.Drifted, r.Calls)
	}
	if f := only(t, found, drift.RuleRatio, shopOrder); f == nil || f.Numbers["calls"] != 100 {
		t.Errorf("finding %+v", f)
	}
}

func TestAReportWithoutCallsHasItsWindowsEmpty(t *testing.T) {
	r, found := analyze(t, openStore(t))
	if len(r.Windows) != 3 || len(found) != 0 || r.Windows[2].Window != "24h" || r.Windows[2].ByTool == nil || !r.Windows[2].To.IsZero() {
		t.Errorf("%+v, findings %+v", r, found)
	}
}
