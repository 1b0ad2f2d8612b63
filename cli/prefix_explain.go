package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store"
)

// explainOptions are the flags of prefix explain.
type explainOptions struct {
	reading           readOptions
	files             []string
	json, breaks, all bool
}

func (p *program) prefixExplainCommand() *cobra.Command {
	var o explainOptions
	c := &cobra.Command{
		Use:   "explain [CONVERSATION]",
		Short: "Show a conversation's requests, one a line: which broke the prompt cache, why, and what it cost",
		Long: `Show a conversation's requests, one a line, in order: what was read from the prompt cache, what should have been (what the request before had
left there), the verdict and what was lost. - is what was not recorded. Breaks are marked with !, and below them stands what changed, what made it change, and what the provider itself says. What happened
between requests (tools loaded, lists of tools that changed) is marked with ~. Like requests in a row are one line; --all shows each.

The conversation is one that a running tooltrail has stored, or one in --file. The start of its id will do. Of files that hold one conversation no id
is needed. docs/prefix.md explains the verdicts.`,
		Example: `  tooltrail prefix explain 0f3c2a
  tooltrail prefix explain --file ~/.claude/projects/my-project/0f3c2a.jsonl --breaks`,
		Args: argCount(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return p.prefixExplain(c.Context(), o, id)
		},
	}
	f := c.Flags()
	p.set.runningFlags(f)
	p.set.pricesFlag(f)
	p.set.settingsFlag(f)
	f.StringArrayVar(&o.files, "file", nil, "judge the requests in this `file`, and ask no running tooltrail; may be given more than once")
	o.reading.formatFlags(f)
	f.BoolVar(&o.breaks, "breaks", false, "only the breaks, each below the request that it was compared with")
	f.BoolVar(&o.all, "all", false, "one line for each request, also for like ones in a row")
	f.BoolVar(&o.json, "json", false, "print as JSON, with every request")
	return c
}

func (p *program) prefixExplain(ctx context.Context, o explainOptions, id string) error {
	var t *report.Timeline
	var err error
	switch {
	case len(o.files) > 0:
		t, err = p.explainFiles(ctx, o, id)
	case id == "":
		return usageError{errors.New("have no conversation, want: explain CONVERSATION, or --file FILE")}
	default:
		t, err = p.explainStored(ctx, id)
	}
	if err != nil {
		return err
	}
	if o.json {
		return p.printJSON(t)
	}
	s := report.StyleOf(p.Out, p.Getenv)
	s.All = o.all
	return p.buffered(func(w io.Writer) { _ = report.WriteTimeline(w, t, o.breaks, s) }) // the writer keeps its error
}

// explainFiles judges a conversation of some files in process.
func (p *program) explainFiles(ctx context.Context, o explainOptions, id string) (*report.Timeline, error) {
	an, err := p.set.analyzer()
	if err != nil {
		return nil, err
	}
	rec, err := p.record(ctx, o.reading, o.files)
	if err != nil {
		return nil, err
	}
	conversations := rec.Conversations(an.Prefix.MaxGroup)
	found := make([]foundConversation, len(conversations))
	for i := range conversations {
		reqs := conversations[i].Requests
		found[i] = foundConversation{ID: conversations[i].ID, Requests: uint64(len(reqs)), Latest: reqs[len(reqs)-1].StartTime}
	}
	at, err := chooseConversation(found, id)
	if err != nil {
		return nil, err
	}
	c := &conversations[at]
	return report.NewTimeline(c.ID, c.Requests, rec.Judge(c, an.Prefix), c.Happenings), nil
}

// explainStored judges a conversation as it is stored.
func (p *program) explainStored(ctx context.Context, id string) (t *report.Timeline, err error) {
	cfg, err := p.runningAnalyzer()
	if err != nil {
		return nil, err
	}
	err = p.withStore(ctx, func(db *store.DB) error {
		if id, err = findConversation(ctx, db, id); err != nil {
			return err
		}
		reqs, happenings, err := prefix.ReadConversation(ctx, db, id)
		if err != nil {
			return err
		}
		s := cfg.Prefix
		if s.Known, err = prefix.ReadKnown(ctx, db); err != nil {
			return err
		}
		t = report.NewTimeline(id, reqs, prefix.Judge(reqs, s, happenings...), happenings)
		return nil
	})
	return t, err
}

// findConversation completes the start of a stored conversation's id.
func findConversation(ctx context.Context, db *store.DB, id string) (string, error) {
	found, err := listConversations(ctx, db, id, true)
	if err != nil {
		return "", err
	}
	if i := slices.IndexFunc(found, func(c foundConversation) bool { return c.ID == id }); i >= 0 {
		return id, nil
	}
	switch len(found) {
	case 1:
		return found[0].ID, nil
	case 0:
	default:
		return "", severalConversations(id, found)
	}
	near, err := listConversations(ctx, db, id, false)
	if err != nil {
		return "", err
	}
	recent, err := listConversations(ctx, db, "", true)
	if err != nil {
		return "", err
	}
	return "", unknownConversation(id, near, recent)
}

// chooseConversation finds a conversation by its id or the start of it, and without an id the only one.
func chooseConversation(all []foundConversation, id string) (int, error) {
	if len(all) == 0 {
		return 0, errors.New("find conversation: the files have no model requests")
	}
	var begin []foundConversation
	at := 0
	for i := range all {
		if all[i].ID == id && (id != "" || len(all) == 1) {
			return i, nil
		}
		if hasStart(all[i].ID, id) {
			begin, at = append(begin, all[i]), i
		}
	}
	switch {
	case len(begin) == 1:
		return at, nil
	case len(begin) > 1:
		return 0, severalConversations(id, newestConversations(begin))
	}
	var near []foundConversation
	for i := range all {
		if holds(all[i].ID, id) {
			near = append(near, all[i])
		}
	}
	return 0, unknownConversation(id, newestConversations(near), newestConversations(all))
}

func newestConversations(all []foundConversation) []foundConversation {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b foundConversation) int { return b.Latest.Compare(a.Latest) })
	return all
}

func severalConversations(id string, all []foundConversation) error {
	if id == "" {
		return usageError{fmt.Errorf("the files have %s, want the id of one: %s", manyConversations(len(all)), listIDs(all))}
	}
	return usageError{fmt.Errorf("%s begin with %s: %s", manyConversations(len(all)), quoteID(id), listIDs(all))}
}

func unknownConversation(id string, near, recent []foundConversation) error {
	switch {
	case len(recent) == 0:
		return fmt.Errorf("find conversation %s: no model requests are stored", quoteID(id))
	case len(near) > 0:
		return fmt.Errorf("find conversation %s: there is none; its text is in the ids of %s", quoteID(id), listIDs(near))
	}
	return fmt.Errorf("find conversation %s: there is none; the latest are %s", quoteID(id), listIDs(recent))
}
