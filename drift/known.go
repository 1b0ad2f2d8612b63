package drift

import (
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// argument is what a schema says of one argument by its name.
type argument struct {
	types      []string
	hasDefault bool
}

// argumentsOf lists the arguments that a schema names at the top.
func argumentsOf(root *jsonschema.Schema) map[string]argument {
	return argumentsIn([]*jsonschema.Schema{root})
}

// argumentsIn lists the members that schemas of one object name.
func argumentsIn(schemas []*jsonschema.Schema) map[string]argument {
	all := map[string]argument{}
	for _, s := range closure(schemas) {
		for name, p := range s.Properties {
			a := all[name]
			for _, in := range closure([]*jsonschema.Schema{p}) {
				a.types = append(a.types, in.Types...)
				a.hasDefault = a.hasDefault || in.Default != nil
			}
			all[name] = a
		}
	}
	return all
}

// maxClosure bounds how many schemas are taken to apply to one value.
const maxClosure = 4096

// closure lists schemas together with all that they apply to the same value, each once. Schemas that must not fit are left out.
func closure(start []*jsonschema.Schema) []*jsonschema.Schema {
	seen := map[*jsonschema.Schema]bool{}
	var all []*jsonschema.Schema
	todo := start
	for len(todo) > 0 && len(all) < maxClosure {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[s] {
			continue
		}
		seen[s] = true
		all = append(all, s)
		for _, in := range inPlace(s) {
			if in != s.Not {
				todo = append(todo, in)
			}
		}
	}
	return all
}

// unknownNames lists the members that the schema does not name: at the top by their names, deeper by JSON pointers. An object of
// which no schema names any member is free, and so is one whose further members a schema allows in so many words.
func (s *Schema) unknownNames(doc any) []string {
	names, _ := s.unknownWithin(doc, s.limits.Steps)
	return names
}

// unknownWithin is unknownNames within so many steps; it returns how many are left, fewer than none when it stopped.
func (s *Schema) unknownWithin(doc any, steps int) (names []string, left int) {
	u := unknowns{left: steps, limit: s.limits.Errors}
	u.value([]*jsonschema.Schema{s.root}, doc, "")
	slices.Sort(u.names)
	return u.names, u.left
}

type unknowns struct {
	left  int
	limit int
	names []string
}

func (u *unknowns) value(schemas []*jsonschema.Schema, v any, path string) {
	switch v := v.(type) {
	case map[string]any:
		u.object(closure(schemas), v, path)
	case []any:
		u.array(closure(schemas), v, path)
	}
}

func (u *unknowns) object(all []*jsonschema.Schema, v map[string]any, path string) {
	if u.left -= len(all) * (1 + len(v)); u.left < 0 || len(all) == 0 || isFree(all) {
		return
	}
	for name, member := range v {
		var known []*jsonschema.Schema
		for _, s := range all {
			known = append(known, appliedTo(s, name)...)
		}
		at := path + "/" + escapePointer(name)
		switch {
		case len(known) > 0:
			u.value(known, member, at)
		case len(u.names) >= u.limit:
			return
		case path == "":
			u.names = append(u.names, name)
		default:
			u.names = append(u.names, at)
		}
	}
}

func (u *unknowns) array(all []*jsonschema.Schema, v []any, path string) {
	if u.left -= len(all) * (1 + len(v)); u.left < 0 {
		return
	}
	for i, item := range v {
		var known []*jsonschema.Schema
		for _, s := range all {
			known = append(known, appliedAt(s, i)...)
		}
		u.value(known, item, path+"/"+strconv.Itoa(i))
	}
}

// isFree reports that an object may have any member.
func isFree(all []*jsonschema.Schema) bool {
	named := false
	for _, s := range all {
		if s.AdditionalProperties == true || s.Properties == nil && s.Always != nil && *s.Always {
			return true
		}
		named = named || s.Properties != nil || s.PatternProperties != nil || s.AdditionalProperties != nil
	}
	return !named
}
