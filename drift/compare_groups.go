package drift

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// allGroups proves each of b's keywords from as. Keywords for types that can't occur hold by themselves.
func (p *prover) allGroups(as []*jsonschema.Schema, b *jsonschema.Schema, depth, splits int) bool {
	t := typesOfAll(as)
	if t&^typesOf(b) != 0 || !p.enumImplied(t, b) || b.RecursiveRef != nil || b.DynamicRef != nil || b.ContentEncoding+b.ContentMediaType != "" {
		return false
	}
	switch {
	case t&typeNumber != 0 && !numbersImplied(as, b, t),
		t&typeString != 0 && !stringsImplied(as, b),
		t&typeObject != 0 && !p.objectsImplied(as, b, depth),
		t&typeArray != 0 && !p.arraysImplied(as, b, depth):
		return false
	}
	return p.choicesImplied(as, b, depth, splits)
}

// enumImplied proves const and enum where types alone leave few values.
func (p *prover) enumImplied(t types, b *jsonschema.Schema) bool {
	if b.Enum == nil && len(b.Constant) == 0 {
		return true
	}
	if t&^(typeNull|typeBoolean) != 0 {
		return false
	}
	var values []any
	if t&typeNull != 0 {
		values = append(values, nil)
	}
	if t&typeBoolean != 0 {
		values = append(values, true, false)
	}
	for _, v := range values {
		if b.Enum != nil && !slices.ContainsFunc(b.Enum, func(e any) bool { return e == v }) {
			return false
		}
		if len(b.Constant) > 0 && b.Constant[0] != v {
			return false
		}
	}
	return true
}

func numbersImplied(as []*jsonschema.Schema, b *jsonschema.Schema, t types) bool {
	whole := t&typeFraction == 0
	some := func(ok func(a *jsonschema.Schema) bool) bool { return slices.ContainsFunc(as, ok) }
	low, high := lowerOf(b, whole), upperOf(b, whole)
	return (low.at == nil || some(func(a *jsonschema.Schema) bool { return lowerOf(a, whole).within(low, 1) })) &&
		(high.at == nil || some(func(a *jsonschema.Schema) bool { return upperOf(a, whole).within(high, -1) })) &&
		(b.MultipleOf == nil || whole && divides(oneRat, b.MultipleOf) ||
			some(func(a *jsonschema.Schema) bool { return divides(a.MultipleOf, b.MultipleOf) }))
}

func stringsImplied(as []*jsonschema.Schema, b *jsonschema.Schema) bool {
	some := func(ok func(a *jsonschema.Schema) bool) bool { return slices.ContainsFunc(as, ok) }
	return (b.MinLength <= 0 || some(func(a *jsonschema.Schema) bool { return a.MinLength >= b.MinLength })) &&
		(b.MaxLength < 0 || some(func(a *jsonschema.Schema) bool { return a.MaxLength >= 0 && a.MaxLength <= b.MaxLength })) &&
		(b.Pattern == nil || some(func(a *jsonschema.Schema) bool {
			return a.Pattern != nil && a.Pattern.String() == b.Pattern.String()
		})) &&
		(b.Format == "" || some(func(a *jsonschema.Schema) bool { return a.Format == b.Format }))
}

// choicesImplied proves b's keywords that apply schemas to the same value.
func (p *prover) choicesImplied(as []*jsonschema.Schema, b *jsonschema.Schema, depth, splits int) bool {
	if b.Ref != nil && !p.prove(as, b.Ref, depth, splits) {
		return false
	}
	for _, in := range b.AllOf {
		if !p.prove(as, in, depth, splits) {
			return false
		}
	}
	return p.anyOfImplied(as, b, depth, splits) && p.oneOfImplied(as, b, depth, splits) && p.notImplied(as, b) && p.ifImplied(as, b)
}

func (p *prover) anyOfImplied(as []*jsonschema.Schema, b *jsonschema.Schema, depth, splits int) bool {
	return len(b.AnyOf) == 0 || p.someBranch(as, b.AnyOf, depth, splits)
}

func (p *prover) someBranch(as, branches []*jsonschema.Schema, depth, splits int) bool {
	return slices.ContainsFunc(branches, func(in *jsonschema.Schema) bool { return p.prove(as, in, depth, splits) })
}

// oneOfImplied proves oneOf: by the same list before, or by one branch where no value can fit two.
func (p *prover) oneOfImplied(as []*jsonschema.Schema, b *jsonschema.Schema, depth, splits int) bool {
	if len(b.OneOf) == 0 {
		return true
	}
	if slices.ContainsFunc(as, func(a *jsonschema.Schema) bool { return p.equalLists(a.OneOf, b.OneOf) }) {
		return true
	}
	return p.exclusive(b.OneOf) && p.someBranch(as, b.OneOf, depth, splits)
}

// exclusive reports that no value fits two of the schemas, by their types or by a required property that tells them apart.
func (p *prover) exclusive(all []*jsonschema.Schema) bool {
	if len(all) > 64 {
		return false
	}
	for i := range all {
		for j := range i {
			if !p.spend(1) || !apart(resolve(all[i]), resolve(all[j])) {
				return false
			}
		}
	}
	return true
}

// apart reports that no value fits both schemas.
func apart(a, b *jsonschema.Schema) bool {
	if allowedTypes(a)&allowedTypes(b) == 0 || listsApart(a, b) {
		return true
	}
	if allowedTypes(a)&allowedTypes(b) != typeObject {
		return false
	}
	for _, name := range a.Required {
		if slices.Contains(b.Required, name) && a.Properties[name] != nil && b.Properties[name] != nil &&
			listsApart(resolve(a.Properties[name]), resolve(b.Properties[name])) {
			return true
		}
	}
	return false
}

// listsApart reports that both schemas list their values, and none is on both lists.
func listsApart(a, b *jsonschema.Schema) bool {
	one, ok := finite([]*jsonschema.Schema{a})
	other, too := finite([]*jsonschema.Schema{b})
	if !ok || !too {
		return false
	}
	have := map[string]bool{}
	for _, v := range one {
		have[jsonText(v)] = true
	}
	return !slices.ContainsFunc(other, func(v any) bool { return have[jsonText(v)] })
}

// notImplied proves not: by an equal one before, or where nothing that fits as can fit what is forbidden.
func (p *prover) notImplied(as []*jsonschema.Schema, b *jsonschema.Schema) bool {
	if b.Not == nil {
		return true
	}
	not := resolve(b.Not)
	return slices.ContainsFunc(as, func(a *jsonschema.Schema) bool {
		return a.Not != nil && p.equal(a.Not, b.Not) || apart(a, not)
	})
}

// ifImplied proves if, then and else by equal ones before.
func (p *prover) ifImplied(as []*jsonschema.Schema, b *jsonschema.Schema) bool {
	if b.If == nil || b.Then == nil && b.Else == nil {
		return true
	}
	same := func(x, y *jsonschema.Schema) bool {
		return x == nil && y == nil || x != nil && y != nil && p.equal(x, y)
	}
	return slices.ContainsFunc(as, func(a *jsonschema.Schema) bool {
		return a.If != nil && p.equal(a.If, b.If) && same(a.Then, b.Then) && same(a.Else, b.Else)
	})
}
