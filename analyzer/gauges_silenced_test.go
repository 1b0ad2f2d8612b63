package analyzer

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/prefix"
)

func TestASwitchIsHushedWhileItsFindingIsMutedOrWasResolvedSince(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	byBreaker := drift.Switch{Server: "shop", Tool: "order", Version: "v2", State: drift.SwitchDisabled, By: drift.ByBreaker, Since: noon}
	byHand := byBreaker
	byHand.By = "ada"
	alerted := drift.Switch{Server: "shop", Tool: "order", Version: "v2", State: drift.SwitchEnabled, By: "ada", AlertOnly: drift.AlertCritical, AlertedAt: noon}
	muted := func(minutes int) finding.Life {
		return finding.Life{State: finding.Muted, Until: noon.Add(time.Duration(minutes) * time.Minute)}
	}
	resolved := func(minutes int) finding.Life {
		return finding.Life{State: finding.Resolved, Since: noon.Add(time.Duration(minutes) * time.Minute)}
	}
	for name, c := range map[string]struct {
		s    drift.Switch
		life finding.Life
		want bool
	}{
		"muted":                         {byBreaker, muted(60), true},
		"the mute ended":                {byBreaker, muted(1), false},
		"resolved since":                {byBreaker, resolved(1), true},
		"resolved before it was so":     {byBreaker, resolved(-1), false},
		"open":                          {byBreaker, finding.Life{State: finding.Open}, false},
		"disabled by hand, muted":       {byHand, muted(60), false},
		"people were told alone, muted": {alerted, muted(60), true},
		"of people told, resolved":      {alerted, resolved(1), true},
	} {
		a := &Analyzer{}
		f := c.s.Finding()
		a.hushed.Store(&hushed{f.Fingerprint: c.life})
		if got := a.hushes(&c.s, noon.Add(5*time.Minute)); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if (&Analyzer{}).hushes(&byBreaker, noon) {
		t.Error("hushed though no run has read anything")
	}
}

// TestWhatFindingsSayThatAreMutedIsNoPartOfWhatAlertsAreOn mutes some of what would be added up.
func TestWhatFindingsSayThatAreMutedIsNoPartOfWhatAlertsAreOn(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	a := &Analyzer{metrics: metrics.NewAnalyzer(reg)}
	of := func(rule string, s finding.Subject, state finding.State, numbers map[string]float64) finding.Finding {
		return finding.Finding{Rule: rule, Subject: s, State: state, Numbers: numbers, Severity: finding.Warning}
	}
	r := &Report{Findings: []finding.Finding{
		of("guessed", finding.Subject{Tool: "ordr"}, finding.Muted, map[string]float64{"calls": 4}),
		of("guessed", finding.Subject{Tool: "odrer"}, finding.Open, map[string]float64{"calls": 2}),
		of("tools_changed", finding.Subject{Agent: "desk", Conversation: "c1"}, finding.Resolved, map[string]float64{"tokens_lost": 700}),
		of("flapping_tools", finding.Subject{Agent: "desk", Conversation: "c1"}, finding.Muted, nil),
		of(prefix.RuleRosterChanged, finding.Subject{Agent: "desk", Conversation: "c1"}, finding.Muted, nil),
		of(drift.FlagBreakingMinor, finding.Subject{Server: "shop"}, finding.Muted, nil),
		of(drift.FlagRugPull, finding.Subject{Server: "shop"}, finding.Acknowledged, nil),
	}}
	r.Activation.Rules = map[string]*activation.Rule{"guessed": {Count: 6, Names: []activation.Name{{Called: "ordr", Count: 4}, {Called: "odrer", Count: 2}}}, "loop": {Count: 1}}
	r.Prefix.Verdicts = map[prefix.Verdict]*prefix.Total{prefix.ToolsChanged: {Count: 2, TokensLost: 1000}}
	r.Prefix.Savings = []prefix.Saving{{Agent: "desk", Verdict: prefix.ToolsChanged, Breaks: 2, TokensLost: 1000}}
	flux := []prefix.Flux{{Kind: prefix.Flapping, Part: "tools"}}
	r.Prefix.Conversations = []prefix.Conversation{{ID: "c1", Agent: "desk", Flux: flux}, {ID: "c2", Agent: "desk", Flux: flux}}
	r.Prefix.RosterChanges = []prefix.RosterChange{{Agent: "desk", Conversation: "c1"}, {Agent: "cart", Conversation: "c1"}}
	a.setAlerts(t.Context(), r, nil)

	var want strings.Builder
	var names []string
	for _, m := range []struct {
		d      metrics.Def
		series string
	}{
		{metrics.ActivationAlertCalls, `{rule="guessed"} 2`},
		{metrics.CacheAlertTokens, `{agent="desk",part="tools"} 300
tooltrail_cache_alert_tokens{agent="other",part="messages"} 0
tooltrail_cache_alert_tokens{agent="other",part="system"} 0
tooltrail_cache_alert_tokens{agent="other",part="tools"} 0`},
		{metrics.CacheFlapping, `{agent="desk",part="tools"} 1`},
		{metrics.CacheRosterChanges, `{agent="cart"} 1`},
		{metrics.DriftDefinitionFlags, `{rule="rug_pull",server="shop",tool=""} 1`},
	} {
		names = append(names, m.d.Name())
		want.WriteString("# HELP " + m.d.Name() + " " + m.d.Help + "\n# TYPE " + m.d.Name() + " gauge\n" + m.d.Name() + m.series + "\n")
	}
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want.String()), names...); err != nil {
		t.Error(err)
	}
}
