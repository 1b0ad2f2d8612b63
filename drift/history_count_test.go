package drift_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// This file counts what changed in a history of tool definitions with encoding/json and crypto/sha256 alone: none of the product's reading,
// canonical form, digests, comparing or classing. It knows the keywords that the history has, and fails on any other.

// counted is what changed from one release to the next.
type counted struct {
	from, to                      string
	before, after, added, removed int
	// wire, definition and schema count the tools of both lists whose digest of that kind differs.
	wire, definition, schema int
	// kinds counts changes by class, kind and aspect.
	kinds map[string]int
}

// countedTool is a definition with three digests of its own making.
type countedTool struct {
	doc                      map[string]any
	wire, definition, schema string
}

// countReleases compares each release of a file with the one before it of the same server.
func countReleases(t *testing.T, path string) []counted {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []counted
	last := map[string]map[string]countedTool{}
	names := map[string]string{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	for dec.More() {
		var l struct {
			Release, Server string
			Tools           []json.RawMessage
		}
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		now := countedTools(t, l.Tools)
		if was, ok := last[l.Server]; ok {
			out = append(out, countPair(t, counted{from: names[l.Server], to: l.Release}, was, now))
		}
		last[l.Server], names[l.Server] = now, l.Release
	}
	return out
}

func countedTools(t *testing.T, raws []json.RawMessage) map[string]countedTool {
	t.Helper()
	all := map[string]countedTool{}
	for _, raw := range raws {
		c := countedTool{wire: sum(string(raw))}
		if err := json.Unmarshal(raw, &c.doc); err != nil {
			t.Fatal(err)
		}
		schema := c.doc["inputSchema"]
		if schema == nil {
			schema = map[string]any{} // no schema counts as {}
		}
		c.definition, c.schema = sum(sorted(c.doc)), sum(sorted(bareSchema(schema)))
		all[c.doc["name"].(string)] = c
	}
	return all
}

func countPair(t *testing.T, c counted, was, now map[string]countedTool) counted {
	t.Helper()
	c.before, c.after, c.kinds = len(was), len(now), map[string]int{}
	for name, is := range now {
		old, ok := was[name]
		if !ok {
			c.added++
			continue
		}
		c.wire += one(old.wire != is.wire)
		c.definition += one(old.definition != is.definition)
		c.schema += one(old.schema != is.schema)
		countMembers(t, c.kinds, old.doc, is.doc)
	}
	for name := range was {
		if _, ok := now[name]; !ok {
			c.removed++
		}
	}
	return c
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// sorted writes a value as RFC 8785 has it.
func sorted(v any) string {
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) })
		for i, name := range names {
			names[i] = quoted(name) + ":" + sorted(v[name])
		}
		return "{" + strings.Join(names, ",") + "}"
	case []any:
		all := make([]string, len(v))
		for i := range v {
			all[i] = sorted(v[i])
		}
		return "[" + strings.Join(all, ",") + "]"
	case string:
		return quoted(v)
	case float64:
		if v != float64(int64(v)) {
			panic(fmt.Sprintf("the counter writes whole numbers only, not %v", v))
		}
		return strconv.FormatInt(int64(v), 10)
	}
	if v == nil {
		return "null"
	}
	return fmt.Sprint(v) // true, false
}

// quoted writes a string as RFC 8785 has it: only what must be escaped is.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ':
			panic("a control character that the counter does not know")
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// countMembers counts what changed beside the schema: the description, hints one by one, and anything else whole.
func countMembers(t *testing.T, n map[string]int, was, is map[string]any) {
	t.Helper()
	for name := range union(was, is) {
		switch name {
		case "name", "inputSchema":
		case "annotations":
			a, _ := was[name].(map[string]any)
			b, _ := is[name].(map[string]any)
			for hint := range union(a, b) {
				countText(n, hint, a, b)
			}
		default:
			countText(n, name, was, is)
		}
	}
	countSchema(t, n, was["inputSchema"], is["inputSchema"], place{root: true})
}

func union(a, b map[string]any) map[string]bool {
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	return names
}

// countText counts a member that no call depends on.
func countText(n map[string]int, name string, was, is map[string]any) {
	if how := change(was, is, name); how != "" {
		aspect := "annotation"
		if name == "description" || name == "title" {
			aspect = "description"
		}
		n["non_breaking "+name+how+" "+aspect]++
	}
}

// change says how a member differs: added, removed, changed or not at all.
func change(was, is map[string]any, name string) string {
	a, had := was[name]
	b, has := is[name]
	switch {
	case !had && has:
		return "_added"
	case had && !has:
		return "_removed"
	case had && !reflect.DeepEqual(a, b):
		return "_changed"
	}
	return ""
}

// place is where a schema stands.
type place struct {
	// root is the arguments themselves, which are an object whatever is said.
	root bool
	// needed says that old calls always give the property.
	needed bool
}
