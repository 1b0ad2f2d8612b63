package drift

import (
	"fmt"
	"strings"
	"testing"
)

// changesText lists changes as "CLASS KIND PATH", those with a witness marked by a star.
func changesText(c *Comparison) string {
	var b strings.Builder
	for _, ch := range c.Changes {
		mark := ""
		if ch.Witness != nil {
			mark = " *"
		}
		_, _ = fmt.Fprintf(&b, "%s %s %s%s\n", ch.Class, ch.Kind, ch.Path, mark)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func compared(t *testing.T, before, after string, o CompareOptions) *Comparison {
	t.Helper()
	c, err := CompareSchemas([]byte(before), []byte(after), o)
	if err != nil {
		t.Fatalf("%s -> %s: %v", before, after, err)
	}
	return c
}

// inX is an object whose property x has a schema.
func inX(schema string) string { return `{"type":"object","properties":{"x":` + schema + `}}` }

func TestEachKeywordIsClassedByWhatItRefuses(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"equal", `{"type":"string"}`, `{"type":["string"]}`, ""},
		{"integer to number", `{"type":"integer"}`, `{"type":"number"}`, "non_breaking type_widened /properties/x/type"},
		{"number to integer", `{"type":"number"}`, `{"type":"integer"}`, "breaking type_narrowed /properties/x/type *"},
		{"string to number", `{"type":"string"}`, `{"type":"number"}`, "breaking type_changed /properties/x/type *"},
		{"null allowed", `{"type":"string"}`, `{"type":["string","null"]}`, "non_breaking type_widened /properties/x/type"},
		{"type named for what an enum holds", `{"enum":["a"]}`, `{"enum":["a"],"type":"string"}`, "non_breaking type_narrowed /properties/x/type"},
		{"enum value added", `{"enum":["a"]}`, `{"enum":["a","b"]}`, "non_breaking enum_value_added /properties/x/enum"},
		{"enum value removed", `{"enum":["a","b"]}`, `{"enum":["a"]}`, "breaking enum_value_removed /properties/x/enum *"},
		{"enum in another order", `{"enum":["a","b"]}`, `{"enum":["b","a"]}`, ""},
		{"enum added", `{"type":"string"}`, `{"type":"string","enum":["a"]}`, "breaking enum_added /properties/x/enum *"},
		{"enum of all there is", `{"type":"boolean"}`, `{"type":"boolean","enum":[true,false]}`, "non_breaking enum_added /properties/x/enum"},
		{"enum removed", `{"type":"string","enum":["a"]}`, `{"type":"string"}`, "non_breaking enum_removed /properties/x/enum"},
		{"const changed", `{"const":1}`, `{"const":2}`, "breaking const_changed /properties/x/const *"},
		{"const written otherwise", `{"const":1}`, `{"const":1.0}`, ""},
		{"const to an enum with it", `{"const":1}`, `{"enum":[1,2]}`, "non_breaking const_removed /properties/x/const\nnon_breaking enum_added /properties/x/enum"},
		{"minimum raised", `{"type":"number","minimum":1}`, `{"type":"number","minimum":2}`, "breaking minimum_changed /properties/x/minimum *"},
		{"minimum lowered", `{"type":"number","minimum":1}`, `{"type":"number","minimum":0}`, "non_breaking minimum_changed /properties/x/minimum"},
		{"minimum made exclusive", `{"type":"number","minimum":1}`, `{"type":"number","exclusiveMinimum":1}`,
			"breaking exclusive_minimum_added /properties/x/exclusiveMinimum *\nbreaking minimum_removed /properties/x/minimum *"},
		{"the same bound of integers", `{"type":"integer","exclusiveMinimum":0}`, `{"type":"integer","minimum":1}`,
			"non_breaking exclusive_minimum_removed /properties/x/exclusiveMinimum\nnon_breaking minimum_added /properties/x/minimum"},
		{"a bound for what is no number", `{"type":"string"}`, `{"type":"string","minimum":1}`, "non_breaking minimum_added /properties/x/minimum"},
		{"maximum added", `{"type":"integer"}`, `{"type":"integer","maximum":9}`, "breaking maximum_added /properties/x/maximum *"},
		{"multiple of a divisor", `{"type":"integer","multipleOf":4}`, `{"type":"integer","multipleOf":2}`, "non_breaking multiple_of_changed /properties/x/multipleOf"},
		{"multiple of another", `{"type":"integer","multipleOf":2}`, `{"type":"integer","multipleOf":3}`, "breaking multiple_of_changed /properties/x/multipleOf *"},
		{"longer strings only", `{"type":"string"}`, `{"type":"string","minLength":3}`, "breaking min_length_added /properties/x/minLength *"},
		{"max length lowered", `{"type":"string","maxLength":9}`, `{"type":"string","maxLength":5}`, "breaking max_length_changed /properties/x/maxLength *"},
		{"max length that the pattern has", `{"type":"string","pattern":"^[a-z]$"}`, `{"type":"string","pattern":"^[a-z]$","maxLength":1}`, "unknown max_length_added /properties/x/maxLength"},
		{"minimum that multiples have", `{"type":"integer","multipleOf":5,"minimum":1}`, `{"type":"integer","multipleOf":5,"minimum":5}`, "unknown minimum_changed /properties/x/minimum"},
		{"one item is unique", `{"type":"array","maxItems":1}`, `{"type":"array","maxItems":1,"uniqueItems":true}`, "unknown unique_items_added /properties/x/uniqueItems"},
		{"type where nothing fits", `{"not":{}}`, `{"not":{},"type":"string"}`, "unknown type_narrowed /properties/x/type"},
		{"min length zero", `{"type":"string"}`, `{"type":"string","minLength":0}`, ""},
		{"pattern removed", `{"pattern":"^a"}`, `{}`, "non_breaking pattern_removed /properties/x/pattern"},
		{"pattern changed, not told", `{"type":"string","pattern":"^[ab]$"}`, `{"type":"string","pattern":"^(a|b)$"}`, "unknown pattern_changed /properties/x/pattern"},
		{"pattern changed, with proof", `{"type":"string","pattern":"^a$"}`, `{"type":"string","pattern":"^b$"}`, "breaking pattern_changed /properties/x/pattern *"},
		{"pattern that Go can't read", `{"type":"string","pattern":"(?=a)"}`, `{"type":"string","pattern":"(?=b)"}`, "unknown pattern_changed /properties/x/pattern"},
		{"format added", `{"type":"string"}`, `{"type":"string","format":"uri"}`, "breaking format_added /properties/x/format *"},
		{"format removed", `{"type":"string","format":"uri"}`, `{"type":"string"}`, "non_breaking format_removed /properties/x/format"},
		{"fewer items", `{"type":"array","maxItems":3}`, `{"type":"array","maxItems":2}`, "breaking max_items_changed /properties/x/maxItems *"},
		{"more items", `{"type":"array"}`, `{"type":"array","minItems":1}`, "breaking min_items_added /properties/x/minItems *"},
		{"unique items", `{"type":"array"}`, `{"type":"array","uniqueItems":true}`, "breaking unique_items_added /properties/x/uniqueItems *"},
		{"items narrowed", `{"type":"array","items":{"type":"number"}}`, `{"type":"array","items":{"type":"integer"}}`, "breaking type_narrowed /properties/x/items/type *"},
		{"items said", `{"type":"array"}`, `{"type":"array","items":{"type":"string"}}`, "breaking items_added /properties/x/items *"},
		{"items no longer said", `{"type":"array","items":{"type":"string"}}`, `{"type":"array"}`, "non_breaking items_removed /properties/x/items"},
		{"first items", `{"prefixItems":[{"type":"string"}]}`, `{"prefixItems":[{"type":"string","maxLength":1}]}`, "breaking max_length_added /properties/x/prefixItems/0/maxLength *"},
		{"contains", `{"type":"array"}`, `{"type":"array","contains":{"type":"string"}}`, "breaking contains_added /properties/x/contains *"},
		{"default changed", `{"type":"integer","default":1}`, `{"type":"integer","default":2}`, "breaking default_changed /properties/x/default *"},
		{"default added", `{"type":"integer"}`, `{"type":"integer","default":2}`, "unknown default_added /properties/x/default *"},
		{"default removed", `{"type":"integer","default":null}`, `{"type":"integer"}`, "unknown default_removed /properties/x/default *"},
		{"description", `{"description":"a"}`, `{"description":"b"}`, "non_breaking description_changed /properties/x/description"},
		{"a keyword nobody checks", `{"x-order":1}`, `{"x-order":2}`, "non_breaking x-order_changed /properties/x/x-order"},
		{"branch of anyOf added", `{"anyOf":[{"type":"string"}]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "non_breaking any_of_branch_added /properties/x/anyOf/1"},
		{"branch of anyOf removed", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"string"}]}`, "breaking any_of_branch_removed /properties/x/anyOf/1 *"},
		{"branch of anyOf that another covers", `{"anyOf":[{"type":"integer"},{"type":"number"}]}`, `{"anyOf":[{"type":"number"}]}`, "non_breaking any_of_branch_removed /properties/x/anyOf/0"},
		{"anyOf for a list of types", `{"type":["string","null"]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`,
			"non_breaking any_of_added /properties/x/anyOf\nnon_breaking type_widened /properties/x/type"},
		{"inside a branch", `{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`, `{"anyOf":[{"type":"array","items":{"type":"string","maxLength":3}},{"type":"null"}]}`,
			"breaking max_length_added /properties/x/anyOf/0/items/maxLength *"},
		{"oneOf widened apart", `{"oneOf":[{"type":"string","maxLength":3},{"type":"integer"}]}`, `{"oneOf":[{"type":"string"},{"type":"integer"}]}`,
			"non_breaking max_length_removed /properties/x/oneOf/0/maxLength"},
		{"oneOf made to overlap", `{"oneOf":[{"type":"string"},{"type":"integer"}]}`, `{"oneOf":[{"type":"string"},{"type":"integer"},{"type":"number"}]}`,
			"breaking one_of_branch_added /properties/x/oneOf/2 *"},
		{"not", `{"type":"string"}`, `{"type":"string","not":{"const":"a"}}`, "unknown not_added /properties/x/not"},
		{"not of another type", `{"type":"string"}`, `{"type":"string","not":{"type":"null"}}`, "non_breaking not_added /properties/x/not"},
		{"allOf taken apart", `{"allOf":[{"type":"string"},{"maxLength":3}]}`, `{"type":"string","maxLength":3}`,
			"non_breaking all_of_removed /properties/x/allOf\nnon_breaking max_length_added /properties/x/maxLength\nnon_breaking type_narrowed /properties/x/type"},
		{"false", `{"type":"string"}`, `false`, "breaking nothing_valid /properties/x *"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := changesText(compared(t, inX(c.before), inX(c.after), CompareOptions{})); got != c.want {
				t.Errorf("%s -> %s:\nhave %s\nwant %s", c.before, c.after, got, c.want)
			}
		})
	}
}

