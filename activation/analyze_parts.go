package activation

import (
	"context"
	_ "embed"
)

var (
	//go:embed rule_parts.sql
	rulePartsSQL string
	//go:embed activation_parts.sql
	activationPartsSQL string
	//go:embed denied.sql
	deniedSQL string
)

// ruleParts says of the rules of calls who broke them and how.
func (a *analysis) ruleParts(ctx context.Context) error {
	var row partRow
	return a.q.Each(ctx, rulePartsSQL, a.window.Args(a.settings.NamesListed), &row, func() error {
		r := a.report.rule(row.Rule)
		if row.Part == partAll && row.Rule == RuleMadeUpID {
			r.Tokens = row.Input + row.Output
		}
		if row.Part == partAgent && wrongNames[row.Rule] {
			g := a.guesses[row.Key]
			a.guesses[row.Key] = guessed{g.calls + row.Times, g.tokens + row.Input + row.Output}
		}
		r.take(&row, a.price)
		return nil
	})
}

// activationParts does the same for the rules of activations, and counts those that are counted nowhere else.
func (a *analysis) activationParts(ctx context.Context) error {
	var row partRow
	err := a.q.Each(ctx, activationPartsSQL, a.window.Args(a.settings.NamesListed), &row, func() error {
		r := a.report.rule(row.Rule)
		if row.Part == partAll {
			r.Count, r.Tokens = row.Times, row.Input+row.Output
		}
		r.take(&row, a.price)
		return nil
	})
	a.failedFinding()
	a.roundTripFindings()
	return err
}

// denied finds permissions for tools that are not there.
func (a *analysis) denied(ctx context.Context) error {
	var row struct {
		Server  string   `ch:"server_name"`
		Name    string   `ch:"name"`
		Agents  []string `ch:"agents"`
		Rosters uint64   `ch:"rosters"`
	}
	agents := newPartSum()
	r := a.report.rule(RuleIdlePermission)
	err := a.q.Each(ctx, deniedSQL, a.window.Args(), &row, func() error {
		r.Count++
		for _, agent := range row.Agents {
			agents.add(partRow{Part: partAgent, Key: agent, Times: 1})
		}
		if len(r.Names) < a.settings.NamesListed {
			r.Names = append(r.Names, Name{Server: row.Server, Called: row.Name, Count: row.Rosters})
		}
		return nil
	})
	agents.into(&r.Parts, a.settings.NamesListed, nil)
	a.idlePermissionFindings()
	return err
}
