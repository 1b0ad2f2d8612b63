package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

// historyOptions are the flags of tools history.
type historyOptions struct {
	toolFlags
	only  string
	limit int
	json  bool
}

func (p *program) toolsHistoryCommand() *cobra.Command {
	var o historyOptions
	c := &cobra.Command{
		Use:   "history [TOOL]",
		Short: "List who disabled, enabled or registered what, when and why, the newest first",
		Long: `List the changes of switches and of the registry, the newest first. NATS keeps the last changes of each tool, ClickHouse all of them;
where ClickHouse is not reached, it says so and lists what NATS has.

` + toolNameHelp,
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(oneOf("only", o.only, []string{"switch", "registry"}), checkLimit(o.limit)); err != nil {
				return err
			}
			return p.toolsHistory(c.Context(), o, args)
		},
	}
	o.add(c, -1, 0)
	c.Flags().StringVar(&o.only, "only", "", "list only changes of this `kind`: switch or registry")
	c.Flags().IntVar(&o.limit, "limit", 100, "list at most this `number`")
	c.Flags().BoolVar(&o.json, "json", false, "print as JSON")
	return c
}

func (p *program) toolsHistory(ctx context.Context, o historyOptions, args []string) error {
	name, _ := o.take(args)
	return p.withBuckets(ctx, func(b *buckets) error {
		f := changeFilter{limit: o.limit}
		if name != (toolName{}) {
			tool, err := p.switchable(ctx, b, name, true)
			if err != nil {
				return err
			}
			f.tool = &tool
		}
		if o.only != "registry" {
			f.buckets = append(f.buckets, b.breaker)
		}
		if o.only != "switch" {
			f.buckets = append(f.buckets, b.registry)
		}
		all, err := p.toolChanges(ctx, f)
		if err != nil {
			return err
		}
		return p.printChanges(all, f, o.json)
	})
}

func (p *program) printChanges(all []events.ToolChange, f changeFilter, asJSON bool) error {
	more := len(all) > f.limit
	all = all[:min(len(all), f.limit)]
	if asJSON {
		return p.printJSON(notNil(all))
	}
	style := report.StyleOf(p.Out, p.Getenv)
	if len(all) == 0 {
		return report.Note(p.Out, "No changes.", style)
	}
	if err := report.ChangeList(p.Out, all, f.tool == nil, style); err != nil {
		return fmt.Errorf("print changes: %w", err)
	}
	return p.sayMore(more, f.limit)
}

// changeFilter chooses changes; a nil tool is all tools.
type changeFilter struct {
	tool    *drift.Key
	buckets []*stream.Bucket
	limit   int
}

// toolChanges collects changes from the buckets and from ClickHouse, each once, the newest first: one more than the limit where there
// are more.
func (p *program) toolChanges(ctx context.Context, f changeFilter) ([]events.ToolChange, error) {
	var all []events.ToolChange
	for _, b := range f.buckets {
		kept, err := bucketChanges(ctx, b, f.tool)
		if err != nil {
			return nil, err
		}
		all = append(all, kept...)
	}
	stored, err := p.storedChanges(ctx, f)
	if err != nil {
		_, _ = fmt.Fprintf(p.Err, "tooltrail: ClickHouse is not reached, so only the last changes of each tool are listed: %s\n", report.Safe(err.Error()))
	}
	all = foldChanges(newestFirst(append(all, stored...)))
	return all[:min(len(all), f.limit+1)], nil
}

// newestFirst sorts changes, each once.
func newestFirst(all []events.ToolChange) []events.ToolChange {
	slices.SortStableFunc(all, func(a, b events.ToolChange) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Bucket, b.Bucket), cmp.Compare(b.Epoch, a.Epoch), cmp.Compare(b.Revision, a.Revision), cmp.Compare(a.Key, b.Key))
	})
	type id struct {
		bucket, epoch, key string
		revision           uint64
	}
	seen := map[id]bool{}
	all = slices.DeleteFunc(all, func(c events.ToolChange) bool {
		at := id{c.Bucket, c.Epoch, c.Key, c.Revision}
		again := seen[at]
		seen[at] = true
		return again
	})
	return all
}

// foldedRevisions is how many revisions of switches are read for each that is listed: one decision of the breaker makes up to three.
const foldedRevisions = 4