func TestPropertiesAreClassedByWhatOldCallsCarry(t *testing.T) {
	const a = `{"type":"object","properties":{"a":{"type":"string"}}}`
	for _, c := range []struct{ name, before, after, want string }{
		{"optional added", a, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, "non_breaking property_added /properties/b"},
		{"required added", a, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"]}`,
			"non_breaking property_added /properties/b\nbreaking required_added /required *"},
		{"made required", a, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, "breaking required_added /required *"},
		{"no longer required", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, a, "non_breaking required_removed /required"},
		{"removed and ignored", a, `{"type":"object","properties":{}}`, "breaking property_removed /properties/a *"},
		{"removed and refused", a, `{"type":"object","properties":{},"additionalProperties":false}`,
			"breaking additional_properties_closed /additionalProperties *\nbreaking property_removed /properties/a *"},
		{"closed", a, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, "breaking additional_properties_closed /additionalProperties *"},
		{"opened", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, a, "non_breaking additional_properties_opened /additionalProperties"},
		{"true said", a, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, ""},
		{"further members narrowed", `{"type":"object","additionalProperties":{"type":"number"}}`, `{"type":"object","additionalProperties":{"type":"integer"}}`,
			"breaking type_narrowed /additionalProperties/type *"},
		{"added to a free object", `{"type":"object"}`, a, "unknown names_no_longer_free /additionalProperties *\nbreaking property_added /properties/a *"},
		{"names listed, none of them", `{"type":"object"}`, `{"type":"object","properties":{}}`, "unknown names_no_longer_free /additionalProperties *"},
		{"true no longer said", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, a, "unknown names_no_longer_free /additionalProperties *"},
		{"further members no longer said", `{"type":"object","properties":{"a":{}},"additionalProperties":{"type":"string"}}`, `{"type":"object","properties":{"a":{}}}`,
			"non_breaking additional_properties_opened /additionalProperties\nunknown names_no_longer_free /additionalProperties *"},
		{"items that name members", `{"type":"object","properties":{"x":{"type":"array"}}}`, `{"type":"object","properties":{"x":{"type":"array","items":{"properties":{"a":{}}}}}}`,
			"unknown items_added /properties/x/items"},
		{"a branch's name is gone", `{"type":"object","properties":{"a":{}},"anyOf":[{"properties":{"b":{}}},{}]}`, `{"type":"object","properties":{"a":{}}}`,
			"non_breaking any_of_removed /anyOf\nunknown property_removed /properties/b *"},
		{"added where further members fit", `{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object","additionalProperties":{"type":"string"},"properties":{"a":{"type":"string"}}}`,
			"non_breaking property_added /properties/a"},
		{"added beside a choice that knows it", `{"type":"object","properties":{"a":{}},"anyOf":[{"properties":{"b":{"type":"string"}}}]}`,
			`{"type":"object","properties":{"a":{},"b":{"type":"integer"}},"anyOf":[{"properties":{"b":{"type":"string"}}}]}`, "breaking property_added /properties/b *"},
		{"nested", inX(`{"type":"object","properties":{"y":{"type":"array","items":{"type":"object","properties":{"z":{"type":"string"}}}}}}`),
			inX(`{"type":"object","properties":{"y":{"type":"array","items":{"type":"object","properties":{"z":{"type":"string"}},"required":["z"]}}}}`),
			"breaking required_added /properties/x/properties/y/items/required *"},
		{"through a reference", `{"type":"object","properties":{"x":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"string"}}}`,
			`{"type":"object","properties":{"x":{"$ref":"#/$defs/e"}},"$defs":{"e":{"type":"string","maxLength":3}}}`, "breaking max_length_added /properties/x/maxLength *"},
		{"reference taken apart", `{"type":"object","properties":{"x":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"string"}}}`, inX(`{"type":"string"}`), ""},
		{"recursive", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"v":{"type":"number"},"n":{"$ref":"#/$defs/n"}}}}}`,
			`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"n":{"$ref":"#/$defs/n"}}}}}`, "breaking type_narrowed /properties/v/type *"},
		{"recursive and wider", `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},"n":{"$ref":"#/$defs/n"}}}}}`,
			`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"v":{"type":"number"},"n":{"$ref":"#/$defs/n"}}}}}`, "non_breaking type_widened /properties/v/type"},
		{"default of what is required", `{"properties":{"a":{"default":1}},"required":["a"]}`, `{"properties":{"a":{"default":2}},"required":["a"]}`,
			"non_breaking default_changed /properties/a/default"},
		{"default of what was required", `{"properties":{"a":{}},"required":["a"]}`, `{"properties":{"a":{"default":2}}}`,
			"non_breaking default_added /properties/a/default\nnon_breaking required_removed /required"},
		{"default of what one branch required", `{"anyOf":[{"properties":{"a":{}},"required":["a"]},{}]}`, `{"anyOf":[{"properties":{"a":{"default":2}}},{}]}`,
			"unknown default_added /anyOf/0/properties/a/default\nnon_breaking required_removed /anyOf/0/required"},
		{"name with a slash", `{"type":"object","properties":{"a/b":{"type":"string"}}}`, `{"type":"object","properties":{"a/b":{"type":"null"}}}`,
			"breaking type_changed /properties/a~1b/type *"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := changesText(compared(t, c.before, c.after, CompareOptions{})); got != c.want {
				t.Errorf("have %s\nwant %s", got, c.want)
			}
		})
	}
}
