package prefix

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// causes says in a few words what each verdict means, for titles.
var causes = map[Verdict]string{
	ModelChanged:       "another model or provider answered",
	ToolsChanged:       "the tools in the prefix changed",
	SystemChanged:      "the system prompt changed",
	ParamsChanged:      "a parameter that is part of the cache's key changed",
	Compaction:         "the history was compacted",
	MessagesChanged:    "earlier messages were rewritten",
	BreakpointsChanged: "a cache marker moved, was lost, or stands too far back",
	TTLExpired:         "the cache had expired",
	Unattributed:       "nothing that was sent explains it",
}

func breakTitle(v Verdict, breaks int, tokens int64, usd *float64, unknown int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s because %s", plural(breaks, "cache break", "cache breaks"), causes[v])
	switch {
	case int(unknown) == breaks:
		b.WriteString(": cost not known, usage was not reported")
	case usd == nil:
		fmt.Fprintf(&b, ": %s tokens processed again", grouped(tokens))
	default:
		fmt.Fprintf(&b, ": %s tokens processed again, $%.2f", grouped(tokens), *usd)
	}
	return b.String()
}

// action says what to do about the breaks of one verdict.
func action(v Verdict, group []Break) string {
	switch v {
	case ModelChanged:
		return "Keep a conversation on one model and provider, or hand over only between tasks: each model has a cache of its own."
	case ToolsChanged:
		return toolAction(group)
	case SystemChanged:
		return "Keep the system prompt the same for the whole conversation; put what changes (time, counters, state) into the latest message."
	case ParamsChanged:
		return fmt.Sprintf("Keep %s the same for the whole conversation; change it only where a new one starts.", listed(changedNames(group)))
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

// toolAction names the tools and says what to do about the kind of change that is most frequent.
func toolAction(group []Break) string {
	counts := map[ToolChangeKind]int{}
	var tools []string
	for _, b := range group {
		for _, t := range b.Tools {
			counts[t.Kind]++
			if !slices.Contains(tools, t.Name) {
				tools = append(tools, t.Name)
			}
		}
	}
	return toolAdvice(mostFrequent(counts)) + " Tools: " + listed(tools) + "."
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

func mostFrequent(counts map[ToolChangeKind]int) ToolChangeKind {
	best := ToolAdded
	for _, k := range []ToolChangeKind{ToolAdded, ToolRemoved, ToolReordered, ToolSameName, ToolSerialization, ToolDeferFlip} {
		if counts[k] > counts[best] {
			best = k
		}
	}
	return best
}

func changedNames(group []Break) []string {
	var all []string
	for _, b := range group {
		for _, p := range b.Params {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// maxNames is how many names a sentence lists.
const maxNames = 5

// listed writes names for a sentence.
func listed(list []string) string {
	switch {
	case len(list) == 0:
		return "them"
	case len(list) > maxNames:
		return strings.Join(list[:maxNames], ", ") + fmt.Sprintf(" and %d more", len(list)-maxNames)
	}
	return strings.Join(list, ", ")
}

// fluxWords returns title and action for parts that keep changing.
func fluxWords(group []Flux) (string, string) {
	x := group[0]
	var parts []string
	for _, g := range group {
		parts = append(parts, g.Name)
	}
	how := "changes with every request"
	if x.Kind == Flapping {
		how = "goes back and forth between a few values"
	}
	switch x.Part {
	case partNames[partSystem]:
		return "System block " + listed(parts) + " " + how,
			"Move what changes out of the system prompt, into the latest message, and send the rest the same bytes every time."
	case partOrder:
		return "The list of tools " + how, "Send the same tools in the same order for the whole conversation."
	}
	return "The definition of " + listed(parts) + " " + how,
		"Build each tool's definition once and send the same bytes for the whole conversation."
}

// grouped writes a number with commas between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
