package activation

import (
	"cmp"
	"context"
	_ "embed"
	"maps"
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

var (
	//go:embed removed_calls.sql
	removedCallsText string
	//go:embed removed_parts.sql
	removedPartsText string

	removedCallsSQL, removedPartsSQL = WithCalledName(removedCallsText), WithCalledName(removedPartsText)
)

const (
	// maxWrong is how many wrong names are compared with tools that are gone, those called most.
	maxWrong = 1000
	// maxGone is how many tools that are not offered any more are compared.
	maxGone = 2000
)

// removedRow is a called name that was wrong, or with no rule a tool that an agent's lists had once.
type removedRow struct {
	Agent         string `ch:"agent"`
	Name          string `ch:"name"`
	Rule          string `ch:"rule"`
	How           string `ch:"how"`
	Calls         uint64 `ch:"calls"`
	Tokens        uint64 `ch:"tokens"`
	Conversations uint64 `ch:"conversations"`
	Seen          int64  `ch:"seen"`
}

// removed finds calls of tools that their agents had once.
func (a *analysis) removed(ctx context.Context) error {
	var row removedRow
	wrong, gone := map[string][]removedRow{}, map[string][]removedRow{}
	var found removedNames
	err := a.q.Each(ctx, removedCallsSQL, a.window.Args(maxWrong, maxGone), &row, func() error {
		switch {
		case row.How == HowRemoved:
			a.addRemoved(&row, &found)
		case row.Rule == "":
			gone[row.Agent] = append(gone[row.Agent], row)
		default:
			wrong[row.Agent] = append(wrong[row.Agent], row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, agent := range slices.Sorted(maps.Keys(gone)) {
		a.judgeRemoved(gone[agent], wrong[agent], &found)
	}
	r := a.report.rule(RuleRemoved)
	slices.SortStableFunc(r.Names, func(x, y Name) int { return cmp.Compare(y.Count, x.Count) })
	r.Names = r.Names[:min(len(r.Names), a.settings.NamesListed)]
	err = a.removedParts(ctx, &found)
	a.removedFindings()
	return err
}

// removedNames are the names under which removed tools were called: one of each a name.
type removedNames struct{ agents, names, rules, hows []string }

func (f *removedNames) add(row *removedRow) {
	f.agents, f.names = append(f.agents, row.Agent), append(f.names, row.Name)
	f.rules, f.hows = append(f.rules, row.Rule), append(f.hows, row.How)
}

// removedParts says who called them.
func (a *analysis) removedParts(ctx context.Context, found *removedNames) error {
	if len(found.names) == 0 {
		return nil
	}
	r := a.report.rule(RuleRemoved)
	var row partRow
	args := a.window.Args(found.agents, found.names, found.rules, found.hows, a.settings.NamesListed)
	return a.q.Each(ctx, removedPartsSQL, args, &row, func() error {
		r.take(&row, a.price)
		return nil
	})
}

// judgeRemoved compares an agent's wrong names with the tools that it had.
func (a *analysis) judgeRemoved(gone, wrong []removedRow, found *removedNames) {
	var in RosterInput
	last := map[string]int64{}
	for _, t := range gone {
		in.Tools = append(in.Tools, Tool{Name: t.Name})
		last[t.Name] = t.Seen
	}
	s := NewState(NewRoster(in))
	for i := range wrong {
		w := &wrong[i]
		res := s.Resolve(w.Name)
		if at, known := last[res.Name]; !known || at >= w.Seen {
			continue
		}
		switch {
		case res.Resolution == events.ResolvedOK:
			a.addRemoved(w, found)
		case w.Rule == string(events.ResolvedUnknown) && isGuess(res.Resolution):
			a.markSynonym(w, res.Name)
		}
	}
}

func isGuess(r events.Resolution) bool {
	return r == events.ResolvedGuessed || r == events.ResolvedPrefixRepair
}

// addRemoved counts calls of a tool that was removed.
func (a *analysis) addRemoved(w *removedRow, found *removedNames) {
	r := a.report.rule(RuleRemoved)
	r.Count += w.Calls
	r.Tokens += w.Tokens
	found.add(w)
	for i := range r.Names {
		if n := &r.Names[i]; n.Called == w.Name {
			n.Count, n.Tokens, n.Conversations = n.Count+w.Calls, n.Tokens+w.Tokens, n.Conversations+w.Conversations
			return
		}
	}
	r.Names = append(r.Names, Name{Called: w.Name, Count: w.Calls, Tokens: w.Tokens, Conversations: w.Conversations})
}

// markSynonym says of an unknown name which removed tool it is like.
func (a *analysis) markSynonym(w *removedRow, meant string) {
	r := a.report.rule(w.Rule)
	for i := range r.Names {
		if n := &r.Names[i]; n.Called == w.Name && (n.How == "" || n.How == HowRemovedSynonym) {
			n.How, n.Meant = HowRemovedSynonym, meant
			r.Hows = addPart(r.Hows, Part{Name: HowRemovedSynonym, Count: w.Calls, Tokens: w.Tokens})
		}
	}
}
