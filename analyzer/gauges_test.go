package analyzer_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
)

// TestGaugesNameRegisteredToolsAlone looks at calls of a registered tool by two models and of names that somebody made up.
func TestGaugesNameRegisteredToolsAlone(t *testing.T) {
	db := openStore(t)
	var calls []events.Data
	for i := range 30 {
		c := call("a", events.OutcomeOK)
		c.RequestModel = []string{"m1", "m2"}[i%2]
		made := call("a", events.OutcomeOK)
		made.ToolName, made.Server = fmt.Sprint("invented_", i), ""
		calls = append(calls, c, made)
	}
	insert(t, db, calls...)

	known := drift.NewRegistry()
	d := &events.ToolDefinition{ToolName: "get_order", Server: "shop", SchemaVersion: "v1", Definition: jsontext.Value(`{"name":"get_order","input_schema":{"type":"object"}}`)}
	if _, err := known.Register(d, "test", time.Now()); err != nil {
		t.Fatal(err)
	}
	cfg := analyzer.DefaultConfig()
	limit := 0.5
	cfg.Drift.Tools = map[string]drift.ToolSettings{"shop/get_order": {CriticalRatio: &limit}}
	reg := prometheus.NewPedanticRegistry()
	a, err := analyzer.New(cfg, db, db, nil, metrics.NewAnalyzer(reg), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	a.UseRegistry(analyzer.RegistryOf(known))
	if _, err := a.Once(t.Context(), finding.Window{}); err != nil {
		t.Fatal(err)
	}
	want := `# HELP tooltrail_drift_limit ` + metrics.DriftLimit.Help + `
# TYPE tooltrail_drift_limit gauge
tooltrail_drift_limit{limit="critical_ratio",server="shop",tool="get_order"} 0.5
tooltrail_drift_limit{limit="retry_multiple",server="shop",tool="get_order"} 3
tooltrail_drift_limit{limit="warn_ratio",server="shop",tool="get_order"} 0.05
# HELP tooltrail_drift_silent_defaults ` + metrics.DriftSilentDefaults.Help + `
# TYPE tooltrail_drift_silent_defaults gauge
tooltrail_drift_silent_defaults{model="m1",server="shop",tool="get_order"} 15
tooltrail_drift_silent_defaults{model="m2",server="shop",tool="get_order"} 15
tooltrail_drift_silent_defaults{model="unknown",server="other",tool="other"} 30
# HELP tooltrail_store_up ` + metrics.StoreUp.Help + `
# TYPE tooltrail_store_up gauge
tooltrail_store_up 1
`
	names := []string{metrics.DriftLimit.Name(), metrics.DriftSilentDefaults.Name(), metrics.StoreUp.Name()}
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if strings.HasPrefix(l.GetValue(), "invented_") {
					t.Errorf("%s names %s", f.GetName(), l.GetValue())
				}
			}
		}
	}
}

