package prefix

import (
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

// judge is the settings while one conversation is judged, and what is known of it so far.
type judge struct {
	Settings
	firsts firsts
	around around
	priced *priceCache
}

// Judge says of each request of one conversation what became of the prompt cache, and which of the happenings around it, in any order,
// explain a change. The result has the order of reqs, which may come in any order; neither reqs nor happenings are changed.
func Judge(reqs []Observed, s Settings, happenings ...Happening) []Judged {
	j := &judge{s, firsts{}, newAround(happenings), newPriceCache(s.Prices)}
	nodes := arrange(reqs)
	j.link(nodes)
	out := make([]Judged, len(reqs))
	for _, n := range nodes {
		j.price(n)
		j.decide(n)
		j.explain(n)
		n.out.Diagnosed, n.out.Agreement = diagnose(n.req.ProviderDiagnosis, &n.out)
		n.out.Root = n.root.at
		if n.to != nil {
			n.out.Compared = n.to.at
		}
		out[n.at] = n.out
	}
	setRhythms(reqs, out, s.FluxRequests)
	return out
}

// price looks up what the request cost, and whether its model has been seen to cache.
func (j *judge) price(n *node) {
	n.price, _ = j.priced.find(n.req.ProviderName, n.req.RequestModel, n.req.StartTime)
	n.out.CostUSD = n.price.RequestUSD(n.req)
	if n.to != nil && n.duplicates(n.to) && n.out.CostUSD.Known {
		n.out.CostUSD = events.USD(0) // it is the other's
	}
	n.cached = n.req.CacheReadInputTokens.N > 0
	if n.to != nil && n.sameModel(n.to) {
		n.cached = n.cached || n.to.cached
	}
}

// decide gives the verdict on one request; those before it have theirs.
func (j *judge) decide(n *node) {
	n.out.TokensLost = events.Tokens(0)
	switch {
	case !n.req.usable():
		n.out.Verdict = NoUsage
	case n.to == nil && n.req.CacheReadInputTokens.N == 0 && j.firsts.overlaps(n):
		n.out.Verdict = ConcurrentColdStart
	case n.to == nil:
		n.out.Verdict = ColdStart
	default:
		j.compareWith(n)
	}
	if n.first() {
		j.firsts.add(n)
	}
}

// compareWith gives the verdict on a request that has another to be compared with.
func (j *judge) compareWith(n *node) {
	j.measure(n)
	reasons := j.reasons(n)
	broke := j.broke(n, reasons)
	moved := !n.sameModel(n.to) && (broke || n.req.CacheReadInputTokens.N == 0)
	switch {
	case (broke || moved) && n.concurrent():
		n.out.Verdict, n.out.ClockBackwards = ConcurrentColdStart, false // it did begin before the other ended
	case moved:
		n.out.Verdict, n.out.Secondary = ModelChanged, n.alsoHold(reasons[1:])
	case n.belowMinimum():
		n.out.Verdict, n.out.Secondary = BelowMinimum, contentOnly(reasons)
	case !broke:
		n.out.Verdict, n.out.Secondary = OK, contentOnly(reasons)
	case len(reasons) == 0:
		n.out.Verdict = Unattributed
	default:
		reasons = timeFirst(n, reasons)
		n.out.Verdict, n.out.Secondary = reasons[0], reasons[1:]
	}
	j.loss(n)
	n.missed()
	if n.out.Verdict.Break() {
		n.out.Unseen = n.unseen()
	}
}

// alsoHold leaves out time where nothing was there to expire.
func (n *node) alsoHold(reasons []Verdict) []Verdict {
	if n.out.ExpectedRead.N == 0 {
		return contentOnly(reasons)
	}
	return reasons
}

// measure sets the gap and the expected read.
func (j *judge) measure(n *node) {
	n.out.Gap = n.req.StartTime.Sub(n.to.req.end())
	if n.out.Gap < 0 {
		n.out.Gap, n.out.ClockBackwards = 0, true
	}
	n.out.ExpectedRead = n.to.leaves()
	if duplicate := n.duplicates(n.to); duplicate || j.beside(n) {
		n.out.ExpectedRead = n.to.req.CacheReadInputTokens // which was there when the other began
		n.out.ClockBackwards = false
	}
}

// beside reports that the request began while the other was under way, and did not read what that one was still to write: they were sent side by
// side, as one is that is sent twice to have the first answer. First ones are concurrent instead; one that is said to have begun before its
// predecessor has a clock that ran backwards.
func (j *judge) beside(n *node) bool {
	read, left := n.req.CacheReadInputTokens, n.out.ExpectedRead
	return n.relation != reads && !n.concurrent() && n.tooEarly(n.to) && !n.req.StartTime.Before(n.to.req.StartTime) &&
		read.Known && left.Known && j.short(read.N, left.N)
}

// leaves is what the request leaves in the cache for the next one: what it read and wrote. Where its provider reports no
// writes, it is what was read, or all of the prompt that can be cached once the model has been seen to cache here.
func (n *node) leaves() events.Count {
	switch {
	case n.req.writesKnown():
		return events.Tokens(AddTokens(n.req.CacheReadInputTokens.N, n.req.written()))
	case !n.req.CacheReadInputTokens.Known:
		return events.Count{}
	case !n.cached:
		return events.Tokens(0)
	}
	return events.Tokens(max(n.req.CacheReadInputTokens.N, n.cacheable()))
}

// cacheable is how much of the prompt the provider can cache.
func (n *node) cacheable() int64 {
	all := n.req.prompt()
	if all < n.price.MinTokens {
		return 0
	}
	return all - all%max(n.price.StepTokens, 1)
}

// broke reports whether the cache broke: by what was read where that is known, else by what was sent.
func (j *judge) broke(n *node, reasons []Verdict) bool {
	read, expected := n.req.CacheReadInputTokens, n.out.ExpectedRead
	if !read.Known || !expected.Known {
		return len(contentOnly(reasons)) > 0
	}
	return j.short(read.N, expected.N) && !j.readItAll(n)
}

// short reports whether what was read is too little of what was expected.
func (j *judge) short(read, expected int64) bool {
	return float64(read) < j.MinReadShare*float64(expected)
}

// readItAll reports that the request read its whole prompt, and that this is shorter than what its predecessor left. Such a
// predecessor's usage adds up several turns of the provider's own tools: more than was ever there to be read at once.
func (j *judge) readItAll(n *node) bool {
	read, all := n.req.CacheReadInputTokens.N, n.req.prompt()
	return read > 0 && !j.short(read, all) && j.short(all, n.out.ExpectedRead.N)
}

// concurrent reports that the request extends a first one whose answer was not there yet, so that nothing could be cached.
func (n *node) concurrent() bool {
	return n.relation == extends && n.to.first() && n.tooEarly(n.to) && !n.duplicates(n.to)
}

func (n *node) first() bool {
	return n.out.Verdict == ColdStart || n.out.Verdict == ConcurrentColdStart
}

// belowMinimum reports a prompt too short for the cache, of which nothing was read or written. What extends a prompt that was
// cached is long enough.
func (n *node) belowMinimum() bool {
	r := n.req
	cachedBefore := n.relation == extends && n.out.ExpectedRead.N > 0
	return r.reported() && r.prompt() < n.price.MinTokens && r.CacheReadInputTokens.N == 0 && r.written() == 0 && !cachedBefore
}

// loss sets what a break cost.
func (j *judge) loss(n *node) {
	if !n.out.Verdict.Break() {
		return
	}
	if !n.out.ExpectedRead.Known || !n.req.CacheReadInputTokens.Known {
		n.out.TokensLost = events.Count{}
		return
	}
	expected := n.out.ExpectedRead.N
	if j.promptKnown(n) { // what was left out of tools, system or history was not processed again
		expected = min(expected, n.req.prompt())
	}
	n.out.TokensLost = events.Tokens(max(expected-n.req.CacheReadInputTokens.N, 0))
	if n.out.TokensLost.N == 0 {
		n.out.LostUSD = events.USD(0) // at any price
		return
	}
	n.out.LostUSD = n.price.LostUSD(n.req, n.out.TokensLost.N)
}

// promptKnown reports whether the usage of a request says how long its prompt was: it has more than what was read and written, and is not too
// short for one in which all stands that was cached before. Where tools or system were not recorded, a prompt that is shorter than what its
// predecessor left, and not short of it, is taken for as long: providers don't count the same twice alike.
func (j *judge) promptKnown(n *node) bool {
	all := n.req.prompt()
	switch {
	case !n.req.UncachedInputTokens.Known || all == 0:
		return false
	case n.relation != extends || !n.sameModel(n.to) || cut(n.to.req, n.req):
		return true
	case all < n.price.MinTokens:
		return false
	}
	seen := n.to.req.ToolsKnown && n.req.ToolsKnown && n.to.req.SystemKnown && n.req.SystemKnown
	return seen || j.short(all, n.out.ExpectedRead.N)
}

// cut reports that a request lacks something of the tools or the system of another: a tool by its name, or the same system.
func cut(before, after *Observed) bool {
	if systemChanged(before, after) {
		return true
	}
	if !toolsChanged(before, after) {
		return false
	}
	is := toolIndex(after.Tools)
	return slices.ContainsFunc(before.Tools, func(t events.PrefixTool) bool {
		at, there := is[t.Name]
		return !there || after.Tools[at].Digest != t.Digest
	})
}

// missed sets what could have been read where tools or system changed, of a provider that reports no writes and of which nothing was read so
// far: nothing was to be expected of it, and it may be this change that kept the model from caching. What the price table does not know to cache
// is left out.
func (n *node) missed() {
	changed, caches := len(n.out.Tools) > 0 || n.out.System >= 0, n.price.MinTokens > 0 || n.price.Read > 0
	if n.out.Verdict != OK || !changed || !caches || n.to.cached || n.to.req.writesKnown() || !n.req.CacheReadInputTokens.Known {
		return
	}
	n.out.CouldRead = max(min(n.to.cacheable(), n.cacheable())-n.req.CacheReadInputTokens.N, 0)
	if n.out.CouldRead > 0 {
		n.out.CouldReadUSD = n.price.LostUSD(n.req, n.out.CouldRead)
	}
}
