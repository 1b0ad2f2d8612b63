package cli

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// maxBody is the longest request body that is read, in bytes, when it is not compressed.
const maxBody = 64 << 20

// prefixDiffOptions are the flags of prefix diff.
type prefixDiffOptions struct {
	provider, model string
	tokens          int64
	json, exitCode  bool
}

func (p *program) prefixDiffCommand() *cobra.Command {
	var o prefixDiffOptions
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two request bodies: the first byte that differs, whose it is, and what of the cache is at stake",
		Long: `Compare two request bodies, A the earlier, as they were sent to a provider: the first byte that differs in the order in which the
provider caches (tools, system, messages) and in the files, which tool, block or message it belongs to, what changed, how many
tokens and US dollars are at stake, and what to do. Both bodies are read here, and text of them is shown. "-" is standard input, for one of
the two; files may be compressed with gzip.

Cache markers (cache_control, cachePoint) are no part of what is compared. Where a provider caches only up to them (Anthropic, Bedrock), at
stake is what lies between the last marker before the difference and the last marker of A; what no marker covers is never at stake.
Elsewhere it is all from the difference on.`,
		Example: `  tooltrail prefix diff turn-7.json turn-8.json
  tooltrail prefix diff --tokens 41200 --exit-code turn-7.json - < turn-8.json`,
		Args: argCount(2, 2),
		RunE: func(c *cobra.Command, args []string) error { return p.prefixDiff(c.Context(), o, args[0], args[1]) },
	}
	f := c.Flags()
	p.set.pricesFlag(f)
	f.StringVar(&o.provider, "provider", "", "`name` of the provider, such as anthropic or openai; the bodies tell where it is not given")
	f.StringVar(&o.model, "model", "", "`name` of the model whose price counts; the one in B where it is not given")
	f.Int64Var(&o.tokens, "tokens", 0, "the `number` of tokens of A's whole prompt (input, cache reads and cache writes of its usage together); estimated from bytes where it is not given")
	f.BoolVar(&o.json, "json", false, "print as JSON")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with status 3 when the verdict is not ok; 0 otherwise")
	return c
}

func (p *program) prefixDiff(ctx context.Context, o prefixDiffOptions, before, after string) error {
	if o.tokens < 0 {
		return usageError{fmt.Errorf("--tokens %d: want 1 or more", o.tokens)}
	}
	if before == "-" && after == "-" {
		return usageError{errors.New("- and -: standard input can be one of the two")}
	}
	cfg, err := p.set.thresholds()
	if err != nil {
		return err
	}
	var bodies [2][]byte
	for i, name := range []string{before, after} {
		if bodies[i], err = p.readBody(ctx, name); err != nil {
			return err
		}
	}
	d, err := diffBodies(ctx, o.provider, bodies)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", before, after, err)
	}
	out := newRequestDiff(&d, before, after)
	atStake(out, &d, o, cfg.Prefix.Prices)
	if o.json {
		err = p.printJSON(out)
	} else {
		s := report.StyleOf(p.Out, p.Getenv)
		err = p.buffered(func(w io.Writer) { _ = report.WriteRequestDiff(w, out, s) }) // the writer keeps its error
	}
	if err == nil && o.exitCode && out.Verdict != prefix.OK {
		return errFindings
	}
	return err
}

// diffBodies compares two bodies, and goes on without the result when ctx ends.
func diffBodies(ctx context.Context, provider string, bodies [2][]byte) (prefix.BodyDiff, error) {
	found := make(chan prefix.BodyDiff, 1)
	err := interruptible(ctx, func() error {
		d, err := prefix.DiffBodies(provider, bodies[0], bodies[1])
		found <- d
		return err
	})
	if ctx.Err() != nil {
		return prefix.BodyDiff{}, fmt.Errorf("compare bodies: %w", context.Cause(ctx))
	}
	return <-found, err
}

// readBody reads a file, or standard input, whole.
func (p *program) readBody(ctx context.Context, name string) ([]byte, error) {
	in := p.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("open request: %w", err)
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	var raw []byte
	err := interruptible(ctx, func() (err error) {
		raw, err = readMost(in)
		return err
	})
	if ctx.Err() != nil {
		return nil, fmt.Errorf("read request %s: %w", name, context.Cause(ctx))
	}
	if err != nil {
		return nil, fmt.Errorf("read request %s: %w", name, err)
	}
	return raw, nil
}

