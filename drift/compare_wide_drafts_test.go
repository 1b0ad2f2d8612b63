package drift

import (
	"pgregory.net/rapid"
)

// drafted writes two schemas as older drafts do: 7 with dependencies, lists of items and definitions, 4 with booleans beside the bounds and no const,
// none of them with the words of later ones.
func drafted(t *rapid.T, a, b map[string]any) (map[string]any, map[string]any) {
	said, draft := "", 0
	switch rapid.IntRange(0, 3).Draw(t, "draft") {
	case 0:
		said, draft = "http://json-schema.org/draft-07/schema#", 7
	case 1:
		said, draft = "http://json-schema.org/draft-04/schema#", 4
	case 2:
		draft = 4
	case 3:
		said = "https://json-schema.org/draft/2019-09/schema"
	}
	both := [2]map[string]any{a, b}
	for i := range both {
		if draft > 0 {
			both[i] = older(both[i], draft).(map[string]any)
		}
		if said != "" {
			both[i]["$schema"] = said
		}
	}
	return both[0], both[1]
}

func older(v any, draft int) any {
	m, ok := v.(map[string]any)
	if !ok {
		if draft > 4 || v != true && v != false {
			return v
		}
		if v == true {
			return map[string]any{}
		}
		return map[string]any{"not": map[string]any{}}
	}
	out := map[string]any{}
	for key, in := range m {
		olderKeyword(out, m, key, in, draft)
	}
	return out
}

func olderKeyword(out, m map[string]any, key string, in any, draft int) {
	switch {
	case key == "$defs":
		out["definitions"] = olderNamed(in, draft)
	case key == "$ref" && in != "#":
		out[key] = "#/definitions" + in.(string)[len("#/$defs"):]
	case key == "prefixItems":
		out["items"] = olderList(in, draft)
	case key == "items" && m["prefixItems"] != nil:
		out["additionalItems"] = older(in, draft)
	case key == "dependentSchemas":
		out["dependencies"] = olderNamed(in, draft)
	case key == "dependentRequired" && m["dependentSchemas"] == nil:
		out["dependencies"] = in
	case key == "dependentRequired", key == "unevaluatedItems", key == "unevaluatedProperties", key == "minContains", key == "maxContains":
	case draft == 4 && (key == "contains" || key == "propertyNames" || key == "if" || key == "then" || key == "else"):
	case draft == 4 && key == "const":
		out["enum"] = []any{in}
	case draft == 4 && (key == "exclusiveMinimum" || key == "exclusiveMaximum"):
		bound := map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}[key]
		out[bound], out[key] = in, true
	case draft == 4 && (key == "minimum" && m["exclusiveMinimum"] != nil || key == "maximum" && m["exclusiveMaximum"] != nil):
	case draft == 4 && key == "enum" && m["const"] != nil:
	case holdsNamed(key):
		out[key] = olderNamed(in, draft)
	case holdsSchemas(key):
		if list, ok := in.([]any); ok {
			out[key] = olderList(list, draft)
			return
		}
		out[key] = older(in, draft)
	default:
		out[key] = in
	}
}

func olderNamed(v any, draft int) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for name, in := range m {
		out[name] = older(in, draft)
	}
	return out
}

func olderList(v any, draft int) any {
	list, _ := v.([]any)
	out := make([]any, len(list))
	for i, in := range list {
		out[i] = older(in, draft)
	}
	return out
}
