package driftfuzz_test

import (
	"fmt"
	"strings"
)

// nested repeats what opens and closes around a schema.
func nested(n int, open, inner, end string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}

// listed makes a list of n parts.
func listed(n int, part func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = part(i)
	}
	return strings.Join(all, ",")
}

// doubling is a chain of definitions, each of which refers to the next twice.
func doubling(keyword string, n int, last string) string {
	return `{"$ref":"#/$defs/d0","$defs":{` + listed(n, func(i int) string {
		return fmt.Sprintf(`"d%d":{"%s":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, keyword, i+1, i+1)
	}) + fmt.Sprintf(`,"d%d":%s}}`, n, last)
}

// inX is an object whose property x has a schema.
func inX(schema string) string {
	return `{"type":"object","properties":{"x":` + schema + `},"required":["x"]}`
}

// hostileSchemas are made to cost time or memory, or to be read in two ways. Each stands beside one that differs a little.
func hostileSchemas() [][2]string {
	return append(append(append(hostileShapes(), hostileReferences()...), hostileValues()...), odd()...)
}

func hostileShapes() [][2]string {
	branches := func(keyword string, n, from int) string {
		return inX(`{"` + keyword + `":[` + listed(n, func(i int) string { return fmt.Sprintf(`{"type":"string","maxLength":%d}`, from+i) }) + `]}`)
	}
	tagged := func(n int, typ string) string {
		return `{"type":"object","oneOf":[` + listed(n, func(i int) string {
			return fmt.Sprintf(`{"required":["k"],"properties":{"k":{"const":"v%d"},"a":{"type":"%s"}}}`, i, typ)
		}) + `]}`
	}
	members := func(n int, name, typ string) string {
		return `{"type":"object","properties":{` + listed(n, func(i int) string { return fmt.Sprintf(`"%s%d":{"type":"%s"}`, name, i, typ) }) + `}}`
	}
	return [][2]string{
		{nested(25, `{"properties":{"a":`, `{"type":"integer"}`, `}}`), nested(25, `{"properties":{"a":`, `{"type":"string"}`, `}}`)},
		{nested(200, `{"not":`, `{}`, `}`), nested(30, `{"not":`, `{}`, `}`)},
		{nested(14, `{"anyOf":[{"type":"null"},{"items":`, `{"type":"integer"}`, `}]}`), nested(14, `{"oneOf":[{"type":"null"},{"items":`, `{"type":"number"}`, `}]}`)},
		{nested(12, `{"if":{"required":["a"]},"then":`, `{"minProperties":1}`, `,"else":{"maxProperties":3}}`), nested(12, `{"if":{"required":["a"]},"then":`, `{"minProperties":2}`, `,"else":{"maxProperties":3}}`)},
		{branches("oneOf", 250, 1), branches("oneOf", 250, 7)},
		{branches("anyOf", 250, 1), branches("allOf", 250, 1)},
		{tagged(120, "string"), tagged(121, "integer")},
		{members(900, "p", "string"), members(900, "q", "integer")},
		{`{"patternProperties":{` + listed(60, func(i int) string { return fmt.Sprintf(`"^(a|b){%d}":{"minimum":%d}`, i, i) }) + `}}`, `{"patternProperties":{"^a":{}},"additionalProperties":false}`},
		{`{"anyOf":[` + listed(100, func(int) string { return `{"properties":{"a":{}},"unevaluatedProperties":false}` }) + `]}`, `{"unevaluatedProperties":false}`},
	}
}

func hostileReferences() [][2]string {
	return [][2]string{
		{doubling("anyOf", 30, `{"type":"string"}`), doubling("anyOf", 30, `{"type":"integer"}`)},
		{doubling("allOf", 30, `{"type":"object"}`), doubling("oneOf", 30, `{"type":"object","required":["a"]}`)},
		{`{"type":"object","required":["a","b"],"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}`, `{"type":"object","required":["a","b","c"],"properties":{"a":{"$ref":"#"},"b":{"$ref":"#"}}}`},
		{`{"anyOf":[{"properties":{"a":{"$ref":"#"}}},{"items":{"$ref":"#"}}]}`, `{"oneOf":[{"items":{"$ref":"#"}},{"properties":{"a":{"$ref":"#"}}}]}`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`, `{"$ref":"#"}`},
		{`{"$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":{"allOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/x"}]}}}}}`, `{"$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/x"}]}}}}}`},
		{`{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}}}`, `{"$dynamicAnchor":"n","required":["a"],"properties":{"a":{"allOf":[{"$dynamicRef":"#n"},{"$dynamicRef":"#n"}]}}}`},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"a":{"$recursiveRef":"#"}}}`, `{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"a":{"$recursiveRef":"#"}}}`},
		{`{"definitions":{"a/b~c%":{"$ref":"#/definitions/d"},"d":{"type":"string"}},"properties":{"x":{"$ref":"#/definitions/a~1b~0c%25"}}}`, `{"$id":"http://example.com/s","$defs":{"d":{"$id":"d","type":"string"}},"properties":{"x":{"$ref":"d"}}}`},
	}
}

