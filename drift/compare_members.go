package drift

import (
	"maps"
	"math/big"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

var oneRat = big.NewRat(1, 1)

// trueSchema fits everything, falseSchema nothing.
var (
	trueSchema  = emptySchema()
	falseSchema = func() *jsonschema.Schema { s, no := emptySchema(), false; s.Always = &no; return s }()
)

// emptySchema returns a schema as the library makes one from {}.
func emptySchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Draft: jsonschema.Draft2020, MinProperties: -1, MaxProperties: -1, MinItems: -1, MaxItems: -1, MinContains: 1, MaxContains: -1,
		MinLength: -1, MaxLength: -1,
	}
}

// ofMember lists the schemas that a schema applies to a member of a name; a member that can't be has the schema false.
func ofMember(s *jsonschema.Schema, name string) []*jsonschema.Schema {
	if all := declaredFor(s, name); len(all) > 0 {
		return all
	}
	return ofRest(s.AdditionalProperties)
}

// ofRest lists the schemas that a keyword such as additionalProperties applies.
func ofRest(v any) []*jsonschema.Schema {
	switch v := v.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{v}
	case bool:
		if !v {
			return []*jsonschema.Schema{falseSchema}
		}
	}
	return nil
}

// ofItem lists the schemas that a schema applies to the item at an index.
func ofItem(s *jsonschema.Schema, i int) []*jsonschema.Schema {
	prefix, rest := itemsOf(s)
	if i < len(prefix) {
		return prefix[i : i+1]
	}
	return ofRest(rest)
}

func gather(as []*jsonschema.Schema, of func(*jsonschema.Schema) []*jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	for _, a := range as {
		all = append(all, of(a)...)
	}
	return all
}

// objectsImplied proves b's keywords for objects.
func (p *prover) objectsImplied(as []*jsonschema.Schema, b *jsonschema.Schema, depth int) bool {
	if len(b.DependentRequired)+len(b.DependentSchemas)+len(b.Dependencies) > 0 || b.UnevaluatedProperties != nil {
		return false
	}
	required := map[string]bool{}
	least, most := 0, -1
	for _, a := range as {
		for _, name := range a.Required {
			required[name] = true
		}
		least = max(least, a.MinProperties)
		if a.MaxProperties >= 0 && (most < 0 || a.MaxProperties < most) {
			most = a.MaxProperties
		}
	}
	for _, name := range b.Required {
		if !required[name] {
			return false
		}
	}
	if b.MinProperties > max(least, len(required)) || b.MaxProperties >= 0 && (most < 0 || most > b.MaxProperties) {
		return false
	}
	return p.membersImplied(as, b, depth) && p.namesImplied(as, b)
}

// membersImplied proves what b says of members: those that b names, those that as name, and any others.
func (p *prover) membersImplied(as []*jsonschema.Schema, b *jsonschema.Schema, depth int) bool {
	names := map[string]bool{}
	for name := range b.Properties {
		names[name] = true
	}
	for _, a := range as {
		for name := range a.Properties {
			names[name] = true
		}
	}
	if !p.spend(len(names) * (1 + len(b.PatternProperties))) {
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		from := gather(as, func(a *jsonschema.Schema) []*jsonschema.Schema { return ofMember(a, name) })
		for _, to := range ofMember(b, name) {
			if !p.prove(from, to, depth+1, 2) {
				return false
			}
		}
	}
	return p.othersImplied(as, b, depth)
}

// othersImplied proves what b says of members that nobody names: those of patterns, and the rest.
func (p *prover) othersImplied(as []*jsonschema.Schema, b *jsonschema.Schema, depth int) bool {
	rest := gather(as, func(a *jsonschema.Schema) []*jsonschema.Schema {
		if len(a.PatternProperties) > 0 {
			return nil // a name may be one of the patterns'
		}
		return ofRest(a.AdditionalProperties)
	})
	for re, to := range b.PatternProperties {
		from := append(slices.Clone(rest), gather(as, func(a *jsonschema.Schema) []*jsonschema.Schema { return patterned(a, re.String()) })...)
		if !p.prove(from, to, depth+1, 2) {
			return false
		}
	}
	for _, to := range ofRest(b.AdditionalProperties) {
		if !p.prove(rest, to, depth+1, 2) && !p.restImplied(as, b, to, depth) {
			return false
		}
	}
	return true
}

// patterned returns what a schema says of names that match a pattern of its own.
func patterned(a *jsonschema.Schema, pattern string) []*jsonschema.Schema {
	for re, s := range a.PatternProperties {
		if re.String() == pattern {
			return []*jsonschema.Schema{s}
		}
	}
	return nil
}

// restImplied proves what b says of further members from one schema with patterns: each pattern is b's too or implies it.
func (p *prover) restImplied(as []*jsonschema.Schema, b *jsonschema.Schema, to *jsonschema.Schema, depth int) bool {
	return slices.ContainsFunc(as, func(a *jsonschema.Schema) bool {
		for re, s := range a.PatternProperties {
			if len(patterned(b, re.String())) == 0 && !p.prove([]*jsonschema.Schema{s}, to, depth+1, 2) {
				return false
			}
		}
		return p.prove(ofRest(a.AdditionalProperties), to, depth+1, 2)
	})
}

// namesImplied proves propertyNames by an equal one before.
func (p *prover) namesImplied(as []*jsonschema.Schema, b *jsonschema.Schema) bool {
	return b.PropertyNames == nil || slices.ContainsFunc(as, func(a *jsonschema.Schema) bool {
		return a.PropertyNames != nil && p.equal(a.PropertyNames, b.PropertyNames)
	})
}

// arraysImplied proves b's keywords for arrays.
func (p *prover) arraysImplied(as []*jsonschema.Schema, b *jsonschema.Schema, depth int) bool {
	some := func(ok func(a *jsonschema.Schema) bool) bool { return slices.ContainsFunc(as, ok) }
	if b.UnevaluatedItems != nil ||
		b.MinItems > 0 && !some(func(a *jsonschema.Schema) bool { return a.MinItems >= b.MinItems }) ||
		b.MaxItems >= 0 && !some(func(a *jsonschema.Schema) bool { return a.MaxItems >= 0 && a.MaxItems <= b.MaxItems }) ||
		b.UniqueItems && !some(func(a *jsonschema.Schema) bool { return a.UniqueItems }) {
		return false
	}
	if b.Contains != nil && !some(func(a *jsonschema.Schema) bool {
		return a.Contains != nil && p.equal(a.Contains, b.Contains) && a.MinContains == b.MinContains && a.MaxContains == b.MaxContains
	}) {
		return false
	}
	return p.itemsImplied(as, b, depth)
}

func (p *prover) itemsImplied(as []*jsonschema.Schema, b *jsonschema.Schema, depth int) bool {
	last := 0
	for _, s := range append(slices.Clone(as), b) {
		prefix, _ := itemsOf(s)
		last = max(last, len(prefix))
	}
	for i := range last + 1 { // the one after the last stands for the rest
		from := gather(as, func(a *jsonschema.Schema) []*jsonschema.Schema { return ofItem(a, i) })
		for _, to := range ofItem(b, i) {
			if !p.spend(1) || !p.prove(from, to, depth+1, 2) {
				return false
			}
		}
	}
	return true
}
