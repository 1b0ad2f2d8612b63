package dashboards_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/tooltrail/tooltrail/dashboards"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestPanelsHaveIdsPlacesAndWords(t *testing.T) {
	for id, d := range rendered(t) {
		ids := map[uint32]bool{}
		var places []dashboard.GridPos
		for _, p := range d.Panels {
			if p.RowPanel != nil {
				checkID(t, id, ids, p.RowPanel.Id)
				places = append(places, *p.RowPanel.GridPos)
				continue
			}
			panel := p.Panel
			checkID(t, id, ids, *panel.Id)
			places = append(places, *panel.GridPos)
			if *panel.Title == "" || *panel.Description == "" || *panel.FieldConfig.Defaults.NoValue == "" || *panel.Datasource.Uid != "${datasource}" {
				t.Errorf("%s: panel %q lacks something", id, *panel.Title)
			}
			if len(panel.Targets) != 1 || panel.Targets[0].DataqueryType() != dashboards.SourceType {
				t.Errorf("%s: targets of %q: %v", id, *panel.Title, panel.Targets)
			}
		}
		checkPlaces(t, id, places)
	}
}

func checkID(t *testing.T, view string, ids map[uint32]bool, id uint32) {
	t.Helper()
	if id == 0 || ids[id] {
		t.Errorf("%s: id %d is none, or twice", view, id)
	}
	ids[id] = true
}

// checkPlaces holds that panels lie on the grid and not over one another.
func checkPlaces(t *testing.T, view string, places []dashboard.GridPos) {
	t.Helper()
	for i, a := range places {
		if a.W == 0 || a.H == 0 || a.X+a.W > 24 {
			t.Errorf("%s: %+v is off the grid", view, a)
		}
		for _, b := range places[:i] {
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("%s: %+v lies over %+v", view, a, b)
			}
		}
	}
}

func TestTimeSeriesShowTheirLegends(t *testing.T) {
	n := 0
	for id, d := range rendered(t) {
		for _, p := range d.Panels {
			if p.Panel == nil || p.Panel.Type != "timeseries" {
				continue
			}
			n++
			b, err := json.Marshal(p.Panel.Options)
			if err != nil || !strings.Contains(string(b), `"showLegend":true`) {
				t.Errorf("%s: %s has no legend: %s, %v", id, *p.Panel.Title, b, err)
			}
			if *p.Panel.Interval != "$window" {
				t.Errorf("%s: %s does not follow the window", id, *p.Panel.Title)
			}
		}
	}
	if n < 15 {
		t.Errorf("%d time series", n)
	}
}

// TestThresholdsAreAt5And20PerCent: the steps begin just over them, since exactly 5 % is fine.
func TestThresholdsAreAt5And20PerCent(t *testing.T) {
	d := rendered(t)[panels.Drift]
	for _, p := range d.Panels {
		if p.Panel == nil || *p.Panel.Title != "Drift ratio by tool" {
			continue
		}
		steps := p.Panel.FieldConfig.Defaults.Thresholds.Steps
		if len(steps) != 3 || *steps[1].Value <= 0.05 || *steps[1].Value > 0.0501 || *steps[2].Value <= 0.2 || *steps[2].Value > 0.2001 {
			t.Errorf("steps %+v", steps)
		}
		if *p.Panel.FieldConfig.Defaults.Unit != "percentunit" {
			t.Error("the ratio is not in per cent")
		}
		return
	}
	t.Error("no such panel")
}

var uid = regexp.MustCompile(`/d/(tooltrail-[a-z]*)(\$\{__data\.fields\.detector:percentencode\})?`)

