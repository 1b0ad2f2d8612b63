package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

func (p *program) toolsCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use:   "tools",
		Short: "Disable and enable tools, for every agent at once, and see who did it",
		Long: `A disabled tool is refused by every agent's client within a second, with the reason. The breaker disables one after validation
errors in a row; people disable and enable any.

` + toolNameHelp,
	})
	p.set.runningFlags(c.PersistentFlags())
	c.AddCommand(p.toolsListCommand(), p.toolsDisableCommand(), p.toolsEnableCommand(), p.toolsHistoryCommand())
	return c
}

func (p *program) toolsListCommand() *cobra.Command {
	var asJSON, all bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the tools that are disabled, why and since when",
		Long: `List the tools that are disabled or tried with one call, and those that the breaker leaves alone for a while, each with the reason,
the conversations involved and what failed.`,
		Args: argCount(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return p.toolsList(c.Context(), asJSON, all) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.Flags().BoolVar(&all, "all", false, "list tools too that were disabled once and are enabled again")
	return c
}

// listedSwitch is a switch as JSON, with what follows from it now.
type listedSwitch struct {
	drift.Switch
	// Refuses says that calls are refused now.
	Refuses bool `json:"refuses"`
}

func (p *program) toolsList(ctx context.Context, asJSON, all bool) error {
	return p.withBuckets(ctx, func(b *buckets) error {
		switches, err := p.readSwitches(ctx, b.breaker)
		if err != nil {
			return err
		}
		now := time.Now()
		if !all {
			switches = slices.DeleteFunc(switches, func(s drift.Switch) bool { return !matters(&s, now) })
		}
		if asJSON {
			out := make([]listedSwitch, len(switches))
			for i := range switches {
				out[i] = listedSwitch{switches[i], switches[i].Refuses(now)}
			}
			return p.printJSON(out)
		}
		style := report.StyleOf(p.Out, p.Getenv)
		if len(switches) == 0 {
			return report.Note(p.Out, "No tool is disabled.", style)
		}
		if err := report.SwitchList(p.Out, switches, now, style); err != nil {
			return fmt.Errorf("print switches: %w", err)
		}
		return nil
	})
}

// matters reports that a switch refuses calls, would if the breaker might, or keeps the breaker from disabling the tool.
func matters(s *drift.Switch, now time.Time) bool {
	return s.Refuses(now) || s.AlertOnly != "" || s.State == drift.SwitchEnabled && now.Before(s.Until)
}

// readSwitches returns all switches, those that refuse calls first. One that can't be read is named and left out.
func (p *program) readSwitches(ctx context.Context, b *stream.Bucket) ([]drift.Switch, error) {
	entries, err := b.All(ctx)
	if err != nil {
		return nil, err
	}
	var out []drift.Switch
	for i := range entries {
		if isOwnKey(entries[i].Key) {
			continue
		}
		s, err := drift.DecodeSwitch(entries[i].Value)
		if err == nil && s == nil {
			err = errNoValue
		}
		if err != nil {
			_, _ = fmt.Fprintf(p.Err, "tooltrail: read switch %s: %v\n", report.Safe(entries[i].Key), err)
			continue
		}
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b drift.Switch) int {
		return cmp.Or(compareBool(a.State == drift.SwitchEnabled, b.State == drift.SwitchEnabled), compareKeys(keyOfSwitch(&a), keyOfSwitch(&b)), cmp.Compare(a.Agent, b.Agent))
	})
	return out, nil
}

var errNoValue = errors.New("there is no value")

// isOwnKey tells what the analyzer keeps for itself from the tools' keys.
func isOwnKey(key string) bool { return strings.HasPrefix(key, "_") && !strings.Contains(key, ".") }

func keyOfSwitch(s *drift.Switch) drift.Key { return drift.Key{Server: s.Server, Tool: s.Tool} }
