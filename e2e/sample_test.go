package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
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
	Activation map[string]brokenRule `json:"activation"`
	Others     map[string]int        `json:"others"`
}

// brokenRule is how often a rule of package activation was broken, and by whom.
type brokenRule struct {
	Count         uint64            `json:"count"`
	Conversations uint64            `json:"conversations"`
	Agents        map[string]uint64 `json:"agents"`
	Models        map[string]uint64 `json:"models"`
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
	reported := rulesOf(&r.Activation)
	if removed := want.Activation[activation.RuleRemoved]; reported[activation.RuleRemoved].Conversations == 0 { // counted by agent and name alone
		removed.Conversations, removed.Models = 0, nil
		want.Activation[activation.RuleRemoved] = removed
	}
	if diff := cmp.Diff(want.Activation, reported, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("rules of activation (-put in +reported):\n%s", diff)
	}
	if r.DeadLetters != 0 {
		t.Errorf("%d dead letters, want none", r.DeadLetters)
	}
}

// rulesOf returns what the report says of every rule that was broken.
func rulesOf(r *activation.Report) map[string]brokenRule {
	all := map[string]brokenRule{}
	for name, rule := range r.Rules {
		if rule.Count > 0 {
			all[name] = brokenRule{rule.Count, rule.Conversations, countsOf(rule.Agents), countsOf(rule.Models)}
		}
	}
	return all
}

func countsOf(parts []activation.Part) map[string]uint64 {
	counts := map[string]uint64{}
	for _, p := range parts {
		counts[p.Name] = p.Count
	}
	return counts
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
	began := 0
	for _, f := range r.Findings {
		for _, d := range r.Drift.Definitions {
			if f.Rule == drift.RuleDefinitions && f.Subject.Server == d.Server && f.Subject.Release == d.To {
				began++
				if !f.Began.Equal(d.At) {
					t.Errorf("the finding on %s %s began %v, want %v", d.Server, d.To, f.Began, d.At)
				}
			}
		}
	}
	if began == 0 {
		t.Error("no finding is on changed definitions")
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
	for _, title := range []string{
		"The same failing call of web_search was made up to 3 times in a row (conversation release-0114)",
		"WebSearch was called, a guess at a name 3 times; meant was web_search",
		"start_release was called before it was loaded once",
		"rollback_release was called 2 times after it was removed",
		"approve_release is not permitted, but deploy has no tool of that name",
		"release-bot asked for tools 2 times in the answer right after one that did",
		"audit_stock was loaded in 67 conversations and never called in 64 of them",
		"Names in one roster differ only in case or separators: getBranch, get_branch",
	} {
		if !slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Detector == activation.Detector && f.Title == title }) {
			t.Errorf("nothing says %q", title)
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
