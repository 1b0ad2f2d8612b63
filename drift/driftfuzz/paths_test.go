package driftfuzz_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/drift"
)

// chained is a schema whose values nest by the member a, each through so many references, with a string at no place.
func chained(n int) string {
	return `{"$ref":"#/$defs/d0","$defs":{` + listed(n, func(i int) string { return fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"}]}`, i, i+1) }) +
		fmt.Sprintf(`,"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}}}}}`, n)
}

// hostilePaths are schemas and arguments that lead far down, by many steps or by long names: what is said of a place takes its path each time.
func hostilePaths() [][2]string {
	long := strings.Repeat("n", 5000)
	deep := nested(20, `{"`+long+`":`, `{`+listed(5000, func(i int) string { return fmt.Sprintf(`"m%d":1`, i) })+`}`, `}`)
	named := nested(20, `{"properties":{"`+long+`":`, `{`+listed(10_000, func(i int) string { return fmt.Sprintf(`"x%d":1`, i) })+`}`, `}}`)
	many := nested(20, `{"properties":{"`+long+`":`, `{"properties":{`+listed(1900, func(i int) string { return fmt.Sprintf(`"p%d":{}`, i) })+`}}`, `}}`)
	all := [][2]string{
		{chained(20), nested(60, `{"a":`, `1`, `}`)}, {chained(60), nested(60, `{"a":`, `1`, `}`)}, {chained(3), nested(60, `{"a":`, `1`, `}`)},
		{`{"type":"object","additionalProperties":{"$ref":"#"}}`, deep}, {`{"type":"object","additionalProperties":{"type":"object"}}`, deep},
		{`{}`, deep}, {named, `{}`}, {many, deep},
		{`{"items":{"$ref":"#"},"type":"array"}`, nested(60, `[`, strings.TrimSuffix(strings.Repeat(`1,`, 50_000), ","), `]`)},
		{`{"items":{"items":{"items":` + nested(20, `{"allOf":[`, `{"type":"string"}`, `]}`) + `}}}`, `[[[` + strings.TrimSuffix(strings.Repeat(`1,`, 20_000), ",") + `]]]`},
	}
	all = append(all, [2]string{`{"required":[` + listed(4000, func(i int) string { return fmt.Sprint(i) }) + `]}`, `{}`},
		[2]string{`{"dependentRequired":{` + listed(20_000, func(i int) string { return fmt.Sprintf(`"a%d":1`, i) }) + `}}`, `{}`},
		[2]string{`{"$vocabulary":{` + listed(20_000, func(i int) string { return fmt.Sprintf(`"a%d":1`, i) }) + `}}`, `{}`},
		[2]string{`{"type":[` + listed(4000, func(i int) string { return fmt.Sprint(i) }) + `]}`, `{}`},
		[2]string{nested(20, `{"properties":{"a":`, `{"$id":"http://x/y","$schema":"http://json-schema.org/draft-04/schema#","definitions":{`+
			listed(1800, func(i int) string { return fmt.Sprintf(`"a%d":{"type":1,"minLength":-1}`, i) })+`}}`, `}}`), `{}`},
		[2]string{nested(20, `{"properties":{"a":`, `{"$id":"http://x/y","$schema":"http://json-schema.org/draft-04/schema#","definitions":{`+
			listed(1800, func(i int) string { return fmt.Sprintf(`"a%d":{"const":1,"exclusiveMinimum":1}`, i) })+`}}`, `}}`), `{}`})
	for _, d := range []int{1, 5, 8, 11, 30} { // wrong in many places as deep as may be
		wrong := listed(1900, func(i int) string { return fmt.Sprintf(`"p%d":{"type":%d,"minLength":-1}`, i, i) })
		all = append(all, [2]string{nested(d, `{"properties":{"a":`, `{"properties":{`+wrong+`}}`, `}}`), `{}`})
		all = append(all, [2]string{nested(d, `{"not":`, `{"properties":{`+wrong+`}}`, `}`), `{}`})
	}
	for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
		for _, n := range []int{8, 12, 16} {
			all = append(all, [2]string{doubling(keyword, n, `{"type":"string"}`), `{}`})
		}
	}
	return all
}

// shortPaths are those of the hostile paths that a fuzzer can work on.
func shortPaths() [][2]string {
	return slices.DeleteFunc(hostilePaths(), func(p [2]string) bool { return len(p[0])+len(p[1]) > 6_000 })
}

func TestPlacesFarDownCostNoMoreThanOthers(t *testing.T) {
	most, longest := uint64(0), time.Duration(0)
	within := func(t *testing.T, what string, do func()) {
		t.Helper()
		took, bytes := within(t, what, do)
		most, longest = max(most, bytes), max(longest, took)
	}
	for i, p := range hostilePaths() {
		var s *drift.Schema
		var err error
		within(t, fmt.Sprint(i, " compile"), func() { s, err = drift.CompileSchema([]byte(p[0]), drift.Limits{}) })
		if err != nil {
			t.Logf("%d: %v", i, err)
			continue
		}
		within(t, fmt.Sprint(i, " classify"), func() { checkVerdict(t, s.Classify([]byte(p[1]))) })
		within(t, fmt.Sprint(i, " example"), func() { _, _ = s.Example() })
		within(t, fmt.Sprint(i, " shape"), func() { drift.Shape([]byte(p[1])) })
		within(t, fmt.Sprint(i, " compare"), func() { _, _ = drift.CompareSchemas([]byte(p[0]), []byte(orderV2), drift.CompareOptions{}) })
	}
	t.Logf("at most %d MiB and %s", most>>20, longest)
}
