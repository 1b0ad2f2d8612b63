package drift_test

import (
	"reflect"
	"slices"
	"testing"
)

// countSchema counts what changed in a schema, keyword by keyword.
func countSchema(t *testing.T, n map[string]int, was, is any, at place) {
	t.Helper()
	a, _ := was.(map[string]any)
	b, _ := is.(map[string]any)
	if isFreeObject(a) && b["properties"] != nil && b["additionalProperties"] == nil {
		n["unknown names_no_longer_free meaning"]++
	}
	for keyword := range union(a, b) {
		switch keyword {
		case "description", "title":
			countText(n, keyword, a, b)
		case "type":
			countType(n, a, b, at)
		case "properties":
			countProperties(t, n, a, b)
		case "required":
			countNames(n, keyword, "breaking", "non_breaking", a, b)
		case "enum":
			countEnum(n, a, b)
		case "minimum", "maximum":
			countBound(n, keyword, a, b)
		case "default":
			countDefault(n, a, b, at)
		case "additionalProperties":
			countAdditional(t, n, a, b)
		case "items":
			countItems(t, n, a, b)
		default:
			t.Fatalf("the counter does not know the keyword %s", keyword)
		}
	}
}

// isFreeObject reports that an object may be meant that takes any name: no property is named, and nothing is said of further ones.
func isFreeObject(m map[string]any) bool {
	return m["properties"] == nil && m["additionalProperties"] == nil && (m["type"] == nil || m["type"] == any("object"))
}

func countType(n map[string]int, a, b map[string]any, at place) {
	how := change(a, b, "type")
	switch {
	case how == "":
	case how == "_added" && at.root:
		n["non_breaking type_narrowed input"]++
	case how == "_added":
		n["breaking type_narrowed input"]++
	case how == "_removed":
		n["non_breaking type_widened input"]++
	default: // the history changes no type to a wider one
		n["breaking type_changed input"]++
	}
}

// countProperties counts properties that came or went and looks into those of both. Objects of the history name their properties and are not free.
func countProperties(t *testing.T, n map[string]int, a, b map[string]any) {
	t.Helper()
	from, _ := a["properties"].(map[string]any)
	to, _ := b["properties"].(map[string]any)
	for name := range union(from, to) {
		switch change(from, to, name) {
		case "_added":
			n["non_breaking property_added input"]++
		case "_removed":
			n["breaking property_removed meaning"]++
		case "_changed":
			countSchema(t, n, from[name], to[name], place{needed: slices.Contains(listOf(a, "required"), any(name))})
		}
	}
}

func listOf(m map[string]any, name string) []any {
	list, _ := m[name].([]any)
	return list
}

func countNames(n map[string]int, kind, ifAdded, ifRemoved string, a, b map[string]any) {
	from, to := listOf(a, "required"), listOf(b, "required")
	for _, v := range to {
		if !slices.Contains(from, v) {
			n[ifAdded+" "+kind+"_added input"]++
		}
	}
	for _, v := range from {
		if !slices.Contains(to, v) {
			n[ifRemoved+" "+kind+"_removed input"]++
		}
	}
}

func countEnum(n map[string]int, a, b map[string]any) {
	switch change(a, b, "enum") {
	case "_added":
		n["breaking enum_added input"]++
	case "_removed":
		n["non_breaking enum_removed input"]++
	case "_changed":
		from, to := listOf(a, "enum"), listOf(b, "enum")
		for _, v := range to {
			if !slices.Contains(from, v) {
				n["non_breaking enum_value_added input"]++
			}
		}
		for _, v := range from {
			if !slices.Contains(to, v) {
				n["breaking enum_value_removed input"]++
			}
		}
	}
}

func countBound(n map[string]int, keyword string, a, b map[string]any) {
	class := "breaking"
	how := change(a, b, keyword)
	if how == "_changed" {
		from, to := a[keyword].(float64), b[keyword].(float64)
		if (to < from) == (keyword == "minimum") {
			class = "non_breaking"
		}
	}
	if how == "_removed" {
		class = "non_breaking"
	}
	if how != "" {
		n[class+" "+keyword+how+" input"]++
	}
}

func countDefault(n map[string]int, a, b map[string]any, at place) {
	how := change(a, b, "default")
	class := "unknown"
	switch {
	case how == "":
		return
	case at.needed:
		class = "non_breaking"
	case how == "_changed":
		class = "breaking"
	}
	n[class+" default"+how+" meaning"]++
}

func countAdditional(t *testing.T, n map[string]int, a, b map[string]any) {
	t.Helper()
	for _, m := range []map[string]any{a, b} {
		if v, has := m["additionalProperties"]; has && v != false && !reflect.DeepEqual(v, map[string]any{}) && v != true {
			if reflect.DeepEqual(a["additionalProperties"], b["additionalProperties"]) {
				return
			}
			t.Fatalf("the counter does not know additionalProperties of %v", v)
		}
	}
	closed, closes := a["additionalProperties"] == any(false), b["additionalProperties"] == any(false)
	switch {
	case closes && !closed:
		n["breaking additional_properties_closed input"]++
	case closed && !closes:
		n["non_breaking additional_properties_opened input"]++
	}
}

func countItems(t *testing.T, n map[string]int, a, b map[string]any) {
	t.Helper()
	switch change(a, b, "items") {
	case "_added":
		n["breaking items_added input"]++
	case "_removed":
		n["non_breaking items_removed input"]++
	case "_changed":
		countSchema(t, n, a["items"], b["items"], place{})
	}
}
