package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/prefix"
)

// prefixCheckOptions are the flags of prefix check.
type prefixCheckOptions struct {
	reading readOptions
	// maxLost and maxCost are nil where they are not given.
	maxLost           *int64
	maxCost           *float64
	json, github, all bool
	allowBad          bool
}

// prefixCheck is what prefix check says.
type prefixCheck struct {
	Passed bool `json:"passed"`
	// Reasons say why it did not pass.
	Reasons []string `json:"reasons"`
	// MaxLost and MaxCost are the limits, nil where none is given.
	MaxLost       *int64             `json:"max_lost_tokens"`
	MaxCost       *float64           `json:"max_lost_cost_usd"`
	Files         int                `json:"files"`
	BadLines      int                `json:"bad_lines"`
	Conversations int                `json:"conversations"`
	Totals        report.CacheTotals `json:"totals"`
	// Breaks are the dearest first.
	Breaks []report.FileBreak `json:"breaks"`
	// Risks are changes that broke nothing, those about the most tokens first. They fail nothing.
	Risks []report.Risk `json:"risks"`

	// unpriced are the models of breaks that have no price.
	unpriced []string
}

func (p *program) prefixCheckCommand() *cobra.Command {
	var o prefixCheckOptions
	var lost int64
	var cost float64
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Fail (status 3) when recorded runs broke their prompt cache by more than a limit",
		Long: `Read recorded runs and say of each model request whether it read from the prompt cache what the request before it had left there, and if
not, why: such a request is a break. Nothing is started and nothing kept. The check fails when the breaks of all files together lost more
tokens than --max-lost or more US dollars than --max-cost; as much as the limit passes. With a limit it fails too when what was lost can't be known: a
break without usage, a break without a price (for --max-cost), no request with usage, or no requests at all. Without limits it reports, and
passes. What changed without a break is listed as a risk, and fails nothing. "-" is standard input; files may be compressed with gzip.

Exit status: 0 passed; 1 an error, such as a line that can't be read; 2 a wrong invocation; 3 failed.

Formats (what holds no usage, such as openai-chat, can't be held against a limit):
` + formatList(),
		Example: `  tooltrail prefix check --max-lost 50000 run.jsonl
  tooltrail prefix check --max-cost 0.25 --github recorded/*.jsonl`,
		Args: someFiles,
		RunE: func(c *cobra.Command, files []string) error {
			if c.Flags().Changed("max-lost") {
				o.maxLost = &lost
			}
			if c.Flags().Changed("max-cost") {
				o.maxCost = &cost
			}
			return p.prefixCheck(c.Context(), o, files)
		},
	}
	f := c.Flags()
	o.reading.formatFlags(f)
	p.set.pricesFlag(f)
	p.set.settingsFlag(f)
	f.Int64Var(&lost, "max-lost", 0, "fail when breaks lost more `tokens` than this")
	f.Float64Var(&cost, "max-cost", 0, "fail when breaks cost more `USD` than this, beyond what reading from the cache would have cost")
	f.BoolVar(&o.allowBad, "allow-bad-lines", false, "pass over lines that can't be read, and say so, instead of ending with an error")
	f.BoolVar(&o.all, "all", false, "list all breaks and risks, not only the dearest")
	f.BoolVar(&o.json, "json", false, "print as JSON")
	f.BoolVar(&o.github, "github", false, "print as annotations of GitHub Actions")
	return c
}

func (o *prefixCheckOptions) validate() error {
	switch {
	case o.json && o.github:
		return usageError{errors.New("--json and --github: want one of them")}
	case o.maxLost != nil && *o.maxLost < 0:
		return usageError{fmt.Errorf("--max-lost %d: want 0 or more", *o.maxLost)}
	case o.maxCost != nil && !(*o.maxCost >= 0 && !math.IsInf(*o.maxCost, 1)):
		return usageError{fmt.Errorf("--max-cost %v: want 0 or more", *o.maxCost)}
	}
	return nil
}

func (p *program) prefixCheck(ctx context.Context, o prefixCheckOptions, files []string) error {
	if err := o.validate(); err != nil {
		return err
	}
	an, err := p.set.analyzer()
	if err != nil {
		return err
	}
	rec, err := p.record(ctx, o.reading, files)
	if err != nil {
		return err
	}
	if rec.bad > 0 && !o.allowBad {
		return fmt.Errorf("%s could not be read: what they hold can't be judged; --allow-bad-lines passes them over", report.Plural(int64(rec.bad), "line"))
	}
	c := prefixCheck{MaxLost: o.maxLost, MaxCost: o.maxCost, Files: rec.files, BadLines: rec.bad}
	c.Reasons, c.Breaks, c.Risks = []string{}, []report.FileBreak{}, []report.Risk{}
	c.take(rec, an.Prefix)
	c.judge()
	if err := p.printPrefixCheck(&c, &o, files); err != nil {
		return err
	}
	if !c.Passed {
		return errFindings
	}
	return nil
}

