package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// switchOptions are the flags of disable and enable.
type switchOptions struct {
	toolFlags
	editOptions
	agent string
	span  time.Duration
	force bool
	json  bool
}

func (o *switchOptions) flags(c *cobra.Command, forHelp string) {
	f := c.Flags()
	o.add(c, 0, 0)
	o.editOptions.flags(f)
	f.StringVar(&o.agent, "agent", "", "only the calls of the agent of this `name`")
	spanVar(f, &o.span, "for", 0, forHelp)
	f.BoolVar(&o.force, "force", false, "do it to a tool that nobody registered, too")
	f.BoolVar(&o.json, "json", false, "print the switch as JSON")
}

func (p *program) toolsDisableCommand() *cobra.Command {
	var o switchOptions
	c := &cobra.Command{
		Use:   "disable TOOL",
		Short: "Make every agent's client refuse a tool",
		Long: `Make every agent's client refuse a tool until it is enabled, or --for a span of time. The reason is what agents tell their models.
A name that nobody registered is refused, since a misspelt one would leave the tool running: --force takes it.

` + toolNameHelp,
		RunE: func(c *cobra.Command, args []string) error {
			if o.reason == "" {
				return usageError{errors.New("--reason: say why; agents tell it to their models")}
			}
			return p.setSwitch(c.Context(), o, args, drift.Disable)
		},
	}
	o.flags(c, "enable it by itself after this `duration`, such as 30m or 2h; 0 is until somebody enables it")
	return c
}

func (p *program) toolsEnableCommand() *cobra.Command {
	var o switchOptions
	c := &cobra.Command{
		Use:   "enable TOOL",
		Short: "Let a tool be called again",
		Long: `Let a tool be called again. Errors of calls made so far count no more. With --for, the breaker leaves the tool alone for that long,
whatever fails.

` + toolNameHelp,
		RunE: func(c *cobra.Command, args []string) error { return p.setSwitch(c.Context(), o, args, drift.Enable) },
	}
	o.flags(c, "keep the breaker from disabling it for this `duration`, such as 30m or 2h")
	return c
}

// setSwitch changes a tool's switch by [drift.Disable] or [drift.Enable].
func (p *program) setSwitch(ctx context.Context, o switchOptions, args []string, change switchChange) error {
	edit, err := p.edit(o.editOptions)
	if err != nil {
		return err
	}
	name, _ := o.take(args)
	return p.withBuckets(ctx, func(b *buckets) error {
		tool, err := p.switchable(ctx, b, name, o.force)
		if err != nil {
			return err
		}
		e := drift.SwitchEdit{Server: tool.Server, Tool: tool.Tool, Agent: o.agent, By: edit.By, Reason: edit.Reason, At: edit.At}
		if o.span > 0 {
			e.Until = edit.At.Add(o.span)
		}
		was, is, err := b.changeSwitch(ctx, e, change)
		if err != nil {
			return err
		}
		return p.saySwitch(ctx, b, was, is, o.json)
	})
}

// switchChange is [drift.Disable] or [drift.Enable].
type switchChange func(old *drift.Switch, e drift.SwitchEdit) (*drift.Switch, error)

// switchable finds the tool that is meant: one that is registered, or has a switch.
func (p *program) switchable(ctx context.Context, b *buckets, name toolName, force bool) (drift.Key, error) {
	known, err := toolsIn(ctx, b.registry)
	if err != nil {
		return drift.Key{}, err
	}
	switched, err := toolsIn(ctx, b.breaker)
	if err != nil {
		return drift.Key{}, err
	}
	tool, found, err := name.find(mergeKeys(known, switched))
	if err != nil || found {
		return tool, err
	}
	unknown := unknownTool(tool, known)
	if !force {
		return tool, fmt.Errorf("%w; --force does it all the same", unknown)
	}
	_, _ = fmt.Fprintf(p.Err, "tooltrail: %s\n", report.Safe(unknown.Error()))
	return tool, nil
}