func hostileValues() [][2]string {
	enum := func(n, from int) string {
		return inX(`{"enum":[` + listed(n, func(i int) string { return fmt.Sprint(from + i) }) + `]}`)
	}
	huge := strings.Repeat("9", 400)
	return [][2]string{
		{enum(4000, 0), enum(4000, 3999)},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","enum":[` + listed(600, func(i int) string { return fmt.Sprintf(`{"a":[%d]}`, i) }) + `]}`, `{"enum":[{"a":[1.0]},{"a":[1e0]}]}`},
		{inX(`{"minimum":1e308,"multipleOf":1e-300}`), inX(`{"minimum":1e307,"multipleOf":3e-300}`)},
		{inX(`{"type":"integer","minimum":` + huge + `}`), inX(`{"type":"integer","minimum":-` + huge + `.5,"multipleOf":0.000001}`)},
		{inX(`{"type":"string","minLength":1e300}`), inX(`{"type":"string","minLength":2000000000,"maxLength":1.0}`)},
		{inX(`{"type":"array","minItems":1000000000}`), inX(`{"type":"array","minItems":1000000001,"uniqueItems":true}`)},
		{inX(`{"contains":{"type":"string"},"minContains":1000000,"maxContains":0}`), inX(`{"contains":{"type":"integer"},"minContains":0}`)},
		{inX(`{"pattern":"^((a{1,9}){1,9}){1,9}$","type":"string"}`), inX(`{"pattern":"((((x*)*)*)*)*$","minLength":4000,"type":"string"}`)},
		{inX(`{"pattern":"^(a+)+$","type":"string"}`), inX(`{"pattern":"^(x+x+)+y$","type":"string"}`)},
		{inX(`{"pattern":"^\\p{L}{1,500}(\\p{N}|.)*$"}`), inX(`{"pattern":"(?=a)(?<!b)\\1"}`)},
	}
}

// odd are small schemas that are unusual or wrong.
func odd() [][2]string {
	return [][2]string{
		{`{"properties":{"\ud800":{"enum":["\udfff","\ud83d\ude00"]}}}`, `{"properties":{"\ufffd":{"pattern":"\ud800"}}}`},
		{`{"type":"object","type":"string","properties":{"a":{},"a":{"type":"null"}},"properties":{"b":{}}}`, `{"type":"object","required":["a","a"],"properties":{"":{},"a/b":{},"a~b":{}}}`},
		{`{"properties":{"n":{"type":"number","minimum":0,"exclusiveMinimum":true}}}`, `{"properties":{"n":{"type":"number","exclusiveMinimum":0}}}`},
		{`{"properties":{"l":{"items":[{"type":"string"}],"additionalItems":false}}}`, `{"properties":{"l":{"prefixItems":[{"type":"string"}],"items":false}}}`},
		{`{"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, `{"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"required":["d"]}}}`},
		{`{"propertyNames":{"pattern":"^a"},"minProperties":1}`, `{"propertyNames":{"maxLength":2},"maxProperties":0}`},
		{`{"if":{"required":["a"]},"then":{"minProperties":2},"unevaluatedProperties":false}`, `{"not":{"required":["a"]},"dependentRequired":{"b":["c"]}}`},
		{`{"type":"object","properties":{"amount":{"type":"integer"}}}`, `{"type":"object","properties":{"quantity":{"type":"number","default":0}},"additionalProperties":false}`},
		{`{"properties":{"a":{"anyOf":[{"type":"string","pattern":"^a+$"},{"type":"null"}]}}}`, `{"properties":{"a":{"oneOf":[{"type":"string"},{"enum":[null,1]}]}},"required":["a"]}`},
		{`{"properties":{"a":{"prefixItems":[{"const":1}],"items":{"format":"uri"}}}}`, `{"properties":{"a":{"items":{"multipleOf":0.5},"uniqueItems":true,"contains":{}}}}`},
		{`{"$id":"?","properties":{"x":{"$ref":"#/$defs/d"}},"$defs":{"d":{"$id":"?a","type":"string"}}}`, `{"id":"HTTP://X/","properties":{"x":{"$ref":"#"}}}`},
		{`{"$id":"urn:x?y","$defs":{"d":{"$id":"../","$anchor":"k"}},"properties":{"x":{"$ref":"d#k"}}}`, `{"$id":"%","properties":{"x":{"$id":"#a","$ref":"tool:///schema"}}}`},
		{`true`, `false`}, {`{"properties":`, `[]`}, {`{"type":"OBJECT"}`, `{"$schema":"https://example.com/mine","type":["object","object"]}`},
	}
}

// hostileArguments are calls made to cost time or memory.
func hostileArguments() []string {
	return []string{
		`{}`, `{"x":1}`, `{"x":[1,"1",null,true,1.5,{}]}`, `{`, ``, `null`, `[1e999]`, `{"x":1,"x":"2"}`, `{"\ud800":"\udfff"}`, "{\"x\":\"\xff\"}",
		nested(60, `{"a":`, `1`, `}`), nested(300, `[`, ``, `]`), `{"x":` + strings.Repeat("9", 5000) + `}`, `{"x":1e-999999999}`,
		`{"x":"` + strings.Repeat("a", 20_000) + `b"}`, `{"x":[` + listed(5000, func(i int) string { return fmt.Sprint(i) }) + `]}`,
		`{` + listed(2000, func(i int) string { return fmt.Sprintf(`"m%d":1`, i) }) + `}`,
	}
}
