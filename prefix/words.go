package prefix

import (
	"cmp"
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

// breakTitle says what broke the cache, what is known of it, and what it came to.
func breakTitle(v Verdict, group []Break, sum lostSum) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s because %s", plural(len(group), "cache break", "cache breaks"), because(v, group))
	if d := groupDetails(group); d != "" {
		b.WriteString(" (" + d + ")")
	}
	if int(sum.unknown) == len(group) {
		return b.String() + ": cost not known, usage was not reported"
	}
	least := ""
	if sum.unknown > 0 {
		least = "at least "
	}
	fmt.Fprintf(&b, ": %s%s tokens processed again", least, grouped(sum.tokens))
	if sum.usd != nil {
		if sum.unpriced > 0 {
			least = "at least "
		}
		fmt.Fprintf(&b, ", %s$%.2f", least, *sum.usd)
	}
	return b.String()
}

// because says what the breaks of a verdict have for a reason; where none was found, what could not be looked at.
func because(v Verdict, group []Break) string {
	parts := unseenOf(group)
	if v != Unattributed || len(parts) == 0 {
		return causes[v]
	}
	verb := "are"
	if len(parts) == 1 && parts[0] == partNames[partSystem] {
		verb = "is"
	}
	return "nothing that was seen explains it; " + partWords(parts) + " " + verb + " not in this recording"
}

// unseenOf names the parts that were not recorded at some of the breaks, in the order of a request.
func unseenOf(group []Break) []string {
	var parts []string
	for _, name := range partNames {
		if slices.ContainsFunc(group, func(b Break) bool { return slices.Contains(b.Unseen, name) }) {
			parts = append(parts, name)
		}
	}
	return parts
}

// partWords writes names of parts for a sentence.
func partWords(parts []string) string {
	words := slices.Clone(parts)
	for i, p := range words {
		if p == partNames[partSystem] {
			words[i] = "system prompt"
		}
	}
	if n := len(words) - 1; n > 0 {
		return strings.Join(words[:n], ", ") + " and " + words[n]
	}
	return strings.Join(words, "")
}

// groupDetails says what is known of several breaks: what they have in common, else that of the dearest.
func groupDetails(group []Break) string {
	first, last := slices.MinFunc(group, shorterGap), slices.MaxFunc(group, shorterGap)
	if group[0].Verdict == TTLExpired && fmt.Sprintf("%.0f", first.GapSeconds) != fmt.Sprintf("%.0f", last.GapSeconds) {
		return fmt.Sprintf("%.0f to %.0f s after the request before", first.GapSeconds, last.GapSeconds)
	}
	d := details(dearest(group))
	if d != "" && slices.ContainsFunc(group, func(b Break) bool { return details(&b) != d }) {
		return "the dearest: " + d
	}
	return d
}

func shorterGap(a, b Break) int { return cmp.Compare(a.GapSeconds, b.GapSeconds) }

// dearest returns the break that lost most; of equals the first.
func dearest(group []Break) *Break {
	best := &group[0]
	for i := range group {
		if deref(group[i].TokensLost) > deref(best.TokensLost) {
			best = &group[i]
		}
	}
	return best
}

// details says what changed at a break, where, and what made it change; "" where the verdict says all that is known.
func details(b *Break) string {
	text := ""
	switch b.Verdict {
	case ToolsChanged:
		text = toolDetails(b.Tools)
	case SystemChanged:
		if b.SystemBlock != nil {
			text = fmt.Sprintf("block %d%s", *b.SystemBlock, rhythmWords[b.SystemRhythm])
		}
	case ParamsChanged:
		text = listed(b.Params)
	case MessagesChanged, Compaction:
		if b.Message != nil {
			text = fmt.Sprintf("from message %d on", *b.Message)
		}
	case TTLExpired:
		text = fmt.Sprintf("%.0f s after the request before", b.GapSeconds)
	}
	since := causeDetails(b.Cause, b.CauseNames)
	if len(b.CauseNames) == 1 && len(b.Tools) == 1 && b.Cause == CauseActivation && b.Tools[0].Name == b.CauseNames[0] {
		since = "since it had been activated"
	}
	if text == "" || since == "" {
		return text + since
	}
	return text + ", " + since
}

// rhythmWords say how a part keeps changing.
var rhythmWords = map[Rhythm]string{Volatile: ", which keeps changing", Flapping: ", which goes back and forth"}

// toolDetails says of the first tool what became of it.
func toolDetails(tools []ToolChange) string {
	if len(tools) == 0 {
		return ""
	}
	t := &tools[0]
	text := fmt.Sprintf(toolWords[t.Kind], t.Name, t.Index+1)
	if t.Kind == ToolAdded && t.Middle {
		text = fmt.Sprintf("%s was inserted at place %d", t.Name, t.Index+1)
	}
	text += rhythmWords[t.Rhythm]
	if n := len(tools) - 1; n > 0 {
		text += fmt.Sprintf(", and %s", plural(n, "more change", "more changes"))
	}
	return text
}

// toolWords say what became of a tool; they take its name and its place from 1.
var toolWords = map[ToolChangeKind]string{
	ToolAdded: "%s was added at place %d", ToolRemoved: "%s was removed from place %d", ToolReordered: "%s moved to place %d",
	ToolSameName: "the definition of %s at place %d changed", ToolSerialization: "%s at place %d was encoded in another way",
	ToolDeferFlip: "%s at place %d became deferred, or no longer is",
}

// causeDetails says what made a part change; "" where it is not known.
func causeDetails(c CauseKind, names []string) string {
	switch c {
	case CauseActivation:
		return "since " + listed(names) + " had been activated"
	case CauseReconnect:
		return "since a server came or went: " + listed(names)
	case CauseListChange:
		return "since a server changed its list of tools: " + listed(names)
	case CausePermission:
		return "since permissions changed"
	case CauseThreshold:
		return "since all tools became deferred at once, or none is any more"
	case CauseDeploy:
		return "since the agent has another version"
	}
	return ""
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
	how := howItChanges(group)
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

// couldReadWords says what could have been read while a part kept changing; "" where that is nothing beyond what was lost.
func couldReadWords(x *Flux) string {
	if x.CouldRead == 0 {
		return ""
	}
	text := fmt.Sprintf("; nothing was ever read from the cache here, and %s tokens could have been", grouped(x.CouldRead))
	if x.CouldReadUSD != nil {
		text += fmt.Sprintf(", which would have saved $%.2f", *x.CouldReadUSD)
	}
	return text
}

// howItChanges says how parts keep changing: each time only where it was so.
func howItChanges(group []Flux) string {
	if group[0].Kind == Flapping {
		return "goes back and forth between a few values"
	}
	for _, x := range group {
		if x.Changes < x.Requests-1 {
			return fmt.Sprintf("keeps changing: %d times in %s", group[0].Changes, plural(group[0].Requests, "request", "requests"))
		}
	}
	return "changes with every request"
}

// grouped writes a number with commas between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
