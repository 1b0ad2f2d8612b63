package drift

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"
)

// Place is a place in the event stream.
type Place struct {
	// Epoch tells the stream from one of the same name that was created before or after it: its creation time in nanoseconds since
	// 1970, in decimal. Empty is before all others.
	Epoch string `json:"epoch,omitzero"`
	// Seq is the sequence of a message in it.
	Seq uint64 `json:"seq,omitzero"`
}

// Compare is negative where p is before q, positive where it is behind it.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(len(p.Epoch), len(q.Epoch)), cmp.Compare(p.Epoch, q.Epoch), cmp.Compare(p.Seq, q.Seq))
}

// seqIn returns up to which sequence of an epoch a place reaches: none of one that came after it, all of one that came before.
func (p Place) seqIn(epoch string) uint64 {
	switch (Place{Epoch: p.Epoch}).Compare(Place{Epoch: epoch}) {
	case 0:
		return p.Seq
	case 1:
		return math.MaxUint64
	}
	return 0
}

// Place returns the place up to which calls count no more; the zero Place of no switch.
func (s *Switch) Place() Place {
	if s == nil {
		return Place{}
	}
	return Place{s.Epoch, s.Seq}
}

// SwitchEdit says who disables or enables what, when and why.
type SwitchEdit struct {
	// Server, Tool and Agent name the switch; Agent is empty where it is for all agents.
	Server, Tool, Agent string
	// By and Reason are who and why; an empty reason is said to be none.
	By, Reason string
	At         time.Time
	// Until ends the state by itself; zero is until somebody changes it.
	Until time.Time
	// Place is the last place in the event stream, asked for after the old switch was read: calls up to it count no more. An old switch
	// that says it is behind that says what is not so, of a stream restored or by a hand, and does not keep its place.
	Place Place
}

// Enable returns the switch of a tool that somebody enables, whatever it was before (nil where there was none): its run of errors starts
// anew behind the edit's place. Until the edit's Until the breaker does not disable the tool. Old is not changed. The error is an edit
// that misses something.
func Enable(old *Switch, e SwitchEdit) (*Switch, error) { return e.apply(old, SwitchEnabled) }

// Disable returns the switch of a tool that somebody disables; else it is as [Enable].
func Disable(old *Switch, e SwitchEdit) (*Switch, error) { return e.apply(old, SwitchDisabled) }

func (e SwitchEdit) apply(old *Switch, state SwitchState) (*Switch, error) {
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("make switch %s: %w", state, err)
	}
	place := e.Place
	if place == (Place{}) {
		place = old.Place()
	}
	s := &Switch{
		Server: e.Server, Tool: e.Tool, Agent: e.Agent, State: state, Since: e.At.UTC(), By: e.By,
		Reason: cmp.Or(clip(e.Reason), "no reason given"), Epoch: place.Epoch, Seq: place.Seq,
	}
	if !e.Until.IsZero() {
		s.Until = e.Until.UTC()
	}
	return s, nil
}

func (e SwitchEdit) check() error {
	switch {
	case e.Tool == "":
		return errors.New("no tool is named")
	case e.By == "":
		return errors.New("nobody is named who does it")
	case e.At.IsZero():
		return errors.New("no time is given")
	case !e.Until.IsZero() && !e.Until.After(e.At):
		return fmt.Errorf("it would end at %s, before it starts", e.Until.UTC().Format(time.RFC3339))
	}
	return nil
}

// ClaimProbe returns the switch of a tool whose probe a client takes at a time, and nil where none is due: the tool is not disabled, the
// time has not come, or somebody else has the probe and its time is not over. Whoever gets it written may make one call. Old is not
// changed.
func ClaimProbe(old *Switch, by string, now time.Time) *Switch {
	if !old.Refuses(now) || old.ProbeAfter.IsZero() || now.Before(old.ProbeAfter) || old.State == SwitchProbing && now.Before(old.probeEnd()) {
		return nil
	}
	s := *old
	s.State, s.ProbeBy, s.ProbeAt = SwitchProbing, by, now.UTC()
	return &s
}

// probeEnd is when a claimed probe is another's to claim.
func (s *Switch) probeEnd() time.Time {
	if s.ProbeSeconds <= 0 {
		return s.ProbeAt.AddDate(maxProbeYears, 0, 0)
	}
	return s.ProbeAt.Add(time.Duration(min(s.ProbeSeconds*float64(time.Second), math.MaxInt64/2)))
}

// maxProbeYears stands for a probe that nobody else may claim.
const maxProbeYears = 100

// maxSwitchText is how many bytes of a reason, a name or a message a switch has at most.
const maxSwitchText = 512

// clip cuts a text that is too long, between characters.
func clip(s string) string {
	if len(s) <= maxSwitchText {
		return s
	}
	end := 0
	for i := range s {
		if i > maxSwitchText-len("...") {
			break
		}
		end = i
	}
	return s[:end] + "..."
}

// Encode returns the switch as its bucket has it.
func (s *Switch) Encode() ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode switch of %s: %w", named(s.Server, s.Tool), err)
	}
	return data, nil
}

// DecodeSwitch reads a switch as its bucket has it. Nothing at all is no switch: nil.
func DecodeSwitch(data []byte) (*Switch, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var s Switch
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("decode switch: %w", err)
	}
	switch {
	case s.Tool == "":
		return nil, errors.New("decode switch: /tool: missing")
	case s.State != SwitchEnabled && s.State != SwitchDisabled && s.State != SwitchProbing:
		return nil, errors.New("decode switch: /state: not enabled, disabled or probing")
	}
	return &s, nil
}
