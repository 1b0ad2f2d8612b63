package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/drift"
)

func (p *program) schemaCanaryCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use:   "canary",
		Short: "Try a new version on some conversations before it goes to all",
	})
	var text, hashKey string
	var share float64
	start := p.schemaEditCommand(schemaEdit{
		use: "start TOOL VERSION", short: "Give a version to a share of conversations", least: 1, most: 1,
		long: `Give a version to a share of conversations, chosen by a hash of the key and the conversation's id; calls of the others are the
baseline. Its drift and error ratios are compared with the baseline's: see canary status.`,
		flags: func(c *cobra.Command) {
			c.Flags().StringVar(&text, "share", "10%", "`share` of conversations, as 10% or 0.1")
			c.Flags().StringVar(&hashKey, "hash-key", "", "`key` hashed with conversation ids: the same one chooses the same conversations (default a new one)")
		},
		check: func([2]string) (err error) {
			if share, err = parseShare(text); err != nil {
				return usageError{fmt.Errorf("--share %q: %w", text, err)}
			}
			return nil
		},
		change: func(d *drift.Document, a [2]string, e drift.Edit) (bool, error) {
			return d.StartCanary(a[0], share, hashKey, e)
		},
	})
	promote := p.schemaEditCommand(schemaEdit{
		use: "promote TOOL", short: "Make the canary's version the active one, and end the canary", show: writeMove,
		change: func(d *drift.Document, _ [2]string, e drift.Edit) (bool, error) { return d.PromoteCanary(e) },
	})
	abort := p.schemaEditCommand(schemaEdit{
		use: "abort TOOL", short: "Make the canary's version a legacy one, and end the canary",
		change: func(d *drift.Document, _ [2]string, e drift.Edit) (bool, error) { return d.AbortCanary(e) },
	})
	c.AddCommand(start, p.canaryStatusCommand(), promote, abort)
	return c
}

var errShare = errors.New("want more than 0% and 100% at most, such as 10% or 0.1")

// parseShare reads a share: in percent, or as a fraction.
func parseShare(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	n, err := strconv.ParseFloat(number, 64)
	if percent {
		n /= 100
	}
	if err != nil || !(n > 0 && n <= 1) { // NaN is neither
		return 0, errShare
	}
	return n, nil
}
