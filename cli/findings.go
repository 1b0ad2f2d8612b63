package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
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
		Long: `List what the analyzer of a running tooltrail has found, the worst first. The same fact is one finding, with when it was first and
last seen. It looks back --window of event time, see tooltrail up.

States: a finding is open from when it is first seen on. Acknowledged, muted and resolved are kept for who deals with findings; no
command sets them so far.

What a rule means, what counts and what to do: docs/activation.md, docs/drift.md and docs/prefix.md.

Rules:
` + ruleList(),
		Args: argCount(0, 0),
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
	c.Flags().IntVar(&f.Limit, "limit", 100, "list at most this `number`")
	return c
}

// findings lists what passes the filter.
func (p *program) findings(ctx context.Context, f store.FindingFilter, asJSON bool) error {
	if err := checkFilter(f); err != nil {
		return err
	}
	return p.withStore(ctx, func(db *store.DB) error {
		asked := f
		asked.Limit++
		fs, err := db.Findings(ctx, asked)
		if err != nil {
			return err
		}
		more := len(fs) > f.Limit
		fs = fs[:min(len(fs), f.Limit)]
		if asJSON {
			return p.printJSON(notNil(fs))
		}
		if err := report.FindingList(p.Out, fs, report.StyleOf(p.Out, p.Getenv)); err != nil {
			return fmt.Errorf("print findings: %w", err)
		}
		if len(fs) == 0 {
			return p.sayUnseen(ctx, db)
		}
		return p.sayMore(more, f.Limit)
	})
}

// sayUnseen says why there may be no findings although there are events.
func (p *program) sayUnseen(ctx context.Context, db *store.DB) error {
	s, err := p.runningStore()
	if err != nil || s.window() <= 0 {
		return err
	}
	newest, err := newestEvent(ctx, db)
	if err != nil {
		return err
	}
	return report.Note(p.Out, s.tooOld(newest, time.Now()), report.StyleOf(p.Out, p.Getenv))
}

// sayMore says that a list went on beyond its limit.
func (p *program) sayMore(more bool, limit int) error {
	if !more {
		return nil
	}
	text := fmt.Sprintf("There are more than these %s; --limit sets how many are listed.", report.Count(int64(limit)))
	return report.Note(p.Out, text, report.StyleOf(p.Out, p.Getenv))
}

// checkLimit refuses a limit that lists nothing.
func checkLimit(n int) error {
	if n < 1 {
		return usageError{fmt.Errorf("--limit %d: want 1 or more", n)}
	}
	return nil
}

// checkFilter refuses words that no finding has.
func checkFilter(f store.FindingFilter) error {
	if f.MinSeverity.Rank() < 0 {
		return usageError{fmt.Errorf("--severity %q: want info, warning or critical", f.MinSeverity)}
	}
	return cmp.Or(
		oneOf("state", string(f.State), []string{"open", "acknowledged", "muted", "resolved"}),
		oneOf("detector", f.Detector, []string{drift.Detector, "prefix", activation.Detector}),
		oneOf("rule", f.Rule, report.Rules()),
		checkLimit(f.Limit),
	)
}

// ruleList is all rules, some a line.
func ruleList() string {
	var b strings.Builder
	line := ""
	for _, r := range report.Rules() {
		if len(line)+len(r) > 100 {
			b.WriteString("  " + line + "\n")
			line = ""
		}
		line += r + " "
	}
	return b.String() + "  " + line + "\n"
}

// notNil makes an empty list of none, which JSON tells apart.
func notNil[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
