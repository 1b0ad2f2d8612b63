package drift

import (
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// choices compares the keywords that apply schemas to the same value.
func (c *comparer) choices(p place) {
	c.list(p, "allOf", "all_of", allOf(p.a), allOf(p.b), narrower)
	c.list(p, "anyOf", "any_of", p.a.AnyOf, p.b.AnyOf, narrower)
	c.list(p, "oneOf", "one_of", p.a.OneOf, p.b.OneOf, either)
	of := relevance{p, true}
	c.inside(of, "not", "not", []*jsonschema.Schema{p.a.Not}, []*jsonschema.Schema{p.b.Not})
	c.condition(p)
	c.inside(of, "$dynamicRef", "dynamic_reference", []*jsonschema.Schema{p.a.DynamicRef}, []*jsonschema.Schema{p.b.DynamicRef})
	c.inside(of, "$recursiveRef", "recursive_reference", []*jsonschema.Schema{p.a.RecursiveRef}, []*jsonschema.Schema{p.b.RecursiveRef})
}

// allOf lists the schemas that must fit too; a reference that does not stand alone is one of them.
func allOf(s *jsonschema.Schema) []*jsonschema.Schema {
	if s.Ref != nil {
		return append(slices.Clone(s.AllOf), s.Ref)
	}
	return s.AllOf
}

// condition compares if, then and else as one.
func (c *comparer) condition(p place) {
	same := func(x, y *jsonschema.Schema) bool {
		return x == nil && y == nil || x != nil && y != nil && c.equal(x, y)
	}
	if same(p.a.If, p.b.If) && same(p.a.Then, p.b.Then) && same(p.a.Else, p.b.Else) {
		return
	}
	ch := Change{Kind: "condition_changed", Class: UnknownClass}
	switch {
	case p.b.If == nil || p.b.Then == nil && p.b.Else == nil:
		ch.Kind, ch.Class = "condition_removed", NonBreaking
	case p.a.If == nil:
		ch.Kind = "condition_added"
	}
	c.add(p, ch, "if")
}

// list compares allOf, anyOf or oneOf: branches that are equal drop out, as many others are compared in their order, and branches
// that came or went are listed.
func (c *comparer) list(p place, keyword, kind string, from, to []*jsonschema.Schema, d doubt) {
	if c.equalLists(from, to) {
		return
	}
	if len(to) == 0 {
		c.add(p, Change{Kind: kind + "_removed", Class: NonBreaking}, keyword)
		return
	}
	if len(from) == 0 {
		c.add(p, Change{Kind: kind + "_added", Class: UnknownClass}, keyword)
		return
	}
	gone, come := c.unmatched(from, to)
	if len(gone) == len(come) {
		for i := range gone {
			next := p.down(from[gone[i]], to[come[i]], keyword+"/"+strconv.Itoa(come[i]), step{kind: '='})
			next.loose, next.doubt = false, max(p.doubt, d)
			c.walk(next)
		}
		return
	}
	for _, i := range gone {
		c.branch(p, keyword, kind+"_branch_removed", i, keyword == "allOf")
	}
	for _, i := range come {
		c.branch(p, keyword, kind+"_branch_added", i, keyword == "anyOf")
	}
}

func (c *comparer) branch(p place, keyword, kind string, i int, wider bool) {
	ch := Change{Kind: kind, Class: UnknownClass}
	if wider {
		ch.Class = NonBreaking
	}
	c.add(p, ch, keyword+"/"+strconv.Itoa(i))
}

// unmatched returns the indexes of the branches that have no equal one on the other side, each matched once.
func (c *comparer) unmatched(from, to []*jsonschema.Schema) (gone, come []int) {
	taken := make([]bool, len(to))
	for i, a := range from {
		j := 0
		for j < len(to) && (taken[j] || !c.spend(1) || !c.equal(a, to[j])) {
			j++
		}
		if j == len(to) {
			gone = append(gone, i)
			continue
		}
		taken[j] = true
	}
	for j := range to {
		if !taken[j] {
			come = append(come, j)
		}
	}
	return gone, come
}
