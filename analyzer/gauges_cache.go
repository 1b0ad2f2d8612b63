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

// lost is what an agent lost to one verdict.
type lost struct {
	agent          string
	verdict        prefix.Verdict
	breaks, tokens int64
	usd            *float64
}

// lostByAgent lists what was lost, and under [metrics.Other] what the report does not say of which agent it is.
func lostByAgent(r *prefix.Report) []lost {
	var all []lost
	left := map[prefix.Verdict]prefix.Total{}
	for v, t := range r.Verdicts {
		left[v] = *t
	}
	for i := range r.Savings {
		s := &r.Savings[i]
		all = append(all, lost{cmp.Or(s.Agent, unknownAgent), s.Verdict, s.Breaks, s.TokensLost, s.CostUSD})
		t := left[s.Verdict]
		t.Count, t.TokensLost = t.Count-s.Breaks, t.TokensLost-s.TokensLost
		left[s.Verdict] = t
	}
	for _, v := range prefix.Verdicts() {
		if v.Break() {
			all = append(all, lost{metrics.Other, v, max(left[v].Count, 0), max(left[v].TokensLost, 0), nil})
		}
	}
	return all
}

// setCache shows what the prompt cache lost, by agent and verdict.
func (a *Analyzer) setCache(r *prefix.Report) {
	var breaks, tokens, usd rows
	for _, l := range lostByAgent(r) {
		verdict, part := string(l.verdict), partOfVerdict(l.verdict)
		breaks.add(float64(l.breaks), l.agent, verdict, part)
		tokens.add(float64(l.tokens), l.agent, verdict, part)
		if l.usd != nil {
			usd.add(*l.usd, l.agent, verdict, part)
		}
	}
	w := a.metrics.Window
	a.set(w.CacheBreaks, breaks)
	a.set(w.CacheLostTokens, tokens)
	a.set(w.CacheLostUSD, usd)
}

// setCacheAlerts shows what alerts are on, by agent: tokens lost by the part that changed, parts that go back and forth, and rosters that change. What
// findings are on that are muted or resolved is left out.
func (a *Analyzer) setCacheAlerts(r *prefix.Report, quiet silenced) {
	type key struct{ agent, part string }
	lost := map[key]float64{}
	for _, l := range lostByAgent(r) {
		lost[key{l.agent, partOfVerdict(l.verdict)}] += float64(l.tokens)
	}
	for _, f := range quiet {
		lost[key{cmp.Or(f.Subject.Agent, unknownAgent), partOfVerdict(prefix.Verdict(f.Rule))}] -= f.Numbers["tokens_lost"]
	}
	var tokens rows
	for k, n := range lost {
		if k.part != partNone {
			tokens.add(max(n, 0), k.agent, k.part)
		}
	}
	a.set(a.metrics.Window.CacheAlertTokens, tokens)
	a.setFlux(r, quiet)
}

// setFlux shows the parts that go back and forth, and the rosters that change, by agent.
func (a *Analyzer) setFlux(r *prefix.Report, quiet silenced) {
	var flapping, changes rows
	for i := range r.Conversations {
		c := &r.Conversations[i]
		for _, x := range c.Flux {
			if x.Kind == prefix.Flapping && !quiet.holds(string(x.Kind)+"_"+x.Part, c.Agent, c.ID) {
				flapping.add(1, cmp.Or(c.Agent, unknownAgent), x.Part)
			}
		}
	}
	for _, x := range r.Rosters {
		if !quiet.holds(prefix.RuleFlappingRoster, x.Agent, x.Conversation) {
			flapping.add(1, cmp.Or(x.Agent, unknownAgent), partRoster)
		}
	}
	for _, x := range r.RosterChanges {
		if !quiet.holds(prefix.RuleRosterChanged, x.Agent, x.Conversation) {
			changes.add(1, cmp.Or(x.Agent, unknownAgent))
		}
	}
	a.set(a.metrics.Window.CacheFlapping, flapping)
	a.set(a.metrics.Window.CacheRosterChanges, changes)
}
