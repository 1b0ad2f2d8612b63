package drift

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"
)

// genPlain draws a schema as tools have them, with bounds and lists of values.
func genPlain(depth int) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		m := map[string]any{}
		kinds := []string{"string", "integer", "number", "boolean", "null", "any", "enum", "types"}
		if depth > 0 {
			kinds = append(kinds, "object", "object", "object", "array", "choice", "choice", "wild")
		}
		switch k := rapid.SampledFrom(kinds).Draw(t, "kind"); k {
		case "any":
		case "enum":
			m["enum"] = rapid.SliceOfNDistinct(rapid.SampledFrom([]any{"a", "ab", 1, 2, true, nil}), 1, 4, func(v any) any { return v }).Draw(t, "enum")
		case "types":
			m["type"] = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"string", "integer", "number", "null", "object", "array"}), 1, 3, rapid.ID).Draw(t, "types")
		case "object":
			m["type"] = k
			genObject(t, m, depth)
		case "array":
			m["type"], m["items"] = k, genPlain(depth-1).Draw(t, "items")
			if rapid.Bool().Draw(t, "min") {
				m["minItems"] = rapid.IntRange(0, 2).Draw(t, "minItems")
			}
		case "choice":
			list := rapid.SliceOfN(genPlain(depth-1), 1, 3).Draw(t, "branches")
			m[rapid.SampledFrom([]string{"anyOf", "oneOf", "allOf"}).Draw(t, "of")] = list
			if rapid.Bool().Draw(t, "beside") {
				genObject(t, m, depth)
			}
		case "wild":
			genKeyword(t, genSchema(depth-1), m)
		default:
			m["type"] = k
			genBounds(t, m)
		}
		return m
	})
}

func genObject(t *rapid.T, m map[string]any, depth int) {
	m["properties"] = rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), genPlain(depth-1), 0, 3).Draw(t, "properties")
	if rapid.Bool().Draw(t, "requires") {
		m["required"] = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2, rapid.ID).Draw(t, "required")
	}
	switch rapid.IntRange(0, 4).Draw(t, "additional") {
	case 0:
		m["additionalProperties"] = false
	case 1:
		m["additionalProperties"] = genPlain(0).Draw(t, "additionalProperties")
	case 2:
		m["additionalProperties"] = true
	}
}

func genBounds(t *rapid.T, m map[string]any) {
	switch rapid.IntRange(0, 5).Draw(t, "bound") {
	case 0:
		m["minimum"] = rapid.IntRange(-1, 2).Draw(t, "minimum")
	case 1:
		m["exclusiveMaximum"] = rapid.IntRange(0, 3).Draw(t, "exclusiveMaximum")
	case 2:
		m["minLength"] = rapid.IntRange(0, 2).Draw(t, "minLength")
	case 3:
		m["multipleOf"] = rapid.SampledFrom([]any{1, 2, 0.5}).Draw(t, "multipleOf")
	case 4:
		m["pattern"] = rapid.SampledFrom([]string{"^a", "b$"}).Draw(t, "pattern")
	}
}

// edited returns a schema with one thing in it changed.
func edited(t *rapid.T, v any, depth int) any {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 || depth == 0 || rapid.IntRange(0, 5).Draw(t, "here") == 0 {
		return genPlain(min(depth, 2)).Draw(t, "other")
	}
	m = maps.Clone(m)
	key := rapid.SampledFrom(slices.Sorted(maps.Keys(m))).Draw(t, "key")
	switch inner := m[key].(type) {
	case map[string]any:
		if holdsNamed(key) && len(inner) > 0 && rapid.Bool().Draw(t, "into") {
			inner = maps.Clone(inner)
			name := rapid.SampledFrom(slices.Sorted(maps.Keys(inner))).Draw(t, "name")
			inner[name] = edited(t, inner[name], depth-1)
			m[key] = inner
			return m
		}
		if holdsNamed(key) {
			inner = maps.Clone(inner)
			inner[rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "new")] = genPlain(1).Draw(t, "added")
			m[key] = inner
			return m
		}
		m[key] = edited(t, inner, depth-1)
	case []map[string]any:
		list := slices.Clone(inner)
		i := rapid.IntRange(0, len(list)-1).Draw(t, "branch")
		list[i], _ = edited(t, list[i], depth-1).(map[string]any)
		m[key] = list
	default:
		delete(m, key)
		if rapid.Bool().Draw(t, "replace") {
			genBounds(t, m)
		}
	}
	return m
}

