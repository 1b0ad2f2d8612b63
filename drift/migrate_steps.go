package drift

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxStepValue bounds a value that a step puts into arguments, in bytes.
const maxStepValue = 4 << 10

// maxStepValues is how many values a map lists.
const maxStepValues = 256

// check reports what is wrong with a migration by itself. Versions that it names are checked by the document.
func (m *Migration) check(at string) error {
	switch {
	case m.From == m.To:
		return wrongAt(at+"/to", "the same version as from")
	case len(m.Steps) == 0 && len(m.More) == 0:
		return wrongAt(at+"/steps", "missing")
	case len(m.Steps) > MaxSteps:
		return wrongAt(at+"/steps", "%d steps, want %d at most", len(m.Steps), MaxSteps)
	}
	if err := checkText(at, string(m.More), maxMoreBytes); err != nil {
		return err
	}
	for i := range m.Steps {
		if err := m.Steps[i].check(at + "/steps/" + strconv.Itoa(i)); err != nil {
			return err
		}
	}
	return nil
}

// check reports what is wrong with a step. One of a newer program, with another operation, is kept.
func (s *Step) check(at string) error {
	if err := checkText(at, string(s.More), maxMoreBytes); err != nil {
		return err
	}
	if !s.known() {
		return checkText(at+"/op", string(s.Op), MaxVersionName)
	}
	if err := checkPath(at+"/path", s.Path); err != nil {
		return err
	}
	switch s.Op {
	case OpRename, OpMove:
		return s.checkTo(at + "/to")
	case OpDefault:
		return checkStepValue(at+"/value", s.Value)
	case OpMap:
		return s.checkValues(at + "/values")
	}
	return nil
}

// known reports that this program can apply the step.
func (s *Step) known() bool {
	switch s.Op {
	case OpRename, OpMove, OpDefault, OpDrop, OpMap:
		return len(s.More) == 0
	}
	return false
}

func checkPath(at, path string) error {
	switch {
	case path == "":
		return wrongAt(at, "missing")
	case len(path) > maxPointer:
		return wrongAt(at, "%d bytes, want %d at most", len(path), maxPointer)
	case !jsontext.Pointer(path).IsValid():
		return wrongAt(at, "no JSON pointer")
	}
	return nil
}

func (s *Step) checkTo(at string) error {
	if err := checkPath(at, s.To); err != nil {
		return err
	}
	from, to := parts(s.Path), parts(s.To)
	parent := len(from) - 1
	switch {
	case s.Path == s.To:
		return wrongAt(at, "the same as path")
	case s.Op == OpRename && (len(to) != len(from) || !slices.Equal(from[:parent], to[:parent])):
		return wrongAt(at, "a rename stays in its object: use move")
	case s.Op == OpMove && strings.HasPrefix(s.To, s.Path+"/"):
		return wrongAt(at, "below itself")
	case s.Op == OpMove && (slices.Contains(from, "*") || slices.Contains(to, "*")):
		return wrongAt(at, "a move has no part *")
	}
	return nil
}

func checkStepValue(at string, value jsontext.Value) error {
	switch {
	case len(value) == 0:
		return wrongAt(at, "missing")
	case len(value) > maxStepValue:
		return wrongAt(at, "%d bytes, want %d at most", len(value), maxStepValue)
	case !value.IsValid():
		return wrongAt(at, "not JSON")
	}
	return nil
}

func (s *Step) checkValues(at string) error {
	if len(s.Values) == 0 || len(s.Values) > maxStepValues {
		return wrongAt(at, "%d values, want 1 to %d", len(s.Values), maxStepValues)
	}
	for was, now := range s.Values {
		at := at + "/" + escapePointer(short(was))
		if err := checkText(at, was, maxStepValue); err != nil {
			return err
		}
		if err := checkStepValue(at, now); err != nil {
			return err
		}
	}
	return nil
}

// apply does a step at every place that its path leads to.
func (s *Step) apply(t *tree) error {
	if !s.known() {
		return stepError("", "written for a newer program")
	}
	if err := s.check(""); err != nil {
		return stepError("", err.Error())
	}
	path := parts(s.Path)
	last := path[len(path)-1]
	for _, p := range t.places(path[:len(path)-1]) {
		if err := s.applyAt(t, p, last); err != nil {
			return err
		}
	}
	return nil
}

func stepError(path, reason string) error { return &MigrationError{Path: path, Reason: reason} }

func (s *Step) applyAt(t *tree, p spot, name string) error {
	i := p.in.at(name)
	if (i < 0) != (s.Op == OpDefault) {
		return nil
	}
	switch s.Op {
	case OpRename:
		to := parts(s.To)
		return p.rename(t, i, to[len(to)-1])
	case OpMove:
		return t.move(p, i, parts(s.To))
	case OpDefault:
		return p.put(t, name, s.Value)
	case OpDrop:
		p.in.members = slices.Delete(p.in.members, i, i+1)
	case OpMap:
		return p.translate(t, i, s.Values)
	}
	return nil
}

// grow pays for bytes that are added.
func (t *tree) grow(path string, n int) error {
	if t.left -= max(n, 0); t.left < 0 {
		return &MigrationError{Path: path, Reason: "the result is too long", err: ErrLimit}
	}
	return nil
}

func (p spot) at(name string) string { return p.path + "/" + escapePointer(name) }

func (p spot) rename(t *tree, i int, to string) error {
	if p.in.at(to) >= 0 {
		return stepError(p.at(to), "there is a value already")
	}
	was := p.in.members[i].name
	p.in.members[i].name = to
	return t.grow(p.at(to), len(to)-len(was))
}

func (p spot) put(t *tree, name string, raw jsontext.Value) error {
	value, err := readLeaf(jsontext.NewDecoder(strings.NewReader(string(raw))), DefaultLimits().ArgumentDepth)
	if err != nil {
		return stepError(p.at(name), err.Error())
	}
	p.in.members = append(p.in.members, member{name, value})
	return t.grow(p.at(name), len(name)+len(raw))
}

// translate replaces a scalar by what the table has for it.
func (p spot) translate(t *tree, i int, values map[string]jsontext.Value) error {
	m := &p.in.members[i]
	text, ok := m.value.text()
	raw, listed := values[text]
	if !ok || !listed {
		return nil
	}
	value, err := readLeaf(jsontext.NewDecoder(strings.NewReader(string(raw))), DefaultLimits().ArgumentDepth)
	if err != nil {
		return stepError(p.at(m.name), err.Error())
	}
	m.value = value
	return t.grow(p.at(m.name), len(raw))
}

// move takes a member out and puts it where another path leads, making the objects on the way.
func (t *tree) move(p spot, i int, to []string) error {
	into := spot{t.root, ""}
	for _, part := range to[:len(to)-1] {
		next := into.below(part)
		if len(next) == 0 {
			if into.in.kind != '{' {
				return stepError(into.at(part), "there is no such place, and none can be made")
			}
			made := &leaf{kind: '{'}
			into.in.members = append(into.in.members, member{part, made})
			if err := t.grow(into.at(part), len(part)); err != nil {
				return err
			}
			next = []spot{{made, into.at(part)}}
		}
		into = next[0]
	}
	name := to[len(to)-1]
	switch {
	case into.in.kind != '{':
		return stepError(into.path, "no object")
	case into.in.at(name) >= 0:
		return stepError(into.at(name), "there is a value already")
	}
	moved := p.in.members[i].value
	p.in.members = slices.Delete(p.in.members, i, i+1)
	into.in.members = append(into.in.members, member{name, moved})
	return t.grow(into.at(name), len(name))
}
