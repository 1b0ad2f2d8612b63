package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/analyzer"
)

// putIn is the part of sample/injected.json that the report can be held against number by number.
type putIn struct {
	Events      map[string]int64 `json:"events"`
	Outcomes    map[string]int64 `json:"outcomes"`
	Verdicts    map[string]int   `json:"verdicts"`
	ToolChanges map[string]int   `json:"tool_changes"`
	Rules       map[string]int   `json:"rules"`
	Drift       map[string]struct {
		Calls, Drifted int
	} `json:"drift"`
	Definitions []struct {
		Server            string `json:"server"`
		From              string `json:"from"`
		To                string `json:"to"`
		Before            int    `json:"tools_before"`
		After             int    `json:"tools_after"`
		Added             int    `json:"added"`
		Removed           int    `json:"removed"`
		DefinitionChanged int    `json:"definition_changed"`
		SchemaChanged     int    `json:"schema_changed"`
	} `json:"definitions"`
	Others map[string]int `json:"others"`
}

// TestTheReportSaysWhatWasPutIntoTheSample runs the command on the sample and compares.
func TestTheReportSaysWhatWasPutIntoTheSample(t *testing.T) {
	r := analyzeFile(t, "../sample/sample.ndjson.gz")
	want := readPutIn(t)

	if diff := cmp.Diff(want.Events, r.Events); diff != "" {
		t.Errorf("events (-put in +reported):\n%s", diff)
	}
	if diff := cmp.Diff(want.Outcomes, r.Calls.ByOutcome); diff != "" {
		t.Errorf("outcomes (-put in +reported):\n%s", diff)
	}
	verdicts := map[string]int{}
	for v, c := range r.Prefix.Verdicts {
		verdicts[string(v)] = int(c.Count)
	}
	if diff := cmp.Diff(want.Verdicts, verdicts); diff != "" {
		t.Errorf("prefix verdicts (-put in +reported):\n%s", diff)
	}
	for rule, n := range want.Rules {
		if got := int(r.Activation.Rules[rule].Count); got != n {
			t.Errorf("rule %s: %d reported, %d put in", rule, got, n)
		}
	}
	if got := len(r.Activation.MadeUpIDs); got != want.Others["made_up_id"] {
		t.Errorf("made-up ids: %d reported, %d put in", got, want.Others["made_up_id"])
	}
	compareDrift(t, want, r)
	compareDefinitions(t, want, r)
	if r.DeadLetters != 0 {
		t.Errorf("%d dead letters, want none", r.DeadLetters)
	}
}

func compareDrift(t *testing.T, want putIn, r analyzer.Report) {
	t.Helper()
	calls, drifted := map[string]int{}, map[string]int{}
	for _, row := range r.Drift.Tools {
		calls[row.Tool] += int(row.Calls)
		drifted[row.Tool] += int(row.Drifted)
	}
	for tool, d := range want.Drift {
		if calls[tool] != d.Calls || drifted[tool] != d.Drifted {
			t.Errorf("drift of %s: %d of %d reported, %d of %d put in", tool, drifted[tool], calls[tool], d.Drifted, d.Calls)
		}
	}
}

func compareDefinitions(t *testing.T, want putIn, r analyzer.Report) {
	t.Helper()
	for _, w := range want.Definitions {
		found := false
		for _, d := range r.Drift.Definitions {
			if d.Server != w.Server || d.From != w.From {
				continue
			}
			found = true
			got := []int{d.ToolsBefore, d.ToolsAfter, d.Added, d.Removed, d.DefinitionChanged, d.SchemaChanged}
			if diff := cmp.Diff([]int{w.Before, w.After, w.Added, w.Removed, w.DefinitionChanged, w.SchemaChanged}, got); diff != "" {
				t.Errorf("%s %s -> %s (-put in +reported):\n%s", w.Server, w.From, w.To, diff)
			}
		}
		if !found {
			t.Errorf("%s %s -> %s is not reported", w.Server, w.From, w.To)
		}
	}
}

// TestTheSampleRaisesTheFindingsItShould holds the findings against the thresholds: what must be said, and what must not.
func TestTheSampleRaisesTheFindingsItShould(t *testing.T) {
	r := analyzeFile(t, "../sample/sample.ndjson.gz")
	type key struct{ rule, tool, severity string }
	said := map[key]bool{}
	for _, f := range r.Findings {
		said[key{f.Rule, f.Subject.Tool, string(f.Severity)}] = true
	}
	for _, k := range []key{
		{"drift_ratio", "create_order", "critical"}, {"drift_ratio", "update_contact", "warning"}, {"silent_default", "create_order", "critical"},
		{"validation_errors_in_a_row", "create_shipment", "critical"}, {"retry_tokens", "create_payout", "warning"}, {"loop", "search_issue", "warning"},
		{"made_up_id", "get_contact", "warning"},
	} {
		if !said[k] {
			t.Errorf("nothing says %+v", k)
		}
	}
	for k := range said {
		if k.tool == "get_invoice" {
			t.Errorf("%+v is said of a tool at exactly 5 %%", k)
		}
	}
}

func readPutIn(t *testing.T) putIn {
	t.Helper()
	b, err := os.ReadFile("../sample/injected.json")
	if err != nil {
		t.Fatal(err)
	}
	var p putIn
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// analyzeFile runs tooltrail analyze --json.
func analyzeFile(t *testing.T, args ...string) analyzer.Report {
	t.Helper()
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "tooltrail"), append([]string{"analyze", "--json"}, args...)...)
	cmd.Env = append(os.Environ(), engineEnv(t))
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("analyze: %v: %s", err, errOut.String())
	}
	var r analyzer.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("read report: %v", err)
	}
	return r
}
