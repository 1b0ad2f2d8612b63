package drift

import (
	"encoding/binary"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/events"
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
	fed  []BreakerCall
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
		if c.Ended.IsZero() {
			c.Ended = c.Stored
		}
		f.fed = append(f.fed, c)
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
