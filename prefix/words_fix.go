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
	// unseen are the parts that were not recorded.
	unseen []string
}

// action says what to do about the breaks of one verdict.
func action(v Verdict, group []Break) string {
	b := dearest(group)
	c := breakCause{verdict: v, cause: b.Cause, rhythm: b.SystemRhythm, unseen: unseenOf(group)}
	switch v {
	case ToolsChanged:
		c.kind = gravest(b.Tools)
		for i := range group {
			if o := &group[i]; o.Cause == c.cause && gravest(o.Tools) == c.kind {
				c.names = c.namesOf(o, c.names)
			}
		}
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

// namesOf adds the servers that came or went at a break, or else its tools that changed in the way that is said.
func (c *breakCause) namesOf(b *Break, names []string) []string {
	if c.cause == CauseReconnect {
		for _, n := range b.CauseNames {
			names = addName(names, n)
		}
		return names
	}
	for _, t := range b.Tools {
		if t.Kind == c.kind {
			names = addName(names, t.Name)
		}
	}
	return names
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
		if c.cause == CauseReconnect {
			return c.toolFix() + " Servers: " + listed(c.names) + "."
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
	if len(c.unseen) > 0 {
		return "Record " + partWords(c.unseen) + " with each request, as bodies or as digests: a change of what is not recorded can't be told from a " +
			"cache that the provider dropped. Until then, compare with the provider's own diagnosis."
	}
	return "Nothing in the request explains it. Compare with the provider's own diagnosis, and check that requests of one conversation go to one endpoint, account and region."
}

// deployFix is what to do where another version of the agent came in the middle of a conversation.
const deployFix = "Let a conversation end on the version of the agent that it began with."

// toolFix goes by what made the tools change where that is known, else by how they changed. An activation explains no more than what was added.
func (c *breakCause) toolFix() string {
	switch c.cause {
	case CauseActivation:
		if c.kind != ToolAdded && c.kind != ToolDeferFlip && c.kind != "" {
			return activationFix + " " + toolAdvice(c.kind)
		}
		return activationFix
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

// sortedFix is what to do with a tool that must be added all the same.
const sortedFix = "one that must be added later goes where its name sorts."

// activationFix and addFix are what to do about tools that are added.
const (
	activationFix = "Load tools by reference (deferred) or before the conversation starts, so that an activation adds none to the array; " + sortedFix
	addFix        = "Defer tools or load them before the conversation starts, so that none is added to the array later; " + sortedFix
)

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
	return addFix
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

// toolKinds are the kinds of tool changes, the gravest first: the one that is said to be what changed. savings.sql has the same order.
var toolKinds = []ToolChangeKind{ToolSameName, ToolSerialization, ToolReordered, ToolRemoved, ToolDeferFlip, ToolAdded}

// gravest returns the gravest of the ways in which tools changed, "" where none did.
func gravest(tools []ToolChange) ToolChangeKind {
	for _, k := range toolKinds {
		if slices.ContainsFunc(tools, func(t ToolChange) bool { return t.Kind == k }) {
			return k
		}
	}
	return ""
}
