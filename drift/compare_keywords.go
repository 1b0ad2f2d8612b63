package drift

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// types compares the type keyword.
func (c *comparer) types(p place) {
	from, to := typesOf(p.a), typesOf(p.b)
	if from == to {
		return
	}
	ch := Change{Kind: "type_changed", Class: Breaking, Old: shownTypes(p.a), New: shownTypes(p.b)}
	switch {
	case from&^to == 0:
		ch.Kind, ch.Class = "type_widened", NonBreaking
	case to&^from == 0:
		ch.Kind = "type_narrowed"
	}
	if len(p.trail) == 0 && to&typeObject != 0 {
		ch.Class = NonBreaking // a call's arguments are an object
	}
	c.add(p, ch, "type")
}

func shownTypes(s *jsonschema.Schema) []byte {
	if len(s.Types) == 0 {
		return nil
	}
	names := typeNames(typesOf(s))
	if len(names) == 1 {
		return shown(names[0])
	}
	all := make([]any, len(names))
	for i, n := range names {
		all[i] = n
	}
	return shown(all)
}

// values compares const and enum.
func (c *comparer) values(p place) {
	c.constant(p)
	switch {
	case p.a.Enum == nil && p.b.Enum == nil:
	case p.a.Enum == nil:
		c.add(p, Change{Kind: "enum_added", Class: Breaking, New: shown(p.b.Enum)}, "enum")
	case p.b.Enum == nil:
		c.add(p, Change{Kind: "enum_removed", Class: NonBreaking, Old: shown(p.a.Enum)}, "enum")
	default:
		c.enum(p)
	}
}

func (c *comparer) constant(p place) {
	from, to := c.form(p.a).text["const"], c.form(p.b).text["const"]
	switch {
	case from == to:
	case to == "":
		c.add(p, Change{Kind: "const_removed", Class: NonBreaking, Old: shown(p.a.Constant[0])}, "const")
	case from == "":
		c.add(p, Change{Kind: "const_added", Class: Breaking, New: shown(p.b.Constant[0])}, "const")
	default:
		c.add(p, Change{Kind: "const_changed", Class: Breaking, Old: shown(p.a.Constant[0]), New: shown(p.b.Constant[0])}, "const", p.a.Constant[0])
	}
}

// enum lists the values that came and went.
func (c *comparer) enum(p place) {
	before, after := textSet(p.a.Enum), textSet(p.b.Enum)
	if !c.spend(len(p.a.Enum) + len(p.b.Enum)) {
		return
	}
	for _, v := range p.a.Enum {
		if text := jsonText(v); !after[text] {
			after[text] = true
			c.add(p, Change{Kind: "enum_value_removed", Class: Breaking, Old: shown(v)}, "enum", v)
		}
	}
	for _, v := range p.b.Enum {
		if text := jsonText(v); !before[text] {
			before[text] = true
			c.add(p, Change{Kind: "enum_value_added", Class: NonBreaking, New: shown(v)}, "enum")
		}
	}
}

func textSet(all []any) map[string]bool {
	set := make(map[string]bool, len(all))
	for _, v := range all {
		set[jsonText(v)] = true
	}
	return set
}

// numbers compares the range of numbers.
func (c *comparer) numbers(p place) {
	whole := allowedTypes(p.a)&typeFraction == 0
	of := relevance{p, allowedTypes(p.a)&typeNumber != 0}
	lower := lowerOf(p.a, whole).within(lowerOf(p.b, whole), 1)
	upper := upperOf(p.a, whole).within(upperOf(p.b, whole), -1)
	c.limit(of, "minimum", "minimum", lower)
	c.limit(of, "exclusiveMinimum", "exclusive_minimum", lower)
	c.limit(of, "maximum", "maximum", upper)
	c.limit(of, "exclusiveMaximum", "exclusive_maximum", upper)
	c.limit(of, "multipleOf", "multiple_of", p.b.MultipleOf == nil || whole && divides(oneRat, p.b.MultipleOf) ||
		divides(p.a.MultipleOf, p.b.MultipleOf))
}

// relevance is a place, and whether the old schema takes values that a group of keywords is about.
type relevance struct {
	place
	relevant bool
}

// limit compares a keyword whose value is a limit; wider says that the new limit lets through what the old did.
func (c *comparer) limit(of relevance, keyword, kind string, wider bool) {
	from, to := c.form(of.a).text[keyword], c.form(of.b).text[keyword]
	if from == to {
		return
	}
	ch := Change{Kind: kind + "_changed", Class: Breaking, Old: limitJSON(from), New: limitJSON(to)}
	switch {
	case from == "":
		ch.Kind = kind + "_added"
	case to == "":
		ch.Kind = kind + "_removed"
	}
	if wider || !of.relevant {
		ch.Class = NonBreaking
	}
	c.add(of.place, ch, keyword)
}

