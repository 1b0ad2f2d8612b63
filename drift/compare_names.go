package drift

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// lost lists the names that old calls may give a value and that the new schema takes without knowing them: names that only a part of the old
// schema has, such as a branch, and any name where the old schema welcomed all of them. since is how many changes were there before the place.
func (c *comparer) lost(p place, since int) {
	if n := len(p.trail); n > 0 && p.trail[n-1].kind == '=' || allowedTypes(p.a)&allowedTypes(p.b)&typeObject == 0 {
		return // what applies to the same value is seen from where the value stands
	}
	before, after := closure([]*jsonschema.Schema{p.a}), closure([]*jsonschema.Schema{p.b})
	if !c.spend(len(before)+len(after)) || welcomesAll(after) {
		return
	}
	if welcomesAll(before) && !closes(after) {
		c.add(p, Change{
			Kind: "names_no_longer_free", Aspect: AspectMeaning, Class: UnknownClass,
			Note: "any name was welcome; one that the new schema does not know may be ignored",
		}, "additionalProperties", c.withMember(p.a, "extra1", "text", json1, true, nil, []any{}, map[string]any{})...)
		return
	}
	names := map[string]bool{}
	for _, s := range before {
		for name := range s.Properties {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if c.spend(len(before)+len(after)) && knownIn(after, name) == 0 && !c.saidGone(p, since, name) {
			c.add(p, Change{
				Kind: "property_removed", Aspect: AspectMeaning, Class: UnknownClass, Old: shown(name), Note: "no part of the new schema names it",
			}, "properties/"+escapePointer(name), c.withMember(p.a, name, "text", json1, true, nil, []any{}, map[string]any{})...)
		}
	}
}

// saidGone reports that a property is among the removed ones of a place, or of a branch there.
func (c *comparer) saidGone(p place, since int, name string) bool {
	end := "/properties/" + escapePointer(name)
	return slices.ContainsFunc(c.changes[since:], func(ch Change) bool {
		return (ch.Kind == "property_removed" || ch.Kind == "property_renamed") && strings.HasPrefix(ch.Path, p.path) &&
			(strings.HasSuffix(ch.Path, end) || string(ch.Old) == jsonText(name))
	})
}

// welcomesAll reports that an object of these schemas may have any name, or that any counts as a further argument.
func welcomesAll(all []*jsonschema.Schema) bool {
	return isFree(all) || slices.ContainsFunc(all, func(s *jsonschema.Schema) bool {
		a, ok := s.AdditionalProperties.(*jsonschema.Schema)
		return ok && allowedTypes(a) != 0 || s.UnevaluatedProperties != nil && allowedTypes(s.UnevaluatedProperties) != 0
	})
}

// closes reports that a name which is not listed is refused.
func closes(all []*jsonschema.Schema) bool {
	return slices.ContainsFunc(all, func(s *jsonschema.Schema) bool { return s.AdditionalProperties == false })
}

// unlessNamed is a change that takes all that stood at a place free of names: where the new schema names members, others may be ignored.
func (c *comparer) unlessNamed(of relevance, ch Change, now *jsonschema.Schema) Change {
	if ch.Class == NonBreaking && of.relevant && c.namesAny(now) {
		ch.Class, ch.Aspect, ch.Note = UnknownClass, AspectMeaning, "any member was welcome; one that the new schema does not know may be ignored"
	}
	return ch
}

// namesAny reports that a schema names members somewhere: what stood there before was free of names.
func (c *comparer) namesAny(s *jsonschema.Schema) bool {
	seen := map[*jsonschema.Schema]bool{}
	todo := []*jsonschema.Schema{s}
	for len(todo) > 0 {
		all := closure(todo[len(todo)-1:])
		todo = todo[:len(todo)-1]
		if !c.spend(len(all)) || !welcomesAll(all) {
			return true
		}
		for _, in := range all {
			for _, b := range below(in) {
				if !seen[b] {
					seen[b] = true
					todo = append(todo, b)
				}
			}
		}
	}
	return false
}
