package drift

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

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

func TestACanaryTakesTheToolFromNobodyElse(t *testing.T) {
	f := newFeeder()
	trial := func(c *BreakerCall) { c.Canary, c.Version = true, "v3" }
	for range 3 {
		f.feed(breakerCall("a", endInvalid, trial))
	}
	if len(f.made) != 1 || f.made[0].State != SwitchEnabled || f.made[0].AlertOnly != AlertCanary {
		t.Fatalf("%+v, want an alert and the tool enabled", f.made)
	}
	if got := f.made[0].Finding(); got.Title != "The canary of shop/a fails, and the tool stays enabled: 3 validation errors in a row against version v3, in one conversation" ||
		got.Action != "End the trial: tooltrail schema canary abort shop/a" {
		t.Errorf("%q, %q", got.Title, got.Action)
	}
	f.script("a:err a:err a:err")
	if got := f.disabled(); got != "a" {
		t.Errorf("disabled %q by calls of the active version, want a", got)
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
