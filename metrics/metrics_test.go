package metrics

import (
	"bytes"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

var update = flag.Bool("update", false, "rewrite docs/metrics.md")

func TestTheDocumentIsWhatTheCodeRegisters(t *testing.T) {
	const path = "../docs/metrics.md"
	var got bytes.Buffer
	if err := Document(&got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("docs/metrics.md is old; run go test ./metrics -update (-file +code):\n%s", diff)
	}
}

func TestEveryNameIsUsedOnceAndHasHelp(t *testing.T) {
	name := regexp.MustCompile(`^tooltrail_[a-z][a-z0-9_]*$`)
	seen := map[string]bool{}
	for _, c := range Components() {
		for _, d := range c.Metrics {
			if seen[d.Name()] {
				t.Errorf("%s is there twice", d.Name())
			}
			seen[d.Name()] = true
			if !name.MatchString(d.Name()) || d.Help == "" || d.Unit == "" || strings.Contains(d.Unit, "?") {
				t.Errorf("%s: help %q", d.Name(), d.Help)
			}
		}
	}
	if len(seen) == 0 {
		t.Error("no metrics")
	}
}

// fill gives every metric of a registry a value.
func fill(a *Analyzer, g *Ingest) {
	for _, v := range []any{a, a.Breaker, a.Window, g, g.Traffic} {
		s := reflect.ValueOf(v).Elem()
		for i := range s.NumField() {
			fillOne(s.Field(i).Interface())
		}
	}
}

func fillOne(m any) {
	some := []string{"a", "b", "c", "d", "e", "f"}
	switch m := m.(type) {
	case *prometheus.CounterVec:
		for n := range some {
			if c, err := m.GetMetricWithLabelValues(some[:n]...); err == nil {
				c.Inc()
			}
		}
	case *prometheus.GaugeVec:
		for n := range some {
			if c, err := m.GetMetricWithLabelValues(some[:n]...); err == nil {
				c.Set(1)
			}
		}
	case *prometheus.HistogramVec:
		m.WithLabelValues("a").Observe(1)
	case *Named:
		m.Add(1, trace, some[:m.Labels()]...)
	case *Snapshot:
		m.Set(DefaultLimits(), true, []Row{{Values: some[:len(m.def.Labels)], Value: 1}})
	}
}

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"

func TestMetricsPassPrometheusLint(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	fill(NewAnalyzer(reg), NewIngest(reg))
	problems, err := testutil.GatherAndLint(reg)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, c := range Components() {
		want += len(c.Metrics)
	}
	if len(families) != want {
		t.Errorf("%d metrics were linted, want all %d", len(families), want)
	}
}

func TestCountersOfDriftedCallsCarryTracesToThoseWhoAskForOpenMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	g := NewIngest(reg)
	g.Traffic.DriftCalls.Add(1, trace, "shop", "order", "m", "old_version")
	g.Traffic.DriftCalls.Add(1, strings.Repeat("no trace", 40), "shop", "refund", "m", "old_version")
	req := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	req.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	w := httptest.NewRecorder()
	promhttp.HandlerFor(reg, promhttp.HandlerOpts{EnableOpenMetrics: true}).ServeHTTP(w, req)
	if want := `# {trace_id="` + trace + `"} 1.0`; !strings.Contains(w.Body.String(), want) {
		t.Errorf("no exemplar in:\n%s", w.Body)
	}
}

// flood is how many made-up names of each kind a test sends.
const flood = 10_000

func TestAFloodOfNamesKeepsTheNumberOfSeriesBounded(t *testing.T) {
	reg := prometheus.NewRegistry()
	g, a, l := NewIngest(reg), NewAnalyzer(reg), DefaultLimits()
	var rows []Row
	for i := range flood {
		n := strconv.Itoa(i)
		g.Traffic.DriftCalls.Add(1, "", "s"+n, "t"+n, "m"+n, "old_version")
		g.Traffic.DriftCalls.Add(1, "", "s"+strconv.Itoa(i%l.Tools), "t"+strconv.Itoa(i%l.Tools), "m"+strconv.Itoa(i%l.Models), "c"+n)
		g.Traffic.NamedCalls.Add(1, "", "guessed", "a"+n, "m"+n)
		g.Traffic.ClientDropped.Add(1, "", "a"+n, "reason"+n)
		rows = append(rows, Row{[]string{"a" + n, "tools_changed", "tools"}, 1})
	}
	a.Window.CacheLostTokens.Set(l, true, rows)
	for name, most := range map[string]int{
		TrafficDriftCalls.Name(): l.Series + 100, TrafficNamedCalls.Name(): 2 * (l.Agents + 1) * (l.Models + 1),
		TrafficClientDropped.Name(): (l.Agents + 1) * (wordLimit + 1), CacheLostTokens.Name(): l.Agents + 1,
	} {
		n, err := testutil.GatherAndCount(reg, name)
		if err != nil || n > most || n == 0 {
			t.Errorf("%s: %d series, at most %d, error %v", name, n, most, err)
		}
	}
	if got := total(t, reg, CacheLostTokens.Name()); got != flood {
		t.Errorf("the window's gauges add up to %v, want %d", got, flood)
	}
	if got := total(t, reg, TrafficDriftCalls.Name()); got != 2*flood {
		t.Errorf("the counters add up to %v, want %d", got, 2*flood)
	}
}

// total adds up the series of a metric.
func total(t *testing.T, reg prometheus.Gatherer, name string) (sum float64) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sum
}

func TestRatiosBeyondALimitAreLeftOutAndNotAddedUp(t *testing.T) {
	s := newSnapshot(DriftRatio)
	l := Limits{Tools: 1, Models: 1, Agents: 1, Series: 10}
	s.Set(l, false, []Row{{[]string{"s", "t", "", "5m"}, 0.5}, {[]string{"s", "u", "", "5m"}, 0.9}, {[]string{"s", "t", "", "1h"}, 0.4}})
	if len(s.rows) != 2 || s.rows[0].Value != 0.5 || s.rows[1].Value != 0.4 {
		t.Errorf("got %+v", s.rows)
	}
}

func TestLimitsUnderOneAreRefusedByName(t *testing.T) {
	err := Limits{Tools: 1, Models: 0, Agents: 1, Series: -1}.Validate()
	if err == nil || !strings.Contains(err.Error(), "models is 0") || !strings.Contains(err.Error(), "series is -1") {
		t.Errorf("got %v", err)
	}
	if err := DefaultLimits().Validate(); err != nil {
		t.Error(err)
	}
}
