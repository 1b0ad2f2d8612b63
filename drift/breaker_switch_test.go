package drift

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func TestPeopleHaveTheLastWord(t *testing.T) {
	t.Run("enabled: three new errors are needed", func(t *testing.T) {
		f := newFeeder()
		f.script("a:err a:err a:err")
		f.edit(Enable, SwitchEdit{Tool: "a"})
		f.script("a:err a:err")
		if f.disabled() != "a" {
			t.Fatalf("disabled %q", f.disabled())
		}
		f.script("a:err")
		if f.disabled() != "a a" {
			t.Errorf("disabled %q", f.disabled())
		}
	})
	t.Run("enabled between the second error and the third", func(t *testing.T) {
		f := newFeeder()
		f.script("a:err a:err")
		f.edit(Enable, SwitchEdit{Tool: "a"})
		f.script("a:err a:err")
		if f.disabled() != "" {
			t.Error("disabled by old errors")
		}
	})
	t.Run("calls from before an enable that are read after it", func(t *testing.T) {
		f := newFeeder()
		f.seq = 10
		f.edit(Enable, SwitchEdit{Tool: "a"})
		f.seq = 0
		f.script("a:err a:err a:err a:err a:err a:err a:err a:err a:err a:err")
		if f.disabled() != "" {
			t.Error("disabled again")
		}
		f.script("a:err a:err a:err")
		if f.disabled() != "a" {
			t.Error("not disabled by three new ones")
		}
	})
	t.Run("kept enabled for a while: an alert alone", func(t *testing.T) {
		f := newFeeder()
		f.edit(Enable, SwitchEdit{Tool: "a", Until: secondOf(100), Reason: "the launch"})
		f.script("a:err a:err a:err a:err a:err a:err")
		if f.disabled() != "" || len(f.made) != 1 {
			t.Fatalf("disabled %q, %d decisions", f.disabled(), len(f.made))
		}
		if s := f.made[0]; s.AlertOnly != AlertKept || s.By != "ada" || s.Reason != "the launch" || !s.Until.Equal(secondOf(100)) || s.Seq != 3 || !s.Untold() {
			t.Errorf("%+v", s)
		}
		f.seq = 100
		f.script("a:err a:err a:err")
		if f.disabled() != "a" {
			t.Error("not disabled after that")
		}
	})
	t.Run("disabled for a while: starts fresh after it", func(t *testing.T) {
		f := newFeeder()
		f.script("a:err a:err")
		f.edit(Disable, SwitchEdit{Tool: "a", Until: secondOf(50)})
		f.script("a:err a:err a:err a:err")
		f.seq = 50
		f.script("a:err a:err")
		if len(f.made) != 0 {
			t.Errorf("%+v", f.made[0])
		}
		f.script("a:err")
		if f.disabled() != "a" {
			t.Error("not disabled by three new ones")
		}
	})
	t.Run("a switch for one agent leaves the others'", func(t *testing.T) {
		f := newFeeder(func(s *BreakerSettings) { s.Scope = ScopeToolAgent })
		f.edit(Enable, SwitchEdit{Tool: "a", Agent: "other", Until: secondOf(100)})
		f.script("a:err a:err a:err")
		if f.disabled() != "a@support" {
			t.Errorf("disabled %q", f.disabled())
		}
	})
}

