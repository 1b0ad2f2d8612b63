package drift

import (
	"github.com/tooltrail/tooltrail/events"
)

// Breaker counts validation errors in a row, by tool and schema version, and says when a tool is to be disabled, and what came of a probe.
// It decides by what it is fed alone: the same calls in the same order, and the same switches, give the same decisions. Who feeds it writes
// what was decided ([Decision.Apply]) and tells it what the switches are ([Breaker.SetSwitch]). It is for one goroutine at a time.
type Breaker struct {
	settings BreakerSettings
	seen     *idWindow
	streaks  *streaks
	switches map[SwitchKey]*Switch
	// place is up to where calls were fed.
	place Place
}

// NewBreaker returns a breaker that has seen nothing. The settings are valid ones.
func NewBreaker(s BreakerSettings) *Breaker {
	return &Breaker{settings: s, seen: newIDWindow(RecentIDs), streaks: newStreaks(), switches: map[SwitchKey]*Switch{}}
}

// Use changes the settings, from the next call on. A tool whose scope changes starts anew.
func (b *Breaker) Use(s BreakerSettings) {
	before := b.settings
	b.settings = s
	b.streaks.drop(func(k streakKey) bool { return before.Of(k.Key).Scope != s.Of(k.Key).Scope })
}

// Fed is what became of a call.
type Fed int

// What can become of a call.
const (
	// FedIgnored says that it does not count: it says nothing of the tool's schema, or the tool is disabled, or the call is no newer than
	// its switch.
	FedIgnored Fed = iota
	// FedDuplicate says that it was counted before.
	FedDuplicate
	// FedCounted says that it was counted.
	FedCounted
)

// Feed counts one call. A decision, where there is one, has to be written, and [Breaker.SetSwitch] called with what is written then,
// before the next call is fed.
func (b *Breaker) Feed(c *BreakerCall) (Fed, *Decision) {
	if b.place.Epoch != c.Place.Epoch {
		b.Reset(c.Place)
	}
	b.place = c.Place
	said := c.judge()
	if said == saysNothing || !c.nameable() {
		return FedIgnored, nil
	}
	if b.streaks.holds(c.ID) || !b.seen.add(c.ID) {
		return FedDuplicate, nil
	}
	s := b.settings.Of(c.Tool)
	if s.Off {
		return FedIgnored, nil
	}
	k := streakKey{SwitchKey{c.Tool, ""}, clip(c.Version)}
	if s.Scope == ScopeToolAgent {
		k.Agent = c.Agent
	}
	switch blocked, probe := b.blocked(k, c); {
	case probe != nil:
		return FedCounted, probeOf(c, *probe, said == saysInvalid, s)
	case blocked:
		return FedIgnored, nil
	}
	if said == saysOther {
		b.streaks.end(k)
		return FedCounted, nil
	}
	return FedCounted, b.fail(k, c, s)
}

// fail adds a validation error to its streak, and decides when it is long enough.
func (b *Breaker) fail(k streakKey, c *BreakerCall, s BreakerSettings) *Decision {
	f := failure{ID: c.ID, Seq: c.Place.Seq, Conversation: clip(c.Conversation)}
	run := b.streaks.add(k, f, b.floor(k.SwitchKey, c.Place.Epoch))
	if !isDue(run, &s) || b.alertedLately(k.SwitchKey, c, &s) {
		return nil
	}
	return tripOf(k, c, run, s)
}

// alertedLately reports that nothing would be written: people were told not long ago of a tool that is not disabled.
func (b *Breaker) alertedLately(k SwitchKey, c *BreakerCall, s *BreakerSettings) bool {
	old := b.switches[k]
	return old != nil && old.AlertOnly != "" && b.alertOnly(c, s) != "" && tooSoon(old, c.Stored, s)
}

// alertOnly returns why the tool would not be disabled, empty where it would.
func (b *Breaker) alertOnly(c *BreakerCall, s *BreakerSettings) AlertOnly {
	over := b.over(c)
	return s.alertOnly(c.Tool, c.Canary, c.Stored, over[:]...)
}

