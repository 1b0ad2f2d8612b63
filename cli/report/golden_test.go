package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestReportsLookAsTheyShould(t *testing.T) {
	for _, c := range []struct {
		name   string
		report *analyzer.Report
		style  Style
	}{
		{"everything-pipe", everything(), Style{}},
		{"everything-80", everything(), Style{Width: 80}},
		{"everything-40", everything(), Style{Width: 40}},
		{"everything-30", everything(), Style{Width: 30}},
		{"everything-colour", everything(), Style{Width: 120, Colour: true}},
		{"hostile-60", hostile(), Style{Width: 60}},
		{"nothing", &analyzer.Report{Events: map[string]int64{"client_heartbeat": 3}, DeadLetters: 2}, Style{}},
		{"calm", calm(), Style{Width: 80}},
		{"everything-all", everything(), Style{Width: 80, All: true}},
		{"unchecked", unheld(), Style{Width: 80}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got bytes.Buffer
			if err := Write(&got, c.report, c.style); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, got.Bytes())
			if !c.style.Colour {
				fits(t, got.String(), c.style)
			}
		})
	}
}

func TestStoredFindingsLookAsTheyShould(t *testing.T) {
	var got bytes.Buffer
	fs := everything().Findings
	for i := range fs {
		fs[i].FirstSeen, fs[i].LastSeen, fs[i].State = at(9), at(10), finding.Open
	}
	if err := FindingList(&got, fs, Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden(t, "findings", got.Bytes())
}

func TestDeadLettersLookAsTheyShould(t *testing.T) {
	var got bytes.Buffer
	err := LetterList(&got, []Letter{
		{"018f0000-0000-8000-8000-000000000001", at(9), "tooltrail.v1.0.tool_call", "/data/outcome", "not one of the values"},
		{"018f0000-0000-8000-8000-000000000002", at(10), "tooltrail.v1.0.\x1b[2J", "", "not JSON at byte 12"},
	}, Style{Width: 100})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "letters", got.Bytes())
}

// golden compares with a file of testdata, or rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got), -update rewrites it:\n%s", path, diff)
	}
}

// fits checks that no line is wider than the terminal and none can move the cursor.
func fits(t *testing.T, text string, s Style) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line != Safe(line) {
			t.Errorf("line is not safe: %q", line)
		}
		if s.Width > 0 && Width(line) > s.Width {
			t.Errorf("line of %d cells in %d: %s", Width(line), s.Width, line)
		}
	}
}

func at(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }

func usd(v float64) *float64 { return &v }