// storedChanges reads changes from ClickHouse.
func (p *program) storedChanges(ctx context.Context, f changeFilter) ([]events.ToolChange, error) {
	var out []events.ToolChange
	err := p.withStore(ctx, func(db *store.DB) error {
		for _, b := range f.buckets {
			asked := store.ToolChangeFilter{Bucket: b.Name(), Limit: f.limit + 1}
			if b.Name() == stream.BreakerBucket { // switches are small, and some are folded into others
				asked.Documents, asked.Limit = true, foldedRevisions*(f.limit+1)
			}
			if f.tool != nil {
				asked.Server, asked.Tool = &f.tool.Server, f.tool.Tool
			}
			found, err := db.ToolChanges(ctx, asked)
			if err != nil {
				return err
			}
			out = append(out, found...)
		}
		return nil
	})
	return out, err
}

// bucketChanges reads the revisions that a bucket still has, of one tool or of all.
func bucketChanges(ctx context.Context, b *stream.Bucket, tool *drift.Key) ([]events.ToolChange, error) {
	epoch, err := b.Epoch(ctx)
	if err != nil {
		return nil, err
	}
	var entries []stream.Entry
	if tool == nil {
		entries, err = wholeHistory(ctx, b)
	} else {
		entries, err = toolHistory(ctx, b, *tool)
	}
	if err != nil {
		return nil, err
	}
	var out []events.ToolChange
	for i := range entries {
		names, ok := stream.SplitKey(entries[i].Key)
		if !ok || len(names) < 2 {
			continue // not a tool's
		}
		c := readChange(b.Name(), entries[i])
		c.Epoch, c.Server, c.Tool = epoch, names[0], names[1]
		if len(names) > 2 {
			c.Agent = names[2]
		}
		out = append(out, c)
	}
	return out, nil
}

// toolHistory returns the revisions of a tool's key, and of those for single agents.
func toolHistory(ctx context.Context, b *stream.Bucket, tool drift.Key) ([]stream.Entry, error) {
	own, err := keyOf(tool)
	if err != nil {
		return nil, err
	}
	keys, err := b.Keys(ctx)
	if err != nil {
		return nil, err
	}
	keys = slices.DeleteFunc(keys, func(k string) bool { return !strings.HasPrefix(k, own+".") })
	var out []stream.Entry
	for _, key := range append(keys, own) {
		entries, err := b.History(ctx, key)
		if err != nil && !errors.Is(err, stream.ErrNoKey) {
			return nil, err
		}
		out = append(out, entries...)
	}
	return out, nil
}

// readChange says what a revision did.
func readChange(bucket string, e stream.Entry) events.ToolChange {
	c := events.ToolChange{Bucket: bucket, Key: e.Key, Revision: e.Revision, At: e.At.UTC(), Action: events.ToolChangeUnreadable}
	switch {
	case e.Deleted:
		c.Action = events.ToolChangeDeleted
	case bucket == stream.BreakerBucket:
		if s, err := drift.DecodeSwitch(e.Value); err == nil && s != nil {
			c.Action, c.Version, c.ChangedBy, c.Reason = string(s.State), s.Version, s.By, s.Reason
			c.Document = string(e.Value)
		}
	default:
		var d struct {
			Edit drift.Edit `json:"edit"`
		}
		if err := json.Unmarshal(e.Value, &d); err == nil {
			c.Action, c.Version, c.ChangedBy, c.Reason = string(d.Edit.Action), d.Edit.Version, d.Edit.By, d.Edit.Reason
		}
	}
	return c
}

// wholeHistory returns all revisions that a bucket has.
func wholeHistory(ctx context.Context, b *stream.Bucket) ([]stream.Entry, error) {
	outer := ctx
	ctx, done := context.WithCancel(ctx)
	defer done()
	var w oneLook
	w.done = done
	var failed error
	b.Watch(ctx, &w, stream.WatchOptions{History: true}, func(err error) {
		failed = err
		done()
	})
	return w.all, cmp.Or(failed, context.Cause(outer))
}

// oneLook ends a watch when it has what is there.
type oneLook struct {
	all  []stream.Entry
	done func()
}

// Whole takes what is in the bucket.
func (o *oneLook) Whole(all []stream.Entry) {
	o.all = all
	o.done()
}

// Changed has no more to say.
func (o *oneLook) Changed(stream.Entry) {}