// TestLinksLeadToDashboardsThatExist, and every dashboard has its own uid.
func TestLinksLeadToDashboardsThatExist(t *testing.T) {
	all := rendered(t)
	known := map[string]bool{}
	for id, d := range all {
		if *d.Uid != dashboards.UID(id) {
			t.Errorf("%s has the uid %s", id, *d.Uid)
		}
		known[*d.Uid] = true
	}
	for id := range all {
		raw, err := os.ReadFile("rendered/" + id + ".json")
		if err != nil {
			t.Fatal(err)
		}
		links := uid.FindAllStringSubmatch(string(raw), -1)
		for _, l := range links {
			if l[2] == "" && !known[l[1]] {
				t.Errorf("%s links to %s", id, l[0])
			}
		}
		if len(links) < len(all)-1 {
			t.Errorf("%s has %d links", id, len(links))
		}
	}
}

func TestEachDashboardHasItsVariables(t *testing.T) {
	for id, d := range rendered(t) {
		v, _ := panels.Find(id)
		want := []string{"datasource"}
		for _, variable := range v.Variables {
			want = append(want, variable.Name)
		}
		want = append(want, "window", "runbooks")
		var got []string
		for _, variable := range d.Templating.List {
			got = append(got, variable.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the variables %v, want %v", id, got, want)
		}
	}
}

// TestEveryQueryRunsOnTheEngine runs what the rendered files ask for, with Grafana's macros expanded.
func TestEveryQueryRunsOnTheEngine(t *testing.T) {
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	for name, sql := range queries(t) {
		for _, scope := range scopes() {
			query, err := panels.Expand(sql, scope)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if _, err := db.Rows(t.Context(), query); err != nil {
				t.Errorf("%s: %v in\n%s", name, err, query)
			}
		}
	}
}

func scopes() []panels.Scope {
	all := panels.Scope{From: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}
	one := all
	for _, name := range []string{"agent", "model", "server", "tool", "environment", "team", "conversation"} {
		one.Set(name, `it's \`)
	}
	return []panels.Scope{all, one}
}

// queries are those of the rendered files, and each is a panel's or a variable's: package panels holds what they say.
func queries(t *testing.T) map[string]string {
	t.Helper()
	known := map[string]bool{}
	for _, v := range panels.Views() {
		for _, p := range v.Panels {
			known[p.SQL] = true
		}
		for _, variable := range v.Variables {
			known[variable.SQL] = true
		}
	}
	all := map[string]string{}
	for id, d := range rendered(t) {
		for _, p := range d.Panels {
			if p.Panel != nil {
				all[id+": "+*p.Panel.Title] = p.Panel.Targets[0].(dashboards.Query).RawSQL
			}
		}
		for _, v := range d.Templating.List {
			if v.Type == dashboard.VariableTypeQuery {
				all[id+": $"+v.Name] = *v.Query.String
			}
		}
	}
	for name, sql := range all {
		if !known[sql] {
			t.Errorf("%s is no panel's query", name)
		}
	}
	return all
}

func TestQueriesCompareByWhatTheyAsk(t *testing.T) {
	a, b := *dashboards.NewQuery("SELECT 1", false), *dashboards.NewQuery("SELECT 1", false)
	if !a.Equals(b) || !a.Equals(&b) || a.Equals(*dashboards.NewQuery("SELECT 1", true)) || a.Equals((*dashboards.Query)(nil)) || a.Equals(nil) {
		t.Error("queries don't compare")
	}
	if _, err := dashboards.NewQuery("", false).Build(); err == nil {
		t.Error("a query without SQL")
	}
	if _, err := dashboards.Variant().StrictDataqueryUnmarshaler([]byte(`{"rawSql":"x","planet":1}`)); err == nil {
		t.Error("a query with a field that it has not")
	}
}

func TestSettingsThatCanNotBeAreNamed(t *testing.T) {
	cfg := dashboards.Config{Runbooks: "ftp://x/", From: "yesterday"}
	_, err := dashboards.Render(cfg)
	for _, want := range []string{"source is empty", "runbooks is no address", "from does not begin"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func ExampleRender() {
	files, err := dashboards.Render(dashboards.DefaultConfig())
	fmt.Println(slices.Sorted(maps.Keys(files)), err)
	// Output: [activation.json conversation.json drift.json overview.json pipeline.json prefix.json] <nil>
}
