package drift

import (
	"encoding/json"
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// genWide draws a schema of every keyword that can refuse a value, with the values of each near each other so that pairs overlap. It may refer to the
// definitions d0 and d1.
func genWide(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if rapid.IntRange(0, 19).Draw(t, "bool") == 0 {
			return rapid.SampledFrom([]any{true, true, false}).Draw(t, "bare")
		}
		m := map[string]any{}
		if rapid.IntRange(0, 2).Draw(t, "typed") > 0 {
			m["type"] = rapid.SampledFrom([]any{
				"string", "integer", "number", "boolean", "null", "object", "object", "array", []any{"string", "null"}, []any{"object", "integer"}, []any{"array", "number"},
			}).Draw(t, "type")
		}
		for range rapid.IntRange(0, 3).Draw(t, "keywords") {
			setWide(t, m, rapid.SampledFrom(wideFor(m["type"], depth)).Draw(t, "keyword"), depth)
		}
		return m
	})
}

// wideFor lists the keywords that say something of a type, and those for any.
func wideFor(typ any, depth int) []string {
	all := []string{"enum", "const", "$ref"}
	of := map[string][]string{
		"string":  {"minLength", "maxLength", "pattern", "format"},
		"number":  {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
		"integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
		"array":   {"minItems", "maxItems", "uniqueItems"},
		"object":  {"required", "required", "minProperties", "maxProperties", "dependentRequired"},
	}
	deep := map[string][]string{
		"array":  {"items", "items", "prefixItems", "contains", "minContains", "maxContains", "unevaluatedItems"},
		"object": {"properties", "properties", "properties", "additionalProperties", "patternProperties", "propertyNames", "dependentSchemas", "unevaluatedProperties"},
	}
	if depth > 0 {
		all = append(all, "allOf", "anyOf", "oneOf", "not", "if")
	}
	for name := range of {
		if typ == nil || typ == name || listsName(typ, name) {
			all = append(all, of[name]...)
			if depth > 0 {
				all = append(all, deep[name]...)
			}
		}
	}
	slices.Sort(all)
	return all
}

// setWide gives a keyword a value.
func setWide(t *rapid.T, m map[string]any, keyword string, depth int) {
	names := rapid.SampledFrom([]string{"a", "b", "c"})
	inner := genWide(depth - 1)
	switch keyword {
	case "enum":
		m[keyword] = rapid.SliceOfNDistinct(rapid.SampledFrom(wideValues), 1, 4, func(v any) string { return jsonText(v) }).Draw(t, keyword)
	case "const":
		m[keyword] = rapid.SampledFrom(wideValues).Draw(t, keyword)
	case "$ref":
		m[keyword] = rapid.SampledFrom([]string{"#/$defs/d0", "#/$defs/d1", "#"}).Draw(t, keyword)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		m[keyword] = rapid.IntRange(0, 3).Draw(t, keyword)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		m[keyword] = rapid.SampledFrom([]any{-1, 0, 0.5, 1, 2}).Draw(t, keyword)
	case "multipleOf":
		m[keyword] = rapid.SampledFrom([]any{0.5, 1, 2}).Draw(t, keyword)
	case "pattern":
		m[keyword] = rapid.SampledFrom(widePatterns).Draw(t, keyword)
	case "format":
		m[keyword] = rapid.SampledFrom([]string{"date", "email", "uri", "mine"}).Draw(t, keyword)
	case "uniqueItems":
		m[keyword] = rapid.Bool().Draw(t, keyword)
	case "required":
		m[keyword] = rapid.SliceOfNDistinct(names, 0, 2, rapid.ID).Draw(t, keyword)
	case "dependentRequired":
		m[keyword] = rapid.MapOfN(names, rapid.SliceOfNDistinct(names, 0, 2, rapid.ID), 1, 2).Draw(t, keyword)
	case "properties", "dependentSchemas":
		m[keyword] = rapid.MapOfN(names, inner, 0, 3).Draw(t, keyword)
	case "patternProperties":
		m[keyword] = rapid.MapOfN(rapid.SampledFrom(widePatterns), inner, 1, 2).Draw(t, keyword)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		m[keyword] = rapid.SliceOfN(inner, 1, 3).Draw(t, keyword)
	case "if":
		for _, k := range []string{"if", "then", "else"} {
			if rapid.IntRange(0, 3).Draw(t, k+"?") > 0 {
				m[k] = inner.Draw(t, k)
			}
		}
	default:
		m[keyword] = inner.Draw(t, keyword)
	}
}

var widePatterns = []string{"^a", "b$", "^.$", "^[ab]+$", ""}

// wideValues are what schemas list and calls hold.
var wideValues = []any{
	"a", "ab", "b", "c", "", "2026-01-02", 0, 1, 2, -1, 0.5, 1.5, true, false, nil, []any{}, []any{"a"}, []any{1, 1}, map[string]any{}, map[string]any{"a": 1},
}

// editWide returns a schema with one thing in it changed: a keyword set, taken away or gone into, a wrapping choice, or another schema.
func editWide(t *rapid.T, v any, depth int) any {
	m, ok := v.(map[string]any)
	if !ok || rapid.IntRange(0, 11).Draw(t, "other") == 0 {
		return genWide(min(depth, 1)).Draw(t, "other schema")
	}
	m = maps.Clone(m)
	keys := slices.Sorted(maps.Keys(m))
	switch rapid.IntRange(0, 9).Draw(t, "edit") {
	case 0, 1:
		setWide(t, m, rapid.SampledFrom(wideFor(m["type"], depth)).Draw(t, "set"), min(depth, 2))
		return m
	case 2:
		if len(keys) > 0 {
			delete(m, rapid.SampledFrom(keys).Draw(t, "gone"))
		}
		return m
	case 3:
		m["type"] = rapid.SampledFrom([]any{"string", "integer", "number", "object", "array", []any{"string", "null"}, []any{"object", "integer"}}).Draw(t, "type")
		return m
	case 4:
		return wrapped(t, m)
	}
	if len(keys) == 0 || depth == 0 {
		return m
	}
	key := rapid.SampledFrom(keys).Draw(t, "into")
	m[key] = editInside(t, key, m[key], depth)
	return m
}

// wrapped says the same in another way, or nearly.
func wrapped(t *rapid.T, m map[string]any) any {
	switch rapid.IntRange(0, 4).Draw(t, "wrap") {
	case 0:
		return map[string]any{"allOf": []any{m}}
	case 1:
		return map[string]any{"anyOf": []any{m, map[string]any{"type": "null"}}}
	case 2:
		return map[string]any{"oneOf": []any{m}}
	case 3:
		return map[string]any{"not": map[string]any{"not": m}}
	}
	return map[string]any{"if": m, "else": false}
}

// editInside changes what a keyword holds.
func editInside(t *rapid.T, key string, v any, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		if !holdsNamed(key) {
			return editWide(t, v, depth-1)
		}
		out := maps.Clone(v)
		name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
		switch in, has := out[name]; {
		case has && rapid.IntRange(0, 3).Draw(t, "drop") == 0:
			delete(out, name)
		case has:
			out[name] = editWide(t, in, depth-1)
		case key != "patternProperties":
			out[name] = genWide(1).Draw(t, "new")
		}
		return out
	case []any:
		if !holdsSchemas(key) || len(v) == 0 {
			return v
		}
		out := slices.Clone(v)
		i := rapid.IntRange(0, len(out)-1).Draw(t, "branch")
		switch rapid.IntRange(0, 4).Draw(t, "branches") {
		case 0:
			return append(out, genWide(1).Draw(t, "branch added"))
		case 1:
			if len(out) > 1 {
				return slices.Delete(out, i, i+1)
			}
		}
		out[i] = editWide(t, out[i], depth-1)
		return out
	}
	return v
}

