package drift

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// values yields values that may fit all of some schemas, the smallest first, until yield returns false. The caller checks them. It
// returns false when it had to stop before it was through.
func (m *maker) values(all []*jsonschema.Schema, depth int, yield func(any) bool) bool {
	if m.left--; m.left < 0 {
		return false
	}
	if depth > maxMakingDepth {
		return true
	}
	stopped := false
	within := func(v any) bool {
		stopped = !yield(v)
		return !stopped
	}
	return m.choose(conjuncts(all), nil, depth, within) || stopped
}

// choose goes through the branches of the first choice that is not made yet, and makes values when there is none.
func (m *maker) choose(all []*jsonschema.Schema, made []*jsonschema.Schema, depth int, yield func(any) bool) bool {
	if m.left--; m.left < 0 {
		return false
	}
	for _, s := range all {
		branches := branchesOf(s)
		if len(branches) == 0 || slices.Contains(made, s) || len(made) > 4 {
			continue
		}
		for _, b := range branches {
			stopped := false
			through := m.choose(conjuncts(append(slices.Clone(all), b...)), append(slices.Clone(made), s), depth, func(v any) bool {
				stopped = !yield(v)
				return !stopped
			})
			if stopped || !through {
				return through
			}
		}
		return true
	}
	return m.make(all, depth, yield)
}

// branchesOf lists the ways in which a schema's choices can be met: each is schemas that then apply too.
func branchesOf(s *jsonschema.Schema) [][]*jsonschema.Schema {
	var out [][]*jsonschema.Schema
	for _, b := range append(slices.Clone(s.AnyOf), s.OneOf...) {
		out = append(out, []*jsonschema.Schema{b})
	}
	if s.If == nil {
		return out
	}
	if s.Else != nil {
		out = append(out, []*jsonschema.Schema{s.Else})
	} else {
		out = append(out, nil)
	}
	if s.Then != nil {
		out = append(out, []*jsonschema.Schema{s.If, s.Then})
	}
	return out
}

// make yields values for schemas without choices.
func (m *maker) make(all []*jsonschema.Schema, depth int, yield func(any) bool) bool {
	for _, v := range listed(all) {
		if m.left--; m.left < 0 {
			return false
		}
		if !yield(v) {
			return true
		}
	}
	if _, fixed := finite(all); fixed {
		return true
	}
	t := typesOfAll(all)
	for _, name := range makingOrder(all) {
		if t&typeByName[name] == 0 || name == "number" && t&typeFraction == 0 {
			continue
		}
		for v := range m.ofType(name, all, depth) {
			if m.left--; m.left < 0 {
				return false
			}
			if !yield(v) {
				return true
			}
		}
	}
	return true
}

// listed returns the values that schemas name themselves: const and enum, else examples and a default.
func listed(all []*jsonschema.Schema) []any {
	if values, ok := finite(all); ok {
		return values
	}
	var out []any
	for _, s := range all {
		out = append(out, s.Examples...)
	}
	for _, s := range all {
		if s.Default != nil {
			out = append(out, s.Default)
		}
	}
	return out
}

// makingOrder is the order in which types are tried: as the schemas list them, and null last.
func makingOrder(all []*jsonschema.Schema) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.Types...)
	}
	names = append(names, "object", "string", "integer", "number", "boolean", "array")
	names = slices.DeleteFunc(names, func(n string) bool { return n == "null" })
	return append(names, "null")
}

// ofType yields values of one type.
func (m *maker) ofType(name string, all []*jsonschema.Schema, depth int) func(func(any) bool) {
	return func(yield func(any) bool) {
		var some []any
		switch name {
		case "string":
			some = madeStrings(all)
		case "integer", "number":
			some = madeNumbers(all, name == "integer")
		case "boolean":
			some = []any{false, true}
		case "null":
			some = []any{nil}
		case "array":
			some = m.arrays(all, depth)
		case "object":
			some = m.objects(all, depth)
		}
		for _, v := range some {
			if !yield(v) {
				return
			}
		}
	}
}

