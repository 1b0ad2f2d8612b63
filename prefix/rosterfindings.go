package prefix

import (
	"fmt"
	"strings"

	"github.com/tooltrail/tooltrail/finding"
)

// The rules for rosters and tools arrays.
const (
	// RuleRosterChanged is a roster whose text changed inside a conversation.
	RuleRosterChanged = "roster_changed_in_conversation"
	// RuleToolsArrayChanged is a tools array that changed in a way that is not allowed.
	RuleToolsArrayChanged = "tools_array_changed"
	// RuleNondeterminism is one set of tools that is sent in several orders or encodings.
	RuleNondeterminism = "serialization_nondeterminism"
	// RuleFlappingRoster is a roster that goes back and forth.
	RuleFlappingRoster = "flapping_roster"
)

// roster makes a finding of a roster that flaps.
func (f *facts) roster(r RosterFlux) fact {
	c := Conversation{ID: r.Conversation, Agent: r.Agent}
	return fact{Finding: f.sign(&c, finding.Finding{
		Rule: RuleFlappingRoster, Severity: finding.Warning, Subject: finding.Subject{Server: r.Server, Release: r.Version},
		Numbers: map[string]float64{"changes": float64(r.Changes), "values": float64(r.Values)},
		Title:   fmt.Sprintf("The roster goes back and forth between %d values for no known reason: %s", r.Values, plural(r.Changes, "change", "changes")),
		Action:  "Write the roster once per conversation, sorted by server and name, and change it only when tools or permissions change.",
	})}
}

// rosterChanges makes a finding of the changes of one conversation's roster.
func (f *facts) rosterChanges(group []RosterChange) fact {
	x := group[0]
	c := Conversation{ID: x.Conversation, Agent: x.Agent}
	numbers := map[string]float64{"changes": float64(len(group))}
	place := placeNumbers(numbers, &x.Place)
	if x.Place.Known == PlaceNone {
		place = "though its tools are the same"
	}
	return fact{Finding: f.sign(&c, finding.Finding{
		Rule: RuleRosterChanged, Severity: finding.Warning, Subject: finding.Subject{Server: x.Server, Release: x.Version}, Numbers: numbers,
		Title: fmt.Sprintf("The roster's text changed inside the conversation, %s, first %s", plural(len(group), "time", "times"), place),
		Action: fmt.Sprintf("Write the roster once per conversation and leave it so, loaded tools too, until tools or permissions change outside it. "+
			"Texts %s and %s.", brief(x.Before), brief(x.After)),
	})}
}

// arrayChanges makes a finding of the changes of one conversation's tools array that are not allowed.
func (f *facts) arrayChanges(group []ArrayChange) fact {
	x := group[0]
	c := Conversation{ID: x.Conversation, Agent: x.Agent}
	var tokens int64
	for _, g := range group {
		if g.TokensLost != nil {
			tokens = AddTokens(tokens, *g.TokensLost)
		}
	}
	numbers := map[string]float64{"changes": float64(len(group)), "request": float64(x.Request)}
	place := placeNumbers(numbers, &x.Place)
	return fact{Finding: f.sign(&c, finding.Finding{
		Rule: RuleToolsArrayChanged, Severity: f.severity(tokens), Numbers: numbers,
		Title: fmt.Sprintf("The tools array changed against its rule %s, at most cost in request %d, where it %s %s",
			plural(len(group), "time", "times"), x.Request, arrayWords[x.Kind], place),
		Action: arrayAction(&x) + fmt.Sprintf(" Arrays %s and %s.", brief(x.Before), brief(x.After)),
	}), tokens: tokens}
}

// arrayWords say what an array did.
var arrayWords = map[ArrayKind]string{
	ArrayShrunk: "lost tools,", ArrayReplaced: "got another definition,", ArrayReordered: "got another order,",
	ArrayInserted: "got more tools,", ArrayUnsorted: "got a tool out of the order of names,",
}

func arrayAction(x *ArrayChange) string {
	if x.Deferred {
		return "Leave the tools array as it is: deferred tools are loaded by reference and never stand in it."
	}
	switch x.Kind {
	case ArrayShrunk:
		return toolAdvice(ToolRemoved)
	case ArrayReplaced:
		return toolAdvice(ToolSameName)
	case ArrayReordered:
		return toolAdvice(ToolReordered)
	}
	return toolAdvice(ToolAdded)
}

// nondeterminism makes a finding of a set of tools that is sent in several ways.
func (f *facts) nondeterminism(n *Nondeterminism) fact {
	c := Conversation{Agent: n.Agent}
	subject := finding.Subject{Server: n.Server, Release: n.Version}
	a, b := n.Sent[0], n.Sent[1]
	title := fmt.Sprintf("The same %s are sent in %d orders: %s in %s, %s in %s", plural(n.Tools, "tool", "tools"), n.Variants,
		n.order(&a), plural(int(a.Conversations), "conversation", "conversations"), n.order(&b), plural(int(b.Conversations), "conversation", "conversations"))
	todo := "Sort tools by name before they are sent: conversations with another order share no cache."
	if n.Kind == OtherEncoding {
		subject.Tool = n.Tool
		title = fmt.Sprintf("The definition of %s is sent in several encodings: %s in %s, %s in %s", n.Tool,
			brief(a.Digest), plural(int(a.Conversations), "conversation", "conversations"), brief(b.Digest),
			plural(int(b.Conversations), "conversation", "conversations"))
		todo = "Encode each definition once and send those bytes: only key order or spacing differs, and no cache is shared."
	}
	return fact{Finding: f.sign(&c, finding.Finding{
		Rule: RuleNondeterminism, Severity: finding.Warning, Subject: subject, Title: title, Action: todo,
		Numbers: map[string]float64{
			"variants": float64(n.Variants), "tools": float64(n.Tools), "index": float64(n.Index),
			"conversations": float64(a.Conversations + b.Conversations),
		},
	})}
}

// titleNames is how many names of an order a title has.
const titleNames = 5

// order writes what is shown of an order.
func (n *Nondeterminism) order(s *Sent) string {
	names := s.Names[:min(titleNames, len(s.Names))]
	text := strings.Join(names, ", ")
	if s.From > 0 {
		text = "..., " + text
	}
	if s.From+len(names) < n.Tools {
		text += ", ..."
	}
	return "[" + text + "]"
}

// placeNumbers says where two arrays differ, and adds it to a finding's numbers.
func placeNumbers(numbers map[string]float64, p *Place) string {
	numbers["tool_index"] = float64(p.Tool)
	text := fmt.Sprintf("at place %d (%s)", p.Tool+1, p.Name)
	if p.Byte == nil {
		return text + ", byte not known: a definition before it is not stored"
	}
	numbers["first_byte"] = float64(*p.Byte)
	if p.Known == PlaceStart {
		return text + ", which begins at byte " + grouped(*p.Byte) + " of the array"
	}
	return text + ", byte " + grouped(*p.Byte) + " of the array"
}

// brief cuts a digest to what people compare.
func brief(digest string) string { return digest[:min(8, len(digest))] }

// groupBy splits a list into groups of one key, in order of their first members.
func groupBy[T any, K comparable](list []T, key func(*T) K) [][]T {
	place := map[K]int{}
	var groups [][]T
	for i := range list {
		k := key(&list[i])
		at, ok := place[k]
		if !ok {
			at = len(groups)
			place[k] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], list[i])
	}
	return groups
}