// take judges all conversations.
func (c *prefixCheck) take(rec *recorded, s prefix.Settings) {
	conversations := rec.Conversations(s.MaxGroup)
	c.Conversations = len(conversations)
	c.Totals = report.NewCacheTotals()
	for i := range conversations {
		conv := &conversations[i]
		t := report.NewTimeline(conv.ID, conv.Requests, rec.Judge(conv, s), conv.Happenings)
		c.Totals.Add(&t.Totals)
		c.Risks = report.AddRisks(c.Risks, t)
		for j := range t.Requests {
			if t.Requests[j].Break {
				c.Breaks = append(c.Breaks, report.FileBreak{File: rec.file[t.Requests[j].ID], Conversation: conv.ID, JudgedRequest: t.Requests[j]})
			}
		}
	}
	slices.SortStableFunc(c.Breaks, func(a, b report.FileBreak) int { return report.CompareLost(&a.JudgedRequest, &b.JudgedRequest) })
	report.SortRisks(c.Risks)
	for i := range c.Breaks {
		b := &c.Breaks[i]
		if name := quoteID(b.Provider + "/" + b.Model); b.TokensLost != nil && b.LostUSD == nil && !slices.Contains(c.unpriced, name) {
			c.unpriced = append(c.unpriced, name)
		}
	}
}

// leastUSD is how much more than the limit counts as over it: less is the rounding of a sum.
const leastUSD = 1e-9

// judge says whether the check passed.
func (c *prefixCheck) judge() {
	t := &c.Totals
	if c.MaxLost != nil && t.TokensLost > *c.MaxLost {
		c.fail("%s tokens lost: %s over --max-lost %s", report.Count(t.TokensLost), report.Count(t.TokensLost-*c.MaxLost), report.Count(*c.MaxLost))
	}
	if over := c.overCost(); over > 0 {
		c.fail("%s lost: %s over --max-cost %s", report.FineUSD(t.LostUSD), report.FineUSD(&over), sayUSD(*c.MaxCost))
	}
	if c.MaxLost != nil || c.MaxCost != nil {
		c.judgeUnknown()
	}
	c.Passed = len(c.Reasons) == 0
}

// sayUSD says a limit as it was given.
func sayUSD(v float64) string { return "$" + strconv.FormatFloat(v, 'f', -1, 64) }

func (c *prefixCheck) overCost() float64 {
	if c.MaxCost == nil || c.Totals.LostUSD == nil || *c.Totals.LostUSD-*c.MaxCost <= leastUSD {
		return 0
	}
	return *c.Totals.LostUSD - *c.MaxCost
}

// judgeUnknown fails what can't be held against a limit.
func (c *prefixCheck) judgeUnknown() {
	t := &c.Totals
	if t.Requests == 0 {
		c.fail("no model requests in %s: there is nothing to judge", report.Plural(int64(c.Files), "file"))
		return
	}
	if n := t.UnknownTokens; n > 0 {
		c.fail("%s of unknown size, since usage was not reported: limits can't be judged", report.Plural(n, "break"))
	} else if t.Unreported > 0 && t.Unreported == t.Requests-t.Verdicts[prefix.NoUsage] {
		c.fail("no request reported its usage: limits can't be judged")
	}
	if n := t.UnknownCost - t.UnknownTokens; n > 0 && c.MaxCost != nil {
		c.fail("%s without a known price (%s; --prices gives prices): --max-cost can't be judged", report.Plural(n, "break"), listFirst(c.unpriced))
	}
}

func (c *prefixCheck) fail(format string, args ...any) {
	c.Reasons = append(c.Reasons, fmt.Sprintf(format, args...))
}

func (p *program) printPrefixCheck(c *prefixCheck, o *prefixCheckOptions, files []string) error {
	switch {
	case o.json:
		return p.printJSON(c)
	case o.github:
		return p.buffered(func(w io.Writer) { annotatePrefixCheck(w, c, files[0], o.all) })
	}
	s := report.StyleOf(p.Out, p.Getenv)
	s.All = o.all
	return p.buffered(func(w io.Writer) { _ = writePrefixCheck(w, c, s) }) // the writer keeps its error
}
