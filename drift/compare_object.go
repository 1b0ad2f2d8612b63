package drift

import (
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// object compares the keywords for objects.
func (c *comparer) object(p place) {
	of := relevance{p, allowedTypes(p.a)&typeObject != 0}
	c.limit(of, "minProperties", "min_properties", p.a.MinProperties >= p.b.MinProperties)
	c.limit(of, "maxProperties", "max_properties", p.b.MaxProperties < 0 || p.a.MaxProperties >= 0 && p.a.MaxProperties <= p.b.MaxProperties)
	m := newMembers(of)
	renamed := c.renamed(m)
	c.required(of, renamed)
	for _, name := range slices.Sorted(maps.Keys(of.a.Properties)) {
		switch now := of.b.Properties[name]; {
		case now != nil:
			c.member(m, name, name)
		case renamed[name] == "":
			c.removed(m, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of.b.Properties)) {
		if of.a.Properties[name] == nil && !hasValue(renamed, name) {
			c.added(m, name)
		}
	}
	c.likeFields(m, renamed)
	c.patterns(of)
	c.additional(of)
	c.dependents(of)
	c.inside(of, "propertyNames", "property_names", []*jsonschema.Schema{of.a.PropertyNames}, []*jsonschema.Schema{of.b.PropertyNames})
	c.inside(of, "unevaluatedProperties", "unevaluated_properties",
		[]*jsonschema.Schema{of.a.UnevaluatedProperties}, []*jsonschema.Schema{of.b.UnevaluatedProperties})
}

// members is what two schemas for objects, with all that apply beside them, say of names.
type members struct {
	relevance
	before, after []*jsonschema.Schema
}

func newMembers(of relevance) *members {
	return &members{of, closure([]*jsonschema.Schema{of.a}), closure([]*jsonschema.Schema{of.b})}
}

// knownBefore counts the schemas that say something of a name; a free object takes any.
func knownIn(all []*jsonschema.Schema, name string) int {
	n := 0
	for _, s := range all {
		n += len(appliedTo(s, name))
	}
	return n
}

// required lists the names that came and went; those of a rename stay with it.
func (c *comparer) required(of relevance, renamed map[string]string) {
	for _, name := range of.b.Required {
		if slices.Contains(of.a.Required, name) || slices.ContainsFunc(of.a.Required, func(was string) bool { return renamed[was] == name }) {
			continue
		}
		ch := Change{Kind: "required_added", Class: Breaking, New: shown(name)}
		if !of.relevant {
			ch.Class = NonBreaking
		}
		c.add(of.place, ch, "required")
	}
	for _, name := range of.a.Required {
		if now := renamed[name]; !slices.Contains(of.b.Required, name) && (now == "" || !slices.Contains(of.b.Required, now)) {
			c.add(of.place, Change{Kind: "required_removed", Class: NonBreaking, Old: shown(name)}, "required")
		}
	}
}

// member compares a property that both name.
func (c *comparer) member(m *members, was, now string) {
	next := m.down(m.a.Properties[was], m.b.Properties[now], "properties/"+escapePointer(now), step{kind: 'm', name: was})
	next.loose = next.loose && knownIn(m.before, was) <= 1
	next.proven = next.proven || !m.relevant
	c.walk(next)
}

// added lists a property that only the new schema names. Where the old one took no names but its own, no call has it.
func (c *comparer) added(m *members, name string) {
	ch := Change{Kind: "property_added", Class: UnknownClass, Note: "calls could have this name before, with any value"}
	fresh := m.loose && !isFree(m.before) && knownIn(m.before, name) == 0
	if fresh || !m.relevant || c.impliesAll(ofMember(m.a, name), m.b.Properties[name]) {
		ch.Class, ch.Note = NonBreaking, ""
	}
	if !fresh {
		ch = c.unlessNamed(m.relevance, ch, m.b.Properties[name])
	}
	v, _ := c.maker(c.b).first([]*jsonschema.Schema{m.b.Properties[name]}, 0)
	var values []any
	if ch.Class != NonBreaking {
		values = c.withMember(m.a, name, "text", nil, true, []any{}, map[string]any{}, v)
	}
	c.add(m.place, ch, "properties/"+escapePointer(name), values...)
}

// removed lists a property that only the old schema names.
func (c *comparer) removed(m *members, name string) {
	was := m.a.Properties[name]
	ch := Change{Kind: "property_removed", Class: Breaking}
	now := ofMember(m.b, name)
	switch {
	case allowedTypes(was) == 0 || !m.relevant:
		ch.Class, ch.Note = NonBreaking, "no call could have it"
	case len(now) > 0 && allowedTypes(now[0]) == 0:
		ch.Note = "calls that give it are refused"
	case len(now) > 0:
		ch.Class, ch.Note = UnknownClass, "its value counts as a further argument now"
	case knownIn(m.after, name) > 0:
		ch.Class, ch.Note = NonBreaking, "another part of the schema still names it"
	case isFree(m.after):
		ch.Aspect, ch.Class, ch.Note = AspectMeaning, UnknownClass, "the object is free: the value may still be read"
	default:
		ch.Aspect, ch.Note = AspectMeaning, "the new schema does not know it: its value is ignored"
	}
	var values []any
	if ch.Class != NonBreaking {
		if v, ok := c.maker(c.a).first([]*jsonschema.Schema{was}, 0); ok {
			values = c.withMember(m.a, name, v)
		}
	}
	c.add(m.place, ch, "properties/"+escapePointer(name), values...)
}

// withMember makes objects that have a member, each with one of the values.
func (c *comparer) withMember(s *jsonschema.Schema, name string, values ...any) []any {
	base, _ := c.maker(c.a).first([]*jsonschema.Schema{s}, 0)
	obj, _ := base.(map[string]any)
	out := make([]any, 0, len(values))
	for _, v := range values {
		with := maps.Clone(obj)
		if with == nil {
			with = map[string]any{}
		}
		with[name] = v
		out = append(out, with)
	}
	return out
}

// patterns compares patternProperties: equal patterns by what they hold; that one came or went says neither way.
func (c *comparer) patterns(of relevance) {
	before, after := byPattern(of.a), byPattern(of.b)
	for _, re := range slices.Sorted(maps.Keys(before)) {
		path := "patternProperties/" + escapePointer(re)
		now := after[re]
		if now == nil {
			c.add(of.place, Change{Kind: "pattern_properties_removed", Class: UnknownClass}, path)
			continue
		}
		name := "extra"
		if some := matching(re, 1); len(some) > 0 {
			name = some[0]
		}
		next := of.down(before[re], now, path, step{kind: 'm', name: name})
		next.loose = false
		c.walk(next)
	}
	for _, re := range slices.Sorted(maps.Keys(after)) {
		if before[re] == nil {
			c.add(of.place, Change{Kind: "pattern_properties_added", Class: UnknownClass}, "patternProperties/"+escapePointer(re))
		}
	}
}

func byPattern(s *jsonschema.Schema) map[string]*jsonschema.Schema {
	m := make(map[string]*jsonschema.Schema, len(s.PatternProperties))
	for re, p := range s.PatternProperties {
		m[re.String()] = p
	}
	return m
}

// additional compares what is said of names that are not listed.
func (c *comparer) additional(of relevance) {
	const keyword = "additionalProperties"
	from, to := ofRest(of.a.AdditionalProperties), ofRest(of.b.AdditionalProperties)
	extra := func() []any { return c.withMember(of.a, "extra1", "text", json1, true, nil, []any{}, map[string]any{}) }
	switch {
	case len(to) == 0 && len(from) == 0:
	case len(to) == 0:
		c.add(of.place, Change{Kind: "additional_properties_opened", Class: NonBreaking}, keyword)
	case len(from) > 0 && allowedTypes(from[0]) == 0 && allowedTypes(to[0]) == 0:
	case len(from) > 0 && allowedTypes(from[0]) == 0:
		c.add(of.place, Change{Kind: "additional_properties_opened", Class: NonBreaking}, keyword)
	case allowedTypes(to[0]) == 0:
		ch := Change{Kind: "additional_properties_closed", Class: Breaking, Note: "names that are not listed are refused now"}
		if !of.relevant {
			ch.Class = NonBreaking
		}
		c.add(of.place, ch, keyword, extra()...)
	case len(from) == 0:
		ch := Change{Kind: "additional_properties_narrowed", Class: Breaking}
		if !of.relevant || c.implies(trueSchema, to[0]) {
			ch.Class = NonBreaking
		}
		c.add(of.place, c.unlessNamed(of, ch, to[0]), keyword, extra()...)
	default:
		next := of.down(from[0], to[0], keyword, step{kind: 'm', name: "extra1"})
		next.loose, next.proven = false, next.proven || !of.relevant
		c.walk(next)
	}
}

// dependents compares what a name brings with it.
func (c *comparer) dependents(of relevance) {
	f, g := c.form(of.a), c.form(of.b)
	keys := map[string]bool{}
	for _, text := range []map[string]string{f.text, g.text} {
		for at := range text {
			keys[at] = strings.HasPrefix(at, "dependentRequired/")
		}
	}
	for _, at := range slices.Sorted(maps.Keys(keys)) {
		if keys[at] {
			c.opaque(of, at, "dependent_required", false)
		}
	}
	keys = map[string]bool{}
	for _, kids := range []map[string]*jsonschema.Schema{f.kids, g.kids} {
		for at := range kids {
			keys[at] = strings.HasPrefix(at, "dependentSchemas/")
		}
	}
	for _, at := range slices.Sorted(maps.Keys(keys)) {
		if keys[at] {
			c.inside(of, at, "dependent_schemas", []*jsonschema.Schema{f.kids[at]}, []*jsonschema.Schema{g.kids[at]})
		}
	}
}

func hasValue(m map[string]string, v string) bool {
	for _, have := range m {
		if have == v {
			return true
		}
	}
	return false
}
