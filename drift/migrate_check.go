package drift

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// CheckMigration reports what is wrong with a migration between two versions of the document, see [Document.AddMigration].
func (d *Document) CheckMigration(m Migration) error {
	if err := m.check(""); err != nil {
		return err
	}
	was, is, err := d.ends(m)
	if err != nil {
		return err
	}
	return m.checkPaths(was, is)
}

// ends compiles the two versions of a migration.
func (d *Document) ends(m Migration) (was, is *Schema, err error) {
	if was, err = d.compile(m.From, "/from"); err != nil {
		return nil, nil, err
	}
	is, err = d.compile(m.To, "/to")
	return was, is, err
}

func (d *Document) compile(version, at string) (*Schema, error) {
	v := d.Version(version)
	if v == nil {
		return nil, wrongAt(at, "there is no version %q", short(version))
	}
	return Compile(v.Definition)
}

// Rehearsal is what a migration does to a call that was made up by the old schema, see [Schema.Example].
type Rehearsal struct {
	Before, After jsontext.Value
	// Err is why it can't be migrated, or [ErrNoExample] where no call could be made up.
	Err error
}

// Rehearse tries a migration on a call with the least arguments that the old schema wants. A migration can be right and fail here, where
// it maps only the values that calls really have: it is for people to look at.
func (d *Document) Rehearse(m Migration) (Rehearsal, error) {
	was, is, err := d.ends(m)
	if err != nil {
		return Rehearsal{}, err
	}
	r := Rehearsal{}
	if r.Before, r.Err = was.Example(); r.Err != nil {
		return r, nil
	}
	v := Versions{Active: Version{Name: m.To, Schema: is}, Migrations: []Migration{m}}
	done, err := v.Migrate(m.From, r.Before)
	r.After, r.Err = done.Arguments, err
	return r, nil
}

// checkPaths follows what the steps do to what the old schema's calls can have.
func (m *Migration) checkPaths(was, is *Schema) error {
	var made []string
	for i, s := range m.Steps {
		at := "/steps/" + strconv.Itoa(i)
		if !s.known() {
			return wrongAt(at+"/op", "%q is no operation of this program", short(string(s.Op)))
		}
		if s.Op == OpDefault {
			made = append(made, s.Path)
			continue
		}
		if !touches(made, s.Path) && was.lacks(parts(s.Path)) {
			return wrongAt(at+"/path", "version %s has no such argument", m.From)
		}
		made = without(made, s.Path)
		if s.Op == OpRename || s.Op == OpMove {
			made = append(made, s.To)
		}
	}
	for _, path := range made {
		if is.lacks(parts(path)) {
			return wrongAt("", "version %s has no argument %s", m.To, path)
		}
	}
	return nil
}

// touches reports that a path is one of those made, or below or above one.
func touches(made []string, path string) bool {
	for _, p := range made {
		if p == path || strings.HasPrefix(path, p+"/") || strings.HasPrefix(p, path+"/") {
			return true
		}
	}
	return false
}

// without takes out what is at a path or below it.
func without(made []string, path string) []string {
	var out []string
	for _, p := range made {
		if p != path && !strings.HasPrefix(p, path+"/") {
			out = append(out, p)
		}
	}
	return out
}

// lacks reports that a schema surely has no argument at a path: where it can't be known, it has.
func (s *Schema) lacks(path []string) bool {
	at := []*jsonschema.Schema{s.root}
	for _, part := range path {
		all := closure(at)
		if len(all) == 0 || isFree(all) && !listsItems(all) {
			return false
		}
		at = nil
		for _, in := range all {
			at = append(at, appliedTo(in, part)...)
			if i, err := strconv.Atoi(part); err == nil && i >= 0 {
				at = append(at, appliedAt(in, i)...)
			} else if part == "*" {
				at = append(at, appliedAt(in, 0)...)
			}
		}
		if len(at) == 0 {
			return true
		}
	}
	return false
}

// listsItems reports that schemas say what an array's items are.
func listsItems(all []*jsonschema.Schema) bool {
	for _, s := range all {
		if len(appliedAt(s, 0)) > 0 {
			return true
		}
	}
	return false
}
