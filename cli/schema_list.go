package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
)

func (p *program) schemaListCommand() *cobra.Command {
	var server string
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the tools of the registry with their versions",
		Args:  argCount(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			var only *string
			if c.Flags().Changed("server") {
				only = &server
			}
			return p.schemaList(c.Context(), only, asJSON)
		},
	}
	c.Flags().StringVar(&server, "server", "", "only the tools of this server; an empty `name` is an agent's own tools")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON, without the definitions")
	return c
}

// schemaList lists all tools, or those of one server.
func (p *program) schemaList(ctx context.Context, server *string, asJSON bool) error {
	return p.withBuckets(ctx, func(b *buckets) error {
		all, err := p.documents(ctx, b)
		if err != nil {
			return err
		}
		if server != nil {
			all = slices.DeleteFunc(all, func(d *drift.Document) bool { return d.Server != *server })
		}
		if asJSON {
			out := make([]toolSummary, len(all))
			for i, d := range all {
				out[i] = summaryOf(d)
			}
			return p.printJSON(out)
		}
		style := report.StyleOf(p.Out, p.Getenv)
		if len(all) == 0 {
			return report.Note(p.Out, "No tools are registered.", style)
		}
		if err := report.RegistryList(p.Out, all, style); err != nil {
			return fmt.Errorf("print registry: %w", err)
		}
		return nil
	})
}
