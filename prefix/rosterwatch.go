package prefix

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// RosterChange is a roster whose text changed inside a conversation though nobody said that tools or permissions had changed outside.
type RosterChange struct {
	Conversation string    `json:"conversation"`
	Agent        string    `json:"agent,omitzero"`
	Version      string    `json:"agent_version,omitzero"`
	Server       string    `json:"server,omitzero"`
	Time         time.Time `json:"time"`
	// Before and After are the digests of the two texts.
	Before string `json:"before_digest"`
	After  string `json:"after_digest"`
	// Place is where the definitions of the two rosters' tools first differ: a text is known by its digest alone.
	Place Place `json:"place"`
}

// ArrayChange is a tools array that differs from that of the request before in the same chain of a conversation and agent.
type ArrayChange struct {
	Conversation string `json:"conversation"`
	Agent        string `json:"agent,omitzero"`
	// Request counts the model's answers in the conversation from 1.
	Request int64     `json:"request"`
	Kind    ArrayKind `json:"kind"`
	// ModelChanged says that another model of the same provider was asked, for which tools may be in another form: it must not have fewer.
	ModelChanged bool `json:"model_changed,omitzero"`
	// Legal says that the rule for tools arrays allows it; what it cost it cost all the same.
	Legal bool `json:"legal"`
	// Deferred says that the roster in force defers tools, so that the array should never change.
	Deferred bool `json:"deferred,omitzero"`
	// Cause is what made the array change, where it is known.
	Cause CauseKind `json:"cause,omitzero"`
	// Before and After are the digests of the two arrays, over their names and wire digests.
	Before string `json:"before_digest"`
	After  string `json:"after_digest"`
	Place  Place  `json:"place"`
	// TokensLost and CostUSD are nil where they are not known, or the model changed, which lost them whatever the array did.
	TokensLost *int64   `json:"tokens_lost"`
	CostUSD    *float64 `json:"cost_usd"`
}

// ArrayKind says how a tools array changed.
type ArrayKind string

// The kinds of changes of a tools array, in the order in which they are tried.
const (
	// ArraySame is an array that did not change.
	ArraySame ArrayKind = ""
	// ArrayShrunk has lost a tool.
	ArrayShrunk ArrayKind = "shrunk"
	// ArrayReplaced has another definition under a name.
	ArrayReplaced ArrayKind = "replaced"
	// ArrayReordered has the tools of before in another order.
	ArrayReordered ArrayKind = "reordered"
	// ArrayInserted has new tools, each at its place in the order of names; or at the end of an array that never was in that order.
	ArrayInserted ArrayKind = "inserted"
	// ArrayUnsorted has a new tool where the order of names does not put it.
	ArrayUnsorted ArrayKind = "unsorted_insertion"
)

// arrayKind says how an array became another.
func arrayKind(before, after []events.PrefixTool) ArrayKind {
	if slices.Equal(before, after) {
		return ArraySame
	}
	is := toolIndex(after)
	last, replaced, moved := -1, false, false
	for _, t := range before {
		i, ok := is[t.Name]
		if !ok {
			return ArrayShrunk
		}
		replaced = replaced || after[i].Digest != t.Digest
		moved = moved || i < last
		last = i
	}
	switch {
	case len(after) < len(before): // a name stood in it twice
		return ArrayShrunk
	case replaced:
		return ArrayReplaced
	case moved:
		return ArrayReordered
	case slices.IsSortedFunc(after, byName):
		return ArrayInserted
	case !slices.IsSortedFunc(before, byName) && last == len(before)-1:
		return ArrayInserted
	}
	return ArrayUnsorted
}

func byName(a, b events.PrefixTool) int { return cmp.Compare(a.Name, b.Name) }

// legal reports whether a tools array may change in this way where nothing from outside explains it: not at all where tools are deferred, by
// insertion where they are not.
func (k ArrayKind) legal(deferred bool) bool {
	return k == ArraySame || k == ArrayInserted && !deferred
}

// outsideReason reports whether a roster came because tools or permissions changed outside its conversation.
func outsideReason(reason string) bool {
	switch events.RosterReason(reason) {
	case events.RosterDeploy, events.RosterPermission, events.RosterListChanged:
		return true
	}
	return false
}

// arrayDigest is a digest of an array: over its names and wire digests.
func arrayDigest(tools []events.PrefixTool) string {
	var b strings.Builder
	for _, t := range tools {
		b.WriteString(t.Name + "\x00" + t.Digest + "\x00")
	}
	return events.Digester{}.Short([]byte(b.String()))
}

// zipTools makes an array of names and wire digests side by side, which are cut to short ones.
func zipTools(names, wires []string) []events.PrefixTool {
	tools := make([]events.PrefixTool, min(len(names), len(wires)))
	for i := range tools {
		tools[i] = events.PrefixTool{Name: strings.Clone(names[i]), Digest: events.Shorten(strings.Clone(wires[i]))}
	}
	return tools
}
