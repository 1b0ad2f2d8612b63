package drift

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
)

// plain tells a keyword that holds no schemas. What no dialect knows is told under x-, as OpenAPI wants it.
func (x *schemaExport) plain(out map[string]any, keyword string, v any, place string) {
	switch keyword {
	case "nullable":
		x.note(place, "left out: JSON Schema has no such keyword, null is allowed by its type")
	case "discriminator":
		x.discriminator(out, v, place)
	case "maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains", "maxProperties", "minProperties":
		x.count(out, keyword, v, place)
	case "enum", "const", "multipleOf", "uniqueItems", "required", "dependentRequired", "format", "contentEncoding", "contentMediaType":
		put(out, keyword, v)
	case "pattern":
		x.pattern(out, v, place)
	case "default", "example", "examples":
		x.value(out, keyword, v, place)
	case "title", "description", "$comment":
		x.typed(out, keyword, v, place, "")
	case "deprecated", "readOnly", "writeOnly":
		x.typed(out, keyword, v, place, false)
	default:
		if !strings.HasPrefix(keyword, "x-") {
			keyword = "x-" + strings.TrimPrefix(keyword, "$")
		}
		out[keyword] = v
	}
}

// typed tells an annotation that is of the type it must be of: older dialects don't check.
func (x *schemaExport) typed(out map[string]any, keyword string, v any, place string, like any) {
	if typeOfValue(v) != typeOfValue(like) {
		x.note(place, "left out: it is of the wrong type")
		return
	}
	out[keyword] = v
}

// count tells how many there may be, as a whole number in digits: not every reader of OpenAPI takes 1.0 or 1e3.
func (x *schemaExport) count(out map[string]any, keyword string, v any, place string) {
	n, _ := v.(json.Number)
	r, ok := new(big.Rat).SetString(string(n))
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		x.note(place, "told as x-"+keyword+": not every reader of OpenAPI knows such numbers")
		out["x-"+keyword] = v
		return
	}
	put(out, keyword, json.Number(r.Num().String()))
}

// pattern tells a pattern. One that Go's regular expressions don't know, such as one that looks ahead, is valid OpenAPI, yet readers
// written in Go refuse a document for it.
func (x *schemaExport) pattern(out map[string]any, v any, place string) {
	s, _ := v.(string)
	if _, err := regexp.Compile(s); err != nil {
		x.note(place, "told as x-pattern: not every reader of OpenAPI knows such patterns")
		out["x-pattern"] = v
		return
	}
	put(out, "pattern", v)
}

// value tells values that the author gave. Those that don't fit the schema beside them make readers refuse the document.
func (x *schemaExport) value(out map[string]any, keyword string, v any, place string) {
	values := []any{v}
	if keyword == "examples" {
		list, ok := v.([]any)
		if !ok {
			x.note(place, "left out: it is of the wrong type")
			return
		}
		values = list
	}
	if x.trying || x.fits(place[:strings.LastIndexByte(place, '/')], values) {
		out[keyword] = v
		return
	}
	x.note(place, "told as x-"+keyword+": it does not fit the schema")
	out["x-"+keyword] = v
}

// discriminator tells OpenAPI's own keyword, which some tools have: its mapping refers to schemas.
func (x *schemaExport) discriminator(out map[string]any, v any, place string) {
	m, _ := v.(map[string]any)
	name, ok := m["propertyName"].(string)
	if !ok {
		x.note(place, "left out: it names no property")
		return
	}
	told := map[string]any{"propertyName": name}
	mapping := map[string]any{}
	from, _ := m["mapping"].(map[string]any)
	for _, value := range sortedKeys(from) {
		s, _ := from[value].(string)
		if component, ok := x.refer(s, place[:strings.LastIndexByte(place, '/')]); ok {
			mapping[value] = refTo(component)["$ref"]
		} else {
			x.note(place+"/mapping/"+escapePointer(value), "left out: it leads nowhere")
		}
	}
	if len(mapping) > 0 {
		told["mapping"] = mapping
	}
	out["discriminator"] = told
}
