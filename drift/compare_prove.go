package drift

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxProofDepth bounds how deep a proof goes.
const maxProofDepth = 40

// prover proves that whatever fits all of some schemas fits another one. What it can't prove may still be so.
type prover struct {
	*comparer
	// open are the claims that are being proved, with how deep in the value each is. A claim that is met again deeper in the
	// value holds by induction, since values are finite; met again at the same depth it proves nothing.
	open map[string]int
	// leant is the outermost open claim that was taken to hold.
	leant int
	order []string
}

// implies reports that whatever fits a fits b; false when that is not proved.
func (c *comparer) implies(a, b *jsonschema.Schema) bool {
	return c.impliesAll([]*jsonschema.Schema{a}, b)
}

func (c *comparer) impliesAll(as []*jsonschema.Schema, b *jsonschema.Schema) bool {
	p := &prover{comparer: c, open: map[string]int{}}
	return p.prove(as, b, 0, 2)
}

// prove reports that as together imply b. depth is how deep in the value they stand, and splits how often a case may be split.
func (p *prover) prove(as []*jsonschema.Schema, b *jsonschema.Schema, depth, splits int) bool {
	b = resolve(b)
	as = conjuncts(as)
	if !p.spend(1+len(as)) || depth > maxProofDepth || len(p.order) > 4*maxProofDepth {
		return false
	}
	if f := p.form(b); len(f.text) == 0 && len(f.kids) == 0 {
		return true
	}
	for _, a := range as {
		if allowedTypes(a) == 0 || p.equal(a, b) {
			return true
		}
	}
	key := claimKey(as, b, splits)
	if known, ok := p.proofs[key]; ok {
		return known
	}
	if at, ok := p.open[key]; ok {
		if at >= depth {
			return false
		}
		p.leant = min(p.leant, slices.Index(p.order, key))
		return true
	}
	return p.proveOpen(key, as, b, depth, splits)
}

// proveOpen proves a claim while it is on the list of open ones, and keeps the result when it rests on no open one.
func (p *prover) proveOpen(key string, as []*jsonschema.Schema, b *jsonschema.Schema, depth, splits int) bool {
	before := p.leant
	at := len(p.order)
	p.open[key], p.order, p.leant = depth, append(p.order, key), at+1
	ok := p.anyWay(as, b, depth, splits)
	delete(p.open, key)
	p.order = p.order[:at]
	if !ok || p.leant >= at {
		p.proofs[key] = ok
	}
	p.leant = min(before, p.leant)
	return ok
}

func (p *prover) anyWay(as []*jsonschema.Schema, b *jsonschema.Schema, depth, splits int) bool {
	if values, ok := finite(as); ok {
		return p.allFit(values, as, b)
	}
	if typesOfAll(as) == 0 || p.allGroups(as, b, depth, splits) {
		return true
	}
	return splits > 0 && p.bySplit(as, b, depth, splits-1)
}

// claimKey names a claim by the schemas it is about.
func claimKey(as []*jsonschema.Schema, b *jsonschema.Schema, splits int) string {
	var k strings.Builder
	for _, a := range as {
		_, _ = fmt.Fprintf(&k, "%p ", a)
	}
	_, _ = fmt.Fprintf(&k, "-> %p %d", b, splits)
	return k.String()
}

// conjuncts lists schemas with all that they apply to the same value without a condition.
func conjuncts(as []*jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	var add func(s *jsonschema.Schema)
	add = func(s *jsonschema.Schema) {
		s = resolve(s)
		if s == nil || len(all) >= maxConjuncts || slices.Contains(all, s) {
			return
		}
		all = append(all, s)
		if s.Ref != nil {
			add(s.Ref)
		}
		for _, in := range s.AllOf {
			add(in)
		}
	}
	for _, a := range as {
		add(a)
	}
	return all
}

// maxConjuncts is how many schemas are taken together; leaving some out proves less, never more.
const maxConjuncts = 16

func typesOfAll(as []*jsonschema.Schema) types {
	t := typeAny
	for _, a := range as {
		t &= allowedTypes(a)
	}
	return t
}

// maxFinite is how many values are tried one by one.
const maxFinite = 512

// finite returns the values that can fit, where some schema lists them.
func finite(as []*jsonschema.Schema) ([]any, bool) {
	for _, a := range as {
		if len(a.Constant) > 0 {
			return a.Constant[:1], true
		}
		if a.Enum != nil && len(a.Enum) <= maxFinite {
			return a.Enum, true
		}
	}
	return nil, false
}

// allFit reports that each value that fits as fits b, by the validator.
func (p *prover) allFit(values []any, as []*jsonschema.Schema, b *jsonschema.Schema) bool {
	for _, v := range values {
		fits, sure := p.valid(p.b, b, v)
		if sure && fits {
			continue
		}
		excluded := slices.ContainsFunc(as, func(a *jsonschema.Schema) bool {
			ok, sure := p.valid(p.a, a, v)
			return sure && !ok
		})
		if !excluded {
			return false
		}
	}
	return true
}

// bySplit proves a claim case by case: for each type, or each branch of a choice.
func (p *prover) bySplit(as []*jsonschema.Schema, b *jsonschema.Schema, depth, splits int) bool {
	for _, a := range as {
		for _, branches := range [][]*jsonschema.Schema{a.AnyOf, a.OneOf} {
			if len(branches) > 0 && p.allCases(as, branches, b, depth, splits) {
				return true
			}
		}
	}
	names := typeNames(typesOfAll(as))
	if len(names) < 2 {
		return false
	}
	var cases []*jsonschema.Schema
	for _, n := range names {
		cases = append(cases, typeCase[n])
	}
	return p.allCases(as, cases, b, depth, splits)
}

func (p *prover) allCases(as, cases []*jsonschema.Schema, b *jsonschema.Schema, depth, splits int) bool {
	for _, one := range cases {
		if slices.Contains(as, one) || !p.prove(append(slices.Clone(as), one), b, depth, splits) {
			return false
		}
	}
	return true
}

// typeCase has a schema for each type, which says nothing else.
var typeCase = func() map[string]*jsonschema.Schema {
	m := map[string]*jsonschema.Schema{}
	for name := range typeByName {
		m[name] = emptySchema()
		m[name].Types = []string{name}
	}
	return m
}()