// readMost reads to the end, decompresses what is compressed, and refuses what is too long.
func readMost(in io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(in, maxBody+1))
	if err == nil && bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(raw)); err == nil {
			raw, err = io.ReadAll(io.LimitReader(z, maxBody+1))
		}
	}
	if err == nil && len(raw) > maxBody {
		err = fmt.Errorf("longer than %d bytes", maxBody)
	}
	return bytes.TrimPrefix(raw, []byte(byteOrderMark)), err
}

// newRequestDiff is what is said of a difference, but for what is at stake.
func newRequestDiff(d *prefix.BodyDiff, before, after string) *report.RequestDiff {
	out := &report.RequestDiff{
		Before: diffedBody(before, d.Before, d.BytesBefore), After: diffedBody(after, d.After, d.BytesAfter),
		Verdict: d.Verdict(), Secondary: []prefix.Verdict{}, First: diffPlace(d.First), Raw: diffPlace(d.Raw), Tools: d.Tools,
		Params: d.Params, MarkersMoved: d.MarkersMoved, MarkersNeeded: d.MarkersNeeded, CommonBytes: d.CommonBytes, CachedBytes: d.CachedBytes,
		UsableBytes: d.UsableBytes, BytesAtStake: d.BytesAtStake, Fix: d.Fix(),
	}
	if len(d.Reasons) > 1 {
		out.Secondary = d.Reasons[1:]
	}
	if d.System >= 0 {
		out.SystemBlock = &d.System
	}
	if d.Message >= 0 {
		out.Message = &d.Message
	}
	return out
}

func diffedBody(file string, r *prefix.Request, length int) report.DiffedBody {
	if file == "-" {
		file = "standard input"
	}
	return report.DiffedBody{
		File: file, Provider: r.Provider, API: r.API, Model: r.Model, PrefixBytes: length,
		Tools: len(r.Tools), System: len(r.System), Messages: len(r.Messages),
	}
}

func diffPlace(d *prefix.Difference) *report.DiffPlace {
	if d == nil {
		return nil
	}
	return &report.DiffPlace{Before: diffSpot(&d.Before), After: diffSpot(&d.After)}
}

func diffSpot(s *prefix.Spot) report.DiffSpot {
	return report.DiffSpot{
		Offset: s.Offset, Missing: s.Missing, Part: s.Block.Part, Index: s.Block.Index, Name: s.Block.Name, Lead: s.Lead, Text: s.Text,
	}
}

// hourTTL is the lifetime, in seconds, from which on a marker writes at the price of an hour.
const hourTTL = 3600

// atStake says how many tokens and dollars are at stake, and what else is to be known of that.
func atStake(out *report.RequestDiff, d *prefix.BodyDiff, o prefixDiffOptions, prices prefix.Prices) {
	out.TokensAtStake, out.Estimated = int64(d.TokensAtStake), o.tokens == 0
	whole := int64(d.BytesBefore / prefix.BytesPerToken)
	if !out.Estimated && d.BytesBefore > 0 {
		whole = o.tokens
		out.TokensAtStake = int64(math.Round(float64(o.tokens) * float64(d.BytesAtStake) / float64(d.BytesBefore)))
	}
	model := cmp.Or(o.model, d.After.Model)
	out.Model = cmp.Or(model, "a model that is not named")
	price, known := prices.Find(d.After.Provider, model, time.Now())
	if lost := price.LostUSD(written(d.After, out.TokensAtStake), out.TokensAtStake); known && lost.Known {
		out.LostUSD = &lost.USD
	}
	if d.MarkersMoved && !slices.Contains(d.Reasons, prefix.BreakpointsChanged) {
		out.Notes = append(out.Notes, "Cache markers moved, came or went: that costs nothing by itself.")
	}
	if known && whole < price.MinTokens {
		out.Notes = append(out.Notes, fmt.Sprintf("%s caches no prompt of less than %s tokens, and A has about %s.", out.Model, report.Count(price.MinTokens), report.Count(whole)))
	}
	if d.MarkersNeeded && len(d.Before.Breakpoints) > 0 && len(d.After.Breakpoints) == 0 {
		out.Notes = append(out.Notes, "B has no marker, and without one this provider reads nothing.")
	}
}

// written is the usage of a request that writes tokens to the cache, at the lifetime that its markers ask for.
func written(r *prefix.Request, tokens int64) *prefix.Observed {
	o := &prefix.Observed{}
	long := slices.ContainsFunc(r.Breakpoints, func(b events.Breakpoint) bool { return b.TTLSeconds >= hourTTL })
	if long {
		o.CacheWrite1hInputTokens = events.Tokens(tokens)
	} else {
		o.CacheWrite5mInputTokens = events.Tokens(tokens)
	}
	return o
}