// first returns the first value that fits all schemas, as part of an example.
func (m *maker) first(all []*jsonschema.Schema, depth int) (found any, ok bool) {
	m.values(all, depth, func(v any) bool {
		for _, s := range all {
			if !m.fits(s, v) {
				return true
			}
		}
		found, ok = v, true
		return false
	})
	return found, ok
}

// objects makes objects with what is required; with one more member while too few.
func (m *maker) objects(all []*jsonschema.Schema, depth int) []any {
	obj := map[string]any{}
	for _, name := range m.wanted(all) {
		v, ok := m.first(gather(all, func(s *jsonschema.Schema) []*jsonschema.Schema { return ofMember(s, name) }), depth+1)
		if !ok && isRequired(all, name) {
			return nil
		}
		if ok {
			obj[name] = v
		}
	}
	least := 0
	for _, s := range all {
		least = max(least, s.MinProperties)
	}
	m.fill(obj, all, min(least, maxMadeItems), depth)
	return []any{obj}
}

// wanted lists the names to give: the required ones, what they bring with them, and all where optional ones are asked for.
func (m *maker) wanted(all []*jsonschema.Schema) []string {
	names := map[string]bool{}
	for _, s := range all {
		for _, name := range s.Required {
			names[name] = true
		}
		if m.optional {
			for name := range s.Properties {
				names[name] = true
			}
		}
	}
	for _, s := range all {
		for name, needed := range s.DependentRequired {
			if names[name] {
				for _, n := range needed {
					names[n] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func isRequired(all []*jsonschema.Schema, name string) bool {
	return slices.ContainsFunc(all, func(s *jsonschema.Schema) bool { return slices.Contains(s.Required, name) })
}

// fill adds members until there are enough: known names first, then made-up ones.
func (m *maker) fill(obj map[string]any, all []*jsonschema.Schema, least, depth int) {
	if len(obj) >= least {
		return
	}
	var names []string
	for _, s := range all {
		names = append(names, slices.Sorted(maps.Keys(s.Properties))...)
	}
	for _, name := range append(names, inventedNames(least)...) {
		if _, given := obj[name]; given || len(obj) >= least {
			continue
		}
		of := gather(all, func(s *jsonschema.Schema) []*jsonschema.Schema { return ofMember(s, name) })
		if v, ok := m.first(of, depth+1); ok {
			obj[name] = v
		}
	}
}

// arrays makes arrays of the least length, and of one item.
func (m *maker) arrays(all []*jsonschema.Schema, depth int) []any {
	least := 0
	for _, s := range all {
		least = max(least, s.MinItems)
		if s.Contains != nil {
			least = max(least, s.MinContains)
		}
	}
	if least > maxMadeItems {
		return nil
	}
	var out []any
	for _, n := range []int{least, least + 1} {
		if list, ok := m.array(all, n, depth); ok {
			out = append(out, list)
		}
	}
	return out
}

func (m *maker) array(all []*jsonschema.Schema, n, depth int) ([]any, bool) {
	list := []any{}
	unique := slices.ContainsFunc(all, func(s *jsonschema.Schema) bool { return s.UniqueItems })
	have := map[string]bool{}
	for i := range n {
		of := gather(all, func(s *jsonschema.Schema) []*jsonschema.Schema {
			items := ofItem(s, i)
			if s.Contains != nil && i < s.MinContains {
				items = append(slices.Clone(items), s.Contains)
			}
			return items
		})
		v, ok := m.firstNew(of, depth+1, unique, have)
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

// firstNew is first, but for values that an array of unique items has already.
func (m *maker) firstNew(all []*jsonschema.Schema, depth int, unique bool, have map[string]bool) (found any, ok bool) {
	if !unique {
		return m.first(all, depth)
	}
	m.values(all, depth, func(v any) bool {
		key := jsonText(v)
		for _, s := range all {
			if have[key] || !m.fits(s, v) {
				return true
			}
		}
		have[key] = true
		found, ok = v, true
		return false
	})
	return found, ok
}