// everything is a report with something in each table.
func everything() *analyzer.Report {
	r := &analyzer.Report{
		Events:        map[string]int64{"request_prefix": 1463, "tool_call": 1316, "activation": 99, "tool_roster": 10, "tool_definition": 186},
		Conversations: 118, FirstEvent: at(9), LastEvent: at(9).AddDate(0, 0, 54), StatedCostUSD: usd(21.5), CostUSD: usd(21.89), DeadLetters: 1,
	}
	r.Calls.Total = 1316
	r.Calls.ByOutcome = map[string]int64{"ok": 1231, "execution_error": 48, "validation_error": 3, "refused": 34}
	r.Drift = drift.Report{
		Calls: 1316, Drifted: 34, Unjudged: 37,
		Tools: []drift.ToolDrift{
			{
				Server: "orders", Tool: "create_order", Model: "claude-sonnet-4-5", Calls: 102, Drifted: 30, Ratio: 0.294, CILow: 0.214, CIHigh: 0.389,
				OldVersion: 28, SilentDefault: 2,
			},
			{Server: "orders", Tool: "create_order", Model: "gpt-5.1", Calls: 38, Drifted: 1, Ratio: 0.026, CILow: 0.005, CIHigh: 0.135, ValidationError: 1},
			{Server: "crm", Tool: "update_contact", Model: "gpt-5.1", Calls: 73, Drifted: 4, Ratio: 0.055, CILow: 0.021, CIHigh: 0.132, UnknownArgument: 4},
			{Server: "crm", Tool: "get_contact", Calls: 376, CIHigh: 0.01},
		},
		ByTool: []drift.ToolDrift{
			{
				Server: "orders", Tool: "create_order", Calls: 140, Drifted: 31, Ratio: 0.221, CILow: 0.16, CIHigh: 0.297, OldVersion: 28, SilentDefault: 2,
				ValidationError: 1, ExecutionErrors: 12,
			},
			{Server: "crm", Tool: "update_contact", Calls: 73, Drifted: 4, Ratio: 0.055, CILow: 0.021, CIHigh: 0.132, UnknownArgument: 4},
			{Server: "crm", Tool: "get_contact", Calls: 376, CIHigh: 0.01, ExecutionErrors: 36},
		},
		Definitions: []drift.DefinitionChange{
			{Server: "github", From: "v0.23.0", To: "v0.24.0", At: at(9), ToolsBefore: 64, ToolsAfter: 95, Added: 31, DefinitionChanged: 29, SchemaChanged: 4, SchemaRatio: 0.0625},
			{Server: "github", From: "v0.30.3", To: "v0.31.0", At: at(10), ToolsBefore: 101, ToolsAfter: 80, Added: 1, Removed: 22, DefinitionChanged: 6, SchemaChanged: 3, SchemaRatio: 0.2475},
			{Server: "github", From: "v0.31.0", To: "v0.32.0", ToolsBefore: 80, ToolsAfter: 80},
		},
	}
	r.Drift.Windows = []drift.WindowReport{
		{Window: "5m", To: at(10), Calls: 12, Drifted: 2, Ratio: 2.0 / 12}, {Window: "1h", To: at(10), Calls: 130, Drifted: 9, Ratio: 9.0 / 130},
		{Window: "24h", To: at(10), Calls: 1316, Drifted: 34, Ratio: 34.0 / 1316},
	}
	r.Drift.Canaries = []drift.CanaryReport{
		{
			Server: "orders", Tool: "create_order", Version: "v3", Baseline: "v2", Drift: drift.Difference{Value: 0.18, Low: 0.11, High: 0.26},
			CanaryCalls: drift.CohortCalls{Calls: 140}, BaselineCalls: drift.CohortCalls{Calls: 1260}, Verdict: drift.CanaryWorse,
		},
		{
			Server: "crm", Tool: "get_contact", Version: "v2", Baseline: "v1", Drift: drift.Difference{Value: 0.01, Low: -0.05, High: 0.09},
			CanaryCalls: drift.CohortCalls{Calls: 60}, BaselineCalls: drift.CohortCalls{Calls: 512}, Verdict: drift.CanaryTooEarly, CallsNeeded: 95,
		},
	}
	r.Drift.Sunsets = []drift.SunsetReport{
		{Server: "orders", Tool: "create_order", Version: "v1", ReplacedAt: at(9).AddDate(0, 0, -20), Calls: 1400, OldCalls: 31, Share: 31.0 / 1400, NotYet: []string{
			"it was replaced on 2026-02-09, less than 42 days ago", "2.2 % of its calls in 7 days (31 of 1400) are of v1; want under 1.0 %",
		}},
		{Server: "crm", Tool: "get_contact", Version: "v0", ReplacedAt: at(9).AddDate(0, 0, -90), Calls: 3760, OldCalls: 2, Share: 2.0 / 3760, Ready: true},
		{Server: "crm", Tool: "never_called", Version: "v0", NotYet: []string{"the tool had 0 calls in 7 days; fewer than 500 say little"}},
	}
	r.Prefix = prefix.NewReport()
	r.Prefix.Requests, r.Prefix.Unpriced, r.Prefix.TokensLost, r.Prefix.LostUSD = 1463, 4, 3_652_924, usd(12.6)
	r.Prefix.Verdicts[prefix.OK] = &prefix.Total{Count: 1400}
	r.Prefix.Verdicts[prefix.NoUsage] = &prefix.Total{Count: 14}
	r.Prefix.Verdicts[prefix.Unattributed] = &prefix.Total{Count: 29, TokensLost: 3_373_076, CostUSD: usd(11.637)}
	r.Prefix.Verdicts[prefix.ToolsChanged] = &prefix.Total{Count: 1, TokensLost: 512}
	r.Prefix.Verdicts[prefix.TTLExpired] = &prefix.Total{Count: 4, TokensLost: 279_336, CostUSD: usd(0.9637)}
	r.Prefix.Verdicts[prefix.ModelChanged] = &prefix.Total{Count: 5, CostUSD: usd(0)} // found nothing to lose
	r.Prefix.Verdicts[prefix.TTLExpired].Unpriced, r.Prefix.UnpricedBreaks = 1, 1
	r.Prefix.Conversations = []prefix.Conversation{
		{ID: "conv-0081", Agent: "support-desk", Requests: 913, TokensLost: 3_373_076, LostUSD: usd(11.637), Breaks: make([]prefix.Break, 29)},
		{ID: "conv-0074", Agent: "support-desk", Requests: 29, TokensLost: 279_848, Breaks: make([]prefix.Break, 5)},
		{ID: "conv-0001", Agent: "support-desk", Requests: 521},
	}
	addMoney(&r.Prefix)
	r.Activation = activation.Report{
		Calls: 1316, Judged: 1300,
		Rules: map[string]*activation.Rule{
			"guessed":               {Count: 7, Tokens: 650, Names: []activation.Name{{Called: "GetContact", Meant: "get_contact", Count: 5}}},
			"unknown":               {Count: 7, Tokens: 12_629, Names: []activation.Name{{Called: "send_fax", Count: 7}}},
			"renamed":               {Count: 0},
			activation.RuleMadeUpID: {Count: 2}, activation.RuleNeverCalled: {Count: 102},
		},
		Loads: []activation.Load{{Tool: "audit_stock", Loaded: 67, NeverCalled: 64}, {Tool: "create_order", Loaded: 67, NeverCalled: 17}},
		MadeUpIDs: []activation.MadeUp{
			{Server: "crm", Tool: "get_contact", Conversation: "conv-0093", Path: "/contact_id", Value: "contact_4471920"},
			{Server: "crm", Tool: "get_contact", Conversation: "conv-0093", Path: "/contact_id", Digest: "dbdd721338c071aa1dc91dc95973f775"},
		},
	}
	r.Findings = []finding.Finding{
		{
			Detector: "drift", Rule: "drift_ratio", Severity: finding.Critical, Subject: finding.Subject{Server: "orders", Tool: "create_order", Model: "claude-sonnet-4-5"},
			Title: "34.3 % of the calls of orders/create_order by claude-sonnet-4-5 do not fit its schema (23 of 67)", Numbers: map[string]float64{"ratio": 0.343},
			Action: "Pin the model version or put explicit migration guidance into the system prompt.",
		},
		{
			Detector: "drift", Rule: "drift_ratio", Severity: finding.Critical, Subject: finding.Subject{Server: "orders", Tool: "create_order"}, Title: "29.4 % of the calls of orders/create_order do not fit its schema (30 of 102)",
			Action: "Pin the model version or put explicit migration guidance into the system prompt.", Example: `{"quantity":1,"unit":"kg"}`,
		},
		{
			Detector: "prefix", Rule: "unattributed", Severity: finding.Warning, Subject: finding.Subject{Agent: "support-desk", Conversation: "conv-0081"}, Title: "29 cache breaks because nothing that was sent explains it: 3,373,076 tokens processed again, $11.64",
			Action: "Compare with the provider's own diagnosis, and check that requests of one conversation go to one endpoint, account and region.",
		},
	}
	for i := range 12 {
		r.Findings = append(r.Findings, finding.Finding{
			Detector: "activation", Rule: "guessed", Severity: finding.Info, Title: fmt.Sprintf("note %d", i+1), Action: "Put every name into the roster.",
		})
	}
	return r
}

