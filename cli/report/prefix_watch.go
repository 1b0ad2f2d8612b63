package report

import (
	"fmt"
	"io"

	"github.com/tooltrail/tooltrail/prefix"
)

// maxDisagreements is how many disagreements are named.
const maxDisagreements = 3

// writeWatch says how the providers' diagnoses stand, and what rosters and tools arrays did.
func writeWatch(w io.Writer, r *prefix.Report, s Style) error {
	for _, text := range append(diagnosisTexts(r, s), rosterTexts(r)...) {
		if err := note(w, s, text); err != nil {
			return err
		}
	}
	return nil
}

func diagnosisTexts(r *prefix.Report, s Style) []string {
	d := &r.Diagnoses
	n := d.Agrees + d.Disagrees + d.Unclear
	if n == 0 {
		return nil
	}
	texts := []string{fmt.Sprintf("Providers gave reasons of their own for %s: %s agree, %s disagree, %s say nothing certain.",
		Plural(n, "request"), Count(d.Agrees), Count(d.Disagrees), Count(d.Unclear))}
	for i := range d.Disagreements[:s.most(maxDisagreements, len(d.Disagreements))] {
		x := &d.Disagreements[i]
		texts = append(texts, fmt.Sprintf("Conversation %s, request %d: %s here, %s there.", named(x.Conversation), x.Request, x.Ours, x.Words))
	}
	return texts
}

// rosterTexts has a line for each rule on rosters and arrays that found something.
func rosterTexts(r *prefix.Report) []string {
	var texts []string
	if n := int64(len(r.Rosters)); n > 0 {
		texts = append(texts, Plural(n, "roster")+" of a conversation or agent "+verb(n, "goes", "go")+" back and forth.")
	}
	if n := int64(len(r.RosterChanges)); n > 0 {
		c := &r.RosterChanges[0]
		texts = append(texts, fmt.Sprintf("A roster's text changed inside its conversation %s, first in %s%s.", Plural(n, "time"), named(c.Conversation), placeText(&c.Place)))
	}
	if text := arrayText(r.ToolArrays); text != "" {
		texts = append(texts, text)
	}
	for i := range r.Nondeterminism[:min(len(r.Nondeterminism), maxDisagreements)] {
		n := &r.Nondeterminism[i]
		texts = append(texts, fmt.Sprintf("%s sends one set of %s in %s by conversation, first at %s, place %d.", agentText(n), Plural(int64(n.Tools), "tool"),
			map[prefix.NondeterminismKind]string{prefix.OtherOrder: "several orders", prefix.OtherEncoding: "several encodings"}[n.Kind], n.Tool, n.Index+1))
	}
	if n := r.OrdersUnsearched; n > 0 {
		texts = append(texts, fmt.Sprintf("Not searched for sets of tools in several orders: %s without a roster, beyond the first %s by conversation.",
			Plural(n, "request"), Count(prefix.MaxOrderRequests)))
	}
	return texts
}

// arrayText says how tools arrays changed inside conversations.
func arrayText(all []prefix.ArrayChange) string {
	if len(all) == 0 {
		return ""
	}
	var against int64
	var worst *prefix.ArrayChange
	for i := range all {
		if !all[i].Legal {
			against++
			if worst == nil {
				worst = &all[i]
			}
		}
	}
	text := "A tools array changed inside its conversation " + Plural(int64(len(all)), "time") + ", never against its rule."
	if worst != nil {
		text = fmt.Sprintf("A tools array changed inside its conversation %s, %s of them against its rule: at most cost in %s, request %d, %s%s.",
			Plural(int64(len(all)), "time"), Count(against), named(worst.Conversation), worst.Request, worst.Kind, placeText(&worst.Place))
	}
	return text
}

// placeText says where two arrays differ.
func placeText(p *prefix.Place) string {
	if p.Known == prefix.PlaceNone || p.Tool < 0 {
		return ""
	}
	text := fmt.Sprintf(" at %s, place %d", p.Name, p.Tool+1)
	if p.Known == prefix.PlaceByte && p.Byte != nil {
		text += ", byte " + Count(*p.Byte)
	}
	return text
}

func agentText(n *prefix.Nondeterminism) string {
	if n.Agent == "" {
		return "An agent without a name"
	}
	if n.Version == "" {
		return n.Agent
	}
	return n.Agent + " " + n.Version
}

// verb is that of one thing or of several.
func verb(n int64, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}
