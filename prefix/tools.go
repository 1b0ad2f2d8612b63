package prefix

import (
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

// ToolChangeKind says how a tool changed between two requests.
type ToolChangeKind string

// The kinds of tool changes.
const (
	// ToolAdded and ToolRemoved are tools that only the later or only the earlier request has.
	ToolAdded   ToolChangeKind = "added"
	ToolRemoved ToolChangeKind = "removed"
	// ToolReordered is a tool that stands in another order among those that both have.
	ToolReordered ToolChangeKind = "reordered"
	// ToolSameName is a tool whose name stayed and whose definition changed.
	ToolSameName ToolChangeKind = "same_name_churn"
	// ToolSerialization is a tool whose bytes changed and whose definition is known to be the same.
	ToolSerialization ToolChangeKind = "serialization_only"
	// ToolDeferFlip is a tool that came or went because it is deferred in one roster and not in the other.
	ToolDeferFlip ToolChangeKind = "defer_flag_flip"
)

// ToolChange is one tool that changed.
type ToolChange struct {
	Name string         `json:"name"`
	Kind ToolChangeKind `json:"kind"`
	// Index is its place in the later request's tools, from 0; in the earlier one's for a tool that is gone.
	Index int `json:"index"`
	// Middle says that an added tool stands before one that was there already, so that all behind it moved.
	Middle bool `json:"middle,omitzero"`
	// Rhythm says how the tool keeps changing along the conversation.
	Rhythm Rhythm `json:"rhythm,omitzero"`
}

// toolChanges compares the tools of two requests, in the order of the later one; what is gone comes last.
func toolChanges(before, after *Observed, known KnownTools) []ToolChange {
	was, is := toolIndex(before.Tools), toolIndex(after.Tools)
	moved := reordered(after.Tools, was)
	last := -1
	for name := range was {
		if i, ok := is[name]; ok {
			last = max(last, i)
		}
	}
	var all []ToolChange
	for i, t := range after.Tools {
		j, ok := was[t.Name]
		switch {
		case !ok:
			kind := flipOr(ToolAdded, known.flipped(before.RosterDigest, after.RosterDigest, t.Name))
			all = append(all, ToolChange{Name: t.Name, Kind: kind, Index: i, Middle: i < last})
		case before.Tools[j].Digest != t.Digest:
			kind := ToolSameName
			if known.sameDefinition(before.Tools[j].Digest, t.Digest) {
				kind = ToolSerialization
			}
			all = append(all, ToolChange{Name: t.Name, Kind: kind, Index: i})
		}
		if ok && moved[t.Name] {
			all = append(all, ToolChange{Name: t.Name, Kind: ToolReordered, Index: i})
		}
	}
	for j, t := range before.Tools {
		if _, ok := is[t.Name]; !ok {
			kind := flipOr(ToolRemoved, known.flipped(before.RosterDigest, after.RosterDigest, t.Name))
			all = append(all, ToolChange{Name: t.Name, Kind: kind, Index: j})
		}
	}
	return all
}

func flipOr(kind ToolChangeKind, flipped bool) ToolChangeKind {
	if flipped {
		return ToolDeferFlip
	}
	return kind
}

// toolIndex maps each name to its first place.
func toolIndex(list []events.PrefixTool) map[string]int {
	m := make(map[string]int, len(list))
	for i, t := range list {
		if _, ok := m[t.Name]; !ok {
			m[t.Name] = i
		}
	}
	return m
}

// reordered returns the fewest tools that must move to bring those that both requests have back into their old order: all that
// are not part of a longest run that is still in order.
func reordered(after []events.PrefixTool, was map[string]int) map[string]bool {
	var names []string
	var places []int
	seen := map[int]bool{}
	for _, t := range after {
		if j, ok := was[t.Name]; ok && !seen[j] {
			names, places, seen[j] = append(names, t.Name), append(places, j), true
		}
	}
	if slices.IsSorted(places) {
		return nil
	}
	moved := map[string]bool{}
	for _, n := range names {
		moved[n] = true
	}
	for _, i := range longestRun(places) {
		delete(moved, names[i])
	}
	return moved
}

// longestRun returns the indexes of a longest increasing subsequence of distinct numbers.
func longestRun(nums []int) []int {
	var ends []int // ends[k] is the index at which the best run of k+1 numbers ends
	back := make([]int, len(nums))
	for i, v := range nums {
		k, _ := slices.BinarySearchFunc(ends, v, func(end, v int) int { return nums[end] - v })
		back[i] = -1
		if k > 0 {
			back[i] = ends[k-1]
		}
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
	}
	var run []int
	for i := ends[len(ends)-1]; i >= 0; i = back[i] {
		run = append(run, i)
	}
	slices.Reverse(run)
	return run
}
