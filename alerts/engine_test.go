package alerts_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/alerts"
	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/e2e/sampletest"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// looked is the sample in a store, as an analyzer leaves it.
type looked struct {
	db       *store.DB
	analyzer *analyzer.Analyzer
	metrics  *prometheus.Registry
	began    time.Time
}

// lookAtSample stores the sample and looks at all of it, with the tools that it defines registered.
func lookAtSample(t *testing.T) looked {
	t.Helper()
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	known := drift.NewRegistry()
	all := sampletest.Read(t)
	for _, e := range all {
		if d, ok := e.Data.(*events.ToolDefinition); ok {
			_, _ = known.Register(d, "test", e.Time) // one that can't be used judges nothing
		}
	}
	storetest.Insert(t, db, all)
	reg := prometheus.NewRegistry()
	a, err := analyzer.New(analyzer.DefaultConfig(), db, db, nil, metrics.NewAnalyzer(reg), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	a.UseRegistry(analyzer.RegistryOf(known))
	l := looked{db, a, reg, all[0].Time}
	l.look(t)
	return l
}

func (l looked) look(t *testing.T) {
	t.Helper()
	if _, err := l.analyzer.Once(t.Context(), finding.Window{}); err != nil {
		t.Fatal(err)
	}
}

// over runs an alert's query and returns the labels of the rows over its limit. Labels must be text, and all else one number named value.
func (l looked) over(t *testing.T, a *alerts.Alert) (labels []string) {
	t.Helper()
	query, err := panels.Expand(a.SQL(), panels.Scope{From: l.began, To: time.Now().Add(time.Second)})
	if err != nil {
		t.Fatalf("%s: %v", a.Name, err)
	}
	rows, err := l.db.Rows(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v in\n%s", a.Name, err, query)
	}
	for i, typ := range rows.Types {
		if isValue := rows.Columns[i] == "value"; isValue != (typ == "Float64") || !isValue && typ != "String" {
			t.Errorf("%s: column %s is a %s; want text, and one Float64 named value", a.Name, rows.Columns[i], typ)
		}
	}
	for _, row := range rows.Values {
		var names []string
		value := -1.0
		for i, v := range row {
			switch v := v.(type) {
			case string:
				names = append(names, v)
			case float64:
				value = v
			default:
				t.Errorf("%s: %s is %v", a.Name, rows.Columns[i], v)
			}
		}
		if value > a.Over {
			labels = append(labels, strings.Join(names, " "))
		}
	}
	return labels
}

// grafanaOnSample are the rows over the limit of each alert that Grafana evaluates; the rest has none.
var grafanaOnSample = map[string][]string{
	"DriftOver20":                 {"orders create_order ", "orders create_order claude-sonnet-4-5"},
	"DriftOver5":                  {"crm update_contact ", "crm update_contact claude-sonnet-4-5", "crm update_contact gpt-5.1", "orders create_order gpt-5.1"},
	"SilentDefault":               {"orders create_order"},
	"RetryCost":                   {"billing create_payout"},
	"DefinitionsChanged":          {"warehouse"},
	"CacheTokensLost":             {"support-desk system", "support-desk tools"},
	"CacheFlapping":               {"support-desk flapping_roster", "support-desk flapping_tools"},
	"RosterChangedInConversation": {"support-desk"},
	"GuessedNames":                {""},
	"CallsBeforeActivation":       {""},
	"CallLoop":                    {" web_search", "issues search_issue"},
	"MadeUpIds":                   {"crm get_contact", "deploy get_release"},
	"RosterSummariesCut":          {""},
	"ClientDrops":                 {"support-desk buffer_full"},
}

func TestGrafanasQueriesSayOfTheSampleWhatWasPutIn(t *testing.T) {
	l := lookAtSample(t)
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		if a.SQL() == "" || a.Name == "DiskFilling" { // how full this disk is does not depend on the sample
			continue
		}
		if diff := cmp.Diff(grafanaOnSample[a.Name], l.over(t, &a)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", a.Name, diff)
		}
	}
}

func TestTheDisksQueryNamesADiskAndItsShare(t *testing.T) {
	l := lookAtSample(t)
	a := find(t, "DiskFilling")
	a.Over = -1
	if got := l.over(t, &a); len(got) == 0 {
		t.Error("no disk")
	}
	if n, err := testutil.GatherAndCount(l.metrics, metrics.StoreDiskFree.Name(), metrics.StoreDiskSize.Name()); err != nil || n < 2 {
		t.Errorf("%d series on disks, error %v", n, err)
	}
}

func (l looked) series(t *testing.T, d metrics.Def) int {
	t.Helper()
	n, err := testutil.GatherAndCount(l.metrics, d.Name())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func find(t *testing.T, name string) alerts.Alert {
	t.Helper()
	all := alerts.All(alerts.DefaultConfig())
	i := slices.IndexFunc(all, func(a alerts.Alert) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("there is no alert %s", name)
	}
	return all[i]
}

// TestAMutedOrResolvedFindingSilencesItsAlert takes findings out of sight, and looks whether Prometheus is told and Grafana's query is empty.
func TestAMutedOrResolvedFindingSilencesItsAlert(t *testing.T) {
	l := lookAtSample(t)
	all, err := l.db.Findings(t.Context(), store.FindingFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	act := map[string]finding.State{drift.RuleSilentDefault: finding.Muted, drift.RuleDefinitions: finding.Muted, drift.RuleRetries: finding.Resolved}
	if n := l.series(t, metrics.DriftDefinitionRatio); n != 1 {
		t.Errorf("%d servers changed many tools, want 1", n)
	}
	for _, f := range all {
		state, ok := act[f.Rule]
		if !ok {
			continue
		}
		until := time.Time{}
		if state == finding.Muted {
			until = time.Now().Add(time.Hour)
		}
		if done, err := l.db.SetFindingState(t.Context(), f.Fingerprint, state, until); err != nil || !done {
			t.Fatalf("%s of %s: done %v, error %v", state, f.Rule, done, err)
		}
	}
	l.look(t)
	if n := l.series(t, metrics.DriftDefinitionRatio); n != 0 {
		t.Errorf("%d servers changed many tools, though that is muted", n)
	}
	for _, name := range []string{"SilentDefault", "RetryCost", "DefinitionsChanged"} {
		a := find(t, name)
		if got := l.over(t, &a); len(got) > 0 {
			t.Errorf("Grafana's %s still says %v", name, got)
		}
	}
	want := `# HELP tooltrail_finding_silenced ` + metrics.FindingSilenced.Help + `
# TYPE tooltrail_finding_silenced gauge
`
	for _, row := range [][4]string{
		{"definition_change", "warehouse", "", "muted"}, {"retry_tokens", "billing", "create_payout", "resolved"}, {"silent_default", "orders", "create_order", "muted"},
	} {
		want += fmt.Sprintf("tooltrail_finding_silenced{agent=\"\",model=\"\",rule=%q,server=%q,state=%q,tool=%q} 1\n", row[0], row[1], row[3], row[2])
	}
	if err := testutil.GatherAndCompare(l.metrics, strings.NewReader(want), metrics.FindingSilenced.Name()); err != nil {
		t.Error(err)
	}
}
