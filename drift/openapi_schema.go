package drift

import (
	"strconv"
	"strings"
)

// schema tells a schema: by a reference, where it is a component.
func (x *schemaExport) schema(v any, place string) any {
	if name, ok := x.targets[place]; ok {
		return refTo(name)
	}
	return x.body(v, place)
}

// body tells a schema itself. Not every reader of OpenAPI takes true and false.
func (x *schemaExport) body(v any, place string) any {
	switch v := v.(type) {
	case map[string]any:
		return x.object(v, place)
	case bool:
		if !v {
			return map[string]any{"not": map[string]any{}}
		}
	}
	return map[string]any{}
}

func (x *schemaExport) object(m map[string]any, place string) map[string]any {
	out := map[string]any{}
	alone := x.refersAlone(m)
	for _, keyword := range sortedKeys(m) {
		at := place + "/" + escapePointer(keyword)
		switch {
		case x.isStructure(keyword, m[keyword]):
		case alone && keyword != "$ref" && !isAnnotation(keyword):
			x.note(at, "left out: it means nothing beside $ref in the schema's dialect")
		case !inDialect(keyword, x.dialect):
			x.note(at, "left out: it means nothing in the schema's dialect")
		case (keyword == "then" || keyword == "else") && m["if"] == nil:
			x.note(at, "left out: it means nothing without if")
		default:
			x.keyword(out, m, keyword, at)
		}
	}
	return out
}

// isStructure names what an OpenAPI document has in another way: names of schemas, and schemas to refer to.
func (x *schemaExport) isStructure(keyword string, v any) bool {
	switch keyword {
	case "$schema", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$defs", "definitions":
		return true
	case "id":
		_, isName := v.(string)
		return isName && x.dialect == dialect4
	}
	return false
}

// put adds a keyword; where it is there already, in a part of its own that applies too.
func put(out map[string]any, keyword string, v any) {
	if _, taken := out[keyword]; !taken {
		out[keyword] = v
		return
	}
	parts, _ := out["allOf"].([]any)
	out["allOf"] = append(parts, map[string]any{keyword: v})
}

// keyword tells one keyword.
func (x *schemaExport) keyword(out, m map[string]any, keyword, place string) {
	v := m[keyword]
	switch {
	case keyword == "$ref" || keyword == "$recursiveRef" || keyword == "$dynamicRef":
		x.reference(out, keyword, v, place)
	case keyword == "exclusiveMinimum" || keyword == "exclusiveMaximum" || keyword == "minimum" || keyword == "maximum":
		tellLimit(out, m, keyword)
	case keyword == "type":
		out[keyword] = lowerTypes(v)
	case keyword == "items" || keyword == "additionalItems":
		x.items(out, m, keyword, place)
	case keyword == "dependencies":
		x.dependencies(out, v, place)
	case keyword == "additionalProperties" && isBool(v):
		out[keyword] = v
	case holdsSchemas(keyword), holdsNamed(keyword):
		if keyword == "unevaluatedItems" && x.dialect == dialect2019 {
			x.note(place, lateEvaluated)
		}
		put(out, keyword, x.inner(keyword, v, place))
	default:
		x.plain(out, keyword, v, place)
	}
}

// lateEvaluated is where the dialects of 2019-09 and 2020-12 differ in a way that can't be told.
const lateEvaluated = "told as it is, though items that contains finds are evaluated since 2020-12"

func isBool(v any) bool {
	_, ok := v.(bool)
	return ok
}

func (x *schemaExport) reference(out map[string]any, keyword string, v any, place string) {
	ref, _ := v.(string)
	component, ok := x.refer(ref, place[:strings.LastIndexByte(place, '/')])
	if !ok {
		x.note(place, "left out: it leads nowhere")
		return
	}
	if keyword != "$ref" {
		x.note(place, "told as $ref: a reference that is bound when it is used can't be told")
	}
	put(out, "$ref", refTo(component)["$ref"])
}

// tellLimit tells a limit: where the exclusive one is true or false, as in draft 4, the other one is the limit.
func tellLimit(out, m map[string]any, keyword string) {
	exclusive, plain := keyword, keyword
	if name, ok := strings.CutPrefix(keyword, "exclusive"); ok {
		plain = strings.ToLower(name)
	} else {
		exclusive = "exclusive" + strings.ToUpper(keyword[:1]) + keyword[1:]
	}
	is, old := m[exclusive].(bool)
	switch {
	case !old:
		out[keyword] = m[keyword]
	case keyword == plain && is:
		out[exclusive] = m[plain]
	case keyword == plain:
		out[plain] = m[plain]
	}
}

func lowerTypes(v any) any {
	switch v := v.(type) {
	case string:
		return lowerType(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = lowerTypes(v[i])
		}
		return out
	}
	return v
}

// items tells what arrays hold: a list of items is prefixItems, and additionalItems what follows it.
func (x *schemaExport) items(out, m map[string]any, keyword, place string) {
	_, listed := m["items"].([]any)
	switch {
	case keyword == "items" && listed:
		if list, _ := m["items"].([]any); len(list) > 0 {
			out["prefixItems"] = x.inner("prefixItems", list, place)
		}
	case keyword == "items":
		out["items"] = x.schema(m["items"], place)
	case listed:
		out["items"] = x.schema(m["additionalItems"], place)
	default:
		x.note(place, "left out: it means nothing without a list of items")
	}
}

// dependencies tells apart the names and the schemas that a name calls for.
func (x *schemaExport) dependencies(out map[string]any, v any, place string) {
	m, _ := v.(map[string]any)
	names, schemas := map[string]any{}, map[string]any{}
	for _, name := range sortedKeys(m) {
		inner := m[name]
		if list, ok := inner.([]any); ok {
			names[name] = list
		} else {
			schemas[name] = x.schema(inner, place+"/"+escapePointer(name))
		}
	}
	if len(names) > 0 {
		out["dependentRequired"] = names
	}
	if len(schemas) > 0 {
		out["dependentSchemas"] = schemas
	}
}

// inner tells the schemas of a keyword that holds one, a list or a table of them.
func (x *schemaExport) inner(keyword string, v any, place string) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = x.schema(v[i], place+"/"+strconv.Itoa(i))
		}
		return out
	case map[string]any:
		if holdsSchemas(keyword) {
			break
		}
		out := make(map[string]any, len(v))
		for _, name := range sortedKeys(v) {
			out[name] = x.schema(v[name], place+"/"+escapePointer(name))
		}
		return out
	}
	return x.schema(v, place)
}
