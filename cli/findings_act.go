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
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
)

// actOptions are the flags of the commands that change where findings are.
type actOptions struct {
	findingsFilter
	why, by, until string
	span           time.Duration
	dryRun, yes    bool
	json           bool
	// filtered says that a flag chooses findings.
	filtered bool
}

// findingsActs are the commands that change where findings are.
func (p *program) findingsActs() []*cobra.Command {
	return []*cobra.Command{
		p.findingsAct("ack", finding.Acknowledge, "Say that somebody deals with findings; one that gets worse is open again"),
		p.findingsAct("mute", finding.Mute, "Keep findings quiet until a time"),
		p.findingsAct("resolve", finding.Resolve, "Say that findings are dealt with; one whose fact happens again is open again"),
		p.findingsAct("reopen", finding.Reopen, "Open findings again, whatever was done about them"),
	}
}

func (p *program) findingsAct(name string, act finding.Act, short string) *cobra.Command {
	var o actOptions
	c := &cobra.Command{
		Use:   name + " [FINGERPRINT]...",
		Short: short,
		Long: short + `.

Findings are named by their fingerprints, of which the start does, or chosen by flags as tooltrail findings takes them. What flags choose is listed and
left as it is until --yes is given. Who did what, when and why is kept with each finding.`,
		RunE: func(c *cobra.Command, names []string) error {
			o.filtered = o.given(c.Flags())
			return p.actOnFindings(c.Context(), o, act, names)
		},
	}
	o.flags(c.Flags())
	c.Flags().StringVar(&o.why, "why", "", "the reason, for whoever looks at the finding next")
	c.Flags().StringVar(&o.by, "by", "", "who does it (default the user's name)")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "list what would be changed, and change nothing")
	c.Flags().BoolVar(&o.yes, "yes", false, "change what flags choose")
	c.Flags().BoolVar(&o.json, "json", false, "print the findings as they are then, as JSON")
	if act == finding.Mute {
		c.Flags().StringVar(&o.until, "until", "", "a `date` as 2026-12-24, or a time as 2026-12-24T08:00:00Z; without a zone it is UTC")
		spanVar(c.Flags(), &o.span, "for", 0, "for this `duration`, such as 4h or 7d")
	}
	return c
}

// action returns what is to be done, and refuses what can't be.
func (p *program) action(o *actOptions, act finding.Act, now time.Time) (finding.Action, error) {
	a := finding.Action{At: now, Act: act, By: cmp.Or(o.by, p.userName()), Why: o.why}
	if strings.TrimSpace(o.why) == "" {
		return a, usageError{errors.New("--why: say why, for whoever looks at the finding next")}
	}
	if err := cmp.Or(checkLine("why", o.why, maxReason), checkLine("by", a.By, maxBy)); err != nil {
		return a, err
	}
	if act == finding.Mute {
		until, err := muteEnd(o.until, o.span, now)
		if err != nil {
			return a, usageError{err}
		}
		a.Until = until
	}
	if err := a.Validate(); err != nil {
		return a, usageError{err}
	}
	return a, nil
}

// errMuteEnd says how to say when a mute ends.
var errMuteEnd = errors.New("mute ends: give --until DATE or --for DURATION")

// muteEnd reads when a mute ends.
func muteEnd(until string, span time.Duration, now time.Time) (time.Time, error) {
	switch {
	case (until == "") == (span == 0):
		return time.Time{}, errMuteEnd
	case span > 0:
		return now.Add(span).Truncate(time.Second), nil
	}
	t, err := finding.ParseUntil(until)
	if err != nil {
		return t, fmt.Errorf("--until %w", err)
	}
	return t, nil
}

// maxActed is how many findings one command changes at most.
const maxActed = 10_000

