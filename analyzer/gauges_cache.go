package analyzer

import (
	"cmp"

	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/prefix"
)

// The values of the label part of the cache's metrics that are no names of [prefix].
const (
	partNone   = "none"
	partRoster = "roster"
	// unknownAgent is the label of requests whose agent nobody told.
	unknownAgent = "unknown"
)

// partOfVerdict is the part of the prefix that a verdict blames.
func partOfVerdict(v prefix.Verdict) string {
	switch v {
	case prefix.ToolsChanged:
		return "tools"
	case prefix.SystemChanged:
		return "system"
	case prefix.MessagesChanged, prefix.Compaction:
		return "messages"
	}
	return partNone
}

// setCache shows what the prompt cache lost, by agent and verdict, and what keeps changing.
func (a *Analyzer) setCache(r *prefix.Report) {
	var breaks, tokens, usd rows
	left := map[prefix.Verdict]prefix.Total{}
	for v, t := range r.Verdicts {
		left[v] = *t
	}
	for i := range r.Savings {
		s := &r.Savings[i]
		agent, verdict, part := cmp.Or(s.Agent, unknownAgent), string(s.Verdict), partOfVerdict(s.Verdict)
		breaks.add(float64(s.Breaks), agent, verdict, part)
		tokens.add(float64(s.TokensLost), agent, verdict, part)
		if s.CostUSD != nil {
			usd.add(*s.CostUSD, agent, verdict, part)
		}
		t := left[s.Verdict]
		t.Count, t.TokensLost = t.Count-s.Breaks, t.TokensLost-s.TokensLost
		left[s.Verdict] = t
	}
	for _, v := range prefix.Verdicts() { // what the report does not say of which agent it is
		if !v.Break() {
			continue
		}
		breaks.add(float64(max(left[v].Count, 0)), metrics.Other, string(v), partOfVerdict(v))
		tokens.add(float64(max(left[v].TokensLost, 0)), metrics.Other, string(v), partOfVerdict(v))
	}
	w := a.metrics.Window
	a.set(w.CacheBreaks, breaks)
	a.set(w.CacheLostTokens, tokens)
	a.set(w.CacheLostUSD, usd)
	a.setFlux(r)
}

// setFlux shows the parts that go back and forth, and the rosters that change, by agent.
func (a *Analyzer) setFlux(r *prefix.Report) {
	var flapping, changes rows
	for i := range r.Conversations {
		c := &r.Conversations[i]
		for _, x := range c.Flux {
			if x.Kind == prefix.Flapping {
				flapping.add(1, cmp.Or(c.Agent, unknownAgent), x.Part)
			}
		}
	}
	for _, x := range r.Rosters {
		flapping.add(1, cmp.Or(x.Agent, unknownAgent), partRoster)
	}
	for _, x := range r.RosterChanges {
		changes.add(1, cmp.Or(x.Agent, unknownAgent))
	}
	a.set(a.metrics.Window.CacheFlapping, flapping)
	a.set(a.metrics.Window.CacheRosterChanges, changes)
}
