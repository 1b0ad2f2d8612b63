package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
)

// schemaEdit is one command that changes a tool's document.
type schemaEdit struct {
	use, short, long string
	// least and most are how many arguments come after TOOL.
	least, most int
	// flags declares further flags, where there are any.
	flags func(c *cobra.Command)
	// check refuses what can't be before anything is asked of a server, where there is anything to check.
	check func(args [2]string) error
	// change edits the document; args come after TOOL, an absent one is empty.
	change func(d *drift.Document, args [2]string, e drift.Edit) (bool, error)
	// show says more of what was done, where there is more to say.
	show func(w io.Writer, was, is *drift.Document)
}

// schemaEditCommands are the commands that change one document and need no more than that.
func (p *program) schemaEditCommands() []*cobra.Command {
	edits := []schemaEdit{
		{
			use: "activate TOOL VERSION", short: "Make a version the one that calls should use", least: 1, most: 1, show: writeActivated,
			long: `Make a version the active one and the former one legacy, and list what changes for calls. A retired version can be activated again.
From then on people decide which version is active: definitions seen in events become legacy at most, until schema follow.`,
			change: func(d *drift.Document, a [2]string, e drift.Edit) (bool, error) { return d.Activate(a[0], e) },
		},
		{
			use: "retire TOOL VERSION", short: "End a version: a call that fits only it is invalid from then on", least: 1, most: 1,
			change: func(d *drift.Document, a [2]string, e drift.Edit) (bool, error) {
				changed, err := d.Retire(a[0], e)
				if v := d.Active(); err != nil && v != nil && v.Version == a[0] {
					err = fmt.Errorf("%w; schema remove takes the whole tool out of the registry", err)
				}
				return changed, err
			},
		},
		{
			use: "fallback TOOL [VERSION]", short: "Choose the version of calls that name none and fit several", most: 1,
			long:   `Choose the version of calls that name none and fit several. Without VERSION it is the oldest again.`,
			change: func(d *drift.Document, a [2]string, e drift.Edit) (bool, error) { return d.SetFallback(a[0], e) },
		},
		{
			use: "follow TOOL", short: "Leave it to definitions seen in events again which version is active",
			long: `Leave it to definitions seen in events again: the next one with a schema not seen before becomes the active version. Until then
nothing changes.`,
			change: func(d *drift.Document, _ [2]string, e drift.Edit) (bool, error) { return d.Follow(e) },
		},
		{
			use: "owner TOOL [OWNER]", short: "Say whose tool it is; without OWNER, nobody's", most: 1,
			change: func(d *drift.Document, a [2]string, e drift.Edit) (bool, error) { return d.SetOwner(a[0], e) },
		},
	}
	out := make([]*cobra.Command, len(edits))
	for i := range edits {
		out[i] = p.schemaEditCommand(edits[i])
	}
	return out
}

func (p *program) schemaEditCommand(s schemaEdit) *cobra.Command {
	var tool toolFlags
	var o editOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   s.use,
		Short: s.short,
		Long:  strings.TrimSpace(s.long + "\n\n" + toolNameHelp),
		RunE: func(c *cobra.Command, args []string) error {
			name, rest := tool.take(args)
			return p.schemaEdit(c.Context(), s, name, rest, o, asJSON)
		},
	}
	tool.add(c, s.least, s.most)
	o.flags(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print what became of it as JSON")
	if s.flags != nil {
		s.flags(c)
	}
	return c
}

// schemaEdited is what a command made of a document, as JSON.
type schemaEdited struct {
	Changed bool `json:"changed"`
	toolSummary
}

func (p *program) schemaEdit(ctx context.Context, s schemaEdit, name toolName, args []string, o editOptions, asJSON bool) error {
	edit, err := p.edit(o)
	if err != nil {
		return err
	}
	var a [2]string
	copy(a[:], args)
	if s.check != nil {
		if err := s.check(a); err != nil {
			return err
		}
	}
	return p.withBuckets(ctx, func(b *buckets) error {
		k, err := b.findTool(ctx, name)
		if err != nil {
			return err
		}
		was, is, changed, err := b.changeDocument(ctx, k, func(d *drift.Document) (bool, error) { return s.change(d, a, edit) })
		if err != nil {
			return err
		}
		if asJSON {
			return p.printJSON(schemaEdited{changed, summaryOf(is)})
		}
		if changed {
			p.warnMigrations(was, is)
		}
		return p.buffered(func(w io.Writer) {
			if s.show != nil && changed {
				s.show(w, was, is)
			}
			writeEdited(w, is, changed)
		})
	})
}

// warnMigrations says where a change of the active version leaves calls of old versions without a migration.
func (p *program) warnMigrations(was, is *drift.Document) {
	if was == nil || was.Active() == nil || is.Active() == nil || was.Active().Version == is.Active().Version {
		return
	}
	before, now := was.Active().Version, is.Active().Version
	leads := func(to string) bool {
		return slices.ContainsFunc(is.Migrations, func(m drift.Migration) bool { return m.To == to })
	}
	if leads(before) && !leads(now) {
		_, _ = fmt.Fprintf(p.Err, "tooltrail: migrations lead to %s, which was active, and none to %s: calls of old versions are not migrated any more\n",
			report.Safe(before), report.Safe(now))
	}
}

// writeActivated says what a version that becomes the active one ends and changes.
func writeActivated(w io.Writer, was, is *drift.Document) {
	if was != nil && was.Canary != nil && is.Canary == nil {
		_, _ = fmt.Fprintf(w, "this ends the canary of %s\n", report.Safe(was.Canary.Version))
	}
	writeMove(w, was, is)
}

// writeEdited says how a document stands after an edit.
func writeEdited(w io.Writer, d *drift.Document, changed bool) {
	text := d.Key().String() + ": " + standing(d)
	if !changed {
		text += " (nothing changed)"
	}
	_, _ = fmt.Fprintln(w, report.Safe(text))
}

// standing says which versions a tool has and what they are.
func standing(d *drift.Document) string {
	var all []string
	for i := range d.Versions {
		v := &d.Versions[i]
		text := v.Version + " " + string(v.State)
		if v.State == drift.StateCanary && d.Canary != nil {
			text += " for " + report.Percent(d.Canary.Share) + " of conversations"
		}
		all = append(all, text)
	}
	text := strings.Join(all, ", ")
	if d.FallbackVersion != "" {
		text += "; calls that name no version are of " + d.FallbackVersion
	}
	if d.Owner != "" {
		text += "; owner " + d.Owner
	}
	if !d.Managed {
		text += "; the newest definition seen becomes active"
	}
	return text
}

// writeMove lists what the change of the active version does to calls.
func writeMove(w io.Writer, was, is *drift.Document) {
	if was == nil || was.Active() == nil || is.Active() == nil || was.Active().SchemaDigest == is.Active().SchemaDigest {
		return
	}
	c, err := compareTools(was.Active().Definition, is.Active().Definition, drift.CompareOptions{Aliases: is.Renames})
	if err != nil {
		_, _ = fmt.Fprintf(w, "%s\n", report.Safe(err.Error()))
		return
	}
	writeComparison(w, c)
}
