package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// registerOptions are the flags of schema register.
type registerOptions struct {
	editOptions
	server, version, owner string
	// tool names a bare schema.
	tool, state  string
	dryRun, json bool
	// replace lets a version have another schema than it has.
	replace bool
}

func (p *program) schemaRegisterCommand() *cobra.Command {
	var o registerOptions
	c := &cobra.Command{
		Use:   "register FILE|DIR...",
		Short: "Register definitions, and say what changed",
		Long: `Register definitions and list what changed of each tool, with its class. A definition that is as it was changes nothing. One that can't
be compiled is named with its place and left out; the others are registered all the same, and the status is 1.

A definition's version is --schema-version, else what the const of its argument schema_version says, else it is named by its schema: schema-
and 12 digits. A version that has another schema is left as it is (status 3), unless --replace says so. From then on people decide which version of the tool is active, until schema follow.

` + schemaFilesHelp,
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return errNoDefinitions
			}
			return nil
		},
		RunE: func(c *cobra.Command, files []string) error {
			if err := oneOf("state", o.state, []string{string(drift.StateActive), string(drift.StateLegacy)}); err != nil {
				return err
			}
			return p.schemaRegister(c.Context(), o, files)
		},
	}
	o.flags(c.Flags())
	c.Flags().StringVar(&o.server, "server", "", "`name` of the tools' server, where the file says none or another one")
	c.Flags().StringVar(&o.version, "schema-version", "", "the schema `version` of all of them")
	c.Flags().StringVar(&o.tool, "tool", "", "`name` of the tool, where a file holds a bare schema")
	c.Flags().BoolVar(&o.replace, "replace", false, "let a version that has another schema take the new one")
	c.Flags().StringVar(&o.owner, "owner", "", "whose tools they are")
	c.Flags().StringVar(&o.state, "state", string(drift.StateActive), "`state` they get: active, or legacy for a version that is to be tried first")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would change and change nothing")
	c.Flags().BoolVar(&o.json, "json", false, "print as JSON")
	return c
}

// registered is what became of one definition.
type registered struct {
	File    string      `json:"file"`
	Server  string      `json:"server"`
	Tool    string      `json:"tool"`
	Version string      `json:"version,omitzero"`
	State   drift.State `json:"state,omitzero"`
	// Change is added, changed, unchanged or refused.
	Change string `json:"change"`
	// Against is the version that it is compared with.
	Against    string            `json:"against,omitzero"`
	Comparison *drift.Comparison `json:"comparison,omitzero"`
	Error      string            `json:"error,omitzero"`
	// replaces says that it is refused since its version has another schema.
	replaces bool
}

// Changes of a definition that is registered.
const (
	changeAdded     = "added"
	changeChanged   = "changed"
	changeUnchanged = "unchanged"
	changeRefused   = "refused"
)

// errNoDefinitions says that there is nothing to register.
var errNoDefinitions = errors.New("name at least one file or directory of definitions")

// errReplaces says that a version would get another schema under the same name.
var errReplaces = errors.New("the version has another schema now: raise --schema-version, or let it take this one with --replace")

// errRefused says that some definitions were not registered.
var errRefused = errors.New("not registered")