func (p *program) actOnFindings(ctx context.Context, o actOptions, act finding.Act, names []string) error {
	a, err := p.action(&o, act, time.Now().UTC())
	if err != nil {
		return err
	}
	switch {
	case len(names) == 0 && !o.filtered:
		return usageError{errors.New("name findings by their fingerprints, or choose them by flags")}
	case len(names) > 0 && o.filtered:
		return usageError{errors.New("name findings by their fingerprints or choose them by flags, not both")}
	}
	o.Limit = maxActed
	f, err := o.filter()
	if err != nil {
		return err
	}
	return p.withStore(ctx, func(db *store.DB) error {
		var chosen []finding.Finding
		var refused error
		if o.filtered {
			chosen, err = p.chooseFindings(ctx, db, f, act)
		} else {
			chosen, refused, err = p.nameFindings(ctx, db, names, act)
		}
		if err != nil {
			return err
		}
		return errors.Join(p.change(ctx, db, &o, a, chosen), refused)
	})
}

// nameFindings finds findings by their fingerprints. It names those that the action makes no sense for, and returns an error for them apart.
func (p *program) nameFindings(ctx context.Context, db *store.DB, names []string, act finding.Act) (chosen []finding.Finding, refused, err error) {
	for _, name := range names {
		f, err := findFinding(ctx, db, name)
		if err != nil {
			return nil, nil, err
		}
		if why := f.Life().Refuse(act); why != "" {
			_, _ = fmt.Fprintf(p.Err, "tooltrail: %s: %s\n", report.ShortFingerprint(f.Fingerprint), report.Safe(why))
			refused = errNotAll
			continue
		}
		if !slices.ContainsFunc(chosen, func(c finding.Finding) bool { return c.Fingerprint == f.Fingerprint }) {
			chosen = append(chosen, *f)
		}
	}
	return chosen, refused, nil
}

// chooseFindings finds findings by flags, and leaves out those that the action makes no sense for.
func (p *program) chooseFindings(ctx context.Context, db *store.DB, f store.FindingFilter, act finding.Act) ([]finding.Finding, error) {
	all, err := db.Findings(ctx, f)
	if err != nil {
		return nil, err
	}
	if len(all) == maxActed {
		return nil, fmt.Errorf("choose findings: there are %d or more: choose fewer", maxActed)
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool { return f.Life().Refuse(act) != "" })
	if left := len(all) - len(chosen); left > 0 {
		_, _ = fmt.Fprintf(p.Err, "tooltrail: %s left out, where that changes nothing\n", report.Plural(int64(left), "finding"))
	}
	return chosen, nil
}

// change does it, or lists what it would be done to.
func (p *program) change(ctx context.Context, db *store.DB, o *actOptions, a finding.Action, chosen []finding.Finding) error {
	if o.dryRun || o.filtered && !o.yes {
		return p.wouldChange(o, chosen)
	}
	names := make([]string, len(chosen))
	for i := range chosen {
		names[i] = chosen[i].Fingerprint
	}
	if _, err := db.ActOnFindings(ctx, names, a); err != nil {
		return fmt.Errorf("%w; it may have been done all the same: see tooltrail findings show FINGERPRINT", err)
	}
	now := []finding.Finding{}
	if len(names) > 0 {
		var err error
		if now, err = db.Findings(ctx, store.FindingFilter{Fingerprints: names, Limit: len(names)}); err != nil {
			return err
		}
	}
	if o.json {
		return p.printJSON(now)
	}
	for i := range now {
		if _, err := fmt.Fprintln(p.Out, report.Safe(nowText(&now[i]))); err != nil {
			return fmt.Errorf("print findings: %w", err)
		}
	}
	return nil
}

// wouldChange lists what would be changed.
func (p *program) wouldChange(o *actOptions, chosen []finding.Finding) error {
	if o.json {
		return p.printJSON(notNil(chosen))
	}
	style := report.StyleOf(p.Out, p.Getenv)
	if err := report.FindingList(p.Out, chosen, style); err != nil {
		return fmt.Errorf("print findings: %w", err)
	}
	text := report.Plural(int64(len(chosen)), "finding") + " would be changed."
	if !o.dryRun && len(chosen) > 0 {
		text += " Add --yes to change them."
	}
	return report.Note(p.Out, text, style)
}

// nowText says where a finding is now.
func nowText(f *finding.Finding) string {
	text := report.ShortFingerprint(f.Fingerprint) + " is " + string(f.State)
	if f.State == finding.Muted {
		text += " until " + f.MutedUntil.UTC().Format("2006-01-02 15:04")
	}
	return text + ": " + f.Title
}
