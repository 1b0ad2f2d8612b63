package drift

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

const (
	endOK      = events.OutcomeOK
	endFailed  = events.OutcomeExecutionError
	endInvalid = events.OutcomeValidationError
	endRefused = events.OutcomeRefused
	anyEpoch   = "17"
)

// feeder feeds a breaker as the analyzer does: what is decided is written into switches, and told to the breaker.
type feeder struct {
	*Breaker
	switches map[SwitchKey]*Switch
	// made are the decisions that changed a switch.
	made []*Switch
	seq  uint64
}

func newFeeder(change ...func(*BreakerSettings)) *feeder {
	s := DefaultBreakerSettings()
	for _, f := range change {
		f(&s)
	}
	return &feeder{Breaker: NewBreaker(s), switches: map[SwitchKey]*Switch{}}
}

func breakerCall(tool string, o events.Outcome, change ...func(*BreakerCall)) BreakerCall {
	c := BreakerCall{Tool: Key{"shop", tool}, Version: "v2", Agent: "support", Conversation: "c", Outcome: o}
	if o == endInvalid {
		c.Errors = []events.ValidationError{{Path: "/quantity", Keyword: "required"}}
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

// secondOf is the time of the n-th message.
func secondOf(n uint64) time.Time { return noonOfSwitches.Add(time.Duration(n) * time.Second) }

func breakerID(n uint64) (id [16]byte) {
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

// feed gives the breaker one call a message, a second apart, and applies what it decides.
func (f *feeder) feed(calls ...BreakerCall) Fed {
	var last Fed
	for _, c := range calls {
		f.seq++
		c.Place = Place{anyEpoch, f.seq}
		if c.ID == [16]byte{} {
			c.ID = breakerID(f.seq)
		}
		if c.Stored.IsZero() {
			c.Stored = secondOf(f.seq)
		}
		if c.Made.IsZero() {
			c.Made = c.Stored
		}
		var d *Decision
		if last, d = f.Feed(&c); d != nil {
			f.write(d)
		}
	}
	return last
}

func (f *feeder) write(d *Decision) {
	next := d.Apply(f.switches[d.Key], f.switches[SwitchKey{d.Key.Key, ""}].unless(d.Key.Agent == ""))
	if next != nil {
		f.set(next)
		f.made = append(f.made, next)
	}
	f.SetSwitch(d.Key, f.switches[d.Key])
	f.Settle(d)
}

func (f *feeder) set(s *Switch) {
	f.switches[s.KeyOf()] = s
	f.SetSwitch(s.KeyOf(), s)
}

func (s *Switch) unless(no bool) *Switch {
	if no {
		return nil
	}
	return s
}

func (f *feeder) edit(change func(*Switch, SwitchEdit) (*Switch, error), e SwitchEdit) {
	e.Server, e.By, e.At, e.Place = "shop", "ada", secondOf(f.seq), Place{anyEpoch, f.seq}
	s, err := change(f.switches[SwitchKey{Key{e.Server, e.Tool}, e.Agent}], e)
	if err != nil {
		panic(err)
	}
	f.set(s)
}

// disabled lists the tools that the breaker disabled, and where.
func (f *feeder) disabled() string {
	var all []string
	for _, s := range f.made {
		if s.State == SwitchDisabled {
			all = append(all, s.Tool+strings.Repeat("@"+s.Agent, min(1, len(s.Agent))))
		}
	}
	return strings.Join(all, " ")
}

// script feeds words such as a:err b:ok, a tool and what became of it.
func (f *feeder) script(words string) {
	outcomes := map[string]events.Outcome{"ok": endOK, "fail": endFailed, "err": endInvalid, "refused": endRefused}
	for _, w := range strings.Fields(words) {
		tool, outcome, _ := strings.Cut(w, ":")
		f.feed(breakerCall(tool, outcomes[outcome]))
	}
}

func TestThreeValidationErrorsInARowDisableATool(t *testing.T) {
	for _, c := range []struct{ name, calls, want string }{
		{"three", "a:err a:err a:err", "a"},
		{"two", "a:err a:err", ""},
		{"a success between", "a:err a:err a:ok a:err", ""},
		{"another failure between", "a:err a:err a:fail a:err", ""},
		{"three after a success", "a:err a:err a:ok a:err a:err a:err", "a"},
		{"two tools by turns, two each", "a:err b:err a:err b:err", ""},
		{"two tools by turns, each its third", "a:err b:err a:err b:err a:err b:err", "a b"},
		{"success of another tool", "a:err a:err b:ok a:err", "a"},
		{"refused calls between", "a:err a:refused a:err a:refused a:err", "a"},
		{"refused calls alone", "a:refused a:refused a:refused a:refused", ""},
		{"more errors of calls that were on their way", "a:err a:err a:err a:err a:err a:err", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFeeder()
			f.script(c.calls)
			if got := f.disabled(); got != c.want {
				t.Errorf("disabled %q, want %q", got, c.want)
			}
		})
	}
}

func TestASwitchSaysWhatItRestsOn(t *testing.T) {
	f := newFeeder()
	for _, conversation := range []string{"c1", "", "c2"} {
		f.feed(breakerCall("a", endInvalid, func(c *BreakerCall) { c.Conversation = conversation }))
	}
	want := []*Switch{{
		Server: "shop", Tool: "a", State: SwitchDisabled, Since: secondOf(3), By: ByBreaker, Reason: "3 validation errors in a row",
		Version: "v2", ErrorCount: 3, Errors: []events.ValidationError{{Path: "/quantity", Keyword: "required"}},
		Conversations: []string{"c1", "c2"}, ConversationCount: 3, Epoch: anyEpoch, Seq: 3,
	}}
	if diff := cmp.Diff(want, f.made); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := f.made[0].Message(); !strings.HasPrefix(got, "shop/a is disabled: 3 validation errors in a row, since 2026-03-01T12:00:03Z") {
		t.Error(got)
	}
}

func TestARepeatedEventCountsOnce(t *testing.T) {
	again := func(n uint64) func(*BreakerCall) { return func(c *BreakerCall) { c.ID = breakerID(n) } }
	t.Run("an error", func(t *testing.T) {
		f := newFeeder()
		f.feed(breakerCall("a", endInvalid), breakerCall("a", endInvalid))
		if got := f.feed(breakerCall("a", endInvalid, again(2)), breakerCall("a", endInvalid, again(1))); got != FedDuplicate || f.disabled() != "" {
			t.Errorf("%v, disabled %q", got, f.disabled())
		}
	})
	t.Run("a success does not reset again", func(t *testing.T) {
		f := newFeeder()
		f.feed(breakerCall("a", endOK), breakerCall("a", endInvalid), breakerCall("a", endInvalid), breakerCall("a", endOK, again(1)), breakerCall("a", endInvalid))
		if f.disabled() != "a" {
			t.Error("not disabled")
		}
	})
	t.Run("an error of a running streak, however many calls ago", func(t *testing.T) {
		f := newFeeder()
		f.feed(breakerCall("a", endInvalid), breakerCall("a", endInvalid))
		for range RecentIDs + 1 {
			f.feed(breakerCall("b", endOK))
		}
		if got := f.feed(breakerCall("a", endInvalid, again(1))); got != FedDuplicate || f.disabled() != "" {
			t.Errorf("%v, disabled %q", got, f.disabled())
		}
	})
}

func TestCallsThatNeverReachedTheToolDoNotCount(t *testing.T) {
	for _, r := range []events.Resolution{
		events.ResolvedNotActivated, events.ResolvedNotConnected, events.ResolvedNotPermitted, events.ResolvedUnknown, events.ResolvedGuessed,
		events.ResolvedConnectorName,
	} {
		resolved := func(c *BreakerCall) { c.Resolution = r }
		f := newFeeder()
		f.feed(breakerCall("a", endInvalid), breakerCall("a", endInvalid), breakerCall("a", endInvalid, resolved), breakerCall("a", endOK, resolved), breakerCall("a", endFailed, resolved))
		if f.disabled() != "" {
			t.Errorf("%s advances", r)
		}
		f.feed(breakerCall("a", endInvalid))
		if f.disabled() != "a" {
			t.Errorf("%s resets", r)
		}
	}
	f := newFeeder()
	for range 3 {
		f.feed(breakerCall("a", endInvalid, func(c *BreakerCall) { c.Resolution = events.ResolvedRenamed }))
	}
	if f.disabled() != "a" {
		t.Error("a call by a former name does not count")
	}
}

func TestAToolThatFailsWhereItsArgumentsDoNotFitFailedValidation(t *testing.T) {
	f := newFeeder()
	for range 3 {
		f.feed(breakerCall("a", endFailed, func(c *BreakerCall) { c.Errors = []events.ValidationError{{Path: "/x", Keyword: "type"}} }))
	}
	if f.disabled() != "a" {
		t.Error("not disabled")
	}
}

func TestEachSchemaVersionHasItsOwnStreak(t *testing.T) {
	v := func(name string) func(*BreakerCall) { return func(c *BreakerCall) { c.Version = name } }
	f := newFeeder()
	f.feed(breakerCall("a", endInvalid, v("v1")), breakerCall("a", endInvalid, v("v2")), breakerCall("a", endInvalid, v("v1")), breakerCall("a", endInvalid, v("v2")), breakerCall("a", endOK, v("v3")))
	if f.disabled() != "" {
		t.Error("disabled by two of each")
	}
	f.feed(breakerCall("a", endOK, v("v2")), breakerCall("a", endInvalid, v("v1")))
	if f.disabled() != "a" || f.made[0].Version != "v1" {
		t.Errorf("disabled %q", f.disabled())
	}
}

func TestScopeAndConversationsSayWhoseErrorsCount(t *testing.T) {
	by := func(agent, conversation string) BreakerCall {
		return breakerCall("a", endInvalid, func(c *BreakerCall) { c.Agent, c.Conversation = agent, conversation })
	}
	t.Run("all agents together", func(t *testing.T) {
		f := newFeeder()
		f.feed(by("x", "1"), by("y", "2"), by("z", "3"))
		if f.disabled() != "a" {
			t.Error("not disabled")
		}
	})
	t.Run("each agent by itself", func(t *testing.T) {
		f := newFeeder(func(s *BreakerSettings) { s.Scope = ScopeToolAgent })
		f.feed(by("x", "1"), by("y", "2"), by("x", "3"), by("y", "4"))
		if f.disabled() != "" {
			t.Error("disabled by two of each")
		}
		f.feed(by("x", "1"))
		if f.disabled() != "a@x" {
			t.Errorf("disabled %q", f.disabled())
		}
		f.feed(by("y", "1"))
		if f.disabled() != "a@x a@y" {
			t.Errorf("disabled %q", f.disabled())
		}
	})
	t.Run("of two conversations at least", func(t *testing.T) {
		f := newFeeder(func(s *BreakerSettings) { s.MinConversations = 2 })
		for range 2 * MaxStreak {
			f.feed(by("x", "1"))
		}
		if f.disabled() != "" {
			t.Error("disabled by one")
		}
		f.feed(by("x", "2"))
		if f.disabled() != "a" || f.made[0].ConversationCount != 2 {
			t.Errorf("disabled %q: %+v", f.disabled(), f.made)
		}
	})
}

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
		f.feed(breakerCall("a", endInvalid))
		s := f.made[len(f.made)-1]
		if s.State != SwitchDisabled || s.By != ByBreaker || s.Seq != 81 || s.ProbeBy != "" || !s.Since.Equal(secondOf(3)) || !s.ProbeAfter.Equal(secondOf(81).Add(time.Minute)) {
			t.Errorf("%+v", s)
		}
	})
	t.Run("calls made before the probe do not decide", func(t *testing.T) {
		f := start()
		before := func(c *BreakerCall) { c.Made = secondOf(79) }
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