// hostile is a report whose names are made to deceive.
func hostile() *analyzer.Report {
	const evil = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\r\nfake line"
	long := strings.Repeat("long_name_", 500)
	r := calm()
	r.Drift.Tools = []drift.ToolDrift{
		{Server: evil, Tool: long, Model: "模型模型模型模型模型模型模型模型", Calls: 2, Drifted: 1, Ratio: 0.5, CILow: 0.1, CIHigh: 0.9, OldVersion: 1},
		{Server: "", Tool: "\xff\xfe", Model: "z" + strings.Repeat("\u0301", 40), Calls: 4, Drifted: 1, Ratio: 0.25, CILow: 0.1, CIHigh: 0.9, OldVersion: 1},
	}
	r.Drift.Drifted, r.Drift.ByTool = 2, r.Drift.Tools
	r.Activation.Rules = map[string]*activation.Rule{"unknown": {Count: 1, Names: []activation.Name{{Called: evil, Count: 1}}}}
	r.Activation.MadeUpIDs = []activation.MadeUp{{Tool: evil, Value: evil, Path: "/" + long, Conversation: long}}
	r.Prefix.Savings = []prefix.Saving{{Agent: evil, Verdict: prefix.ToolsChanged, Names: []string{evil, long}, Fix: evil + long}}
	r.Prefix.Agents = []prefix.AgentSpent{{Agent: evil}, {Agent: long}}
	r.Prefix.FluxRisks = []prefix.FluxRisk{{Conversation: evil, Kind: prefix.Volatile, Part: "tools", Names: []string{evil, long}}}
	r.Prefix.Diagnoses = prefix.Diagnoses{Disagrees: 1, Disagreements: []prefix.Disagreement{{Conversation: long, Words: evil}}}
	r.Prefix.RosterChanges = []prefix.RosterChange{{Conversation: evil, Place: prefix.Place{Tool: 1, Name: evil}}}
	r.Prefix.Nondeterminism = []prefix.Nondeterminism{{Agent: evil, Version: long, Kind: prefix.OtherOrder, Tool: evil}}
	r.Drift.Canaries = []drift.CanaryReport{{Tool: evil, Version: long, Baseline: evil, Verdict: drift.CanaryWorse}}
	r.Drift.Sunsets = []drift.SunsetReport{{Tool: evil, Version: long, Calls: 1, NotYet: []string{evil + long}}}
	r.Findings = []finding.Finding{{Severity: finding.Critical, Title: evil + " " + long, Example: evil + long, Action: "工具" + strings.Repeat("工具", 60)}}
	return r
}

