package activation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// crowd is several agents in one conversation, each with its own gate, whose events are told of by clocks that are some milliseconds apart.
type crowd struct {
	ms      int
	request int
	members []*member
	add     []func(*activation.Replay)
	calls   []activation.ReplayCall
	gate    []activation.Judgment
	// told is what was told of, to be read where something is wrong.
	told []string
}

func (c *crowd) tell(what string, at activation.Moment, v any, add func(*activation.Replay)) {
	c.told = append(c.told, fmt.Sprintf("%s %d ms turn %d %q %q: %v", what, at.At.Sub(second(0)).Milliseconds(), at.Turn, at.Request, at.Agent, v))
	c.add = append(c.add, add)
}

// member is an agent of a crowd. It tells of its turns, its requests' ids and the rosters that they show, or of only some of these.
type member struct {
	*crowd
	name               string
	state              *activation.State
	turn               int64
	tellsTurn, tellsID bool
	request, digest    string
	offered            []string
}

func (m *member) moment(t *rapid.T) activation.Moment {
	m.ms += rapid.IntRange(600, 2000).Draw(t, "pause")
	skew := rapid.IntRange(-20, 20).Draw(t, "skew")
	at := activation.Moment{At: second(0).Add(time.Duration(m.ms+skew) * time.Millisecond), Agent: m.name}
	if m.tellsTurn {
		at.Turn = m.turn
	}
	if m.tellsID {
		at.Request = m.request
	}
	return at
}

func (m *member) roster(t *rapid.T) {
	var tools []activation.Tool
	m.offered = nil
	for _, name := range []string{"alpha", "beta", "gamma_get"} {
		if rapid.IntRange(0, 2).Draw(t, "in "+name) == 0 {
			continue
		}
		x := activation.Tool{Name: name, Deferred: rapid.Bool().Draw(t, "deferred"), Denied: rapid.IntRange(0, 5).Draw(t, "denied") == 0}
		tools = append(tools, x)
		if !x.Deferred && !x.Denied {
			m.offered = append(m.offered, name)
		}
	}
	for _, server := range []string{"a", "b"} { // one name on two servers
		x := activation.Tool{Name: "search", Server: server, Denied: rapid.IntRange(0, 2).Draw(t, "search") == 0}
		tools = append(tools, x)
	}
	at := rosterAt(m.moment(t), tools...)
	at.Digest = fmt.Sprint("d", m.ms)
	m.digest = at.Digest
	m.state.SetRoster(at.Roster)
	m.tell("roster", at.Moment, fmt.Sprint(at.Digest, tools), func(r *activation.Replay) { r.AddRoster(at) })
}

func (m *member) tellOfRequest(at activation.Moment, tools []string, digest string) {
	tools = slices.Clone(tools)
	m.tell("request", at, fmt.Sprint(tools, digest), func(r *activation.Replay) { r.AddRequest(at, tools, digest) })
}

func (m *member) call(t *rapid.T) {
	c := activation.ReplayCall{Moment: m.moment(t), Name: rapid.SampledFrom([]string{"alpha", "beta", "gamma_get", "search", "nothing"}).Draw(t, "name")}
	if c.Name == "search" {
		c.Server = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "server")
	}
	res, u := m.state.ResolveCall(c.Name, nil)
	m.calls = append(m.calls, c)
	m.gate = append(m.gate, activation.Judgment{Resolution: res, Unwrapped: u})
}

func (m *member) activate(t *rapid.T) {
	name := rapid.SampledFrom([]string{"alpha", "beta", "gamma_get"}).Draw(t, "name")
	via := rapid.SampledFrom([]events.ActivationVia{activationTool, events.ViaToolSearch}).Draw(t, "via")
	at, a := m.moment(t), loadedBy(via, name)
	switch {
	case rapid.IntRange(0, 5).Draw(t, "refused") == 0:
		a = refusedTool(name, events.RefusedNotPermitted)
		m.state.Unload(name)
	case via == activationTool:
		m.state.LoadNext(name)
	default:
		m.state.Load(name)
	}
	m.tell("activation", at, *a, func(r *activation.Replay) { r.AddActivation(at, a) })
}

// message is one answer of the member's model, with its request and now and then one beside it, as for a title.
func (m *member) message(t *rapid.T) {
	m.turn++
	m.crowd.request++
	m.request = fmt.Sprint("rq", m.crowd.request)
	m.state.Step()
	if m.digest == "" || rapid.IntRange(0, 4).Draw(t, "roster") == 0 {
		m.roster(t)
	}
	m.tellOfRequest(m.moment(t), m.offered, m.digest)
	if rapid.IntRange(0, 3).Draw(t, "side request") == 0 {
		at := m.moment(t)
		at.Request += "side"
		m.tellOfRequest(at, []string{"set_title"}, "")
	}
	for range rapid.IntRange(0, 4).Draw(t, "steps") {
		if rapid.Bool().Draw(t, "call") {
			m.call(t)
		} else {
			m.activate(t)
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "resumed") == 0 {
		m.turn = 0
		m.tellOfRoster(t)
	}
}

// tellOfRoster tells once more of the roster in force, as a process does that resumes.
func (m *member) tellOfRoster(t *rapid.T) {
	m.turn++
	m.crowd.request++
	m.request = fmt.Sprint("rq", m.crowd.request)
	m.state.Step()
	m.roster(t)
}

func crowdOf(t *rapid.T) *crowd {
	c := &crowd{}
	how := rapid.IntRange(0, 2).Draw(t, "tells")
	for range rapid.IntRange(1, 3).Draw(t, "agents") {
		c.members = append(c.members, &member{
			crowd: c, name: rapid.SampledFrom([]string{"", "main", "worker"}).Draw(t, "agent"), state: activation.NewState(nil),
			tellsTurn: how != 1, tellsID: how != 0,
		})
	}
	for range rapid.IntRange(1, 12).Draw(t, "messages") {
		rapid.SampledFrom(c.members).Draw(t, "whose").message(t)
	}
	return c
}

func (c *crowd) replay(rnd *rand.Rand) *activation.Replay {
	r := &activation.Replay{}
	for _, i := range rnd.Perm(len(c.add)) {
		c.add[i](r)
	}
	return r
}

func TestOfACrowdAReplayFindsNoMoreFaultThanTheGatesInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := crowdOf(t)
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		one, other := c.replay(rnd), c.replay(rnd)
		for _, i := range rnd.Perm(len(c.calls)) {
			got, again, want := one.Judge(&c.calls[i], nil), other.Judge(&c.calls[i], nil), c.gate[i].Resolution.Resolution
			if got.Resolution != again.Resolution {
				t.Fatalf("call %+v: %+v, in another order %+v", c.calls[i], got, again)
			}
			said := got.Resolution.Resolution
			if want == events.ResolvedOK && said != want && said != "" {
				t.Fatalf("call %+v: %+v, the gate said %s\n%s", c.calls[i], got, want, strings.Join(c.told, "\n"))
			}
		}
	})
}