// guided draws a value as a schema has it, now and then another one.
func guided(t *rapid.T, root, schema any, depth int) any {
	m, _ := schema.(map[string]any)
	if len(m) == 0 || depth <= 0 || rapid.IntRange(0, 9).Draw(t, "any") == 0 {
		return rapid.SampledFrom(wideValues).Draw(t, "value")
	}
	if list, ok := m["enum"].([]any); ok && len(list) > 0 && rapid.Bool().Draw(t, "listed") {
		return rapid.SampledFrom(list).Draw(t, "listed value")
	}
	if c, ok := m["const"]; ok && rapid.Bool().Draw(t, "constant") {
		return c
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if list, ok := m[key].([]any); ok && len(list) > 0 && rapid.Bool().Draw(t, key) {
			return merged(guided(t, root, list[rapid.IntRange(0, len(list)-1).Draw(t, "branch")], depth-1), guidedWithout(t, root, m, key, depth))
		}
	}
	for _, key := range []string{"if", "then", "else"} {
		if in, ok := m[key]; ok && rapid.IntRange(0, 2).Draw(t, key) == 0 {
			return merged(guided(t, root, in, depth-1), guidedWithout(t, root, m, key, depth))
		}
	}
	if ref, ok := m["$ref"].(string); ok && rapid.Bool().Draw(t, "ref") {
		if ref == "#" {
			return guided(t, root, root, depth-1)
		}
		return guided(t, root, at(root, ref[1:]), depth-1)
	}
	return guidedType(t, root, m, depth)
}