func (p *program) schemaRegister(ctx context.Context, o registerOptions, files []string) error {
	edit, err := p.edit(o.editOptions)
	if err != nil {
		return err
	}
	defs, all := p.readDefinitions(files, o)
	err = p.withBuckets(ctx, func(b *buckets) error {
		r := registrar{b: b, o: o, edit: edit, trial: map[drift.Key]*drift.Document{}}
		for i := range defs {
			done, err := r.register(ctx, &defs[i])
			if err != nil {
				return err
			}
			all = append(all, done)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.sayRegistered(all, o)
}

// sayRegistered prints what became of all definitions.
func (p *program) sayRegistered(all []registered, o registerOptions) error {
	counts := map[string]int64{}
	for i := range all {
		counts[all[i].Change]++
		if all[i].Change == changeRefused && !o.json {
			_, _ = fmt.Fprintf(p.Err, "tooltrail: %s\n", report.Safe(refusalText(&all[i])))
		}
	}
	var err error
	if o.json {
		err = p.printJSON(notNil(all))
	} else {
		err = p.buffered(func(w io.Writer) {
			for i := range all {
				writeRegistered(w, &all[i])
			}
			dry := ""
			if o.dryRun {
				dry = "dry run: "
			}
			_, _ = fmt.Fprintf(w, "%s%s: %d added, %d changed, %d unchanged, %d refused\n", dry, report.Plural(int64(len(all)), "definition"),
				counts[changeAdded], counts[changeChanged], counts[changeUnchanged], counts[changeRefused])
		})
	}
	if n := counts[changeRefused]; err == nil && n > 0 {
		if !slices.ContainsFunc(all, func(r registered) bool { return r.Change == changeRefused && !r.replaces }) {
			return errFindings
		}
		err = fmt.Errorf("%s %w", report.Plural(n, "definition"), errRefused)
	}
	return err
}

func refusalText(r *registered) string {
	if r.Tool == "" {
		return r.File + ": " + r.Error
	}
	return r.File + ": " + drift.Key{Server: r.Server, Tool: r.Tool}.String() + ": " + r.Error
}

func writeRegistered(w io.Writer, r *registered) {
	if r.Change == changeUnchanged || r.Change == changeRefused {
		return
	}
	what := r.Change
	if r.Comparison != nil {
		what = string(r.Comparison.Class)
	}
	text := fmt.Sprintf("%-12s  %s %s %s", what, drift.Key{Server: r.Server, Tool: r.Tool}, r.Version, r.State)
	if r.Against != "" && r.Against != r.Version {
		text += ", was " + r.Against
	}
	_, _ = fmt.Fprintln(w, report.Safe(text))
	if r.Comparison != nil {
		writeChanges(w, r.Comparison)
	}
}

// registrar registers one definition after the other.
type registrar struct {
	b    *buckets
	o    registerOptions
	edit drift.Edit
	// trial holds the documents as a dry run would leave them.
	trial map[drift.Key]*drift.Document
}

// register registers one definition. What is wrong with the definition is in the result, what is wrong with NATS is the error.
func (r *registrar) register(ctx context.Context, d *definition) (registered, error) {
	out := registered{File: d.file, Server: d.def.Server, Tool: d.def.ToolName}
	var refused error
	was, is, changed, err := r.change(ctx, d.key(), func(doc *drift.Document) (changed bool, err error) {
		changed, refused = r.into(doc, d)
		return changed && refused == nil, refused
	})
	if refused == nil && (errors.Is(err, drift.ErrDocument) || errors.Is(err, stream.ErrTooLarge)) {
		refused = err
	}
	switch {
	case refused != nil:
		out.Change, out.Error, out.replaces = changeRefused, refused.Error(), errors.Is(refused, errReplaces)
	case err != nil:
		return out, err
	case !changed:
		out.Change = changeUnchanged
	default:
		out.describe(was, is)
	}
	return out, nil
}

// into puts a definition into a document. One that another follows is kept as legacy where it is new, so that no agent sees it as active
// in between.
func (r *registrar) into(doc *drift.Document, d *definition) (bool, error) {
	state := drift.State(r.o.state)
	if d.earlier {
		if d.isKnown(doc) {
			return false, nil
		}
		state = drift.StateLegacy
	}
	if err := r.checkReplaced(doc, d); err != nil {
		return false, err
	}
	changed, err := doc.Register(&d.def, r.edit.By, r.edit.At, state)
	if err != nil {
		return false, err
	}
	if !changed {
		if r.o.owner == "" || doc.Owner == r.o.owner {
			return false, nil
		}
		return doc.SetOwner(r.o.owner, r.edit)
	}
	doc.Edit.Reason = r.edit.Reason
	if r.o.owner != "" {
		doc.Owner = r.o.owner
	}
	return true, doc.Validate()
}

// checkReplaced refuses a definition whose version has another schema already. What was seen, by a snapshot, is taken as events are.
func (r *registrar) checkReplaced(doc *drift.Document, d *definition) error {
	v := doc.Version(d.def.SchemaVersion)
	if v == nil || v.SchemaDigest == d.def.SchemaDigest || r.o.replace || r.o.state == "" || r.edit.At.Equal(v.RegisteredAt) {
		return nil
	}
	return fmt.Errorf("%s: %w", v.Version, errReplaces)
}

// change edits a document in the bucket, or in memory for a dry run.
func (r *registrar) change(ctx context.Context, k drift.Key, edit documentEdit) (was, is *drift.Document, changed bool, err error) {
	if !r.o.dryRun {
		return r.b.changeDocument(ctx, k, edit)
	}
	was, err = r.tried(ctx, k)
	if err != nil {
		return nil, nil, false, err
	}
	is = drift.NewDocument(k)
	if was != nil {
		is = was.Clone()
	}
	if changed, err = edit(is); changed && err == nil {
		r.trial[k] = is
	}
	return was, is, changed, err
}

// describe says what registering changed.
func (r *registered) describe(was, is *drift.Document) {
	v := is.Version(is.Edit.Version)
	if v == nil { // the owner alone
		r.Change = changeChanged
		return
	}
	r.Version, r.State, r.Change = v.Version, v.State, changeChanged
	if was == nil {
		r.Change = changeAdded
		return
	}
	before := was.Version(v.Version)
	if before == nil || before.DefinitionDigest == v.DefinitionDigest {
		before = newest(was)
	}
	if before == nil || before.DefinitionDigest == v.DefinitionDigest {
		return
	}
	r.Against = before.Version
	if c, err := compareTools(before.Definition, v.Definition, drift.CompareOptions{Aliases: is.Renames}); err == nil {
		r.Comparison = c
	}
}
