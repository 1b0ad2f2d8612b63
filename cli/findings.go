package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
)

// findingsFilter are the flags that choose findings.
type findingsFilter struct {
	store.FindingFilter
	least, state string
}

func (o *findingsFilter) flags(fs *pflag.FlagSet) {
	fs.StringVar(&o.least, "severity", "info", "mildest `severity`: info, warning or critical")
	fs.StringVar(&o.state, "state", "", "only this `state`: open, acknowledged, muted or resolved")
	fs.StringVar(&o.Detector, "detector", "", "only this detector's: drift, prefix or activation")
	fs.StringVar(&o.Rule, "rule", "", "only this rule's")
	fs.StringVar(&o.Server, "server", "", "only those on this server's tools")
	fs.StringVar(&o.Tool, "tool", "", "only those on the tool of this `name`")
	fs.StringVar(&o.Agent, "agent", "", "only those of this agent, or with events of it")
	fs.StringVar(&o.Environment, "environment", "", "only those with events of this environment")
	fs.StringVar(&o.Team, "team", "", "only those that this team owns, or with events of it")
	fs.StringVar(&o.Owner, "owner", "", "only those of this owner")
}

// given reports whether any of the flags was.
func (o *findingsFilter) given(fs *pflag.FlagSet) bool {
	for _, name := range []string{"severity", "state", "detector", "rule", "server", "tool", "agent", "environment", "team", "owner"} {
		if fs.Changed(name) {
			return true
		}
	}
	return false
}

// filter returns what the flags say, and refuses words that no finding has.
func (o *findingsFilter) filter() (store.FindingFilter, error) {
	f := o.FindingFilter
	f.MinSeverity, f.State = finding.Severity(o.least), finding.State(o.state)
	return f, checkFilter(f)
}

func (p *program) findingsCommand() *cobra.Command {
	c := p.findingsList()
	p.set.runningFlags(c.PersistentFlags())
	list := p.findingsList()
	list.Use, list.Short, list.Hidden = "list", "The same as findings", true // as other commands have it
	c.AddCommand(list, p.findingsShow())
	c.AddCommand(p.findingsActs()...)
	return c
}

func (p *program) findingsList() *cobra.Command {
	var o findingsFilter
	var asJSON bool
	c := &cobra.Command{
		Use:   "findings",
		Short: "List what a running tooltrail has found, and say what became of it",
		Long: `List what the analyzer of a running tooltrail has found, the worst first. The same fact is one finding, with when it was first and
last seen. It looks back --window of event time, see tooltrail up.

States: a finding is open until somebody acknowledges it, mutes it until a time, or resolves it. A mute ends by itself. A resolved finding is open again
when the fact happens again, an acknowledged one when it gets worse; both are said once more to whoever listens. Muted and resolved ones alert nobody.

What a rule means, what counts and what to do: docs/activation.md, docs/drift.md and docs/prefix.md.

Rules:
` + ruleList(),
		Args: argCount(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := o.filter()
			if err != nil {
				return err
			}
			return p.findings(c.Context(), f, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	o.flags(c.Flags())
	c.Flags().IntVar(&o.Limit, "limit", 100, "list at most this `number`")
	return c
}

// findings lists what passes the filter.
func (p *program) findings(ctx context.Context, f store.FindingFilter, asJSON bool) error {
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
	const unjudged = "The analyzer looks every minute, unless --interval says otherwise; what was stored since then has no findings yet, and is in: tooltrail report"
	if err := report.Note(p.Out, unjudged, report.StyleOf(p.Out, p.Getenv)); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
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
