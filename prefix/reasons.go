package prefix

import (
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// reasons lists all reasons for a break that hold between a request and the one it is compared with, in the order of
// [Verdicts], and notes the details. What was not seen of either request is no reason, nor is what another provider's form
// hides, nor what stands in a cache that the request names instead of sending it.
func (j *judge) reasons(n *node) []Verdict {
	if n.relation == reads {
		return nil
	}
	var all []Verdict
	if !n.sameModel(n.to) {
		all = append(all, ModelChanged)
	}
	if n.sameProvider(n.to) {
		all = append(all, j.changes(n)...)
	}
	if n.unused() > j.ttl(n.to) {
		all = append(all, TTLExpired)
	}
	return all
}

// changes lists what changed of what was sent to one provider.
func (j *judge) changes(n *node) []Verdict {
	before, after := n.to.req, n.req
	tools, system := toolsChanged(before, after), systemChanged(before, after)
	if tools {
		n.out.Tools = toolChanges(before, after, j.Known)
	}
	if system {
		n.out.System = commonHead(before.System, after.System)
	}
	n.out.Params = changedParams(before.Params, after.Params)
	rewritten := n.relation == rewrites || n.relation == replaces
	shorter := rewritten && n.trail.len() < n.to.trail.len()
	var all []Verdict
	for _, r := range []struct {
		holds   bool
		verdict Verdict
	}{
		{tools, ToolsChanged},
		{system, SystemChanged},
		{len(n.out.Params) > 0, ParamsChanged},
		{shorter, Compaction},
		{rewritten && !shorter, MessagesChanged},
		{j.markersChanged(n), BreakpointsChanged},
	} {
		if r.holds {
			all = append(all, r.verdict)
		}
	}
	return all
}

// unseen names the parts of the prefix that can't be compared, in the order of a request.
func (n *node) unseen() []string {
	a, b := n.to.req, n.req
	var all []string
	for i, seen := range []bool{a.ToolsKnown && b.ToolsKnown, a.SystemKnown && b.SystemKnown, a.MessagesKnown && b.MessagesKnown} {
		if !seen {
			all = append(all, partNames[i])
		}
	}
	return all
}

// contentOnly leaves out the reasons that are not changes of what was sent.
func contentOnly(reasons []Verdict) []Verdict {
	var all []Verdict
	for _, r := range reasons {
		if r.ofContent() {
			all = append(all, r)
		}
	}
	return all
}

func toolsChanged(a, b *Observed) bool {
	return a.ToolsKnown && b.ToolsKnown && !slices.Equal(a.Tools, b.Tools)
}

func systemChanged(a, b *Observed) bool {
	return a.SystemKnown && b.SystemKnown && !slices.Equal(a.System, b.System)
}

// changedParams names the parameters that only one of two requests has or that have another value, in the order of the later
// one.
func changedParams(before, after []events.Param) []string {
	was := make(map[string]string, len(before))
	for _, p := range before {
		was[p.Name] = p.Digest
	}
	var names []string
	for _, p := range after {
		if d, ok := was[p.Name]; !ok || d != p.Digest {
			names = append(names, p.Name)
		}
		delete(was, p.Name)
	}
	for _, p := range before {
		if _, gone := was[p.Name]; gone {
			names = append(names, p.Name)
		}
	}
	return names
}

// markersChanged reports that a cache marker was lost, moved back, or stands further behind the last one than the provider
// looks back.
func (j *judge) markersChanged(n *node) bool {
	return frontMarkersChanged(n) || j.messageMarkerChanged(n)
}

// frontMarkersChanged looks at the markers of tools and system.
func frontMarkersChanged(n *node) bool {
	before, after := n.to.req.Breakpoints, n.req.Breakpoints
	for _, part := range partNames[:partMessages] {
		if at, ok := lastMarker(before, part); ok {
			now, still := lastMarker(after, part)
			if !still || now != at && !toolsChanged(n.to.req, n.req) && !systemChanged(n.to.req, n.req) {
				return true
			}
		}
	}
	return false
}

// messageMarkerChanged looks at the last marker in the messages, which is meant to move on with them.
func (j *judge) messageMarkerChanged(n *node) bool {
	at, ok := lastMarker(n.to.req.Breakpoints, partNames[partMessages])
	if !ok {
		return false
	}
	lookback := n.price.Lookback
	if lookback == 0 {
		lookback = j.Lookback
	}
	return !slices.ContainsFunc(n.req.Breakpoints, func(b events.Breakpoint) bool {
		return b.Part == partNames[partMessages] && b.Index >= at && b.Index-at <= lookback
	})
}

// timeFirst puts time before what changed of the content, where nothing at all was read and what changed leaves something before it that was
// cached: that was lost to time alone, and so would have been the rest.
func timeFirst(n *node, reasons []Verdict) []Verdict {
	at := slices.Index(reasons, TTLExpired)
	if at <= 0 || n.req.CacheReadInputTokens != events.Tokens(0) || !frontStands(n, reasons) {
		return reasons
	}
	return slices.Concat([]Verdict{TTLExpired}, reasons[:at], reasons[at+1:])
}

// frontStands reports that what changed is certain to have left alone what stands before it in the cache: it is in the messages, and tools and
// system are known to be as they were; or it is in the system, and the tools before it have a marker of their own.
func frontStands(n *node, reasons []Verdict) bool {
	a, b := n.to.req, n.req
	known := a.ToolsKnown && b.ToolsKnown && a.SystemKnown && b.SystemKnown
	if !known || toolsChanged(a, b) || frontMarkersChanged(n) || slices.Contains(reasons, ParamsChanged) {
		return false
	}
	switch reasons[0] {
	case SystemChanged:
		_, marked := lastMarker(a.Breakpoints, partNames[partTools])
		return marked && len(a.Tools) > 0
	case Compaction, MessagesChanged, BreakpointsChanged:
		return len(a.Tools)+len(a.System) > 0
	}
	return false
}

// lastMarker returns the index of the last marker of a part.
func lastMarker(list []events.Breakpoint, part string) (int64, bool) {
	for _, b := range slices.Backward(list) {
		if b.Part == part {
			return b.Index, true
		}
	}
	return 0, false
}

// unused is for how long nobody used what the request before left in the cache, as its provider counts it. It is the gap, or that and the time
// which the answer took.
func (n *node) unused() time.Duration {
	if livesFromStart(n.to.req.ProviderName) {
		return max(n.req.StartTime.Sub(n.to.req.StartTime), n.out.Gap)
	}
	return n.out.Gap
}

// ttl is how long what the request left in the cache lives, at the least: by its markers, by what it wrote, by its model.
func (j *judge) ttl(n *node) time.Duration {
	var shortest int64
	for _, b := range n.req.Breakpoints {
		if b.TTLSeconds > 0 && (shortest == 0 || b.TTLSeconds < shortest) {
			shortest = b.TTLSeconds
		}
	}
	switch {
	case shortest > 0:
	case n.req.CacheWrite1hInputTokens.N > 0 && n.req.CacheWrite5mInputTokens.N == 0:
		shortest = int64(time.Hour / time.Second)
	case n.price.TTLSeconds > 0:
		shortest = n.price.TTLSeconds
	default:
		return j.DefaultTTL
	}
	return time.Duration(shortest) * time.Second
}
