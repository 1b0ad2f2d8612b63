package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// openAPIFlags are the flags of schema openapi.
type openAPIFlags struct {
	drift.OpenAPIOptions
	server, out string
	serverGiven bool
}

func (p *program) schemaOpenAPICommand() *cobra.Command {
	var o openAPIFlags
	c := &cobra.Command{
		Use:   "openapi [FILE|DIR]",
		Short: "Write an OpenAPI 3.1 document of all active tools",
		Long: `Write an OpenAPI 3.1 document in JSON: POST /tools/SERVER/TOOL a tool, with its input schema as request and its output schema, where it has
one, as answer. The tools are the active versions of the registry, or those of a file. Schemas of all drafts are told as JSON Schema 2020-12;
what can't be told as it was is named on standard error and in the operation's x-tooltrail-notes. The same tools give the same bytes.

` + schemaFilesHelp,
		Args: argCount(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			o.serverGiven = c.Flags().Changed("server")
			return p.schemaOpenAPI(c.Context(), o, args)
		},
	}
	f := c.Flags()
	f.StringVar(&o.server, "server", "", "the tools of this `server` alone; of a file whose tools are of no server, the server they are of")
	f.StringVar(&o.Title, "title", "", "`title` of the document (default Tools)")
	f.StringVar(&o.Version, "api-version", "", "`version` of the document (default the file's release, else a digest of what it says)")
	f.StringVar(&o.out, "out", "", "write to `FILE` and not to standard output")
	return c
}

// errNoTool says that there is nothing to write of.
var errNoTool = errors.New("write OpenAPI: there is no active tool")

func (p *program) schemaOpenAPI(ctx context.Context, o openAPIFlags, args []string) error {
	if err := notOneOf("out", o.out, args); err != nil {
		return err
	}
	docs, err := p.openAPIDocuments(ctx, &o, args)
	if err != nil {
		return err
	}
	if o.serverGiven {
		docs = ofServer(docs, o.server)
	}
	if !slices.ContainsFunc(docs, func(d *drift.Document) bool { return d.Active() != nil }) {
		return errNoTool
	}
	raw, notes, err := drift.OpenAPI(docs, o.OpenAPIOptions)
	if err != nil {
		return err
	}
	for i := range notes {
		_, _ = fmt.Fprintf(p.Err, "tooltrail: %s\n", report.Safe(notes[i].Text()))
	}
	if o.out != "" {
		return writeWhole(o.out, raw, 0o644)
	}
	return p.buffered(func(w io.Writer) { _, _ = w.Write(raw) })
}

// openAPIDocuments reads the registry or a file.
func (p *program) openAPIDocuments(ctx context.Context, o *openAPIFlags, args []string) (docs []*drift.Document, err error) {
	if len(args) == 0 {
		err := p.withBuckets(ctx, func(b *buckets) error {
			docs, err = p.documents(ctx, b)
			return err
		})
		return docs, err
	}
	r, err := readRelease(args[0])
	if err != nil {
		return nil, err
	}
	if o.Version == "" {
		o.Version = r.Name
	}
	if r.Server == "" {
		r.Server = o.server
	}
	docs, bad := documentsOf(r)
	for _, e := range bad {
		_, _ = fmt.Fprintf(p.Err, "tooltrail: %s: %s\n", report.Safe(args[0]), report.Safe(e.Error()))
	}
	if len(docs) == 0 && len(bad) > 0 {
		return nil, fmt.Errorf("read schemas of %s: no tool that can be told", args[0])
	}
	return docs, nil
}

// documentsOf makes the documents of a list's tools, each active. What can't be read is in the errors, with its place.
func documentsOf(r *drift.Release) (docs []*drift.Document, bad []error) {
	at := r.At
	if at.IsZero() {
		at = time.Unix(0, 0)
	}
	for i, raw := range r.Tools {
		t, err := events.ParseTool(raw)
		if err != nil {
			bad = append(bad, fmt.Errorf("tool %d left out: %w", i+1, err))
			continue
		}
		d := drift.NewDocument(drift.Key{Server: r.Server, Tool: t.Name})
		def := &events.ToolDefinition{ToolName: t.Name, Server: r.Server, SchemaVersion: statedVersion(t.Schema), Release: r.Name, Definition: raw}
		if _, err := d.Register(def, "file", at, drift.StateActive); err != nil {
			bad = append(bad, fmt.Errorf("tool %d left out: %w", i+1, err))
			continue
		}
		docs = append(docs, d)
	}
	return docs, bad
}
