package drift

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// ErrMigration is in the chain of every error for a migration that can't be applied, or whose result is not valid.
var ErrMigration = errors.New("arguments can't be migrated")

// ErrNoMigration is in the chain of the error when no migrations lead from a version to the active one.
var ErrNoMigration = errors.New("no migration leads there")

// MigrationError says what stopped a migration. It quotes no argument value.
type MigrationError struct {
	// Migration is the migration's name, such as v1-to-v2, and Step the index of its step; -1 is no single step.
	Migration string
	Step      int
	// Path is a JSON pointer into the arguments.
	Path   string
	Reason string
	// Errors and Unknown are where the result does not fit the target version.
	Errors  []events.ValidationError
	Unknown []string
	err     error
}

// Error names the migration, the step and the place.
func (e *MigrationError) Error() string {
	text := "migrate " + e.Migration
	if e.Step >= 0 {
		text += fmt.Sprintf(": step %d", e.Step)
	}
	if e.Path != "" {
		text += ": " + short(e.Path)
	}
	return text + ": " + e.Reason
}

// Unwrap returns [ErrMigration] and what lies behind it, such as [ErrLimit].
func (e *MigrationError) Unwrap() []error {
	if e.err == nil {
		return []error{ErrMigration}
	}
	return []error{ErrMigration, e.err}
}

// Name is what an event says of the migration, such as v1-to-v2.
func (m *Migration) Name() string { return migrationName(m.From, m.To) }

func migrationName(from, to string) string { return from + "-to-" + to }

// Apply returns the arguments that the steps make of a call's arguments. Members that no step touches keep their order and their exact
// text. It never overwrites a value. The error is a [*MigrationError]. The result is not validated, see [Versions.Migrate].
func (m *Migration) Apply(args jsontext.Value) (jsontext.Value, error) {
	tree, err := readTree(args, DefaultLimits())
	if err != nil {
		return nil, &MigrationError{Migration: m.Name(), Step: -1, Reason: err.Error(), err: err}
	}
	if err := m.apply(tree); err != nil {
		return nil, err
	}
	return tree.encode(), nil
}

// apply does the steps on a tree.
func (m *Migration) apply(t *tree) error {
	if len(m.More) > 0 || len(m.Steps) > MaxSteps {
		return &MigrationError{Migration: m.Name(), Step: -1, Reason: "written for a newer program"}
	}
	for i := range m.Steps {
		if err := m.Steps[i].apply(t); err != nil {
			var at *MigrationError
			if errors.As(err, &at) {
				at.Migration, at.Step = m.Name(), i
			}
			return err
		}
	}
	return nil
}

// Migrated are arguments that were brought to another version.
type Migrated struct {
	Arguments jsontext.Value
	From, To  string
	// Name is what the event says, such as v1-to-v3, however many migrations it took.
	Name string
}

// Migrate brings the arguments of a call of a version to the active one, by the shortest chain of migrations, and validates the result:
// it fits the active schema and has no name that it does not know. A schema_version argument that claims the old version claims the
// active one then, or goes where the active schema has no such argument. The error has [ErrNoMigration] in its chain, or is a
// [*MigrationError]; a call keeps its arguments then.
func (v *Versions) Migrate(version string, args jsontext.Value) (Migrated, error) {
	out := Migrated{From: version, To: v.Active.Name, Name: migrationName(version, v.Active.Name)}
	chain := v.chain(version)
	if len(chain) == 0 || v.Active.Schema == nil {
		return Migrated{}, fmt.Errorf("migrate %s: %w", short(out.Name), ErrNoMigration)
	}
	tree, err := readTree(args, v.Active.Schema.limits)
	if err != nil {
		return Migrated{}, &MigrationError{Migration: out.Name, Step: -1, Reason: err.Error(), err: err}
	}
	for _, m := range chain {
		if err := m.apply(tree); err != nil {
			return Migrated{}, err
		}
	}
	tree.claim(version, v.Active)
	out.Arguments = tree.encode()
	if err := v.Active.accepts(out.Name, out.Arguments); err != nil {
		return Migrated{}, err
	}
	return out, nil
}

// accepts holds migrated arguments against the version they are for.
func (v *Version) accepts(name string, args jsontext.Value) error {
	failed := func(reason string, err error) error {
		return &MigrationError{Migration: name, Step: -1, Reason: reason, err: err}
	}
	a, err := ParseArguments(args, v.Schema.limits)
	if err != nil {
		return failed("the result can't be read", err)
	}
	invalid, err := v.Schema.Validate(a)
	if err != nil {
		return failed("the result is too much to check", err)
	}
	unknown := v.Schema.unknownNames(a.doc)
	if len(invalid) == 0 && len(unknown) == 0 {
		return nil
	}
	e := &MigrationError{Migration: name, Step: -1, Errors: invalid, Unknown: unknown, Reason: "the result has names that version " + short(v.Name) + " does not know"}
	if len(invalid) > 0 {
		e.Path, e.Reason = invalid[0].Path, "the result does not fit version "+short(v.Name)+" ("+invalid[0].Keyword+")"
	}
	return e
}

// CanMigrate reports whether migrations lead from a version to the active one.
func (v *Versions) CanMigrate(version string) bool { return len(v.chain(version)) > 0 }

// chain finds the shortest chain of migrations from a version to the active one; of several it is the one whose migrations were added
// first.
func (v *Versions) chain(from string) []*Migration {
	if from == "" || from == v.Active.Name {
		return nil
	}
	came := map[string]*Migration{from: nil}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		for i := range v.Migrations {
			m := &v.Migrations[i]
			if _, seen := came[m.To]; seen || m.From != todo[0] {
				continue
			}
			came[m.To] = m
			if m.To == v.Active.Name {
				return chainTo(came, m)
			}
			todo = append(todo, m.To)
		}
	}
	return nil
}

// chainTo follows the way back from a chain's last migration.
func chainTo(came map[string]*Migration, last *Migration) []*Migration {
	var chain []*Migration
	for m := last; m != nil; m = came[m.From] {
		chain = append(chain, m)
	}
	slices.Reverse(chain)
	return chain
}

// AddMigration adds a migration, or puts it in the place of the one with the same ends. Both versions must be there, each path must be
// one that the old schema or an earlier step can have, and each member that the steps make one that the new schema can have, where that
// can be known.
func (d *Document) AddMigration(m Migration, e Edit) (changed bool, err error) {
	return d.edit(ActionAddMigration, m.To, e, func(n *Document) (bool, error) {
		if err := n.CheckMigration(m); err != nil {
			return false, err
		}
		i := slices.IndexFunc(n.Migrations, func(o Migration) bool { return o.From == m.From && o.To == m.To })
		if i < 0 {
			n.Migrations = append(n.Migrations, m)
			return true, nil
		}
		n.Migrations[i] = m
		return true, nil
	})
}

// RemoveMigration takes a migration out.
func (d *Document) RemoveMigration(from, to string, e Edit) (changed bool, err error) {
	return d.edit(ActionRemoveMigration, to, e, func(n *Document) (bool, error) {
		was := len(n.Migrations)
		n.Migrations = slices.DeleteFunc(n.Migrations, func(m Migration) bool { return m.From == from && m.To == to })
		if len(n.Migrations) == was {
			return false, wrongAt("", "there is no migration %s", short(migrationName(from, to)))
		}
		return true, nil
	})
}

// parts takes a JSON pointer apart; "" has none.
func parts(pointer string) []string {
	if pointer == "" {
		return nil
	}
	list := strings.Split(pointer[1:], "/")
	for i, p := range list {
		list[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return list
}