// unheld is a report on calls alone, which nothing can be held against.
func unheld() *analyzer.Report {
	r := &analyzer.Report{
		Events: map[string]int64{"tool_call": 5}, FirstEvent: at(10).Add(5 * time.Second), LastEvent: at(10).Add(40 * time.Second),
		Prefix: prefix.NewReport(), Drift: drift.Report{Calls: 5, Unjudged: 5}, Activation: activation.Report{Calls: 5},
	}
	r.Calls.Total, r.Calls.ByOutcome = 5, map[string]int64{"ok": 4, "execution_error": 1}
	return r
}

// calm is a report that found nothing.
func calm() *analyzer.Report {
	r := &analyzer.Report{
		Events: map[string]int64{"request_prefix": 3, "tool_call": 6}, Conversations: 1, FirstEvent: at(9), LastEvent: at(10),
		Prefix: prefix.NewReport(), Drift: drift.Report{Calls: 6}, Activation: activation.Report{Calls: 6, Judged: 6},
	}
	r.Calls.Total = 6
	r.Prefix.Requests = 3
	r.Prefix.Days = []prefix.DaySpent{{Day: "2026-03-01", Spent: prefix.Spent{Requests: 3}}}
	r.Prefix.Verdicts[prefix.OK] = &prefix.Total{Count: 3}
	return r
}