func limitJSON(text string) []byte {
	if text == "" {
		return nil
	}
	if !json.Valid([]byte(text)) {
		return shown(text)
	}
	return []byte(text)
}

// strings compares lengths, pattern and format.
func (c *comparer) strings(p place) {
	of := relevance{p, allowedTypes(p.a)&typeString != 0}
	c.limit(of, "minLength", "min_length", p.a.MinLength >= p.b.MinLength)
	c.limit(of, "maxLength", "max_length", p.b.MaxLength < 0 || p.a.MaxLength >= 0 && p.a.MaxLength <= p.b.MaxLength)
	c.opaque(of, "pattern", "pattern", false)
	c.opaque(of, "format", "format", false)
	c.opaque(of, "contentEncoding", "content", false)
}

// opaque compares a keyword whose values can't be told wider from narrower: without it all is valid, else it is not known.
func (c *comparer) opaque(of relevance, keyword, kind string, wider bool) {
	from, to := c.form(of.a).text[keyword], c.form(of.b).text[keyword]
	if from == to {
		return
	}
	ch := Change{Kind: kind + "_changed", Class: UnknownClass, Old: shown(from), New: shown(to)}
	switch {
	case to == "":
		ch.Kind, ch.New, wider = kind+"_removed", nil, true
	case from == "":
		ch.Kind, ch.Old = kind+"_added", nil
	}
	if wider || !of.relevant {
		ch.Class = NonBreaking
	}
	c.add(of.place, ch, keyword)
}

// array compares the keywords for arrays.
func (c *comparer) array(p place) {
	of := relevance{p, allowedTypes(p.a)&typeArray != 0}
	c.limit(of, "minItems", "min_items", p.a.MinItems >= p.b.MinItems)
	c.limit(of, "maxItems", "max_items", p.b.MaxItems < 0 || p.a.MaxItems >= 0 && p.a.MaxItems <= p.b.MaxItems)
	c.limit(of, "uniqueItems", "unique_items", p.a.UniqueItems || !p.b.UniqueItems)
	c.items(of)
	c.inside(of, "contains", "contains", []*jsonschema.Schema{p.a.Contains}, []*jsonschema.Schema{p.b.Contains})
	if p.a.Contains != nil && p.b.Contains != nil {
		c.opaque(of, "minContains", "min_contains", false)
		c.opaque(of, "maxContains", "max_contains", false)
	}
	c.inside(of, "unevaluatedItems", "unevaluated_items", []*jsonschema.Schema{p.a.UnevaluatedItems}, []*jsonschema.Schema{p.b.UnevaluatedItems})
}

// items compares what is said of each of the first items, and of the rest.
func (c *comparer) items(of relevance) {
	first, _ := itemsOf(of.a)
	firstNow, _ := itemsOf(of.b)
	n := max(len(first), len(firstNow))
	for i := range n {
		c.item(of, "prefixItems/"+strconv.Itoa(i), i)
	}
	c.item(of, "items", n)
}

func (c *comparer) item(of relevance, path string, i int) {
	from, to := ofItem(of.a, i), ofItem(of.b, i)
	switch {
	case len(from) == 0 && len(to) == 0:
	case len(to) == 0:
		c.add(of.place, Change{Kind: "items_removed", Class: NonBreaking, Note: "items may be anything now"}, path)
	case len(from) == 0:
		ch := Change{Kind: "items_added", Class: Breaking, Note: "items could be anything before"}
		if !of.relevant || c.implies(trueSchema, to[0]) {
			ch.Class = NonBreaking
		}
		c.add(of.place, c.unlessNamed(of, ch, to[0]), path)
	default:
		next := of.down(from[0], to[0], path, step{kind: 'i', at: i})
		next.loose = next.loose && of.a.Contains == nil && of.b.Contains == nil
		next.proven = next.proven || !of.relevant
		c.walk(next)
	}
}

// inside compares a keyword that holds schemas and is not taken apart: equal, gone, or not known.
func (c *comparer) inside(of relevance, keyword, kind string, from, to []*jsonschema.Schema) {
	from, to = present(from), present(to)
	if c.equalLists(from, to) {
		return
	}
	ch := Change{Kind: kind + "_changed", Class: UnknownClass}
	switch {
	case len(to) == 0:
		ch.Kind, ch.Class = kind+"_removed", NonBreaking
	case len(from) == 0:
		ch.Kind = kind + "_added"
	}
	if !of.relevant {
		ch.Class = NonBreaking
	}
	c.add(of.place, ch, keyword)
}

func present(all []*jsonschema.Schema) []*jsonschema.Schema {
	return slices.DeleteFunc(slices.Clone(all), func(s *jsonschema.Schema) bool { return s == nil })
}
