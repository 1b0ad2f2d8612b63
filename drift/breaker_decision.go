package drift

import (
	"fmt"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// Who changes switches besides people.
const (
	ByBreaker = "breaker"
	ByProbe   = "probe"
)

// Decision is what the breaker wants a switch to be: of a tool whose calls failed in a row, or of one whose probe came back.
type Decision struct {
	Key SwitchKey
	// Place is the call that decided.
	Place Place
	// Probe says that the call was a probe, and Failed that it failed validation.
	Probe, Failed bool
	// At is when the stream got that call.
	At time.Time

	version  string
	canary   bool
	errors   []events.ValidationError
	ended    time.Time
	run      []failure
	settings BreakerSettings
	streak   streakKey
}

func decisionOf(k SwitchKey, c *BreakerCall, s BreakerSettings) *Decision {
	return &Decision{
		Key: k, Place: c.Place, version: clip(c.Version), canary: c.Canary, errors: c.failedAt(), At: c.Stored.UTC(), ended: c.Ended, settings: s,
	}
}

func probeOf(c *BreakerCall, k SwitchKey, failed bool, s BreakerSettings) *Decision {
	d := decisionOf(k, c, s)
	d.Probe, d.Failed = true, failed
	return d
}

func tripOf(k streakKey, c *BreakerCall, run []failure, s BreakerSettings) *Decision {
	d := decisionOf(k.SwitchKey, c, s)
	d.Failed, d.run, d.streak = true, slices.Clone(run), k
	return d
}

// isDue reports whether a streak is long enough, and of enough conversations.
func isDue(run []failure, s *BreakerSettings) bool {
	if len(run) < s.Errors {
		return false
	}
	return s.MinConversations <= 1 || len(conversationsOf(run)) >= s.MinConversations
}

// conversationsOf lists the conversations of failures, each once; calls of none are one.
func conversationsOf(run []failure) []string {
	var all []string
	seen := map[string]bool{}
	for _, f := range run {
		if !seen[f.Conversation] {
			seen[f.Conversation] = true
			all = append(all, f.Conversation)
		}
	}
	return all
}

// tooSoon reports that people were told of a tool that stays enabled, less than the settings' pause ago.
func tooSoon(old *Switch, at time.Time, s *BreakerSettings) bool {
	return old.AlertOnly != "" && at.Before(old.AlertedAt.Add(s.AlertEvery))
}

// Apply returns what the switch becomes by the decision, and nil where it stays as it is: what it is now (old, nil where there is none)
// was decided at the same place in the stream or behind it, or the calls in question count no more, or it is as decided. For a switch of
// one agent, above is the tool's own. Neither is changed.
func (d *Decision) Apply(old, above *Switch) *Switch {
	if d.Place.Compare(old.Place()) <= 0 || d.Place.Compare(above.Place()) <= 0 || above.Refuses(d.At) {
		return nil
	}
	if d.Probe {
		return d.probed(old)
	}
	floor := max(old.Place().seqIn(d.Place.Epoch), above.Place().seqIn(d.Place.Epoch))
	run := slices.DeleteFunc(slices.Clone(d.run), func(f failure) bool { return f.Seq <= floor })
	if old.Refuses(d.At) || !isDue(run, &d.settings) {
		return nil
	}
	why := d.settings.alertOnly(d.Key.Key, d.canary, d.At, old, above)
	if why == "" {
		s := d.fresh(SwitchDisabled, ByBreaker, inARow(len(run)))
		d.coolDown(s)
		d.explain(s, run)
		return s
	}
	if old != nil && tooSoon(old, d.At, &d.settings) {
		return nil
	}
	s := d.kept(old, len(run))
	s.AlertedAt, s.AlertOnly, s.Told = d.At, why, false
	d.explain(s, run)
	return s
}

// kept is the switch of a tool that stays enabled: as it was, where somebody made it so.
func (d *Decision) kept(old *Switch, errors int) *Switch {
	if old == nil || old.State != SwitchEnabled {
		return d.fresh(SwitchEnabled, ByBreaker, "not disabled: "+inARow(errors))
	}
	s := *old
	s.Epoch, s.Seq = d.Place.Epoch, d.Place.Seq
	return &s
}

func (d *Decision) fresh(state SwitchState, by, reason string) *Switch {
	return &Switch{
		Server: d.Key.Server, Tool: d.Key.Tool, Agent: d.Key.Agent, State: state, Since: d.At, By: by, Reason: reason,
		Epoch: d.Place.Epoch, Seq: d.Place.Seq,
	}
}

// explain writes into a switch what the decision rests on.
func (d *Decision) explain(s *Switch, run []failure) {
	s.Version, s.Errors, s.ErrorCount = d.version, d.errors, len(run)
	conversations := conversationsOf(run)
	s.ConversationCount = len(conversations)
	conversations = slices.DeleteFunc(conversations, func(c string) bool { return c == "" })
	s.Conversations = conversations[:min(len(conversations), MaxSwitchConversations)]
}

// coolDown writes into a switch from when on a client may try a call, and for how long: never, where a person has to enable the tool.
func (d *Decision) coolDown(s *Switch) {
	s.ProbeAfter, s.ProbeSeconds = time.Time{}, 0
	if d.settings.CoolDown > 0 {
		s.ProbeAfter, s.ProbeSeconds = d.At.Add(d.settings.CoolDown), d.settings.ProbeTimeout.Seconds()
	}
}

// probed is what the switch becomes by the call that was let through. One that fails leaves what the switch rests on: people were told of that.
func (d *Decision) probed(old *Switch) *Switch {
	if old == nil || old.State != SwitchProbing || !old.Refuses(d.At) || d.ended.Before(old.ProbeAt) {
		return nil
	}
	if !d.Failed {
		return d.fresh(SwitchEnabled, ByProbe, "one call was tried and passed validation")
	}
	s := *old
	s.State, s.ProbeBy, s.ProbeAt = SwitchDisabled, "", time.Time{}
	d.coolDown(&s)
	s.Epoch, s.Seq = d.Place.Epoch, d.Place.Seq
	return &s
}

// inARow says how many validation errors there were.
func inARow(n int) string {
	if n == 1 {
		return "a validation error"
	}
	return fmt.Sprintf("%d validation errors in a row", n)
}
