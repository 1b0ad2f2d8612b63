package drift

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// hostilePairs are pairs of schemas made to be expensive.
func hostilePairs() map[string][2]string {
	nest := func(n int, open, inner, end string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	list := func(n int, one func(i int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = one(i)
		}
		return strings.Join(all, ",")
	}
	refs := func(keyword string, last string) string {
		defs := list(30, func(i int) string {
			return fmt.Sprintf(`"d%d":{"%s":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, keyword, i+1, i+1)
		})
		return `{"$ref":"#/$defs/d0","$defs":{` + defs + `,"d30":` + last + `}}`
	}
	members := func(typ string) string {
		return `{"type":"object","properties":{` + list(900, func(i int) string { return fmt.Sprintf(`"%s%d":{"type":"%s"}`, typ, i, typ) }) + `}}`
	}
	branches := func(keyword string, max int) string {
		return `{"` + keyword + `":[` + list(250, func(i int) string { return fmt.Sprintf(`{"type":"string","maxLength":%d}`, max+i) }) + `]}`
	}
	enum := func(from int) string {
		return `{"enum":[` + list(4000, func(i int) string { return fmt.Sprint(from + i) }) + `]}`
	}
	return map[string][2]string{
		"doubling anyOf":     {refs("anyOf", `{"type":"string"}`), refs("anyOf", `{"type":"integer"}`)},
		"doubling allOf":     {refs("allOf", `{"type":"object"}`), refs("allOf", `{"type":"object","required":["a"]}`)},
		"doubling oneOf":     {refs("oneOf", `{"type":"object"}`), refs("allOf", `{"required":["b"]}`)},
		"deep":               {nest(20, `{"properties":{"a":`, `{"type":"integer"}`, `}}`), nest(20, `{"properties":{"a":`, `{"type":"string"}`, `}}`)},
		"deep choices":       {nest(14, `{"anyOf":[{"type":"null"},{"items":`, `{"type":"integer"}`, `}]}`), nest(14, `{"oneOf":[{"type":"null"},{"items":`, `{"type":"number"}`, `}]}`)},
		"many members":       {members("string"), members("integer")},
		"many branches":      {inX(branches("anyOf", 1)), inX(branches("anyOf", 1000))},
		"many oneOf":         {inX(branches("oneOf", 1)), inX(branches("oneOf", 7))},
		"large enums":        {inX(enum(0)), inX(enum(3999))},
		"huge lengths":       {inX(`{"type":"string","minLength":1e300}`), inX(`{"type":"string","minLength":2000000000}`)},
		"huge arrays":        {`{"required":["x"],"properties":{"x":{"type":"array","minItems":1000000000}}}`, inX(`{"type":"array","minItems":1000000001,"uniqueItems":true}`)},
		"huge numbers":       {inX(`{"minimum":1e308,"multipleOf":1e-300}`), inX(`{"minimum":1e307,"multipleOf":3e-300}`)},
		"patterns":           {inX(`{"pattern":"^((a{1,9}){1,9}){1,9}$","type":"string"}`), inX(`{"pattern":"((((x*)*)*)*)*$","minLength":4000,"type":"string"}`)},
		"recursive":          {`{"type":"object","required":["a","b"],"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}`, `{"type":"object","required":["a","b","c"],"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}`},
		"recursive in place": {`{"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"items":{"$ref":"#"}}]}`, `{"oneOf":[{"items":{"$ref":"#"}},{"properties":{"a":{"$ref":"#"}}}]}`},
		"dynamic":            {`{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}}}`, `{"$dynamicAnchor":"n","required":["a"],"properties":{"a":{"$dynamicRef":"#n"}}}`},
		"unevaluated":        {`{"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}],"unevaluatedProperties":false}`, `{"anyOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`},
	}
}

func TestHostilePairsCostBoundedWork(t *testing.T) {
	for name, pair := range hostilePairs() {
		t.Run(name, func(t *testing.T) {
			for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
				checkPair(t, []byte(p[0]), []byte(p[1]))
			}
		})
	}
}

// checkPair holds whatever the schemas are.
func checkPair(t *testing.T, before, after []byte) {
	t.Helper()
	c, err := CompareSchemas(before, after, CompareOptions{})
	if err != nil {
		if !errors.Is(err, ErrCompare) {
			t.Errorf("error %v", err)
		}
		return
	}
	if c.Incomplete && c.Class == NonBreaking || len(c.Changes) > maxChanges {
		t.Errorf("incomplete %v, %s, %d changes", c.Incomplete, c.Class, len(c.Changes))
	}
	old, _ := CompileSchema(before, Limits{})
	now, _ := CompileSchema(after, Limits{})
	for _, ch := range c.Changes {
		if ch.Path != "" && !jsontext.Pointer(ch.Path).IsValid() {
			t.Errorf("path %q", ch.Path)
		}
		if w := ch.Witness; w != nil && (verdictOn(old, w.Arguments) == "invalid" || len(w.Errors) > 0 && verdictOn(now, w.Arguments) == "valid") {
			t.Errorf("%s %s: %s is no witness", ch.Kind, ch.Path, w.Arguments)
		}
	}
	for _, s := range []*Schema{old, now} {
		if example, err := s.Example(); err == nil && verdictOn(s, example) == "invalid" {
			t.Errorf("the example %s is not valid", example)
		}
	}
	same, err := CompareSchemas(before, before, CompareOptions{})
	if err != nil || len(same.Changes) > 0 {
		t.Errorf("compared with itself: %v, %v", same, err)
	}
}