func TestWhatIsCalledNonBreakingRefusesNoGeneratedOldCall(t *testing.T) {
	judged, calls, witnesses := map[Class]int{}, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		before := genPlain(3).Draw(t, "before")
		var after any = before
		for range rapid.IntRange(1, 2).Draw(t, "edits") {
			after = edited(t, after, 3)
		}
		a, b := marshalled(before), marshalled(after)
		if rapid.IntRange(0, 3).Draw(t, "wrapped") > 0 {
			a, b = []byte(inX(string(a))), []byte(inX(string(b)))
		}
		c, err := CompareSchemas(a, b, CompareOptions{})
		if err != nil {
			if !errors.Is(err, ErrCompare) {
				t.Fatal(err)
			}
			return
		}
		judged[c.Class]++
		old, _ := CompileSchema(a, Limits{})
		now, _ := CompileSchema(b, Limits{})
		for _, ch := range c.Changes {
			if ch.Witness != nil {
				witnesses++
				checkWitness(t, a, b, ch)
			}
		}
		if c.Class == NonBreaking {
			calls += checkOldCalls(t, old, now, string(a), string(b))
		}
	})
	t.Logf("judged %v, %d old calls, %d witnesses", judged, calls, witnesses)
}

func marshalled(v any) []byte {
	raw, _ := json.Marshal(v)
	return raw
}

// checkWitness holds a witness against the two schemas that it was made for.
func checkWitness(t *rapid.T, before, after []byte, ch Change) {
	old, _ := CompileSchema(before, Limits{})
	now, _ := CompileSchema(after, Limits{})
	if got := verdictOn(old, ch.Witness.Arguments); got != "valid" && isSteady(before, ch.Witness.Arguments) {
		t.Fatalf("%s %s: the witness %s is %s by the old schema", ch.Kind, ch.Path, ch.Witness.Arguments, got)
	}
	want := "valid"
	if len(ch.Witness.Errors) > 0 {
		want = "invalid"
	}
	if got := verdictOn(now, ch.Witness.Arguments); got != want && isSteady(after, ch.Witness.Arguments) {
		t.Fatalf("%s %s: the witness %s is %s by the new schema, want %s", ch.Kind, ch.Path, ch.Witness.Arguments, got, want)
	}
}

// isSteady reports whether a schema comes to the same each time that it is compiled. It does not always where definitions refer to each other for
// one and the same value: the library sees the circle, or not, by the order in which it comes to them.
func isSteady(schema, args []byte) bool {
	first := ""
	for i := range 500 {
		s, err := CompileSchema(schema, Limits{})
		if err != nil {
			return false
		}
		if got := verdictOn(s, args); i == 0 {
			first = got
		} else if got != first {
			return false
		}
	}
	return true
}

func verdictOn(s *Schema, args []byte) string {
	a, err := ParseArguments(args, Limits{})
	if err != nil {
		return err.Error()
	}
	invalid, err := s.Validate(a)
	switch {
	case err != nil:
		return err.Error()
	case len(invalid) > 0:
		return "invalid"
	}
	return "valid"
}

// checkOldCalls makes calls that keep to the old schema, and holds them against the new one.
func checkOldCalls(t *rapid.T, old, now *Schema, before, after string) int {
	n := 0
	check := func(raw []byte) {
		args, err := ParseArguments(raw, Limits{})
		if err != nil || raw[0] != '{' || !old.fits(args) {
			return
		}
		n++
		if invalid, err := now.Validate(args); err == nil && len(invalid) > 0 {
			t.Fatalf("called non-breaking:\n%s\n%s\nbut %s fits the old and not the new: %v", before, after, raw, invalid)
		}
	}
	for range 8 {
		value := genValue(3).Draw(t, "value")
		check(marshalled(value))
		check(marshalled(map[string]any{"x": value}))
	}
	for _, optional := range []bool{false, true} {
		m := newMaker(old)
		m.optional = optional
		tried := 0
		m.values([]*jsonschema.Schema{old.root}, 0, func(v any) bool {
			check(marshalled(v))
			tried++
			return tried < 40
		})
	}
	return n
}

func TestExamplesAreValidOrSaidToBeImpossible(t *testing.T) {
	made, none := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		raw := []byte(`{"type":"object","required":["x"],"properties":{"x":` + string(marshalled(genPlain(3).Draw(t, "schema"))) + `}}`)
		s, err := CompileSchema(raw, Limits{})
		if err != nil {
			return
		}
		example, err := s.Example()
		if err != nil {
			none++
			if !errors.Is(err, ErrNoExample) {
				t.Fatal(err)
			}
			return
		}
		made++
		if got := verdictOn(s, example); got != "valid" {
			t.Fatalf("%s: %s is %s", raw, example, got)
		}
	})
	t.Logf("%d made, %d not", made, none)
}
