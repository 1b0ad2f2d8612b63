package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
)

func (p *program) findingsCommand() *cobra.Command {
	var f store.FindingFilter
	var least, state string
	var asJSON bool
	c := &cobra.Command{
		Use:   "findings",
		Short: "List what a running tooltrail has found, with when it was first and last seen",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f.MinSeverity, f.State = finding.Severity(least), finding.State(state)
			return p.findings(c.Context(), f, asJSON)
		},
	}
	p.set.runningFlags(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.Flags().StringVar(&least, "severity", "info", "mildest `severity` to list: info, warning or critical")
	c.Flags().StringVar(&state, "state", "", "list only this `state`: open, acknowledged, muted or resolved")
	c.Flags().StringVar(&f.Detector, "detector", "", "list only this detector's: drift, prefix or activation")
	c.Flags().StringVar(&f.Rule, "rule", "", "list only this rule's")
	c.Flags().IntVar(&f.Limit, "limit", 100, "list at most so many")
	return c
}

func (p *program) findings(ctx context.Context, f store.FindingFilter, asJSON bool) error {
	if f.MinSeverity.Rank() < 0 {
		return usageError{fmt.Errorf("--severity %q: want info, warning or critical", f.MinSeverity)}
	}
	return p.withStore(ctx, func(db *store.DB) error {
		fs, err := db.Findings(ctx, f)
		if err != nil {
			return err
		}
		if asJSON {
			return p.printJSON(notNil(fs))
		}
		if err := report.FindingList(p.Out, fs, report.StyleOf(p.Out, p.Getenv)); err != nil {
			return fmt.Errorf("print findings: %w", err)
		}
		return nil
	})
}

// notNil makes an empty list of none, which JSON tells apart.
func notNil[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
