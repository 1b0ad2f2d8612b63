package drift

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// cost is what is known beforehand of how long a validation can take.
type cost struct {
	// branching says that a schema can be applied to one value along more than one path, so that steps must be counted first.
	branching bool
	// unique says that some array must have unique items, which the library checks pair by pair.
	unique  bool
	schemas int
	// place is how many steps more it takes to say where in the schema its deepest part is.
	place int
	// patterns has the size of each regular expression's compiled form, and patternSize the sum.
	patterns    map[string]int
	patternSize int
}

// measure walks everything reachable from root.
func measure(root *jsonschema.Schema, patterns map[string]int) cost {
	c := cost{patterns: patterns}
	for _, n := range patterns {
		c.patternSize += n
	}
	seen := map[*jsonschema.Schema]bool{}
	todo := []*jsonschema.Schema{root}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[s] {
			continue
		}
		seen[s] = true
		c.schemas++
		c.place = max(c.place, len(s.Location)*strings.Count(s.Location, "/")/(2*stepBytes))
		c.unique = c.unique || s.UniqueItems
		c.branching = c.branching || s.Ref != nil || s.RecursiveRef != nil || s.DynamicRef != nil || s.UnevaluatedItems != nil ||
			s.UnevaluatedProperties != nil
		todo = append(todo, inPlace(s)...)
		todo = append(todo, below(s)...)
	}
	return c
}

// inPlace lists the schemas that a schema applies to the same value.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	for _, one := range []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.DynamicRef, s.Not, s.If, s.Then, s.Else} {
		if one != nil {
			all = append(all, one)
		}
	}
	all = append(append(append(all, s.AllOf...), s.AnyOf...), s.OneOf...)
	for _, d := range s.DependentSchemas {
		all = append(all, d)
	}
	for _, d := range s.Dependencies {
		if d, ok := d.(*jsonschema.Schema); ok {
			all = append(all, d)
		}
	}
	return all
}

// below lists the schemas that a schema applies to the value's members or items.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	for _, one := range []*jsonschema.Schema{
		s.PropertyNames, s.UnevaluatedProperties, s.Items2020, s.Contains, s.UnevaluatedItems, s.ContentSchema,
	} {
		if one != nil {
			all = append(all, one)
		}
	}
	for _, p := range s.Properties {
		all = append(all, p)
	}
	for _, p := range s.PatternProperties {
		all = append(all, p)
	}
	for _, v := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		switch v := v.(type) {
		case *jsonschema.Schema:
			all = append(all, v)
		case []*jsonschema.Schema:
			all = append(all, v...)
		}
	}
	return append(all, s.PrefixItems...)
}
