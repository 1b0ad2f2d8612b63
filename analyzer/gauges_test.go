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
