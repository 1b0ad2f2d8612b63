package drift

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

func TestANewStreamOrAGapStartsAllStreaksAnew(t *testing.T) {
	f := newFeeder()
	f.script("a:err a:err")
	f.Reset(Place{anyEpoch, 20})
	f.script("a:err a:err")
	if f.disabled() != "" {
		t.Error("disabled across a gap")
	}
	c := breakerCall("a", endInvalid)
	c.ID, c.Place, c.Stored = breakerID(99), Place{"18", 1}, secondOf(9)
	if _, d := f.Feed(&c); d != nil {
		t.Error("disabled across two streams")
	}
}

func TestALongNameHasNoSwitch(t *testing.T) {
	f := newFeeder()
	long := strings.Repeat("x", MaxSwitchName+1)
	for _, change := range []func(*BreakerCall){
		func(c *BreakerCall) { c.Tool.Tool = long }, func(c *BreakerCall) { c.Tool.Server = long }, func(c *BreakerCall) { c.Agent = long },
		func(c *BreakerCall) { c.Tool.Tool = "" },
	} {
		for range 3 {
			f.feed(breakerCall("a", endInvalid, change))
		}
	}
	if len(f.made) != 0 {
		t.Errorf("%+v", f.made[0])
	}
	for range 3 {
		f.feed(breakerCall("a", endInvalid, func(c *BreakerCall) { c.Version, c.Conversation = long, long }))
	}
	if f.disabled() != "a" || len(f.made[0].Version) > maxSwitchText || len(f.made[0].Conversations[0]) > maxSwitchText {
		t.Errorf("%+v", f.made)
	}
}

func TestSettingsCanChangeWhileCallsCome(t *testing.T) {
	f := newFeeder()
	f.script("a:err a:err a:ok a:err")
	s := DefaultBreakerSettings()
	s.Errors = 2
	f.Use(s)
	f.script("a:err")
	if f.disabled() != "a" {
		t.Error("not disabled by two")
	}
	f.script("b:err")
	s.Scope = ScopeToolAgent
	f.Use(s)
	f.script("b:err")
	if f.disabled() != "a" {
		t.Error("one error of all agents and one of an agent are not two")
	}
}

func TestFindingsOfTheBreakerSayWhatToDo(t *testing.T) {
	f := newFeeder()
	f.script("a:err a:err a:err")
	s := f.made[0]
	got := s.Finding()
	want := finding.Finding{
		Detector: "drift", Rule: "tool_disabled", Severity: finding.Critical, Subject: finding.Subject{Server: "shop", Tool: "a", Release: "v2"},
		Numbers: map[string]float64{"errors": 3, "conversations": 1},
		Title:   "shop/a is disabled: 3 validation errors in a row against version v2, in one conversation",
		Action: "See which arguments failed (/quantity: required) and bring the schema and its callers together, then enable it: " +
			"tooltrail tools enable shop/a",
		Fingerprint: got.Fingerprint,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !s.Untold() || !s.DecidedAt().Equal(secondOf(3)) {
		t.Error("nobody would be told")
	}
	cooling, agent, dry, critical, kept, one := *s, *s, *s, *s, *s, *s
	cooling.ProbeAfter = secondOf(60)
	agent.Agent, agent.ConversationCount, agent.Errors = "support", 4, []events.ValidationError{{}}
	dry.State, dry.AlertOnly = SwitchEnabled, AlertDryRun
	critical.State, critical.AlertOnly = SwitchEnabled, AlertCritical
	kept.State, kept.AlertOnly, kept.Until = SwitchEnabled, AlertKept, secondOf(90)
	one.ErrorCount, one.ConversationCount, one.Errors, one.Version = 1, 0, nil, ""
	for _, c := range []struct {
		s           Switch
		title, what string
	}{
		{cooling, "shop/a is disabled: ", "one call is tried from 2026-03-01T12:01:00Z on, or enable it at once: tooltrail tools enable shop/a"},
		{agent, "shop/a for support is disabled: 3 validation errors in a row against version v2, in 4 conversations", "(/) and bring the schema and its callers together, then enable it: tooltrail tools enable shop/a --agent support"},
		{dry, "Dry run: shop/a would have been disabled: 3 validation errors in a row", "until then calls go on failing."},
		{critical, "shop/a is critical and stays enabled: ", "until then"},
		{kept, "shop/a is kept enabled until 2026-03-01T12:01:30Z: ", "until then"},
		{one, "shop/a is disabled: a validation error", "See which arguments failed and bring"},
	} {
		f := c.s.Finding()
		if !strings.HasPrefix(f.Title, c.title) || !strings.Contains(f.Action, c.what) {
			t.Errorf("title  %q\naction %q", f.Title, f.Action)
		}
	}
}

func TestACallEndsAfterItsDuration(t *testing.T) {
	for seconds, want := range map[float64]time.Duration{0: 0, 1.5: 1500 * time.Millisecond, -1: 0, 1e300: 24 * time.Hour} {
		c := BreakerCallOf(breakerID(1), noonOfSwitches, &events.ToolCall{
			ToolName: "a", ResolvedName: "b", SchemaVersion: "v1", DurationSeconds: seconds,
		}, Place{anyEpoch, 1}, noonOfSwitches)
		if got := c.Ended.Sub(noonOfSwitches); got != want || c.Tool.Tool != "b" || c.Version != "v1" {
			t.Errorf("%v seconds: %v; %+v", seconds, got, c)
		}
	}
}
