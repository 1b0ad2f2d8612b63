package drift

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// schemaPair is two schemas that are held against each other.
type schemaPair struct{ a, b *jsonschema.Schema }

// equal reports that two schemas assert the same, in the same structure. Recursive schemas are equal when nothing in them differs.
func (c *comparer) equal(a, b *jsonschema.Schema) bool {
	if known, ok := c.equals[schemaPair{a, b}]; ok {
		return known
	}
	seen := map[schemaPair]bool{}
	same := c.equalWithin(a, b, seen)
	c.equals[schemaPair{a, b}] = same
	return same
}

func (c *comparer) equalWithin(a, b *jsonschema.Schema, seen map[schemaPair]bool) bool {
	a, b = resolve(a), resolve(b)
	if a == b || a == nil || b == nil {
		return a == b
	}
	pair := schemaPair{a, b}
	if known, ok := c.equals[pair]; ok {
		return known
	}
	if seen[pair] {
		return true
	}
	seen[pair] = true
	f, g := c.form(a), c.form(b)
	if !c.spend(1+len(f.kids)) || !maps.Equal(f.text, g.text) || len(f.kids) != len(g.kids) {
		return false
	}
	for at, kid := range f.kids {
		other, ok := g.kids[at]
		if !ok || !c.equalWithin(kid, other, seen) {
			return false
		}
	}
	return true
}

// equalLists reports that two lists of schemas are equal in their order.
func (c *comparer) equalLists(a, b []*jsonschema.Schema) bool {
	return slices.EqualFunc(a, b, c.equal)
}

// form returns a schema's form, made once.
func (c *comparer) form(s *jsonschema.Schema) *form {
	f, ok := c.forms[s]
	if !ok {
		f = formOf(s)
		c.forms[s] = f
		c.spend(1 + len(f.text) + len(f.kids))
	}
	return f
}

// maxReferences is how many references in a row are followed; the library refuses loops before.
const maxReferences = 64

// resolve follows references that stand alone: a schema that is nothing but a reference, or allOf with one schema, is that one.
func resolve(s *jsonschema.Schema) *jsonschema.Schema {
	for range maxReferences {
		switch {
		case s == nil || !aloneIn(s):
			return s
		case s.Ref != nil && len(s.AllOf) == 0:
			s = s.Ref
		case s.Ref == nil && len(s.AllOf) == 1:
			s = s.AllOf[0]
		default:
			return s
		}
	}
	return s
}

// aloneIn reports that a schema asserts nothing beside a reference and allOf.
func aloneIn(s *jsonschema.Schema) bool {
	return s.Always == nil && len(s.Types)+len(s.Constant)+len(s.AnyOf)+len(s.OneOf)+len(s.Required)+len(s.DependentRequired)+
		len(s.DependentSchemas)+len(s.Dependencies)+len(s.PatternProperties)+len(s.PrefixItems)+len(s.Format) == 0 &&
		s.Enum == nil && s.Pattern == nil && s.Properties == nil && s.AdditionalProperties == nil && s.Items == nil && !s.UniqueItems &&
		noneOf(s.Not, s.If, s.PropertyNames, s.UnevaluatedProperties, s.UnevaluatedItems, s.Items2020, s.Contains, s.DynamicRef, s.RecursiveRef) &&
		noneOf(s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum, s.MultipleOf) &&
		max(s.MinProperties, s.MaxProperties, s.MinItems, s.MaxItems, s.MinLength, s.MaxLength) < 0 &&
		s.ContentEncoding+s.ContentMediaType == ""
}

func noneOf[T any](all ...*T) bool {
	for _, p := range all {
		if p != nil {
			return false
		}
	}
	return true
}
