package activation

import (
	"cmp"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

const (
	// clockSkew is how far clocks of machines that send events of one conversation may be apart: time alone says nothing of the order of two
	// events that are closer. Clocks that are set over a network are some milliseconds apart, and a virtual machine's that was paused some hundreds.
	clockSkew = 500 * time.Millisecond
	// longestMessage is how far apart events of one message of a model are. Two events of one turn that are further apart may be of a process that
	// began to count anew. Answers that take longer than some minutes are broken off by providers.
	longestMessage = 5 * time.Minute
)

// Moment is where in a conversation an event stands.
type Moment struct {
	// At is the time of the event.
	At time.Time
	// Turn counts the model's answers from 1, and Request names one; 0 and empty are not known.
	Turn    int64
	Request string
	// Agent is the agent's name; several can share a conversation, and each counts its own turns.
	Agent string
}

// MomentOf returns where an event stands.
func MomentOf(at time.Time, c *events.Context) Moment {
	return Moment{At: at, Turn: c.Turn, Request: c.RequestID, Agent: c.AgentName}
}

// turns compares the turns of two moments, where both are known.
func (m *Moment) turns(o *Moment) (order int, known bool) {
	if m.Turn <= 0 || o.Turn <= 0 || !sameAgent(m.Agent, o.Agent) {
		return 0, false
	}
	return cmp.Compare(m.Turn, o.Turn), true
}

// sameAgent reports that two agents may be one.
func sameAgent(a, b string) bool { return a == b || a == "" || b == "" }

// requests compares the requests of two moments, where both are known.
func (m *Moment) requests(o *Moment) (same, known bool) {
	if m.Request == "" || o.Request == "" || !sameAgent(m.Agent, o.Agent) {
		return false, false
	}
	return m.Request == o.Request, true
}

// mayBeSame reports that the turn, the request or both say that the model wrote both in one message, and neither says otherwise.
func (m *Moment) mayBeSame(o *Moment) bool {
	order, turns := m.turns(o)
	same, requests := m.requests(o)
	if turns && order != 0 || requests && !same {
		return false
	}
	return turns || requests
}

// surelySame reports that nothing leaves a doubt that the model wrote both in one message: the request says so, or the turn of an agent whose
// turns are not tangled, and the time does not speak against it.
func (m *Moment) surelySame(o *Moment, tangled bool) bool {
	if !m.mayBeSame(o) {
		return false
	}
	if same, _ := m.requests(o); same {
		return true
	}
	return !tangled && m.Agent == o.Agent && m.At.Sub(o.At).Abs() <= longestMessage
}

// mayBeBefore reports that turns or time say that something came before a call.
func (m *Moment) mayBeBefore(call *Moment) bool {
	order, _ := m.turns(call)
	if order > 0 {
		return !m.At.After(call.At)
	}
	return order < 0 || !m.At.After(call.At.Add(clockSkew))
}

// surelyBefore reports that neither turns nor time leave a doubt that something came before something else.
func (m *Moment) surelyBefore(o *Moment) bool {
	order, known := m.turns(o)
	if known && order != 0 {
		return order < 0 && !m.At.After(o.At.Add(clockSkew))
	}
	if same, requests := m.requests(o); known && requests && !same {
		return false // two requests of one turn
	}
	return m.At.Add(clockSkew).Before(o.At)
}

// replaces reports that a roster surely took the place of an earlier one. Two of one turn may be those of two agents of one name.
func (m *Moment) replaces(earlier *Moment) bool {
	if order, known := earlier.turns(m); known && order == 0 {
		return false
	}
	return earlier.surelyBefore(m)
}
