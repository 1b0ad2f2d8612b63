package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// showOptions are the flags of schema show.
type showOptions struct {
	toolFlags
	version string
	json    bool
}

func (p *program) schemaShowCommand() *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use:   "show TOOL",
		Short: "Show all that the registry knows of a tool",
		Long: `Show all that the registry knows of a tool: its versions with their digests, the canary, migrations, renamed arguments, what was done to
it as far as NATS has it (tools history has all), and what a schema_version argument costs in tokens, estimated. With --version, that
version and its definition.

` + toolNameHelp,
		RunE: func(c *cobra.Command, args []string) error { return p.schemaShow(c.Context(), o, args) },
	}
	o.add(c, 0, 0)
	c.Flags().StringVar(&o.version, "version", "", "show this `version` alone, with its definition")
	c.Flags().BoolVar(&o.json, "json", false, "print as JSON, with the definitions")
	return c
}

// shownTool is a document as JSON, with what follows from it.
type shownTool struct {
	*drift.Document
	// Fallback is the version of calls that name none and fit several.
	Fallback string `json:"fallback"`
	// VersionArgument is what the argument schema_version costs or would cost, by version; a version without an object as schema has none.
	VersionArgument map[string]argumentCost `json:"version_argument"`
	History         []events.ToolChange     `json:"history"`
}

// argumentCost is [drift.VersionCost] as JSON.
type argumentCost struct {
	DefinitionTokens int `json:"definition_tokens"`
	CallTokens       int `json:"call_tokens"`
}

func (p *program) schemaShow(ctx context.Context, o showOptions, args []string) error {
	name, _ := o.take(args)
	return p.withBuckets(ctx, func(b *buckets) error {
		d, err := b.document(ctx, name)
		if err != nil {
			return err
		}
		if o.version != "" {
			return p.showVersion(d, o)
		}
		k := d.Key()
		history, err := bucketChanges(ctx, b.registry, &k)
		if err != nil {
			return err
		}
		history = foldChanges(newestFirst(history))
		if o.json {
			return p.printJSON(shownTool{d, d.Fallback(), argumentCosts(d), notNil(history)})
		}
		if err := p.buffered(func(w io.Writer) { writeDocument(w, d) }); err != nil {
			return err
		}
		return report.ChangeList(p.Out, history, false, report.StyleOf(p.Out, p.Getenv))
	})
}

func argumentCosts(d *drift.Document) map[string]argumentCost {
	out := map[string]argumentCost{}
	for i := range d.Versions {
		v := &d.Versions[i]
		if c, err := drift.VersionArgumentCost(v.Definition, v.Version); err == nil {
			out[v.Version] = argumentCost(c)
		}
	}
	return out
}

// showVersion prints one version with its definition.
func (p *program) showVersion(d *drift.Document, o showOptions) error {
	v, err := versionOf(d, o.version)
	if err != nil {
		return err
	}
	if o.json {
		return p.printJSON(v)
	}
	definition := v.Definition.Clone()
	_ = definition.Indent(jsontext.WithIndent("  ")) // what is no JSON is shown as it is
	return p.buffered(func(w io.Writer) {
		writeVersion(w, v)
		_, _ = fmt.Fprintf(w, "\n%s\n", safeLines(definition))
	})
}

// field prints one field of a tool or a version.
func field(w io.Writer, name, text string) {
	if text != "" {
		_, _ = fmt.Fprintf(w, "%-12s  %s\n", name, report.Safe(text))
	}
}

func writeDocument(w io.Writer, d *drift.Document) {
	field(w, "server", d.Server)
	field(w, "tool", d.Tool)
	field(w, "owner", d.Owner)
	decides := "the newest definition seen becomes active"
	if d.Managed {
		decides = "people decide which version is active"
	}
	field(w, "managed", decides)
	fallback := d.Fallback()
	if d.FallbackVersion == "" && fallback != "" {
		fallback += " (nobody chose one)"
	}
	field(w, "fallback", fallback)
	if c := d.Canary; c != nil {
		field(w, "canary", fmt.Sprintf("%s for %s of conversations since %s by %s, hash key %s", c.Version, report.Percent(c.Share), c.StartedAt.UTC().Format(time.RFC3339), c.StartedBy, c.HashKey))
	}
	if len(d.Renames) > 0 {
		renames, err := json.Marshal(d.Renames, json.Deterministic(true))
		if err == nil {
			field(w, "renames", string(renames))
		}
	}
	for i := range d.Versions {
		_, _ = fmt.Fprintln(w)
		writeVersion(w, &d.Versions[i])
	}
	if len(d.Migrations) > 0 {
		_, _ = fmt.Fprintln(w, "\nmigrations")
	}
	for i := range d.Migrations {
		writeMigration(w, &d.Migrations[i])
	}
	_, _ = fmt.Fprintln(w)
}

func writeVersion(w io.Writer, v *drift.VersionEntry) {
	field(w, "version", v.Version)
	field(w, "state", string(v.State)+" since "+v.Since.UTC().Format(time.RFC3339))
	field(w, "release", v.Release)
	field(w, "registered", v.RegisteredAt.UTC().Format(time.RFC3339)+" by "+v.RegisteredBy)
	field(w, "schema", v.SchemaDigest)
	field(w, "definition", v.DefinitionDigest)
	field(w, "wire", v.WireDigest)
	for _, r := range v.Replaced {
		field(w, "before", "definition "+r.DefinitionDigest+", schema "+r.SchemaDigest+", until "+r.Until.UTC().Format(time.RFC3339))
	}
	if c, err := drift.VersionArgumentCost(v.Definition, v.Version); err == nil {
		verb := "would cost"
		if statedVersion(schemaOf(v)) == v.Version {
			verb = "costs"
		}
		field(w, "tokens", fmt.Sprintf("a schema_version argument %s about %d in the definition and %d in each call", verb, c.DefinitionTokens, c.CallTokens))
	}
}

// schemaOf is the input schema of a version; nil where there is none.
func schemaOf(v *drift.VersionEntry) jsontext.Value {
	t, err := events.ParseTool(v.Definition)
	if err != nil {
		return nil
	}
	return t.Schema
}
