package activation_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// randomDay makes calls and loads of few tools in few conversations, so that they often repeat. One name is called under five servers, and one is empty.
func randomDay(r *rand.Rand) log {
	var l log
	outcomes := []events.Outcome{events.OutcomeOK, events.OutcomeExecutionError, events.OutcomeExecutionError, events.OutcomeExecutionError}
	for range 400 {
		conversation := fmt.Sprintf("c%d", r.IntN(12))
		if r.IntN(20) == 0 {
			conversation = ""
		}
		tool := fmt.Sprintf("tool_%d", min(r.IntN(4), r.IntN(4)))
		if r.IntN(20) == 0 {
			tool = "" // a model can call, and an agent load, what has no name
		}
		if r.IntN(6) == 0 {
			a := &events.Activation{Context: about("a", "m", conversation), Via: events.ViaActivationTool, Loaded: []string{tool, fmt.Sprintf("tool_%d", 3+r.IntN(4))}}
			if r.IntN(3) == 0 {
				a.Refused = []events.RefusedTool{{Name: fmt.Sprintf("tool_%d", r.IntN(7)), Reason: "already_loaded"}}
			}
			l.add(a)
			continue
		}
		c := call(conversation, tool, fmt.Sprint(r.IntN(20)/19), events.ResolvedOK, outcomes[r.IntN(len(outcomes))])
		c.Context = about("a", "m", conversation)
		switch {
		case tool == "tool_3":
			c.Server = fmt.Sprintf("server-%d", r.IntN(5))
		case r.IntN(40) == 0:
			c.ToolName, c.ResolvedName = "Tool-4", "tool_4"
		}
		l.add(c)
	}
	return l
}

// toolOf is the tool that a call meant.
func toolOf(c *events.ToolCall) [2]string {
	return [2]string{c.Server, cmp.Or(c.ResolvedName, c.ToolName)}
}

// naiveLoops finds loops by reading each conversation from its first call to its last.
func naiveLoops(l log, least uint64) (loops []string) {
	type run struct {
		last string
		tool string
		n    uint64
	}
	runs := map[string]*run{}
	end := func(conversation string, r *run) {
		if conversation != "" && r.n >= least {
			loops = append(loops, fmt.Sprintf("%s %s %d", conversation, r.tool, r.n))
		}
	}
	for _, e := range l {
		c, is := e.Data.(*events.ToolCall)
		if !is {
			continue
		}
		r := runs[c.ConversationID]
		if r == nil {
			r = &run{}
			runs[c.ConversationID] = r
		}
		key := fmt.Sprint(c.Server, "|", c.ToolName, "|", c.ArgumentsDigest)
		if c.Outcome == events.OutcomeOK || key != r.last {
			end(c.ConversationID, r)
			*r = run{}
		}
		if c.Outcome != events.OutcomeOK {
			r.last, r.tool, r.n = key, toolOf(c)[1], r.n+1
		}
	}
	for conversation, r := range runs {
		end(conversation, r)
	}
	slices.Sort(loops)
	return loops
}

// naiveLoads counts loads by looking for a call of each in its conversation.
func naiveLoads(l log) []activation.Load {
	places, called := map[string]map[[2]string]bool{}, map[string]map[[2]string]bool{}
	note := func(m map[string]map[[2]string]bool, key string, tool [2]string) {
		if m[key] == nil {
			m[key] = map[[2]string]bool{}
		}
		m[key][tool] = true
	}
	loads, again := map[[2]string]uint64{}, map[[2]string]uint64{}
	all := map[[2]string]bool{}
	for _, e := range l {
		switch d := e.Data.(type) {
		case *events.ToolCall:
			note(places, d.ToolName, toolOf(d))
			note(places, toolOf(d)[1], toolOf(d))
			note(called, d.ConversationID, toolOf(d))
		case *events.Activation:
			if d.ConversationID == "" {
				continue
			}
			for _, name := range d.Loaded {
				loads[[2]string{d.ConversationID, name}]++
				all[[2]string{d.ConversationID, name}] = true
			}
			for _, refused := range d.Refused {
				again[[2]string{d.ConversationID, refused.Name}]++
				all[[2]string{d.ConversationID, refused.Name}] = true
			}
		}
	}
	byTool := map[string]*activation.Load{}
	for key := range all {
		t := byTool[key[1]]
		if t == nil {
			t = &activation.Load{Tool: key[1]}
			byTool[key[1]] = t
		}
		t.Loaded++
		t.Repeated += max(loads[key], 1) - 1 + again[key]
		idle := len(places[key[1]]) <= 4
		for tool := range places[key[1]] {
			idle = idle && !called[key[0]][tool]
		}
		if idle {
			t.NeverCalled++
		}
	}
	var out []activation.Load
	for _, t := range byTool {
		out = append(out, *t)
	}
	slices.SortFunc(out, func(x, y activation.Load) int { return cmp.Compare(x.Tool, y.Tool) })
	return out
}

func TestLoopsAndLoadsOfARandomDayAreThoseThatReadingItFinds(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			l := randomDay(rand.New(rand.NewPCG(seed, 0))) //nolint:gosec // the same every time
			db := openStore(t)
			storetest.Insert(t, db, l)
			r, _ := analyze(t, db)
			want := naiveLoops(l, activation.DefaultSettings().LoopCalls)
			var got []string
			for _, loop := range r.Loops {
				got = append(got, fmt.Sprintf("%s %s %d", loop.Conversation, loop.Tool, loop.Calls))
			}
			slices.Sort(got)
			if len(want) == 0 || r.Rules[activation.RuleLoop].Count != uint64(len(want)) {
				t.Errorf("%d loops, want %d", r.Rules[activation.RuleLoop].Count, len(want))
			}
			if diff := gocmp.Diff(want, got); diff != "" && len(want) <= activation.DefaultSettings().NamesListed {
				t.Error(diff)
			}
			if diff := gocmp.Diff(naiveLoads(l), r.Loads); diff != "" {
				t.Error(diff)
			}
		})
	}
}
