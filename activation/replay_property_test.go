package activation_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// gated is a conversation as its agent's own gate saw it.
type gated struct {
	state  *activation.State
	turn   int64
	second int
	// add has a step for each event; calls and gate have what was called and what the gate said.
	add   []func(*activation.Replay)
	calls []activation.ReplayCall
	gate  []activation.Judgment
}

var gatedNames = []string{"alpha", "beta", "gamma_get", "srv/delta", "delta", "Alpha", "gamma", "nothing"}

func (g *gated) now() activation.Moment {
	g.second++
	return activation.Moment{At: second(g.second), Turn: g.turn}
}

func (g *gated) roster(t *rapid.T) {
	var tools []activation.Tool
	for _, name := range []string{"alpha", "beta", "gamma_get", "delta"} {
		if rapid.IntRange(0, 3).Draw(t, "in "+name) == 0 {
			continue
		}
		tool := activation.Tool{Name: name, Deferred: rapid.Bool().Draw(t, "deferred"), Denied: rapid.IntRange(0, 5).Draw(t, "denied") == 0}
		if name == "delta" {
			tool.Server = "srv"
		}
		tools = append(tools, tool)
	}
	at := rosterAt(g.now(), tools...)
	g.state.SetRoster(at.Roster)
	g.add = append(g.add, func(r *activation.Replay) { r.AddRoster(at) })
}

func (g *gated) activate(via events.ActivationVia, name string) {
	at, a := g.now(), loadedBy(via, name)
	if via == activationTool {
		g.state.LoadNext(name)
	} else {
		g.state.Load(name)
	}
	g.add = append(g.add, func(r *activation.Replay) { r.AddActivation(at, a) })
}

func (g *gated) takeBack(name string) {
	at := g.now()
	g.state.Unload(name)
	g.add = append(g.add, func(r *activation.Replay) { r.AddActivation(at, refusedTool(name, events.RefusedPolicy)) })
}

func (g *gated) call(name string) {
	c := activation.ReplayCall{Moment: g.now(), Name: name}
	if len(g.calls)%4 == 3 {
		c.Name, c.Arguments = "call_tool", []byte(fmt.Sprintf(`{"name":%q}`, name))
	}
	res, u := g.state.ResolveCall(c.Name, c.Arguments)
	g.calls = append(g.calls, c)
	g.gate = append(g.gate, activation.Judgment{Resolution: res, Unwrapped: u})
}

// message is one answer of the model: rosters and what was found at once come before it.
func (g *gated) message(t *rapid.T) {
	g.turn++
	g.state.Step()
	name := func() string { return rapid.SampledFrom(gatedNames).Draw(t, "name") }
	if g.turn == 1 || rapid.IntRange(0, 4).Draw(t, "roster") == 0 {
		g.roster(t)
	}
	if rapid.IntRange(0, 3).Draw(t, "taken back") == 0 {
		g.takeBack(name())
	}
	for range rapid.IntRange(0, 2).Draw(t, "at once") {
		g.activate(rapid.SampledFrom([]events.ActivationVia{events.ViaToolSearch, events.ViaMention, events.ViaRestore}).Draw(t, "via"), name())
	}
	for range rapid.IntRange(0, 4).Draw(t, "steps") {
		if rapid.Bool().Draw(t, "call") {
			g.call(name())
		} else {
			g.activate(activationTool, name())
		}
	}
}

func TestAReplayInAnyOrderSaysWhatTheGateSaid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &gated{state: activation.NewState(nil)}
		for range rapid.IntRange(1, 6).Draw(t, "messages") {
			g.message(t)
		}
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		rnd.Shuffle(len(g.add), func(i, j int) { g.add[i], g.add[j] = g.add[j], g.add[i] })
		var r activation.Replay
		for _, add := range g.add {
			add(&r)
		}
		for _, i := range rnd.Perm(len(g.calls)) {
			got, want := r.Judge(&g.calls[i], nil), g.gate[i]
			if got.Resolution != want.Resolution || got.Unwrapped.Name != want.Unwrapped.Name {
				t.Fatalf("call %+v: %+v, the gate said %+v", g.calls[i], got, want)
			}
		}
	})
}

func TestWithoutTurnsAReplayFindsNoMoreFaultThanTheGate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &gated{state: activation.NewState(nil)}
		for range rapid.IntRange(1, 6).Draw(t, "messages") {
			g.message(t)
		}
		var r activation.Replay
		for _, add := range g.add {
			add(&r)
		}
		for i := range g.calls {
			c := g.calls[i]
			c.Turn = 0
			if got, want := r.Judge(&c, nil), g.gate[i]; want.Resolution.Resolution == events.ResolvedOK && got.Resolution != want.Resolution {
				t.Fatalf("call %+v: %+v, the gate said %+v", c, got, want)
			}
		}
	})
}
