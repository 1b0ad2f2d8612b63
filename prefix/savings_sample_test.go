package prefix_test

import (
	"math"
	"testing"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// kept analyzes events whose verdicts are kept.
func kept(t *testing.T, all []*events.Event) (prefix.Report, []finding.Finding) {
	t.Helper()
	db := openStore(t)
	storetest.Insert(t, db, all)
	report, found, err := prefix.NewSettler(db, db).Analyze(t.Context(), finding.Window{}, prefix.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return report, found
}

// addsUp checks that savings, agents and days come to what was lost.
func addsUp(t *testing.T, r *prefix.Report) {
	t.Helper()
	var saved, agents, days int64
	var usd float64
	for _, s := range r.Savings {
		saved += s.TokensLost
		if s.CostUSD != nil {
			usd += *s.CostUSD
		}
	}
	for _, a := range r.Agents {
		agents += a.TokensLost
	}
	for _, d := range r.Days {
		days += d.TokensLost
	}
	if saved != r.TokensLost || agents != r.TokensLost || days != r.TokensLost || math.Abs(usd-*r.LostUSD) > 1e-6 {
		t.Errorf("lost %d tokens, $%.4f; savings of %d and $%.4f, agents %d, days %d", r.TokensLost, *r.LostUSD, saved, usd, agents, days)
	}
}

func TestWhatTheSampleLostIsWhatItsSavingsComeTo(t *testing.T) {
	all, _ := readSample(t)
	report, found := kept(t, all)
	addsUp(t, &report)
	if s := report.Savings; len(s) < 8 || s[0].Verdict != prefix.SystemChanged || s[0].Rhythm != prefix.Volatile || *s[0].CostUSD < *s[1].CostUSD {
		t.Errorf("savings %+v", s)
	}
	if len(report.Days) < 28 || len(report.Agents) == 0 {
		t.Errorf("%d days, agents %+v", len(report.Days), report.Agents)
	}
	kinds := map[prefix.ArrayKind]int{}
	for _, c := range report.ToolArrays {
		kinds[c.Kind]++
		if c.Place.Tool < 0 || c.Before == c.After {
			t.Errorf("change without a place: %+v", c)
		}
	}
	if kinds[prefix.ArrayReordered] != 1 || kinds[prefix.ArrayShrunk] == 0 || kinds[prefix.ArrayReplaced] == 0 {
		t.Errorf("tools arrays changed: %v", kinds)
	}
	rules := map[string]int{}
	for _, f := range found {
		rules[f.Rule]++
	}
	for _, r := range []string{prefix.RuleFlappingRoster, prefix.RuleRosterChanged, prefix.RuleToolsArrayChanged, prefix.RuleNondeterminism} {
		if rules[r] == 0 {
			t.Errorf("no %s among %v", r, rules)
		}
	}
	for _, s := range report.Savings {
		t.Logf("%s %s %s %v: %d tokens, %s", s.Verdict, s.Cause, s.Kind, s.Names, s.TokensLost, s.Fix)
	}
}

func TestTheSharedPiSessionCostsWhatItSaysAndSaysWhatToFix(t *testing.T) {
	all := readFile(t, eventstest.SharedFile(t, "agent-session-large-session.jsonl"))
	report, _ := kept(t, all)
	addsUp(t, &report)
	if c := report.CostUSD; c == nil || math.Abs(*c-30.33) > 0.005 {
		t.Errorf("cost %v, want $30.33", c)
	}
	if s := report.Savings[0]; s.Verdict != prefix.Unattributed || s.Request != 416 || s.Breaks == 0 {
		t.Errorf("first saving %+v", s)
	}
	for _, s := range report.Savings {
		t.Logf("%s %v: %d breaks, %d tokens, $%.2f, $%.2f a day", s.Verdict, s.Names, s.Breaks, s.TokensLost, *s.CostUSD, *s.USDPerDay)
	}
}
