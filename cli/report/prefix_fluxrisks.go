package report

import (
	"io"
	"slices"

	"github.com/tooltrail/tooltrail/prefix"
)

// writeFluxRisks lists what keeps changing where nothing was ever read: no break, since nothing was to be expected.
func writeFluxRisks(w io.Writer, r *prefix.Report, s Style) error {
	if len(r.FluxRisks) == 0 {
		return nil
	}
	t := &table{columns: []column{
		{title: "keeps changing", flex: true}, {title: "conversation", flex: true, drop: 1}, {title: "changes", right: true, drop: 2},
		{title: "could have read", right: true}, {title: "cost", right: true, drop: 3},
	}}
	for i := range r.FluxRisks[:s.most(maxRisks, len(r.FluxRisks))] {
		x := &r.FluxRisks[i]
		t.row(fluxText(x), named(x.Conversation), Count(int64(x.Changes)), Tokens(x.CouldRead), optionalUSD(x.CouldReadUSD))
	}
	return titled(w, s, "Nothing was ever read from the cache here, and these parts keep changing:", t, len(r.FluxRisks), maxRisks, "risk")
}

func fluxText(x *prefix.FluxRisk) string {
	text := string(x.Kind) + " " + x.Part
	switch x.Part {
	case "system":
		text = string(x.Kind) + " system block"
	case "tool_order":
		text = string(x.Kind) + " order of tools"
	}
	if len(x.Names) == 0 {
		return text
	}
	return text + " " + listSome(x.Names)
}

// unseenParts are the parts of the prefix that were not recorded at breaks that nothing explains.
func unseenParts(r *prefix.Report) []string {
	var parts []string
	add := func(more []string) {
		for _, p := range more {
			if !slices.Contains(parts, p) {
				parts = append(parts, p)
			}
		}
	}
	for i := range r.Savings {
		add(r.Savings[i].Unseen)
	}
	for i := range r.Conversations {
		for _, b := range r.Conversations[i].Breaks {
			if b.Verdict == prefix.Unattributed {
				add(b.Unseen)
			}
		}
	}
	return parts
}