func guidedWithout(t *rapid.T, root any, m map[string]any, key string, depth int) any {
	m = maps.Clone(m)
	delete(m, key)
	return guided(t, root, m, depth-1)
}

// merged joins two objects; of other values it is the first.
func merged(a, b any) any {
	x, ok := a.(map[string]any)
	y, too := b.(map[string]any)
	if !ok || !too {
		return a
	}
	out := maps.Clone(y)
	maps.Copy(out, x)
	return out
}

func guidedType(t *rapid.T, root any, m map[string]any, depth int) any {
	var types []string
	switch typ := m["type"].(type) {
	case string:
		types = []string{typ}
	case []any:
		for _, one := range typ {
			types = append(types, one.(string))
		}
	default:
		types = []string{"object", "object", "array", "string", "number"}
	}
	switch rapid.SampledFrom(types).Draw(t, "of type") {
	case "object":
		return guidedObject(t, root, m, depth)
	case "array":
		prefix, _ := m["prefixItems"].([]any)
		list := []any{}
		for i := range rapid.IntRange(0, 4).Draw(t, "items") {
			in := m["items"]
			if i < len(prefix) {
				in = prefix[i]
			} else if c, ok := m["contains"]; ok && rapid.Bool().Draw(t, "contained") {
				in = c
			}
			list = append(list, guided(t, root, in, depth-1))
		}
		return list
	case "string":
		return rapid.SampledFrom([]any{"", "a", "b", "ab", "abc", "aaaa", "c", "bb", "2026-01-02", "user@example.com"}).Draw(t, "string")
	case "integer", "number":
		return rapid.SampledFrom([]any{-2, -1, 0, 1, 2, 3, 4, -1.5, -0.5, 0.25, 0.5, 1.5, json.Number("1.0"), json.Number("2e0")}).Draw(t, "number")
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	}
	return nil
}

func guidedObject(t *rapid.T, root any, m map[string]any, depth int) any {
	props, _ := m["properties"].(map[string]any)
	out := map[string]any{}
	for _, name := range []string{"a", "b", "c", "bb"} {
		in, named := props[name]
		if !named {
			in = m["additionalProperties"]
		}
		want := rapid.IntRange(0, 3).Draw(t, "give "+name)
		if listsName(m["required"], name) || named && want > 0 || want > 2 {
			out[name] = guided(t, root, in, depth-1)
		}
	}
	return out
}