// TestOnlyTheVersionThatAFindingIsOnIsSilenced: what was said of an old canary, or of one version of an agent, says nothing of another or of all;
// and a tool may be named as the rest is.
func TestOnlyTheVersionThatAFindingIsOnIsSilenced(t *testing.T) {
	db := openStore(t)
	known := drift.NewRegistry()
	for _, tool := range []string{"order", metrics.Other} {
		d := &events.ToolDefinition{ToolName: tool, Server: "shop", SchemaVersion: "v1", Definition: jsontext.Value(`{"name":"` + tool + `","input_schema":{"type":"object"}}`)}
		if _, err := known.Register(d, "test", time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now().UTC()
	var all []finding.Finding
	for _, f := range []finding.Finding{
		{Rule: "canary_worse", Subject: finding.Subject{Server: "shop", Tool: "order", Release: "2.0"}},
		{Rule: "drift_ratio", Subject: finding.Subject{Server: "shop", Tool: "order", Release: "7"}},
		{Rule: "drift_ratio", Subject: finding.Subject{Server: "shop", Tool: "order", Model: "m1"}},
		{Rule: "loop", Subject: finding.Subject{Server: "shop", Tool: metrics.Other}},
		{Rule: "loop", Subject: finding.Subject{Server: "shop", Tool: "invented"}},
		{Rule: "silent_default", Subject: finding.Subject{Server: "shop", Tool: "order"}},
	} {
		f.Detector, f.Severity, f.Title, f.FirstSeen, f.LastSeen = "drift", finding.Warning, f.Rule, now, now
		if f.Rule == "silent_default" {
			f.FirstSeen, f.LastSeen = now.Add(-48*time.Hour), now.Add(-48*time.Hour) // no run sees it any more
		}
		f.Sign()
		all = append(all, f)
	}
	if err := db.SaveFindings(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if _, err := db.ActOnFindings(t.Context(), []string{f.Fingerprint}, finding.Action{Act: finding.Mute, By: "lea", Why: "w", Until: now.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	reg := prometheus.NewPedanticRegistry()
	a, err := analyzer.New(analyzer.DefaultConfig(), db, db, nil, metrics.NewAnalyzer(reg), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	a.UseRegistry(analyzer.RegistryOf(known))
	if _, err := a.Once(t.Context(), finding.Window{}); err != nil {
		t.Fatal(err)
	}
	want := `# HELP tooltrail_finding_silenced ` + metrics.FindingSilenced.Help + `
# TYPE tooltrail_finding_silenced gauge
tooltrail_finding_silenced{agent="",model="",rule="canary_worse",server="shop",tool="order",version="2.0"} 1
tooltrail_finding_silenced{agent="",model="",rule="drift_ratio",server="shop",tool="order",version="7"} 1
tooltrail_finding_silenced{agent="",model="",rule="loop",server="shop",tool="other",version=""} 1
tooltrail_finding_silenced{agent="",model="m1",rule="drift_ratio",server="shop",tool="order",version=""} 1
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), metrics.FindingSilenced.Name()); err != nil {
		t.Error(err)
	}
}

// TestNamesThatARunDoesNotListAreSilencedAllTheSame mutes the findings on more wrong names than a run lists.
func TestNamesThatARunDoesNotListAreSilencedAllTheSame(t *testing.T) {
	db := openStore(t)
	var calls []events.Data
	var all []finding.Finding
	now := time.Now().UTC()
	for i := range 45 {
		c := call("a", events.OutcomeExecutionError)
		c.ToolName, c.Server, c.Resolution, c.DriftClass, c.DefaultedArguments = fmt.Sprint("invented_", i), "", events.ResolvedUnknown, "", nil
		calls = append(calls, c)
		if i == 0 {
			continue // of one there is no finding that somebody muted
		}
		f := finding.Finding{
			Detector: "activation", Rule: "unknown", Severity: finding.Warning, Subject: finding.Subject{Tool: c.ToolName}, Title: "t", FirstSeen: now, LastSeen: now,
		}
		f.Sign()
		all = append(all, f)
	}
	insert(t, db, calls...)
	if err := db.SaveFindings(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range all {
		names = append(names, f.Fingerprint)
	}
	if _, err := db.ActOnFindings(t.Context(), names, finding.Action{Act: finding.Mute, By: "lea", Why: "w", Until: now.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	reg := prometheus.NewPedanticRegistry()
	a, err := analyzer.New(analyzer.DefaultConfig(), db, db, nil, metrics.NewAnalyzer(reg), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Once(t.Context(), finding.Window{}); err != nil {
		t.Fatal(err)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != metrics.ActivationAlertCalls.Name() {
			continue
		}
		for _, m := range family.Metric {
			if rule := m.Label[0].GetValue(); rule == "unknown" && m.Gauge.GetValue() != 1 {
				t.Errorf("%v calls count for the alert, want 1", m.Gauge.GetValue())
			}
		}
		return
	}
	t.Error("nothing counts for the alert")
}
