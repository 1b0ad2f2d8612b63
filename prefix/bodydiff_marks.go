package prefix

import (
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// explicitMode is the value of prompt_cache_options.mode with which OpenAI caches up to breakpoints alone.
const explicitMode = "prompt_cache_options.mode"

// NeedsMarkers reports whether the provider caches what stands before a marker (cache_control, cachePoint) and nothing else, as
// rules.json has it: at Anthropic and Bedrock, at the models of others whose maker wants it so, and at OpenAI in explicit mode. All
// others cache by themselves.
func (r *Request) NeedsMarkers() bool {
	model := strings.ToLower(r.Model)
	switch {
	case r.Provider == ProviderDeepSeek || r.Provider == ProviderMistral || r.API == APIGenerate:
		return false
	case r.API == APIMessages || r.API == APIConverse:
		return true
	case strings.Contains(model, "claude"):
		return true
	case r.Provider == ProviderOpenRouter && (strings.HasPrefix(model, "qwen/") || strings.HasPrefix(model, "alibaba/")):
		return true
	}
	explicit := events.Param{Name: explicitMode, Digest: events.Digester{}.Short([]byte(`"explicit"`))}
	return slices.Contains(r.Params, explicit)
}

// stake sets what the two bodies leave of use, and what is at stake.
func (d *BodyDiff) stake(before, after *side) {
	d.MarkersNeeded = before.req.NeedsMarkers()
	d.CachedBytes = d.BytesBefore
	readable := min(d.CommonBytes, d.usable(before))
	if d.MarkersNeeded {
		cached := before.marked()
		d.CachedBytes = last(cached)
		readable = lastWithin(cached, min(readable, last(after.marked())))
	}
	d.UsableBytes = readable
	d.BytesAtStake = max(0, min(d.CachedBytes, d.BytesAfter)-d.UsableBytes)
	d.TokensAtStake = d.BytesAtStake / BytesPerToken
}

// last is the last of some places, 0 of none.
func last(places []int) int {
	if len(places) == 0 {
		return 0
	}
	return places[len(places)-1]
}

// lastWithin is the last of some places, in order, that is not beyond a limit; 0 where none is.
func lastWithin(places []int, limit int) int {
	n, _ := slices.BinarySearch(places, limit+1)
	return last(places[:n])
}

// marked returns where the stretches end that markers have the provider keep, in bytes of the prefix, in order. A marker on a block of
// a message ends behind that block, every other one behind the tool, block or message that it stands on.
func (s *side) marked() []int {
	type place struct {
		part  string
		index int64
	}
	count := map[place]int{}
	for _, b := range s.req.Breakpoints {
		count[place{b.Part, b.Index}]++
	}
	var places []int
	at := 0
	for i := range s.units {
		u := &s.units[i]
		size := u.size()
		if marks := count[place{u.Part, int64(u.Index)}]; marks > 0 {
			inner := s.markedBlocks(u)
			for _, n := range u.textBefore(inner) {
				places = append(places, at+n)
			}
			if marks > len(inner) {
				places = append(places, at+size)
			}
		}
		at += size
	}
	return slices.Compact(places)
}

// markedBlocks returns where in the body the blocks of a message end that have a marker.
func (s *side) markedBlocks(u *unit) []int {
	if u.part == partTools {
		return nil
	}
	var ends []int
	w := &walker{scanner: scanner{body: s.body[:u.To], at: u.From}}
	if w.peek() != '{' {
		return nil
	}
	err := w.each(func(name []byte, _ int) error {
		if string(name) != "content" && string(name) != "parts" || w.peek() != '[' {
			return w.skip()
		}
		return w.items(func() error {
			b, err := w.scan()
			for range b.ttls {
				ends = append(ends, w.at)
			}
			return err
		})
	})
	if err != nil { // the body was read before
		return nil
	}
	return ends
}

// textBefore is how much of a unit's text lies before each of some offsets in the body, which are in order.
func (u *unit) textBefore(offsets []int) []int {
	before, text := make([]int, 0, len(offsets)), 0
	for part := range uncut(u.kept, u.cuts) {
		for len(before) < len(offsets) && offsets[len(before)] < part.to {
			before = append(before, text+max(0, offsets[len(before)]-part.from))
		}
		text += part.to - part.from
	}
	for len(before) < len(offsets) {
		before = append(before, text)
	}
	return before
}

// Fix says in a sentence or two what to do about the difference, "" where there is nothing to do.
func (d *BodyDiff) Fix() string {
	if d.After.NeedsMarkers() && len(d.After.Breakpoints) == 0 {
		return "Mark where a cached prefix ends, at the end of the system prompt and of the latest message, in every request: " +
			"without a marker this provider caches nothing."
	}
	if len(d.Reasons) == 0 {
		return ""
	}
	b := Break{Verdict: d.Verdict(), Tools: d.Tools, Params: d.Params}
	if d.System >= 0 {
		b.SystemBlock = &d.System
	}
	return action(b.Verdict, []Break{b})
}
