package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

func (p *program) schemaRemoveCommand() *cobra.Command {
	var tool toolFlags
	var o editOptions
	c := &cobra.Command{
		Use:   "remove TOOL",
		Short: "Take a tool out of the registry, with all of its versions",
		Long: `Take a tool out of the registry, with all of its versions. Its calls are judged by no schema from then on. What was done to it stays in
the history. Where agents or a snapshot still send its definition, the next one brings the tool back, with that version alone; to end one
version and keep the tool, see retire.

` + toolNameHelp,
		RunE: func(c *cobra.Command, args []string) error {
			name, _ := tool.take(args)
			return p.schemaRemove(c.Context(), name, o)
		},
	}
	tool.add(c, 0, 0)
	o.flags(c.Flags())
	return c
}

// schemaRemove says in the document who removes it and why, and takes its key away.
func (p *program) schemaRemove(ctx context.Context, name toolName, o editOptions) error {
	edit, err := p.edit(o)
	if err != nil {
		return err
	}
	return p.withBuckets(ctx, func(b *buckets) error {
		k, err := b.findTool(ctx, name)
		if err != nil {
			return err
		}
		versions, err := b.removeDocument(ctx, k, edit)
		if err != nil {
			return fmt.Errorf("remove %s: %w", k, err)
		}
		text := fmt.Sprintf("%s is removed, with %s; its history stays. A definition of it that is seen again brings it back.", k, report.Plural(int64(versions), "version"))
		if _, err := fmt.Fprintln(p.Out, report.Safe(text)); err != nil {
			return fmt.Errorf("print what was done: %w", err)
		}
		return nil
	})
}

// actionRemove is what the last edit of a document says before its key is taken away: a key that is gone says nothing of who did it.
const actionRemove drift.Action = "remove"

// removeDocument takes a tool's document away and returns how many versions it had. One that can't be read goes too.
func (b *buckets) removeDocument(ctx context.Context, k drift.Key, edit drift.Edit) (versions int, err error) {
	key, err := keyOf(k)
	if err != nil {
		return 0, err
	}
	edit.Action = actionRemove
	revision, err := b.registry.Change(ctx, key, func(old []byte) ([]byte, error) {
		d, err := drift.DecodeDocument(old)
		if old == nil || err != nil {
			return nil, nil //nolint:nilerr // nothing to say it in: the key is taken away all the same
		}
		versions, d.Edit = len(d.Versions), edit
		return d.Encode()
	})
	if err != nil {
		return 0, err
	}
	err = b.registry.Delete(ctx, key, revision)
	if errors.Is(err, stream.ErrChanged) {
		err = fmt.Errorf("%w: try again", err)
	}
	return versions, err
}