// over are the switches that a call is subject to: the tool's and the tool's for its agent.
func (b *Breaker) over(c *BreakerCall) [2]*Switch {
	if len(b.switches) == 0 {
		return [2]*Switch{}
	}
	all := [2]*Switch{b.switches[SwitchKey{c.Tool, ""}]}
	if c.Agent != "" {
		all[1] = b.switches[SwitchKey{c.Tool, c.Agent}]
	}
	return all
}

// floor is the sequence up to which calls count no more for a switch.
func (b *Breaker) floor(k SwitchKey, epoch string) uint64 {
	return max(b.switches[SwitchKey{k.Key, ""}].Place().seqIn(epoch), b.switches[k].Place().seqIn(epoch))
}

// blocked reports whether the switches keep a call from counting, and which one's probe it is instead.
func (b *Breaker) blocked(k streakKey, c *BreakerCall) (blocked bool, probe *SwitchKey) {
	if len(b.switches) == 0 {
		return false, nil
	}
	if c.Place.Seq <= b.floor(k.SwitchKey, c.Place.Epoch) {
		return true, nil
	}
	for i, s := range b.over(c) {
		if !s.Refuses(c.Stored) {
			continue
		}
		if !s.tries(c) {
			return true, nil
		}
		probe = &SwitchKey{c.Tool, [2]string{"", c.Agent}[i]}
	}
	return false, probe
}

// tries reports that a call is a switch's probe.
func (s *Switch) tries(c *BreakerCall) bool {
	return s.State == SwitchProbing && !c.Ended.Before(s.ProbeAt)
}

// Blocking returns the switches that, by what the breaker knows, keep a call from counting. Who feeds the breaker makes sure that it knows
// them as they were when the call came: a tool may have been enabled, or a probe claimed, just before.
func (b *Breaker) Blocking(c *BreakerCall) (keys []SwitchKey) {
	if len(b.switches) == 0 || c.judge() == saysNothing {
		return nil
	}
	for i, s := range b.over(c) {
		if s.Refuses(c.Stored) && !s.tries(c) && c.Place.Compare(s.Place()) > 0 {
			keys = append(keys, SwitchKey{c.Tool, [2]string{"", c.Agent}[i]})
		}
	}
	return keys
}

// SetSwitch tells the breaker what a switch is now; nil is none. Calls up to its place count no more.
func (b *Breaker) SetSwitch(k SwitchKey, s *Switch) {
	if s == nil {
		delete(b.switches, k)
		return
	}
	if s.Epoch == "" && s.Seq == 0 { // made without a place: by hand
		at := *s
		at.Epoch, at.Seq = b.place.Epoch, b.place.Seq
		s = &at
	}
	b.switches[k] = s
}

// Switch returns what the breaker takes a switch to be, nil for none. The caller does not change it.
func (b *Breaker) Switch(k SwitchKey) *Switch { return b.switches[k] }

// Switches gives all switches, in no order.
func (b *Breaker) Switches(yield func(SwitchKey, *Switch) bool) {
	for k, s := range b.switches {
		if !yield(k, s) {
			return
		}
	}
}

// Settle forgets what a decision rests on, as far as it counts no more by what the switches are now.
func (b *Breaker) Settle(d *Decision) {
	b.streaks.prune(d.streak, b.floor(d.Key, d.Place.Epoch))
}

// Remember takes a call for one that was fed before: it counts no more.
func (b *Breaker) Remember(c *BreakerCall) {
	if c.judge() != saysNothing && c.nameable() {
		b.seen.add(c.ID)
	}
}

// Reset forgets all streaks: what comes from a place on does not follow what was fed so far.
func (b *Breaker) Reset(from Place) {
	b.streaks = newStreaks()
	b.place = from
}

// Place returns up to where calls were fed.
func (b *Breaker) Place() Place { return b.place }

// Advance says that up to a place there are no calls that were not fed.
func (b *Breaker) Advance(p Place) {
	if p.Compare(b.place) > 0 {
		b.place = p
	}
}

// failedAt returns where the arguments did not fit, as much of it as a switch has.
func (c *BreakerCall) failedAt() []events.ValidationError {
	var all []events.ValidationError
	for _, e := range c.Errors[:min(len(c.Errors), MaxSwitchErrors)] {
		all = append(all, events.ValidationError{Path: clip(e.Path), Keyword: clip(e.Keyword), Message: clip(e.Message)})
	}
	return all
}