// mergeKeys lists the keys of both, each once.
func mergeKeys(a, b []drift.Key) []drift.Key {
	seen := map[drift.Key]bool{}
	var out []drift.Key
	for _, list := range [][]drift.Key{a, b} {
		for _, k := range list {
			if !seen[k] {
				seen[k] = true
				out = append(out, k)
			}
		}
	}
	return out
}

// lastCall is the newest place of the event stream.
func (b *buckets) lastCall(ctx context.Context) (drift.Place, error) {
	s, err := b.js.Stream(ctx, stream.Name)
	if err != nil {
		return drift.Place{}, fmt.Errorf("find stream %s: %w", stream.Name, err)
	}
	return drift.Place{Epoch: stream.EpochOf(s.CachedInfo()), Seq: s.CachedInfo().State.LastSeq}, nil
}

// changeSwitch changes a switch and returns what it was and is. One that can't be read counts as none: it is replaced.
func (b *buckets) changeSwitch(ctx context.Context, e drift.SwitchEdit, change switchChange) (was, is *drift.Switch, err error) {
	key, err := switchKey(drift.Key{Server: e.Server, Tool: e.Tool}, e.Agent)
	if err != nil {
		return nil, nil, err
	}
	_, err = b.breaker.Change(ctx, key, func(old []byte) ([]byte, error) {
		was, _ = drift.DecodeSwitch(old)
		if e.Place, err = b.lastCall(ctx); err != nil { // after the switch was read, so that it is behind the switch's place
			return nil, err
		}
		if is, err = change(was, e); err != nil {
			return nil, err
		}
		return is.Encode()
	})
	return was, is, err
}

// switchKey is the key of a tool's switch, or of the one for an agent's calls of it.
func switchKey(k drift.Key, agent string) (string, error) {
	if agent == "" {
		return keyOf(k)
	}
	return keyOf(k, agent)
}

// saySwitch says what was done, and what else decides whether the tool can be called.
func (p *program) saySwitch(ctx context.Context, b *buckets, was, is *drift.Switch, asJSON bool) error {
	if asJSON {
		return p.printJSON(listedSwitch{*is, is.Refuses(is.Since)})
	}
	text := fmt.Sprintf("%s is %s%s%s", keyOfSwitch(is), is.State, forAgent(is.Agent), untilText(is))
	if was != nil {
		text += fmt.Sprintf("; it was %s since %s by %s", was.State, was.Since.UTC().Format(time.RFC3339), was.By)
		if was.Reason != "" {
			text += ": " + was.Reason
		}
	}
	if _, err := fmt.Fprintln(p.Out, report.Safe(text)); err != nil {
		return fmt.Errorf("print switch: %w", err)
	}
	if is.State != drift.SwitchEnabled {
		return nil
	}
	return p.sayOthers(ctx, b, is)
}

func forAgent(agent string) string {
	if agent == "" {
		return ""
	}
	return " for calls of " + agent
}

func untilText(s *drift.Switch) string {
	switch at := s.Until.Format(time.RFC3339); {
	case s.State == drift.SwitchEnabled && s.Until.IsZero():
		return ": errors so far count no more"
	case s.State == drift.SwitchEnabled:
		return ": errors so far count no more, and the breaker leaves it alone until " + at
	case s.Until.IsZero():
		return " until somebody enables it"
	default:
		return " until " + at
	}
}

// sayOthers tells of switches of the same tool that still refuse calls.
func (p *program) sayOthers(ctx context.Context, b *buckets, is *drift.Switch) error {
	all, err := p.readSwitches(ctx, b.breaker)
	if err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		if keyOfSwitch(s) != keyOfSwitch(is) || s.Agent == is.Agent || !s.Refuses(is.Since) || is.Agent != "" && s.Agent != "" {
			continue
		}
		text := fmt.Sprintf("it is still %s%s", s.State, forAgent(s.Agent))
		if s.Agent == "" {
			text += " for every agent"
		}
		_, _ = fmt.Fprintln(p.Err, report.Safe(text))
	}
	return nil
}
