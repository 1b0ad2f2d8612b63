package panels_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/panels"
)

// narrowed is a scope with a value for each variable.
func (s sample) narrowed() panels.Scope {
	scope := s.whole
	scope.Agent, scope.Model, scope.Server, scope.Tool = "support-desk", "claude-sonnet-4-5", "orders", "create_order"
	scope.Environment, scope.Team = "production", "support"
	scope.Conversation = s.report.Prefix.Conversations[0].ID
	return scope
}

// hostile are values that would leave their quotes, or be read as macros, were they put into a query as they are.
var hostile = []string{
	`'`, `''`, `\`, `\'`, `\' OR 1=1 --`, `' UNION ALL SELECT 1 --`, `"; DROP TABLE tool_calls`, "`", `$__timeFilter(time)`, `${agent:percentencode}`,
	`%27`, `%`, `*/`, "a\nb", "\x00", "ü", "\xff", `<script>alert(1)</script>`,
}

// TestEveryPanelAnswersWhenNarrowed runs each panel's query with a value for each variable, and says no more than without.
func TestEveryPanelAnswersWhenNarrowed(t *testing.T) {
	s := openSample(t)
	for _, v := range panels.Views() {
		for _, p := range v.Panels {
			t.Run(p.ID, func(t *testing.T) {
				if all, some := len(run(t, s, p, s.scopeOf(v))), len(run(t, s, p, s.narrowed())); some > all && p.Kind == panels.Table {
					t.Errorf("%d rows narrowed, %d in all", some, all)
				}
				scope := s.whole
				scope.Set("tool", "no such tool")
				scope.Set("agent", "no such agent")
				scope.Set("conversation", "no such conversation")
				run(t, s, p, scope)
			})
		}
	}
}

// TestNarrowedPanelsCountWhatTheyAreNarrowedTo holds two panels against the report's row of a tool and model.
func TestNarrowedPanelsCountWhatTheyAreNarrowedTo(t *testing.T) {
	s := openSample(t)
	got := run(t, s, find(t, "drift_ratio"), s.narrowed())
	for i := range s.report.Drift.Tools {
		d := &s.report.Drift.Tools[i]
		if d.Server != "orders" || d.Tool != "create_order" || d.Model != "claude-sonnet-4-5" {
			continue
		}
		if number(got[0]["calls"]) != float64(d.Calls) || number(got[0]["drifted"]) != float64(d.Drifted) || d.Drifted == 0 {
			t.Errorf("%v, want %d of %d", got[0], d.Drifted, d.Calls)
		}
		return
	}
	t.Error("the report has no such tool")
}

// TestHostileValuesStayInTheirQuotes gives the variables of every panel values that would break out, on the real engine: nothing is found, and
// nothing fails.
func TestHostileValuesStayInTheirQuotes(t *testing.T) {
	s := openSample(t)
	names := []string{"agent", "model", "server", "tool", "environment", "team", "conversation"}
	for _, v := range panels.Views() {
		for _, p := range v.Panels {
			for from := 0; from < len(hostile); from += len(names) {
				scope := s.whole
				for i, name := range names {
					scope.Set(name, hostile[(from+i)%len(hostile)])
				}
				if rows := run(t, s, p, scope); strings.Contains(p.SQL, "$tool)") && p.Kind == panels.TimeSeries && len(rows) > 0 {
					t.Errorf("%s finds %d rows of %+v", p.ID, len(rows), scope)
				}
			}
		}
	}
}

// TestHostileNamesAreFound narrows to tools and agents of such names, which somebody may well have.
func TestHostileNamesAreFound(t *testing.T) {
	db := openTroubles(t)
	for _, name := range hostile {
		scope := panels.Scope{From: troubled, To: troubled.Add(time.Hour), Tool: name, Agent: name}
		rows := run(t, sample{db: db}, find(t, "drift_ratio"), scope)
		if name == "\xff" { // JSON has no such name
			continue
		}
		if len(rows) != 1 || number(rows[0]["calls"]) != 1 {
			t.Errorf("%q: %v", name, rows)
		}
	}
}

// TestPanelsOfTroublesThatTheSampleLacks runs those panels on a few events that have them.
func TestPanelsOfTroublesThatTheSampleLacks(t *testing.T) {
	db := openTroubles(t)
	scope := panels.Scope{From: troubled, To: troubled.Add(time.Hour)}
	for id := range notInSample {
		p := find(t, id)
		rows := run(t, sample{db: db}, p, scope)
		if len(rows) == 0 {
			t.Errorf("%s has no rows", id)
		}
		checkColumns(t, p, rows)
	}
	dead := run(t, sample{db: db}, find(t, "pipeline_letters"), scope)[0]
	if dead["reason"] != "schema" || dead["place"] != "/data/tool_name" || dead["example"] != `{"x":"é�` {
		t.Errorf("dead letter %v", dead)
	}
	if off := run(t, sample{db: db}, find(t, "drift_disabled"), scope); len(off) != 1 || off[0]["tool"] != "refund" || off[0]["state"] != "disabled" {
		t.Errorf("disabled tools %v", off)
	}
	if d := run(t, sample{db: db}, find(t, "drift_definitions"), scope); len(d) != 1 || d[0]["changed"] != "schema" || d[0]["version"] != "v2" {
		t.Errorf("definitions %v", d)
	}
}

// TestVariablesListWhatTheSampleHas runs the queries of the variables.
func TestVariablesListWhatTheSampleHas(t *testing.T) {
	s := openSample(t)
	want := map[string]string{
		"agent": "support-desk", "model": "claude-sonnet-4-5", "server": "orders", "tool": "create_order", "environment": "production",
		"team": "support", "conversation": s.report.Prefix.Conversations[0].ID,
	}
	for _, v := range panels.Views() {
		for _, variable := range v.Variables {
			found := false
			for _, row := range ask(t, s, variable.SQL, s.whole) {
				found = found || row["value"] == want[variable.Name]
			}
			if !found {
				t.Errorf("%s: %s does not list %q", v.ID, variable.Name, want[variable.Name])
			}
		}
	}
}

// TestFirstPointIsWhole: a window that begins inside a point counts the calls from its beginning on, and those alone.
func TestFirstPointIsWhole(t *testing.T) {
	s := openSample(t)
	scope := s.whole
	scope.From, scope.Window = scope.From.Add(31*24*time.Hour+7*time.Minute), 7*24*time.Hour
	total := sum("calls")(run(t, s, find(t, "overview_calls"), scope))["calls"]
	points := sum("calls")(run(t, s, find(t, "overview_calls_over_time"), scope))["calls"]
	if total != points || total == 0 {
		t.Errorf("%v calls, %v in the points", total, points)
	}
}
