package drift

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile values are such that no schema or word of ours has a part of them.
var hostileValues = []string{
	`"ZQXJ"`, `"ZQ\nXJ' is 'kg"`, `918273645546`, `-918273.645`, `["ZQXJ"]`, `{"ZQXJ":"QXJZ"}`, `"\u202eZQXJ"`, `9.1827e37`, `"want ZQXJ"`,
	`"2020-13-45ZQXJ"`, `[918273645546,918273645546]`,
}

func TestMessagesSayWhatTheSchemaWantsAndNoValue(t *testing.T) {
	tests := []struct{ schema, value, keyword, want string }{
		{`{"type":"integer"}`, `"ZQXJ"`, "type", "want integer, got string"},
		{`{"type":["integer","null"]}`, `[918273]`, "type", "want integer or null, got array"},
		{`{"type":"integer"}`, `918273.5`, "type", "want integer, got number"},
		{`{"type":"string"}`, `918273`, "type", "want string, got integer"},
		{`{"enum":["kg","t",5,null]}`, `"ZQXJ"`, "enum", `want one of "kg", "t", 5, null`},
		{`{"const":"v2"}`, `"ZQXJ"`, "const", `want "v2"`},
		{`{"const":{"a":1}}`, `{"ZQXJ":1}`, "const", `want {"a":1}`},
		{`{"minimum":5}`, `-918273`, "minimum", "want 5 at least"},
		{`{"maximum":5.5}`, `918273`, "maximum", "want 5.5 at most"},
		{`{"exclusiveMinimum":5}`, `-918273`, "exclusiveMinimum", "want more than 5"},
		{`{"exclusiveMaximum":5}`, `918273`, "exclusiveMaximum", "want less than 5"},
		{`{"multipleOf":10}`, `918273`, "multipleOf", "want a multiple of 10"},
		{`{"minLength":9}`, `"ZQXJ"`, "minLength", "want 9 characters at least"},
		{`{"maxLength":1}`, `"ZQXJ"`, "maxLength", "want 1 character at most"},
		{`{"minItems":2}`, `["ZQXJ"]`, "minItems", "want 2 items at least"},
		{`{"maxItems":0}`, `["ZQXJ"]`, "maxItems", "want 0 items at most"},
		{`{"uniqueItems":true}`, `["ZQXJ","ZQXJ"]`, "uniqueItems", "has the same item twice"},
		{`{"minProperties":2}`, `{"ZQXJ":1}`, "minProperties", "want 2 members at least"},
		{`{"maxProperties":0}`, `{"ZQXJ":1}`, "maxProperties", "want 0 members at most"},
		{`{"pattern":"^a+$"}`, `"ZQXJ"`, "pattern", "want a string that matches ^a+$"},
		{`{"additionalProperties":false}`, `{"ZQXJ":1}`, "additionalProperties", "has a name that the schema does not allow"},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `"ZQXJ"`, "anyOf", "fits none of the 2 alternatives"},
		{`{"oneOf":[{"type":"string"},{"minLength":1}]}`, `"ZQXJ"`, "oneOf", "does not fit exactly one of the 2 alternatives"},
		{`{"not":{"type":"string"}}`, `"ZQXJ"`, "not", "is what the schema rules out"},
		{`{"contains":{"type":"null"}}`, `["ZQXJ"]`, "minContains", "has too few items of those that it must contain"},
		{`{"propertyNames":{"maxLength":1}}`, `{"ZQXJ":1}`, "maxLength", "want 1 character at most"},
		{`{"dependentRequired":{"ZQXJ":["b"]}}`, `{"ZQXJ":1}`, "dependentRequired", "lacks a name that another one requires"},
		{`false`, `"ZQXJ"`, "schema", "is not allowed here"},
		{`{"$ref":"#/$defs/a~1b"}`, `"ZQXJ"`, "type", "want integer, got string"},
		{`{"allOf":[{"if":{"type":"string"},"then":{"enum":["a"]}}]}`, `"ZQXJ"`, "enum", `want "a"`},
	}
	for _, tt := range tests {
		t.Run(tt.schema, func(t *testing.T) {
			s := mustCompile(t, `{"properties":{"x":`+tt.schema+`},"$defs":{"a/b":{"type":"integer"}}}`)
			a, err := ParseArguments([]byte(`{"x":`+tt.value+`}`), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Validate(a)
			if err != nil || len(got) == 0 {
				t.Fatalf("%v, %v", got, err)
			}
			t.Logf("%+v", got)
			if tt.want != "" && (got[0].Keyword != tt.keyword || got[0].Message != tt.want) {
				t.Errorf("%s: %s", got[0].Keyword, got[0].Message)
			}
		})
	}
	for _, tt := range tests {
		s := mustCompile(t, `{"properties":{"x":`+tt.schema+`},"$defs":{"a/b":{"type":"integer"}}}`)
		for _, value := range hostileValues {
			checkNoValue(t, s, `{"x":`+value+`}`)
		}
	}
}

func checkNoValue(t *testing.T, s *Schema, args string) {
	t.Helper()
	got := s.Classify([]byte(args))
	for _, e := range got.Errors {
		if e.Message == "" || len(e.Message) > maxMessage || !utf8.ValidString(e.Message) {
			t.Errorf("message %q", e.Message)
		}
		for _, part := range []string{"ZQ", "QX", "XJ", "91", "82", "73", "64", "55", "46", "2020"} {
			if strings.Contains(e.Message, part) {
				t.Errorf("%s: %q of the value is in %q", args, part, e.Message)
			}
		}
	}
	if text := got.Text(); len(text) > maxVerdictText {
		t.Errorf("a text of %d bytes", len(text))
	}
}

func TestMessagesAndTextsAreShort(t *testing.T) {
	var enum []string
	for i := range 500 {
		enum = append(enum, fmt.Sprintf(`"%s%d"`, strings.Repeat("é", 40), i))
	}
	long := strings.Repeat("é", 500)
	s := mustCompile(t, `{"properties":{"a":{"enum":[`+strings.Join(enum, ",")+`]},"b":{"const":"`+long+`"},"c":{"pattern":"`+long+`"}},
		"required":["`+long+`"],"additionalProperties":false}`)
	got := s.Classify([]byte(`{"a":"x","b":"x","c":"x","` + long + `2":1}`))
	if len(got.Errors) != 5 {
		t.Errorf("%+v", got.Errors)
	}
	for _, e := range got.Errors {
		if len(e.Message) > maxMessage || !utf8.ValidString(e.Message) {
			t.Errorf("message of %d bytes: %s", len(e.Message), e.Message)
		}
	}
	if text := got.Text(); len(text) > maxVerdictText || !utf8.ValidString(text) {
		t.Errorf("text of %d bytes", len(text))
	}
}
