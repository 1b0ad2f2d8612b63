package prefix

import (
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

// BytesPerToken is how many bytes of a body count as one token where nothing says how many there were. It is a rule of thumb for
// English text and JSON, and what rests on it is an estimate.
const BytesPerToken = 4

// BodyDiff says how one request body differs from an earlier one. It holds text of both bodies, so it is for the eyes of whoever has them.
type BodyDiff struct {
	// Before and After are the two requests.
	Before *Request `json:"-"`
	After  *Request `json:"-"`
	// First is where the prefixes first differ, in the provider's order (tools, system, messages, wherever the body has them) and cache
	// markers masked; nil where they do not, because one goes on where the other ends.
	First *Difference `json:"first,omitzero"`
	// Raw is where the bodies first differ as files; nil where all of their bytes are the same.
	Raw *Difference `json:"raw,omitzero"`
	// Reasons are the verdicts on a break that hold for the two bodies, in the order of [Verdicts]; empty where a cache should serve all
	// that both have.
	Reasons []Verdict `json:"reasons"`
	// Tools are the tools that changed. System is the index of the first system block that changed, came or went, Message that of the first
	// message that changed; -1 where none did. Params are the parameters that changed.
	Tools   []ToolChange `json:"tools,omitempty"`
	System  int          `json:"system"`
	Message int          `json:"message"`
	Params  []string     `json:"params,omitempty"`
	// MarkersMoved says that the cache markers of the two stand in different places or have other lifetimes.
	MarkersMoved bool `json:"markers_moved"`
	// BytesBefore and BytesAfter are the lengths of the two prefixes: the blocks alone, without their markers and what is between them.
	BytesBefore int `json:"bytes_before"`
	BytesAfter  int `json:"bytes_after"`
	// CommonBytes is how far the two are the same from the start. UsableBytes is how much of that a cache can serve: less where the model,
	// or a parameter that counts for an earlier part, changed, and where markers are needed only up to the last one of the earlier request
	// in it that the later one has a marker at or behind.
	CommonBytes int `json:"common_bytes"`
	UsableBytes int `json:"usable_bytes"`
	// MarkersNeeded is [Request.NeedsMarkers] of the earlier request, CachedBytes how much of its prefix a provider keeps: up to its last
	// marker, or all.
	MarkersNeeded bool `json:"markers_needed"`
	CachedBytes   int  `json:"cached_bytes"`
	// BytesAtStake is what of CachedBytes lies behind UsableBytes: what might have come from the cache and has to be processed again, no
	// more than the later prefix has. TokensAtStake is the same in tokens, an estimate by [BytesPerToken].
	BytesAtStake  int `json:"bytes_at_stake"`
	TokensAtStake int `json:"tokens_at_stake_estimate"`
}

// Verdict is the first of the reasons, [OK] where there is none.
func (d *BodyDiff) Verdict() Verdict {
	if len(d.Reasons) == 0 {
		return OK
	}
	return d.Reasons[0]
}

// DiffBodies compares two raw request bodies, a the earlier. The provider may be empty: each body then tells. The error says which of
// them is no request, and where.
func DiffBodies(provider string, a, b []byte) (BodyDiff, error) {
	before, err := readSide(provider, a)
	if err != nil {
		return BodyDiff{}, sideError("earlier", err)
	}
	after, err := readSide(provider, b)
	if err != nil {
		return BodyDiff{}, sideError("later", err)
	}
	d := BodyDiff{Before: before.req, After: after.req, System: -1, Message: -1}
	d.changes(before, after)
	d.Raw = rawDifference(before, after)
	d.First, d.CommonBytes = prefixDifference(before, after)
	d.BytesBefore, d.BytesAfter = before.length(), after.length()
	d.stake(before, after)
	return d, nil
}

// changes says what changed, part by part, and what that is a reason for.
func (d *BodyDiff) changes(before, after *side) {
	a, b := before.observed("before"), after.observed("after")
	d.MarkersMoved = !slices.Equal(a.Breakpoints, b.Breakpoints)
	d.Params = changedParams(a.Params, b.Params)
	if toolsChanged(a, b) {
		d.Tools = toolChanges(a, b, known(before, after))
	}
	if systemChanged(a, b) {
		d.System = commonHead(a.System, b.System)
	}
	common := commonHead(a.Messages, b.Messages)
	rewritten := common < min(len(a.Messages), len(b.Messages))
	if rewritten {
		d.Message = common
	}
	shorter := rewritten && len(b.Messages) < len(a.Messages)
	for _, r := range []struct {
		holds   bool
		verdict Verdict
	}{
		{a.RequestModel != b.RequestModel || a.ProviderName != b.ProviderName, ModelChanged},
		{toolsChanged(a, b), ToolsChanged},
		{d.System >= 0, SystemChanged},
		{len(d.Params) > 0, ParamsChanged},
		{shorter, Compaction},
		{rewritten && !shorter, MessagesChanged},
		{fixedMarkersChanged(a, b), BreakpointsChanged},
	} {
		if r.holds {
			d.Reasons = append(d.Reasons, r.verdict)
		}
	}
}

// fixedMarkersChanged reports that a marker in the tools or the system part is not where it was, though these did not change. One in
// the messages is meant to move.
func fixedMarkersChanged(a, b *Observed) bool {
	if toolsChanged(a, b) || systemChanged(a, b) {
		return false
	}
	for _, part := range partNames[:partMessages] {
		was, marked := lastMarker(a.Breakpoints, part)
		is, still := lastMarker(b.Breakpoints, part)
		if marked && (!still || was != is) {
			return true
		}
	}
	return false
}

// usable is how much of the earlier prefix the model and the parameters leave in the cache.
func (d *BodyDiff) usable(before *side) int {
	if slices.Contains(d.Reasons, ModelChanged) {
		return 0
	}
	n := before.length()
	for _, name := range d.Params {
		from, ok := invalidates(d.After.Provider, d.After.API, name)
		if ok {
			n = min(n, before.lengthUpTo(slices.Index(partNames[:], from)))
		}
	}
	return n
}

// known is what the definitions in both bodies tell about their tools.
func known(sides ...*side) KnownTools {
	k := KnownTools{Definitions: map[string]string{}, Deferred: map[string]map[string]bool{}}
	for _, s := range sides {
		deferred := map[string]bool{}
		for _, t := range s.req.Tools {
			deferred[t.Name] = false
		}
		for _, name := range s.req.Deferred {
			deferred[name] = true
		}
		k.Deferred[s.roster] = deferred
		for _, raw := range s.req.RawTools {
			if t, err := (events.Digester{}).Tool(raw); err == nil {
				k.Definitions[events.Shorten(t.Wire)] = events.Shorten(t.Definition)
			}
		}
	}
	return k
}
