package prefix

import (
	"fmt"
	"slices"
)

// breakCause is what breaks have in common that one change of the agent would end.
type breakCause struct {
	verdict Verdict
	cause   CauseKind
	// kind is how most of the tools changed that did, rhythm how the system block keeps changing.
	kind   ToolChangeKind
	rhythm Rhythm
	// names are the tools, parameters or servers that it is about, or the index of the system block.
	names []string
}

// action says what to do about the breaks of one verdict.
func action(v Verdict, group []Break) string {
	b := dearest(group)
	c := breakCause{verdict: v, cause: b.Cause, rhythm: b.SystemRhythm}
	switch v {
	case ToolsChanged:
		counts := map[ToolChangeKind]int{}
		for _, b := range group {
			for _, t := range b.Tools {
				counts[t.Kind]++
				c.names = addName(c.names, t.Name)
			}
		}
		c.kind = mostFrequent(counts)
	case SystemChanged:
		if b.SystemBlock != nil {
			c.names = []string{fmt.Sprint(*b.SystemBlock)}
		}
	case ParamsChanged:
		for _, b := range group {
			for _, p := range b.Params {
				c.names = addName(c.names, p)
			}
		}
	}
	return c.fix()
}

func addName(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// fix says in one or two sentences what would end the breaks.
func (c *breakCause) fix() string {
	switch c.verdict {
	case ModelChanged:
		return "Keep a conversation on one model and provider, or hand over only between tasks: each model has a cache of its own."
	case ToolsChanged:
		if len(c.names) == 0 {
			return c.toolFix()
		}
		return c.toolFix() + " Tools: " + listed(c.names) + "."
	case SystemChanged:
		return c.systemFix()
	case ParamsChanged:
		return fmt.Sprintf("Keep %s the same for the whole conversation; change it only where a new one starts.", listed(c.names))
	case Compaction:
		return "Compact seldom and at a pause: the first request after it pays for the whole new history; keep the summary itself stable."
	case MessagesChanged:
		return "Append to the history and leave earlier messages as they were sent; strip or shorten old results only when compacting."
	case BreakpointsChanged:
		return "Keep the markers on tools and system where they are, and mark at least every 20 blocks, so that the last marker stays within the provider's lookback."
	case TTLExpired:
		return "Use the one-hour cache for conversations with pauses, or send a cheap request before the cache expires."
	}
	return "Nothing in the request explains it. Compare with the provider's own diagnosis, and check that requests of one conversation go to one endpoint, account and region."
}

// deployFix is what to do where another version of the agent came in the middle of a conversation.
const deployFix = "Let a conversation end on the version of the agent that it began with."

// toolFix goes by what made the tools change where that is known, else by how they changed.
func (c *breakCause) toolFix() string {
	switch c.cause {
	case CauseActivation:
		return "Load tools by reference (deferred), or before the conversation starts, so that an activation adds nothing to the array."
	case CauseReconnect:
		return "Keep the tools of a server that is away in the array, and refuse their calls until it is back."
	case CauseListChange:
		return "Hold a server's new list of tools back until the next conversation starts."
	case CausePermission:
		return "Keep tools in the array when permissions change, and refuse the calls that are not permitted."
	case CauseThreshold:
		return "Decide once per conversation whether tools are deferred: don't cross the threshold in the middle of it."
	case CauseDeploy:
		return deployFix
	}
	return toolAdvice(c.kind)
}

func toolAdvice(kind ToolChangeKind) string {
	switch kind {
	case ToolReordered:
		return "Send the tools in one order, sorted by name."
	case ToolSameName:
		return "Keep a tool's definition the same for the whole conversation: nothing in it may depend on time or state."
	case ToolSerialization:
		return "Encode tool definitions the same way every time: the content is equal, only key order or spacing differs."
	case ToolDeferFlip:
		return "Decide once per conversation which tools are deferred."
	case ToolRemoved:
		return "Keep tools in the array once they were sent and refuse calls instead of removing them."
	}
	return "Defer tools or load them before the conversation starts, so that none is added to the array later."
}

func (c *breakCause) systemFix() string {
	if c.cause == CauseDeploy {
		return deployFix
	}
	where := "the system prompt"
	if len(c.names) > 0 {
		where = "block " + c.names[0] + " of the system prompt"
	}
	switch c.rhythm {
	case Volatile:
		return "Move what keeps changing (time, counters, state) out of " + where + " into the latest message."
	case Flapping:
		return "Choose one text for " + where + " when the conversation starts, and put what alternates into the latest message."
	}
	return "Keep " + where + " the same for the whole conversation; put what changes (time, counters, state) into the latest message."
}

// toolKinds are the kinds of tool changes in the order in which one is said to be what changed.
var toolKinds = []ToolChangeKind{ToolAdded, ToolRemoved, ToolReordered, ToolSameName, ToolSerialization, ToolDeferFlip}

func mostFrequent(counts map[ToolChangeKind]int) ToolChangeKind {
	best := ToolAdded
	for _, k := range toolKinds {
		if counts[k] > counts[best] {
			best = k
		}
	}
	return best
}
