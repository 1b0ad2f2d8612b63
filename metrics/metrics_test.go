package metrics

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
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
			if seen[d.Name] {
				t.Errorf("%s is there twice", d.Name)
			}
			seen[d.Name] = true
			if !name.MatchString(d.Name) || d.Help == "" {
				t.Errorf("%s: help %q", d.Name, d.Help)
			}
		}
	}
	if len(seen) == 0 {
		t.Error("no metrics")
	}
}

func TestMetricsPassPrometheusLint(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	a := NewAnalyzer(reg)
	a.Runs.WithLabelValues("ok").Inc()
	a.DetectorErrors.WithLabelValues("drift").Inc()
	a.DetectorDuration.WithLabelValues("drift").Observe(1)
	a.LastSuccess.WithLabelValues("drift").SetToCurrentTime()
	a.FindingsNew.WithLabelValues("drift", "info").Inc()
	a.Findings.WithLabelValues("drift", "info").Set(1)
	a.Calls.WithLabelValues("ok").Set(1)
	a.Requests.WithLabelValues("ok").Set(1)
	a.TokensLost.WithLabelValues("ok").Set(1)
	a.LostUSD.WithLabelValues("ok").Set(1)
	a.RuleHits.WithLabelValues("guessed").Set(1)
	a.HistoryChanges.WithLabelValues("tooltrail_registry").Inc()
	a.HistoryErrors.WithLabelValues("tooltrail_registry").Inc()
	a.Breaker.Calls.WithLabelValues("counted").Inc()
	a.Breaker.Switches.WithLabelValues("disabled").Set(1)
	a.Breaker.Trips.WithLabelValues("disabled").Inc()
	a.Breaker.Probes.WithLabelValues("enabled").Inc()
	a.Breaker.WriteErrors.WithLabelValues("switch").Inc()
	problems, err := testutil.GatherAndLint(reg)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}
