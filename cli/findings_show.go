package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store"
)

// shownFinding is the JSON of one finding.
type shownFinding struct {
	finding.Finding
	// History is what was done to it, the oldest first.
	History []finding.Action `json:"history"`
	// Next are commands to go on with.
	Next []string `json:"next"`
}

func (p *program) findingsShow() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show FINGERPRINT",
		Short: "Show all of one finding: its numbers, what changed around its start, its history, and what to do next",
		Long:  `Show all of one finding. The start of a fingerprint does, where no other finding's begins so.`,
		Args:  argCount(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return p.withStore(c.Context(), func(db *store.DB) error { return p.showFinding(c.Context(), db, args[0], asJSON) })
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

func (p *program) showFinding(ctx context.Context, db *store.DB, name string, asJSON bool) error {
	f, err := findFinding(ctx, db, name)
	if err != nil {
		return err
	}
	history, err := db.FindingHistory(ctx, []string{f.Fingerprint})
	if err != nil {
		return err
	}
	if name := panels.Runbook(f.Rule, string(f.Severity)); f.Runbook == "" && name != "" {
		f.Runbook = "docs/alerts/" + name + ".md"
	}
	done, next := history[f.Fingerprint], nextCommands(f)
	if asJSON {
		return p.printJSON(shownFinding{*f, notNil(done), next})
	}
	if err := report.FindingPage(p.Out, f, done, next, report.StyleOf(p.Out, p.Getenv)); err != nil {
		return fmt.Errorf("print finding: %w", err)
	}
	return nil
}

// leastFingerprint is how much of a fingerprint has to be given.
const leastFingerprint = 4

var hexadecimal = regexp.MustCompile(`^[0-9a-f]*$`)

// findFinding finds the only finding whose fingerprint starts so.
func findFinding(ctx context.Context, db *store.DB, name string) (*finding.Finding, error) {
	name = strings.ToLower(name)
	if len(name) < leastFingerprint || !hexadecimal.MatchString(name) {
		return nil, usageError{fmt.Errorf("%q is no fingerprint: want %d or more of its hexadecimal digits; tooltrail findings lists them", name, leastFingerprint)}
	}
	all, err := db.Findings(ctx, store.FindingFilter{Prefix: name, Limit: 2})
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("find finding: there is none whose fingerprint starts with %q", name)
	case len(all) > 1:
		return nil, fmt.Errorf("find finding: more than one fingerprint starts with %q: give more of it", name)
	}
	return &all[0], nil
}

// nextCommands are what to look at and to do about a finding.
func nextCommands(f *finding.Finding) []string {
	var all []string
	s := f.Subject
	if s.Tool != "" && f.Detector == "drift" {
		tool := shellQuote(strings.TrimPrefix(s.Server+"/"+s.Tool, "/"))
		all = append(all, "tooltrail schema show "+tool, "tooltrail tools history "+tool)
	}
	if s.Conversation != "" && f.Detector == "prefix" {
		all = append(all, "tooltrail prefix explain "+shellQuote(s.Conversation))
	}
	if s.Agent != "" {
		all = append(all, "tooltrail findings --agent "+shellQuote(s.Agent))
	} else if s.Tool != "" {
		all = append(all, "tooltrail findings --tool "+shellQuote(s.Tool))
	}
	name := report.ShortFingerprint(f.Fingerprint)
	for _, act := range []struct {
		of   finding.Act
		line string
	}{
		{finding.Acknowledge, "tooltrail findings ack " + name + " --why TEXT"},
		{finding.Mute, "tooltrail findings mute " + name + " --for 7d --why TEXT"},
		{finding.Resolve, "tooltrail findings resolve " + name + " --why TEXT"},
		{finding.Reopen, "tooltrail findings reopen " + name + " --why TEXT"},
	} {
		if f.Life().Refuse(act.of) == "" {
			all = append(all, act.line)
		}
	}
	return all
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// shellQuote writes a word as a shell reads it back.
func shellQuote(word string) string {
	if plainWord.MatchString(word) && !strings.HasPrefix(word, "-") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// errNotAll says that an action was refused for some of the findings, which were named.
var errNotAll = errors.New("not all findings could be changed")
