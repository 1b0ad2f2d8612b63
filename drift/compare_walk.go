package drift

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

const (
	// maxCompareWork is how much work one comparison may do, counted in schemas looked at and steps of validation. A step that fails
	// takes about a microsecond and 600 bytes; no two releases of a real tool that were tried needed more than 500 steps.
	maxCompareWork = 200_000
	// maxChanges is how many changes one comparison lists.
	maxChanges = 2_000
)

// doubt is how much a difference inside a choice of schemas says of the whole.
type doubt int

const (
	// narrower says that what is refused here may be taken elsewhere.
	narrower doubt = iota + 1
	// either says that taking more here may take less elsewhere.
	either
)

// place is two schemas that stand at one place.
type place struct {
	a, b *jsonschema.Schema
	path string
	// trail leads from the root to the place, in the old schema.
	trail []step
	// loose says that the schemas stand there alone, so that a name which the old one doesn't know is in no old call.
	loose bool
	// proven says that whatever fits the old fits the new: no difference below can refuse a call.
	proven bool
	doubt  doubt
}

// step is one way down in the old schema: to a member, to an item, or to a schema for the same value.
type step struct {
	from *jsonschema.Schema
	kind byte // 'm', 'i' or '='
	name string
	at   int
}

// down goes to schemas below, for a member or an item.
func (p place) down(a, b *jsonschema.Schema, path string, s step) place {
	s.from = p.a
	p.trail = append(slices.Clip(p.trail), s)
	p.a, p.b, p.path = a, b, p.path+"/"+path
	return p
}

// comparer compares two compiled schemas.
type comparer struct {
	a, b    *Schema
	aliases map[string]string
	work    int
	changes []Change
	renames []FieldRename
	seen    map[place2]bool
	forms   map[*jsonschema.Schema]*form
	equals  map[schemaPair]bool
	proofs  map[string]bool
	// incomplete says that the limits stopped it.
	incomplete bool
}

// place2 is a place without its path: schemas that refer to themselves are compared once.
type place2 struct {
	a, b          *jsonschema.Schema
	loose, proven bool
	doubt         doubt
}

func newComparer(a, b *Schema, o CompareOptions) *comparer {
	return &comparer{
		a: a, b: b, aliases: o.Aliases, work: maxCompareWork,
		seen: map[place2]bool{}, forms: map[*jsonschema.Schema]*form{}, equals: map[schemaPair]bool{}, proofs: map[string]bool{},
	}
}

// spend counts work; false when there is none left.
func (c *comparer) spend(n int) bool {
	if c.work -= n; c.work < 0 {
		c.incomplete = true
	}
	return !c.incomplete
}

// valid holds a value against a part of one of the schemas; sure is false when that costs too much.
func (c *comparer) valid(of *Schema, part *jsonschema.Schema, v any) (fits, sure bool) {
	refusal, sure := c.judge(of, part, v)
	return sure && refusal == nil, sure
}

// judge is valid, with the reason for which a value does not fit.
func (c *comparer) judge(of *Schema, part *jsonschema.Schema, v any) (refusal error, sure bool) {
	steps, refusal, sure := of.judgePart(part, v, min(c.work, maxValidSteps))
	c.spend(steps)
	return refusal, sure
}

// maxValidSteps is how many steps one validation may take.
const maxValidSteps = 20_000

// walk lists the differences of two schemas.
func (c *comparer) walk(p place) {
	p.a, p.b = resolve(p.a), resolve(p.b)
	key := place2{p.a, p.b, p.loose, p.proven, p.doubt}
	if len(p.path) > 2*maxPlace {
		c.incomplete = true
		return
	}
	if c.seen[key] || !c.spend(1) || c.equal(p.a, p.b) {
		return
	}
	c.seen[key] = true
	if dynamic(p.a) || dynamic(p.b) {
		p.doubt = either
	}
	if !p.proven && p.doubt < either && c.impliesAt(p) {
		p.proven = true
		c.seen[place2{p.a, p.b, p.loose, p.proven, p.doubt}] = true
	}
	if allowedTypes(p.b) == 0 {
		c.add(p, Change{Kind: "nothing_valid", Class: Breaking, Note: "the new schema takes no value here"}, "")
		return
	}
	since := len(c.changes)
	c.types(p)
	c.values(p)
	c.numbers(p)
	c.strings(p)
	c.object(p)
	c.array(p)
	c.choices(p)
	c.lost(p, since)
}

// impliesAt reports that whatever fits the old schema at a place fits the new one. A call's arguments are an object.
func (c *comparer) impliesAt(p place) bool {
	if len(p.trail) == 0 {
		return c.impliesAll([]*jsonschema.Schema{p.a, typeCase["object"]}, p.b)
	}
	return c.implies(p.a, p.b)
}

// dynamic reports that what a schema asserts depends on what other schemas found.
func dynamic(s *jsonschema.Schema) bool {
	return s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil || s.DynamicRef != nil || s.RecursiveRef != nil
}

// add lists a change at a keyword of a place and settles its class. A keyword of "" is the place itself.
func (c *comparer) add(p place, ch Change, keyword string, values ...any) {
	if len(c.changes) >= maxChanges {
		c.incomplete = true
		return
	}
	ch.Path = p.path
	if keyword != "" {
		ch.Path += "/" + keyword
	}
	ch.Aspect = cmp.Or(ch.Aspect, AspectInput)
	switch {
	case p.proven && ch.Aspect == AspectInput:
		ch.Class = NonBreaking
	case p.doubt == either || p.doubt == narrower && ch.Class == Breaking:
		ch.Class = UnknownClass
	}
	if ch.Class != NonBreaking {
		ch.probe = &probe{place: p, keyword: keyword, values: values}
	}
	c.changes = append(c.changes, ch)
}

// maxShown is the longest value that a change shows, in bytes.
const maxShown = 200

// shown is a value as JSON, left out when it is long.
func shown(v any) jsontext.Value {
	if text := jsonText(v); len(text) <= maxShown {
		return jsontext.Value(text)
	}
	return nil
}

// finish settles what is left: witnesses, order and the whole's class.
func (c *comparer) finish() *Comparison {
	c.witnesses()
	out := &Comparison{Class: NonBreaking, Changes: c.changes, Renames: c.renames, Incomplete: c.incomplete}
	if c.incomplete {
		out.Class = UnknownClass
	}
	for i := range out.Changes {
		ch := &out.Changes[i]
		ch.probe = nil
		if ch.counts() && ch.Class.rank() > out.Class.rank() {
			out.Class = ch.Class
		}
	}
	slices.SortStableFunc(out.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	if out.Changes == nil {
		out.Changes = []Change{}
	}
	return out
}
