package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
)

func (p *program) canaryStatusCommand() *cobra.Command {
	var tool toolFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "status [TOOL]",
		Short: "Say how the canaries that are under way fare beside the active versions",
		Long:  toolNameHelp,
		RunE: func(c *cobra.Command, args []string) error {
			name, _ := tool.take(args)
			return p.canaryStatus(c.Context(), name, asJSON)
		},
	}
	tool.add(c, -1, 0)
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

// shownCanary is a canary as JSON.
type shownCanary struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Active is the version that the other conversations use.
	Active string `json:"active"`
	*drift.Canary
}

func (p *program) canaryStatus(ctx context.Context, name toolName, asJSON bool) error {
	return p.withBuckets(ctx, func(b *buckets) error {
		all, err := p.canaries(ctx, b, name)
		if err != nil {
			return err
		}
		if asJSON {
			return p.printJSON(notNil(all))
		}
		if len(all) == 0 {
			return report.Note(p.Out, "No canary is under way.", report.StyleOf(p.Out, p.Getenv))
		}
		return p.buffered(func(w io.Writer) {
			for i := range all {
				writeCanary(w, &all[i])
			}
		})
	})
}

// canaries lists the canaries of all tools, or that of one.
func (p *program) canaries(ctx context.Context, b *buckets, name toolName) ([]shownCanary, error) {
	var docs []*drift.Document
	var err error
	if name == (toolName{}) {
		docs, err = p.documents(ctx, b)
	} else {
		var d *drift.Document
		d, err = b.document(ctx, name)
		docs = append(docs, d)
	}
	if err != nil {
		return nil, err
	}
	docs = slices.DeleteFunc(docs, func(d *drift.Document) bool { return d.Canary == nil })
	var out []shownCanary
	for _, d := range docs {
		s := shownCanary{Server: d.Server, Tool: d.Tool, Canary: d.Canary}
		if v := d.Active(); v != nil {
			s.Active = v.Version
		}
		out = append(out, s)
	}
	return out, nil
}

func writeCanary(w io.Writer, c *shownCanary) {
	text := fmt.Sprintf("%s: %s beside %s, for %s of conversations since %s by %s, hash key %s", drift.Key{Server: c.Server, Tool: c.Tool},
		c.Version, c.Active, report.Percent(c.Share), c.StartedAt.UTC().Format(time.RFC3339), c.StartedBy, c.HashKey)
	_, _ = fmt.Fprintln(w, report.Safe(text))
}
