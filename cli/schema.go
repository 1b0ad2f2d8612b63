package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tooltrail/tooltrail/drift"
)

// schemaOptions are the flags that the schema commands share.
type schemaOptions struct {
	json, github bool
	aliases      string
	tools        string
	failOn       string
}

func (o *schemaOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.json, "json", false, "print as JSON")
	f.BoolVar(&o.github, "github", false, "print as annotations of GitHub Actions")
	f.StringVar(&o.aliases, "aliases", "", "JSON `FILE` with the former and present names of arguments, as {\"old\":\"new\"}")
	f.StringVar(&o.tools, "tool-aliases", "", "JSON `FILE` with the former and present names of tools, as {\"old\":\"new\"}")
}

// list reads the alias tables.
func (o *schemaOptions) list() (drift.ListOptions, error) {
	if o.json && o.github {
		return drift.ListOptions{}, usageError{errors.New("--json and --github: want one of them")}
	}
	var out drift.ListOptions
	for path, table := range map[string]*map[string]string{o.aliases: &out.Aliases, o.tools: &out.Tools} {
		if path == "" {
			continue
		}
		raw, err := readWhole(path)
		if err != nil {
			return out, err
		}
		if err := json.Unmarshal(raw, table); err != nil {
			return out, fmt.Errorf("read aliases %s: want an object of strings", path)
		}
	}
	return out, nil
}

func (p *program) schemaCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use:   "schema",
		Short: "Keep tool schemas in the registry, and compare them: what changed, and what it does to calls",
	})
	p.set.runningFlags(c.PersistentFlags())
	c.AddCommand(p.schemaDiffCommand(), p.schemaChangelogCommand(), p.schemaCheckCommand(),
		p.schemaRegisterCommand(), p.schemaListCommand(), p.schemaShowCommand(), p.schemaMigrationCommand(), p.schemaCanaryCommand(),
		p.schemaSnapshotCommand(), p.schemaOpenAPICommand(), p.schemaRemoveCommand())
	c.AddCommand(p.schemaEditCommands()...)
	return c
}

const schemaFilesHelp = `A FILE holds a bare input schema, a tool definition of any API, a list of definitions, {"tools": [...]}, or releases one a line.
FILE@RELEASE takes one release of several, FILE alone the last. A directory is one list: all of its .json files.`

const schemaRegistryHelp = `registry:SERVER/TOOL is the active version of a tool in the registry of the running tooltrail, registry:SERVER/TOOL@VERSION another one,
and registry:SERVER the active versions of all tools of a server. A file of such a name is ./registry:NAME.`

func (p *program) schemaDiffCommand() *cobra.Command {
	var o schemaOptions
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "List every change between two schemas, definitions or lists of tools, and whether it breaks calls",
		Long: `List every change with its path, as breaking, non-breaking or unknown: do old calls stay valid, and mean the same? A call that the
new schema refuses is shown where one can be made. Renames are hints with their evidence, unless an alias table says so.

` + schemaFilesHelp + "\n" + schemaRegistryHelp,
		Args: argCount(2, 2),
		RunE: func(c *cobra.Command, args []string) error { return p.schemaDiff(c.Context(), o, args[0], args[1]) },
	}
	o.flags(c.Flags())
	c.Flags().StringVar(&o.failOn, "fail-on", "none", "exit with status 3 on changes of this `class`: none, breaking or unknown (which includes breaking)")
	return c
}

func (p *program) schemaDiff(ctx context.Context, o schemaOptions, before, after string) error {
	if o.failOn != "none" && o.failOn != "breaking" && o.failOn != "unknown" {
		return usageError{fmt.Errorf("--fail-on %q: want none, breaking or unknown", o.failOn)}
	}
	lo, err := o.list()
	if err != nil {
		return err
	}
	was, err := p.readSource(ctx, before, nil)
	if err != nil {
		return err
	}
	is, err := p.readSource(ctx, after, nil)
	if err != nil {
		return err
	}
	c, err := compareReleases(was.release, is.release, lo)
	if err != nil {
		return err
	}
	switch {
	case o.json:
		err = p.printJSON(c)
	case o.github:
		err = p.buffered(func(w io.Writer) { annotateList(w, c, after, "error") })
	default:
		err = p.buffered(func(w io.Writer) { writeList(w, c) })
	}
	if err != nil {
		return err
	}
	if o.failOn != "none" && c.Class == drift.Breaking || o.failOn == "unknown" && c.Class == drift.UnknownClass {
		return errFindings
	}
	return nil
}

// compareReleases compares two lists; one tool each is compared whatever their names.
func compareReleases(was, is *drift.Release, o drift.ListOptions) (*drift.ListComparison, error) {
	if len(was.Tools) != 1 || len(is.Tools) != 1 {
		return compareLists(was.Tools, is.Tools, o)
	}
	c, err := compareTools(was.Tools[0], is.Tools[0], o.CompareOptions)
	if err != nil {
		return nil, err
	}
	out := &drift.ListComparison{Class: c.Class, Before: 1, After: 1}
	for i := range c.Changes {
		if c.Changes[i].Kind == "name_changed" {
			out.Class = drift.Breaking
		}
	}
	if len(c.Changes) > 0 {
		out.Changed = []drift.Comparison{*c}
	}
	return out, nil
}

func (p *program) schemaChangelogCommand() *cobra.Command {
	var o schemaOptions
	c := &cobra.Command{
		Use:   "changelog FILE",
		Short: "Write a changelog in Markdown from the releases in a file",
		Long: `Write what changed from release to release, the newest first: date, kind, what, and what the version number hides: a breaking change
without a new major version, a changed schema without a new version, and other definitions under a release that was seen before.
FILE has one release a line, the oldest first, as schema snapshot --file writes them: {"release": "v1.0.0", "server": "shop", "tools": [...]}.

` + schemaFilesHelp,
		Args: argCount(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return p.schemaChangelog(o, args[0]) },
	}
	o.flags(c.Flags())
	return c
}

func (p *program) schemaChangelog(o schemaOptions, path string) error {
	lo, err := o.list()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil && isRegistry(path) {
		return usageError{errors.New("changelog: the registry keeps versions and no releases: want a file of releases; tools history TOOL lists what was done to a tool")}
	}
	releases, err := readReleases(path)
	if err != nil {
		return err
	}
	log, err := drift.NewChangelog(releases, lo)
	if err != nil {
		return fmt.Errorf("write changelog of %s: %w", path, err)
	}
	switch {
	case o.json:
		return p.printJSON(log)
	case o.github:
		return p.buffered(func(w io.Writer) { annotateFlags(w, log, path) })
	}
	return log.Markdown(p.Out)
}

// buffered prints what write writes.
func (p *program) buffered(write func(w io.Writer)) error {
	w := bufio.NewWriter(p.Out)
	write(w)
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print changes: %w", err)
	}
	return nil
}