func TestALateDecisionChangesNothing(t *testing.T) {
	decide := func() *Decision {
		f := newFeeder()
		var d *Decision
		for n := range uint64(3) {
			c := breakerCall("a", endInvalid)
			c.ID, c.Place, c.Stored = breakerID(n+1), Place{anyEpoch, n + 1}, secondOf(n)
			_, d = f.Feed(&c)
		}
		return d
	}
	place := func(state SwitchState, seq uint64) *Switch {
		return &Switch{Tool: "a", State: state, Epoch: anyEpoch, Seq: seq}
	}
	for name, old := range map[string]*Switch{
		"the same analyzer's, or another's, at the same place": place(SwitchDisabled, 3),
		"a person enabled it behind the third error":           place(SwitchEnabled, 3),
		"a person enabled it before the third error":           place(SwitchEnabled, 2),
		"a person enabled it behind the first error":           place(SwitchEnabled, 1),
		"it is disabled":                  place(SwitchDisabled, 0),
		"it is of a stream created later": {Tool: "a", State: SwitchEnabled, Epoch: "18", Seq: 1},
	} {
		if got := decide().Apply(old, nil); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
		if got := decide().Apply(nil, old); got != nil && name != "a person enabled it behind the first error" {
			t.Errorf("%s, for all agents: %+v", name, got)
		}
	}
	for name, old := range map[string]*Switch{"none": nil, "older": place(SwitchEnabled, 0), "older stream": {Tool: "a", State: SwitchEnabled, Epoch: "9", Seq: 99}} {
		if got := decide().Apply(old, nil); got == nil || got.State != SwitchDisabled || got.Seq != 3 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAlertsAloneComeOnceInAWhile(t *testing.T) {
	for why, change := range map[AlertOnly]func(*BreakerSettings){
		AlertDryRun:   func(s *BreakerSettings) { s.DryRun = true },
		AlertCritical: func(s *BreakerSettings) { s.Critical = []string{"shop/a"} },
	} {
		f := newFeeder(change)
		f.script(strings.Repeat("a:err ", 100))
		if len(f.made) != 1 || f.made[0].AlertOnly != why || f.made[0].State != SwitchEnabled || f.made[0].By != ByBreaker {
			t.Fatalf("%s: %d decisions, %+v", why, len(f.made), f.made[0])
		}
		f.seq += 3600
		f.script("a:err a:err a:err")
		if len(f.made) != 2 {
			t.Errorf("%s: %d decisions an hour later", why, len(f.made))
		}
	}
}

func TestNothingIsDecidedWhereTheBreakerIsOff(t *testing.T) {
	off := true
	f := newFeeder(func(s *BreakerSettings) { s.Tools = map[string]ToolBreaker{"shop/a": {Off: &off}} })
	f.script("a:err a:err a:err b:err b:err b:err")
	if f.disabled() != "b" {
		t.Errorf("disabled %q", f.disabled())
	}
	f.Use(BreakerSettings{Off: true})
	f.script("c:err c:err c:err")
	if f.disabled() != "b" {
		t.Errorf("disabled %q", f.disabled())
	}
}

func TestOneCallIsTriedAfterTheCoolDown(t *testing.T) {
	start := func() *feeder {
		f := newFeeder(func(s *BreakerSettings) { s.CoolDown = time.Minute })
		f.script("a:err a:err a:err")
		if want := secondOf(3).Add(time.Minute); !f.made[0].ProbeAfter.Equal(want) {
			t.Fatalf("probe after %v, want %v", f.made[0].ProbeAfter, want)
		}
		f.seq = 80
		probing := ClaimProbe(f.made[0], "client-1", secondOf(80))
		if probing == nil {
			t.Fatal("not claimed")
		}
		f.set(probing)
		return f
	}
	for name, o := range map[string]events.Outcome{"success": endOK, "another failure": endFailed} {
		f := start()
		f.feed(breakerCall("a", o))
		s := f.made[len(f.made)-1]
		if s.State != SwitchEnabled || s.By != ByProbe || s.Seq != 81 || s.Untold() || !s.ProbeAt.IsZero() || s.ErrorCount != 0 {
			t.Errorf("%s: %+v", name, s)
		}
		f.script("a:err a:err")
		if f.disabled() != "a" {
			t.Errorf("%s: disabled by two", name)
		}
		f.script("a:err")
		if f.disabled() != "a a" {
			t.Errorf("%s: not disabled again", name)
		}
	}
	t.Run("validation error", func(t *testing.T) {
		f := start()
		f.feed(breakerCall("a", endInvalid, func(c *BreakerCall) { c.Version = "v3" }))
		s := f.made[len(f.made)-1]
		if s.Version != "v2" || s.Finding().Fingerprint != f.made[0].Finding().Fingerprint {
			t.Error("the finding is another one")
		}
		if s.State != SwitchDisabled || s.By != ByBreaker || s.Seq != 81 || s.ProbeBy != "" || !s.Since.Equal(secondOf(3)) || !s.ProbeAfter.Equal(secondOf(81).Add(time.Minute)) {
			t.Errorf("%+v", s)
		}
	})
	t.Run("calls that ended before the probe do not decide", func(t *testing.T) {
		f := start()
		before := func(c *BreakerCall) { c.Ended = secondOf(79) }
		f.feed(breakerCall("a", endOK, before), breakerCall("a", endInvalid, before), breakerCall("a", endRefused), breakerCall("b", endOK))
		if len(f.made) != 1 {
			t.Errorf("%+v", f.made[1])
		}
	})
	t.Run("a probe that takes too long is another's", func(t *testing.T) {
		f := start()
		old := f.switches[SwitchKey{Key{"shop", "a"}, ""}]
		late := secondOf(80).Add(f.settings.ProbeTimeout)
		if got := ClaimProbe(old, "client-2", late.Add(-1)); got != nil {
			t.Errorf("too early: %+v", got)
		}
		if got := ClaimProbe(old, "client-2", late); got == nil || got.ProbeBy != "client-2" || !got.ProbeAt.Equal(late) {
			t.Errorf("%+v", got)
		}
	})
}

func TestTheBreakerNamesTheSwitchesThatKeepACallFromCounting(t *testing.T) {
	f := newFeeder()
	f.script("a:err a:err a:err")
	f.set(&Switch{Server: "shop", Tool: "b", Agent: "support", State: SwitchDisabled, Epoch: anyEpoch, Seq: 2})
	for _, c := range []struct {
		name string
		call BreakerCall
		want []SwitchKey
	}{
		{"a disabled tool", breakerCall("a", endInvalid), []SwitchKey{{Key{"shop", "a"}, ""}}},
		{"one disabled for the agent", breakerCall("b", endOK), []SwitchKey{{Key{"shop", "b"}, "support"}}},
		{"one disabled for another agent", breakerCall("b", endOK, func(c *BreakerCall) { c.Agent = "other" }), nil},
		{"a call that says nothing", breakerCall("a", endRefused), nil},
		{"a tool without a switch", breakerCall("c", endOK), nil},
		{"a call from before it", breakerCall("a", endInvalid, func(c *BreakerCall) { c.Place.Seq = 3 }), nil},
	} {
		if c.call.Place.Seq == 0 {
			c.call.Place.Seq = 4
		}
		c.call.Place.Epoch, c.call.Stored = anyEpoch, secondOf(4)
		if diff := cmp.Diff(c.want, f.Blocking(&c.call)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
