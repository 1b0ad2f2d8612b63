package drift

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// spoil puts a value that is none of a keyword's into a schema somewhere.
func spoil(t *rapid.T, v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return rapid.SampledFrom([]any{1, "x", nil, []any{}}).Draw(t, "no schema")
	}
	var parts []string
	_ = eachPart(m, "", func(_ any, at string) error { parts = append(parts, at); return nil })
	if len(parts) == 0 || rapid.Bool().Draw(t, "here") {
		m[rapid.SampledFrom([]string{"type", "minLength", "required", "enum", "pattern", "properties", "items", "not", "allOf", "minimum"}).Draw(t, "keyword")] =
			rapid.SampledFrom([]any{"x", -1, 1.5, nil, []any{}, []any{1}, []any{"a", "a"}, map[string]any{"a": 1}, true}).Draw(t, "value")
		return m
	}
	into := rapid.SampledFrom(parts).Draw(t, "into")
	spoil(t, at(m, into))
	return m
}

// What is wrong as a whole is wrong in some part. In the newest draft a part is wrong only where the whole is, but for keywords of older ones.
func TestCheckingPartByPartFindsWhatCheckingTheWholeFinds(t *testing.T) {
	wrong, right := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		before, _ := widePair(t)
		schema := asRead(before)
		for range rapid.IntRange(0, 1).Draw(t, "spoilt") {
			schema = asRead(spoil(t, schema))
		}
		for _, d := range drafts[:2] { // in draft 4 true and false are wrong where they are referred to, which is found one by one
			err := compiledWhole(marshalled(schema), d)
			var invalid *jsonschema.ValidationError
			isWrong := errors.As(err, &invalid)
			other := bytes.Contains(marshalled(schema), []byte(`"$schema"`)) || bytes.Contains(marshalled(schema), []byte(`"dependencies"`))
			if got := checkPart([]*jsonschema.Schema{metaOf(d.URL())}, schema, ""); isWrong && got == nil || got != nil && err == nil && d == jsonschema.Draft2020 && !other {
				t.Fatalf("%s: part by part %v, whole %v", marshalled(schema), got, err)
			}
			if isWrong {
				wrong++
			} else {
				right++
			}
		}
	})
	t.Logf("%d wrong, %d not", wrong, right)
}

func compiledWhole(schema []byte, d *jsonschema.Draft) (err error) {
	defer recoverCompile(&err)
	_, err = compileDraft(schema, d)
	return err
}

func TestALargeSchemaThatIsWrongIsSaidToBeWrongWhereItIs(t *testing.T) {
	raw := `{"properties":{` + manySchemas(1_000) + `,"z/z":{"items":{"type":"text"}}}}`
	_, err := CompileSchema([]byte(raw), Limits{})
	var c *CompileError
	if !errors.As(err, &c) || c.Path != "/properties/z~1z/items/type" {
		t.Errorf("error %v", err)
	}
	if _, err = CompileSchema([]byte(`{"properties":{`+manySchemas(1_000)+`,"z":{"minimum":1,"exclusiveMinimum":true}}}`), Limits{}); err != nil {
		t.Errorf("of draft 4: %v", err)
	}
}

func TestPointersHaveALimit(t *testing.T) {
	for _, c := range []struct {
		name string
		long int
		want error
	}{{"as long as may be", 500, nil}, {"longer", 600, ErrLimit}} {
		name := strings.Repeat("n", c.long)
		text := strings.Repeat(`{"`+name+`":`, 4) + `1` + strings.Repeat(`}`, 4)
		if _, err := ParseArguments([]byte(text), Limits{}); !errors.Is(err, c.want) {
			t.Errorf("%s: arguments: %v", c.name, err)
		}
		if _, err := CompileSchema([]byte(`{"x-hint":`+text+`}`), Limits{}); !errors.Is(err, c.want) {
			t.Errorf("%s: schema: %v", c.name, err)
		}
	}
}

func TestAValueFarDownIsJudgedWhereThatIsCheap(t *testing.T) {
	s := mustCompile(t, `{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"},"v":{"type":"string"}}}}}`)
	deep := strings.Repeat(`{"n":`, 20) + `{"v":1}` + strings.Repeat(`}`, 20)
	if v := s.Classify([]byte(deep)); v.Class != events.DriftValidationError || v.Err != nil {
		t.Errorf("%+v", v)
	}
}
