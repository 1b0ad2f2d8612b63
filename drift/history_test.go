package drift_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// pair is what changed from one release to the next, counted without any of the product's code.
type pair struct {
	from, to                                   string
	before, after, added, removed, def, schema int
}

// countHistory compares the releases of a file with encoding/json and reflect alone: definitions as decoded values, schemas
// without the keywords description, title and examples.
func countHistory(t *testing.T, path string) []pair {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type tool = map[string]any
	type list struct {
		Release string
		Tools   []tool
	}
	var lists []list
	dec := json.NewDecoder(bytes.NewReader(raw))
	for dec.More() {
		var l list
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		lists = append(lists, l)
	}
	byName := func(l list) map[string]tool {
		m := map[string]tool{}
		for _, x := range l.Tools {
			m[x["name"].(string)] = x
		}
		return m
	}
	var pairs []pair
	for i := 1; i < len(lists); i++ {
		a, b := byName(lists[i-1]), byName(lists[i])
		p := pair{from: lists[i-1].Release, to: lists[i].Release, before: len(a), after: len(b)}
		for name, is := range b {
			was, ok := a[name]
			if !ok {
				p.added++
				continue
			}
			if !reflect.DeepEqual(was, is) {
				p.def++
			}
			if !reflect.DeepEqual(bareSchema(was["inputSchema"]), bareSchema(is["inputSchema"])) {
				p.schema++
			}
		}
		for name := range a {
			if _, ok := b[name]; !ok {
				p.removed++
			}
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// bareSchema copies a schema without annotations; the keys under properties are names, not keywords.
func bareSchema(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for k, inner := range m {
		switch k {
		case "description", "title", "examples":
		case "properties":
			props := map[string]any{}
			for name, p := range inner.(map[string]any) {
				props[name] = bareSchema(p)
			}
			out[k] = props
		case "items":
			out[k] = bareSchema(inner)
		case "anyOf", "oneOf", "allOf":
			var all []any
			for _, p := range inner.([]any) {
				all = append(all, bareSchema(p))
			}
			out[k] = all
		default:
			out[k] = inner
		}
	}
	return out
}
