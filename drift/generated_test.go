package drift

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// genSchema draws a schema that refers to the definitions d0 to d3, with every keyword that applies schemas.
func genSchema(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if depth == 0 || rapid.IntRange(0, 5).Draw(t, "leaf") == 0 {
			return rapid.SampledFrom([]any{
				true, map[string]any{}, map[string]any{"type": "string"}, map[string]any{"type": "object"},
				map[string]any{"$ref": "#/$defs/d0"}, map[string]any{"$ref": "#/$defs/d1"}, map[string]any{"$ref": "#"},
				map[string]any{"enum": []any{"a", 1}}, map[string]any{"pattern": "^(a|b)*$"}, map[string]any{"uniqueItems": true},
			}).Draw(t, "simple")
		}
		inner := genSchema(depth - 1)
		m := map[string]any{}
		for range rapid.IntRange(1, 4).Draw(t, "keywords") {
			genKeyword(t, inner, m)
		}
		return m
	})
}

func genKeyword(t *rapid.T, inner *rapid.Generator[any], m map[string]any) {
	k := rapid.SampledFrom([]string{
		"allOf", "anyOf", "oneOf", "properties", "patternProperties", "dependentSchemas", "additionalProperties", "items", "not", "if",
		"then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "prefixItems", "required",
	}).Draw(t, "keyword")
	switch k {
	case "allOf", "anyOf", "oneOf", "prefixItems":
		m[k] = rapid.SliceOfN(inner, 1, 3).Draw(t, k)
	case "properties", "dependentSchemas", "patternProperties":
		m[k] = rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), inner, 0, 3).Draw(t, k)
	case "required":
		m[k] = []string{"a"}
	default:
		m[k] = inner.Draw(t, k)
	}
}

// genValue draws a value that may fit.
func genValue(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		switch n := rapid.IntRange(0, 3).Draw(t, "kind"); {
		case depth > 0 && n == 0:
			return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), genValue(depth-1), 0, 4).Draw(t, "object")
		case depth > 0 && n == 1:
			return rapid.SliceOfN(genValue(depth-1), 0, 4).Draw(t, "array")
		}
		return rapid.SampledFrom([]any{"a", "ab", 1, 1.5, true, nil}).Draw(t, "scalar")
	})
}

func TestGeneratedSchemasAreJudgedAsTheLibraryJudgesThem(t *testing.T) {
	var slowest time.Duration
	rapid.Check(t, func(t *rapid.T) {
		root, ok := genSchema(4).Draw(t, "schema").(map[string]any)
		if !ok {
			return
		}
		root["$defs"] = map[string]any{"d0": genSchema(3).Draw(t, "d0"), "d1": genSchema(3).Draw(t, "d1")}
		schema, _ := json.Marshal(root)
		args, _ := json.Marshal(genValue(4).Draw(t, "arguments"))
		begin := time.Now()
		s, err := CompileSchema(schema, Limits{})
		if err != nil {
			var c *CompileError
			if !errors.As(err, &c) || strings.Contains(err.Error(), schemaURL) {
				t.Fatalf("error %v", err)
			}
			return
		}
		got := s.Classify(args)
		if d := time.Since(begin); d > slowest {
			slowest = d
		}
		checkGenerated(t, string(schema), args, got)
	})
	t.Logf("slowest: %s", slowest)
}

// checkGenerated compares a verdict with what the library says by itself.
func checkGenerated(t *rapid.T, schema string, args []byte, got Verdict) {
	if got.Err != nil {
		if !errors.Is(got.Err, ErrLimit) {
			t.Fatalf("not judged: %v", got.Err)
		}
		return
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	if err := c.AddResource("x:///s", strings.NewReader(schema)); err != nil {
		t.Fatal(err)
	}
	plain, err := c.Compile("x:///s")
	if err != nil {
		return // an older draft was tried
	}
	var v any
	d := json.NewDecoder(strings.NewReader(string(args)))
	d.UseNumber()
	_ = d.Decode(&v)
	if valid, said := plain.Validate(v) == nil, got.Class != events.DriftValidationError; valid != said {
		t.Fatalf("%s of %s: class %s, valid %v", args, schema, got.Class, valid)
	}
}
