package drift

import (
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

func itoa(i int) string { return strconv.Itoa(i) }

// CheckMigration reports what is wrong with a migration between two versions of the document, see [Document.AddMigration].
func (d *Document) CheckMigration(m Migration) error {
	if err := m.check(""); err != nil {
		return err
	}
	old, now := d.Version(m.From), d.Version(m.To)
	if old == nil {
		return wrongAt("/from", "there is no version %q", short(m.From))
	}
	if now == nil {
		return wrongAt("/to", "there is no version %q", short(m.To))
	}
	was, err := Compile(old.Definition)
	if err != nil {
		return err
	}
	is, err := Compile(now.Definition)
	if err != nil {
		return err
	}
	return m.checkPaths(was, is)
}

// checkPaths follows what the steps do to what the old schema's calls can have.
func (m *Migration) checkPaths(was, is *Schema) error {
	var made []string
	for i, s := range m.Steps {
		at := "/steps/" + itoa(i)
		if !s.known() {
			return wrongAt(at+"/op", "%q is no operation of this program", short(string(s.Op)))
		}
		if s.Op == OpDefault {
			made = append(made, s.Path)
			continue
		}
		if !within2(made, s.Path) && was.lacks(parts(s.Path)) {
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

// within2 reports that a path is one of those made, or below or above one.
func within2(made []string, path string) bool {
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
