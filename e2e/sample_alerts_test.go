package e2e

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/alerts"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
)

var update = flag.Bool("update", false, "rewrite docs/alerts-on-the-sample.md")

// TestTheSampleRaisesTheAlertsItShould sends the sample to a running tooltrail as an agent does, takes what it then says on /metrics, and has
// the rules judge that: those alerts fire whose trouble was put in, by sample/injected.json, and no other. Then all findings are muted, and the
// alerts that are on findings are silent.
func TestTheSampleRaisesTheAlertsItShould(t *testing.T) {
	u := upWithSample(t)
	expected := expectedOnSample(t, readPutIn(t))
	grafana := expectedInGrafana(t, expected)
	u.judge(t, expected)
	u.compareWithGrafana(t, grafana)
	compareTable(t, expected, grafana)

	u.muteAll(t)
	muted := withoutFindings(expected)
	u.judge(t, muted)
	u.compareWithGrafana(t, expectedInGrafana(t, muted))
}

// judge has promtool judge the metrics by the rules.
func (u *sampleUp) judge(t *testing.T, expected []onSample) {
	t.Helper()
	test := filepath.Join(t.TempDir(), "sample.yml")
	if err := os.WriteFile(test, []byte(promtoolTest(t, metricsOf(t, u.process), expected)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(otherProgram(t, "promtool"), "test", "rules", test).CombinedOutput(); err != nil {
		t.Errorf("the alerts that fire are others: %v\n%s", err, out)
	}
}

// sampleUp is a tooltrail that was given the sample and looks at all of time, and its store.
type sampleUp struct {
	*process
	db *store.DB
}

func upWithSample(t *testing.T) *sampleUp {
	t.Helper()
	addr, clickhouse := freeAddr(t), freeAddr(t)
	p := newProcess(t, "up", addr, nil, "tooltrail", "up", "--data", t.TempDir(), "--listen", addr, "--nats", freeAddr(t), "--clickhouse", clickhouse,
		"--interval", "2s", "--window", "0")
	p.start()
	p.waitReady()
	n := postSample(t, addr)
	stored := regexp.MustCompile(`(?m)^tooltrail_ingest_events_total\{kind="[a-z_]+"\} (\d+)$`)
	waitFor(t, 3*time.Minute, "the sample to be stored", func() bool {
		sum := 0
		for _, m := range stored.FindAllStringSubmatch(metricsOf(t, p), -1) {
			var k int
			_, _ = fmt.Sscan(m[1], &k)
			sum += k
		}
		return sum == n
	})
	cfg := store.DefaultConfig()
	cfg.Address = "http://" + clickhouse
	db, err := store.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	u := &sampleUp{p, db}
	u.look(t)
	return u
}

// look waits until the analyzer has looked once more from now on.
func (u *sampleUp) look(t *testing.T) {
	t.Helper()
	runs := func() (n int) {
		if m := regexp.MustCompile(`(?m)^tooltrail_analyzer_runs_total\{result="ok"\} (\d+)$`).FindStringSubmatch(metricsOf(t, u.process)); m != nil {
			_, _ = fmt.Sscan(m[1], &n)
		}
		return n
	}
	before := runs()
	waitFor(t, 3*time.Minute, "the analyzer to have looked", func() bool { return runs() >= before+2 })
}

// muteAll mutes every finding, and waits until all parts know.
func (u *sampleUp) muteAll(t *testing.T) {
	t.Helper()
	all, err := u.db.Findings(t.Context(), store.FindingFilter{Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	var fingerprints []string
	for _, f := range all {
		fingerprints = append(fingerprints, f.Fingerprint)
	}
	mute := finding.Action{Act: finding.Mute, Until: time.Now().Add(time.Hour), By: "ada", Why: "all is known"}
	if _, err := u.db.ActOnFindings(t.Context(), fingerprints, mute); err != nil {
		t.Fatal(err)
	}
	u.look(t)
	waitFor(t, time.Minute, "the breaker to know", func() bool { return strings.Contains(metricsOf(t, u.process), `state="silenced"`) })
}

// withoutFindings is what fires still where all findings are muted.
func withoutFindings(expected []onSample) []onSample {
	left := slices.Clone(expected)
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		for i := range left {
			if left[i].name == a.Name && len(a.Rules) > 0 {
				left[i].labels = nil
			}
		}
	}
	return left
}

func readSample(t *testing.T) []byte {
	t.Helper()
	f, err := os.Open("../sample/sample.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// postSample posts the sample's lines in their order and returns how many there are.
func postSample(t *testing.T, addr string) (lines int) {
	t.Helper()
	for some := range slices.Chunk(sampleLines(t), 200) {
		resp, err := http.Post("http://"+addr+"/v1/events", "application/x-ndjson", bytes.NewReader(bytes.Join(some, nil)))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("the intake answered %s", resp.Status)
		}
		lines += len(some)
	}
	return lines
}

// onSample is an alert that fires on the sample, or one that does not and why.
type onSample struct {
	name string
	// labels are those of each alert that fires.
	labels []string
	why    string
}

// The minute at which counters have grown to what they are at the end, and the one at which the alerts are looked at: longer than any alert waits,
// and soon after the growth.
const (
	grownAt  = 75
	lookedAt = 80
)

// promtoolTest is a test of promtool: gauges as they are for all of the time, counters from nothing to what they are.
func promtoolTest(t *testing.T, page string, expected []onSample) string {
	t.Helper()
	rules, err := filepath.Abs("../alerts/rendered/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "rule_files: [%q]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n", rules)
	counters := map[string]bool{}
	for s := bufio.NewScanner(strings.NewReader(page)); s.Scan(); {
		line := s.Text()
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, typ, _ := strings.Cut(name, " ")
			counters[name] = typ == "counter"
		}
		// How full this machine's disk is does not depend on the sample.
		if !strings.HasPrefix(line, "tooltrail_") || strings.HasPrefix(line, "tooltrail_store_disk_") || strings.Contains(line, "_bucket{") {
			continue
		}
		i := strings.LastIndexByte(line, ' ')
		series, value := line[:i], line[i+1:]
		name, _, _ := strings.Cut(series, "{")
		values := fmt.Sprintf("%s+0x%d", value, lookedAt)
		if counters[name] {
			values = fmt.Sprintf("0+0x%d %s+0x%d", grownAt-1, value, lookedAt)
			if strings.HasPrefix(name, "tooltrail_client_") {
				values = fmt.Sprintf("_x%d %s+0x%d", grownAt, value, lookedAt)
			}
		}
		fmt.Fprintf(&b, "      - {series: '%s', values: '%s'}\n", strings.ReplaceAll(series, "'", "''"), values)
	}
	fmt.Fprintf(&b, "    promql_expr_test:\n      - expr: ALERTS{alertstate=\"firing\"}\n        eval_time: %dm\n        exp_samples:\n", lookedAt)
	for _, e := range expected {
		for _, labels := range e.labels {
			fmt.Fprintf(&b, "          - {labels: 'ALERTS{alertname=\"%s\",alertstate=\"firing\",%s%s}', value: 1}\n", e.name, kindOf(t, e.name), labels)
		}
	}
	return b.String()
}

// kindOf returns the labels that the alert itself has.
func kindOf(t *testing.T, name string) string {
	t.Helper()
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		if a.Name == name {
			return fmt.Sprintf("severity=%q,needs=%q,", a.Severity, a.Needs)
		}
	}
	t.Fatalf("there is no alert %s", name)
	return ""
}

// compareTable holds docs/alerts-on-the-sample.md against what is expected.
func compareTable(t *testing.T, expected []onSample, grafana map[string][]string) {
	t.Helper()
	const path = "../docs/alerts-on-the-sample.md"
	var b strings.Builder
	b.WriteString(tableHead)
	said := map[string]bool{}
	for _, e := range expected {
		said[e.name] = true
		inGrafana := "not asked"
		if labels, ok := grafana[e.name]; ok {
			inGrafana = fires(labels)
		}
		fmt.Fprintf(&b, "| [%s](alerts/%s.md) | %s | %s | %s |\n", e.name, e.name, strings.TrimSpace(e.why), fires(e.labels), inGrafana)
	}
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		if !said[a.Name] {
			t.Errorf("nothing is expected of %s", a.Name)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s is old; run go test ./e2e -run SampleRaisesTheAlerts -update (-file +expected):\n%s", path, diff)
	}
}

// fires says whether an alert fires, and on what.
func fires(labels []string) string {
	if len(labels) == 0 {
		return "no"
	}
	return strings.TrimSuffix("yes: `"+strings.Join(labels, "`, `")+"`", ": ``")
}

const tableHead = `# The alerts on the sample

What was put into the recorded sample (` + "`sample/injected.json`" + `, committed before the detectors were tuned), alert by alert, and whether the alert
fires. A test sends the sample to a running ` + "`tooltrail up --window 0`" + ` as an agent does (not with ` + "`tooltrail import`" + `, which is for history: the breaker disables nothing for it), gives what it then says on ` + "`/metrics`" + ` to the rules, and expects these
alerts and no others: ` + "`go test ./e2e -run SampleRaisesTheAlerts -update`" + `. It asks the queries of Grafana's own rules of the same store.
Their labels are fewer in places, and DriftOver5 is there of what DriftOver20 is not on, since Grafana inhibits nothing.

| alert | what was put in | fires | in Grafana |
|---|---|---|---|
`
