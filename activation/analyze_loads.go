package activation

import (
	"cmp"
	"context"
	"slices"
)

// maxLoadRows is how many tools, and how many agents, models and conversations, the query for loads returns at most.
const maxLoadRows = 10_000

// loadRow is a row of loads.sql.
type loadRow struct {
	Part        uint8  `ch:"part"`
	Key         string `ch:"key"`
	Provider    string `ch:"provider"`
	Loaded      uint64 `ch:"loaded"`
	Repeated    uint64 `ch:"repeated"`
	NeverCalled uint64 `ch:"never_called"`
}

func (a *analysis) loads(ctx context.Context) error {
	var row loadRow
	again, never := newPartSum(), newPartSum()
	err := a.q.Each(ctx, loadsSQL, a.window.Args(maxLoadRows), &row, func() error {
		if row.Part != partAll {
			row.addTo(again, row.Repeated)
			row.addTo(never, row.NeverCalled)
			return nil
		}
		a.report.Loads = append(a.report.Loads, Load{Tool: row.Key, Loaded: row.Loaded, Repeated: row.Repeated, NeverCalled: row.NeverCalled})
		a.report.Rules[RuleRepeatedLoad].Count += row.Repeated
		a.report.Rules[RuleNeverCalled].Count += row.NeverCalled
		return nil
	})
	slices.SortFunc(a.report.Loads, func(x, y Load) int { return cmp.Compare(x.Tool, y.Tool) })
	again.into(&a.report.Rules[RuleRepeatedLoad].Parts, a.settings.NamesListed, nil)
	never.into(&a.report.Rules[RuleNeverCalled].Parts, a.settings.NamesListed, nil)
	for i := range a.report.Loads {
		a.loadFindings(&a.report.Loads[i])
	}
	return err
}

// addTo counts a row that broke a rule.
func (row *loadRow) addTo(s *partSum, times uint64) {
	if times > 0 {
		s.add(partRow{Part: row.Part, Key: row.Key, Provider: row.Provider, Times: times})
	}
}
