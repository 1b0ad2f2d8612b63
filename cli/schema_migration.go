package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
)

const migrationHelp = `FILE holds one migration or a list of them as JSON:

  {"from": "v1", "to": "v2", "steps": [
    {"op": "rename", "path": "/amount", "to": "/quantity"},
    {"op": "default", "path": "/unit", "value": "each"},
    {"op": "drop", "path": "/note"},
    {"op": "map", "path": "/size", "values": {"S": "small"}},
    {"op": "move", "path": "/street", "to": "/address/street"}]}

Clients apply it to the arguments of calls of the old version before the tool runs, and check the result.`

func (p *program) schemaMigrationCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use:   "migration",
		Short: "Bring the arguments of old calls to a new version",
	})
	c.AddCommand(p.migrationAddCommand(), p.migrationRemoveCommand(), p.migrationListCommand())
	return c
}

func (p *program) migrationAddCommand() *cobra.Command {
	var migrations []drift.Migration
	var force bool
	return p.schemaEditCommand(schemaEdit{
		use: "add TOOL FILE", short: "Add migrations to a tool, in place of those from and to the same versions", long: migrationHelp, least: 1, most: 1,
		flags: func(c *cobra.Command) {
			c.Flags().BoolVar(&force, "force", false, "add them also where the new version does not take what they make of the smallest old call")
		},
		check: func(a [2]string) (err error) {
			migrations, err = readMigrations(a[0])
			return err
		},
		change: func(d *drift.Document, a [2]string, e drift.Edit) (bool, error) {
			for i := range migrations {
				if _, err := d.AddMigration(migrations[i], e); err != nil {
					return false, fmt.Errorf("read migration %d of %s: %w", i+1, a[0], err)
				}
				if _, text, fits := trial(d, &migrations[i]); !fits && !force {
					return false, fmt.Errorf("add migration %d of %s: %s: %w", i+1, a[0], text, errNoFit)
				}
			}
			return true, nil
		},
		show: func(w io.Writer, _, is *drift.Document) {
			for i := range migrations {
				writeMigration(w, &migrations[i])
				writeTrial(w, is, &migrations[i])
			}
		},
	})
}

// errNoFit says that a migration leads to arguments that the new version refuses.
var errNoFit = errors.New("nothing was added; --force adds it all the same")

// writeTrial says what becomes of the smallest call of the old version, where one can be made.
func writeTrial(w io.Writer, d *drift.Document, m *drift.Migration) {
	if made, text, _ := trial(d, m); made {
		_, _ = fmt.Fprintf(w, "  %s\n", report.Safe(text))
	}
}

// trial applies a migration to the smallest call of the old version: made says that one could be made, and fits that the new version
// takes what becomes of it, as far as can be known.
func trial(d *drift.Document, m *drift.Migration) (made bool, text string, fits bool) {
	was, is := d.Version(m.From), d.Version(m.To)
	if was == nil || is == nil {
		return false, "", true
	}
	old, err := drift.Compile(was.Definition)
	if err != nil {
		return false, "", true
	}
	call, err := old.Example()
	if err != nil {
		return false, "", true
	}
	text = "for instance " + string(call)
	after, err := m.Apply(call)
	if err != nil { // of a call that was made up: real ones may have other values
		return true, text + ": " + err.Error(), true
	}
	text += " becomes " + string(after)
	now, err := drift.Compile(is.Definition)
	if err != nil {
		return true, text, true
	}
	if v := now.Classify(after); v.Drifted() {
		return true, text + ", which " + m.To + " does not take: " + verdictText(&v), false
	}
	return true, text, true
}

// verdictText says why a call does not fit.
func verdictText(v *drift.Verdict) string {
	var all []string
	for _, e := range v.Errors {
		all = append(all, e.Keyword+" at "+orRoot(e.Path))
	}
	for _, name := range v.Unknown {
		all = append(all, name+" is not known")
	}
	return strings.Join(all, ", ")
}

func (p *program) migrationRemoveCommand() *cobra.Command {
	return p.schemaEditCommand(schemaEdit{
		use: "remove TOOL FROM TO", short: "Remove the migration from one version to another", least: 2, most: 2,
		change: func(d *drift.Document, a [2]string, e drift.Edit) (bool, error) {
			return d.RemoveMigration(a[0], a[1], e)
		},
	})
}

var errNoMigration = errors.New("no migration: want an object with from, to and steps, or a list of them")

// readMigrations reads a file; the error names what it can't read.
func readMigrations(path string) ([]drift.Migration, error) {
	raw, err := readWhole(path)
	if err != nil {
		return nil, err
	}
	value, err := jsontext.NewDecoder(bytes.NewReader(raw)).ReadValue()
	if err != nil {
		return nil, fmt.Errorf("read %s: not JSON %s", path, drift.SyntaxPlace(raw, err))
	}
	var all []drift.Migration
	if value.Kind() == jsontext.KindBeginObject {
		all = make([]drift.Migration, 1)
		err = json.Unmarshal(raw, &all[0])
	} else {
		err = json.Unmarshal(raw, &all)
	}
	var at *json.SemanticError
	switch {
	case errors.As(err, &at):
		return nil, fmt.Errorf("read %s: %s: %w", path, orRoot(string(at.JSONPointer)), errNoMigration)
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case len(all) == 0:
		return nil, fmt.Errorf("read %s: %w", path, errNoMigration)
	}
	return all, nil
}

func (p *program) migrationListCommand() *cobra.Command {
	var tool toolFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "list TOOL",
		Short: "List the migrations of a tool",
		Long:  toolNameHelp,
		RunE: func(c *cobra.Command, args []string) error {
			name, _ := tool.take(args)
			return p.migrationList(c.Context(), name, asJSON)
		},
	}
	tool.add(c, 0, 0)
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON, as migration add reads it")
	return c
}

func (p *program) migrationList(ctx context.Context, name toolName, asJSON bool) error {
	return p.withBuckets(ctx, func(b *buckets) error {
		d, err := b.document(ctx, name)
		if err != nil {
			return err
		}
		if asJSON {
			return p.printJSON(notNil(d.Migrations))
		}
		if len(d.Migrations) == 0 {
			return report.Note(p.Out, d.Key().String()+" has no migrations.", report.StyleOf(p.Out, p.Getenv))
		}
		return p.buffered(func(w io.Writer) {
			for i := range d.Migrations {
				writeMigration(w, &d.Migrations[i])
			}
		})
	})
}

func writeMigration(w io.Writer, m *drift.Migration) {
	_, _ = fmt.Fprintf(w, "%s -> %s\n", report.Safe(m.From), report.Safe(m.To))
	for i := range m.Steps {
		s := &m.Steps[i]
		text := fmt.Sprintf("%-8s %s", s.Op, s.Path)
		if s.To != "" {
			text += " -> " + s.To
		}
		if len(s.Value) > 0 {
			text += " = " + string(s.Value)
		}
		if len(s.Values) > 0 {
			values, err := json.Marshal(s.Values, json.Deterministic(true))
			if err == nil {
				text += " " + string(values)
			}
		}
		_, _ = fmt.Fprintf(w, "  %s\n", report.Safe(text))
	}
}
