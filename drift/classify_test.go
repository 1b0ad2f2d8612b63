package drift

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

// versioned is a schema with the schema_version argument.
func versioned(t *testing.T, schema, version string) string {
	t.Helper()
	def, err := WithVersion([]byte(`{"name":"t","inputSchema":`+schema+`}`), version)
	if err != nil {
		t.Fatal(err)
	}
	tool, err := events.ParseTool(def)
	if err != nil {
		t.Fatal(err)
	}
	return string(tool.Schema)
}

func versions(t testing.TB, active string, legacy ...string) *Versions {
	v := &Versions{Active: Version{Name: fmt.Sprintf("v%d", len(legacy)+1), Schema: mustCompile(t, active)}}
	for i, l := range legacy {
		v.Legacy = append(v.Legacy, Version{Name: fmt.Sprintf("v%d", i+1), Schema: mustCompile(t, l)})
	}
	return v
}

func TestClassifyTellsWhichVersionACallUsed(t *testing.T) {
	const (
		idOnly   = `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`
		withNote = `{"type":"object","properties":{"id":{"type":"string"},"note":{"type":"string"}},"required":["id"]}`
		wantUnit = `{"type":"object","properties":{"id":{"type":"string"},"unit":{"type":"string"}},"required":["id","unit"]}`
		idNumber = `{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`
		kgOrT    = `{"type":"object","properties":{"unit":{"enum":["kg","t"]}}}`
		kgOrLb   = `{"type":"object","properties":{"unit":{"enum":["kg","lb"]}}}`
		renamed  = `{"type":"object","properties":{"id":{"type":"string"},"qty":{"type":"integer","default":1}},"required":["id"]}`
	)
	nested := func(name, more string) string {
		return `{"type":"object","properties":{"lines":{"type":"array","items":{"type":"object","properties":{"` + name + `":{"type":"number"` + more + `}}}}}}`
	}
	orders := versions(t, orderV2, orderV1)
	retired := &Versions{Active: orders.Active, Retired: orders.Legacy}
	aliased := versions(t, renamed, idOnly)
	aliased.Renames = map[string]string{"count": "qty", "lines": "rows"}
	fallback := versions(t, withNote, idOnly, idOnly)
	fallback.Fallback = "v2"
	tests := []struct {
		name, claimed, args string
		versions            *Versions
		class               events.DriftClass
		used                string
		claim               Claim
		also                string // part of what the verdict says besides
	}{
		{"no claim and only the active version fits", "", `{"id":"x","unit":"kg"}`, versions(t, wantUnit, idOnly), events.DriftCurrent, "v2", ClaimNone, ""},
		{"no claim and only an old version fits", "", `{"id":"x"}`, versions(t, wantUnit, idOnly), events.DriftOldVersion, "v1", ClaimNone, "/unit required"},
		{"no claim and several fit: the oldest", "", `{"id":"x"}`, versions(t, withNote, idOnly), events.DriftOldVersion, "v1", ClaimNone, ""},
		{"no claim and several fit: the fallback", "", `{"id":"x"}`, fallback, events.DriftOldVersion, "v2", ClaimNone, ""},
		{"no claim and none fits", "", `{"id":5}`, versions(t, wantUnit, idOnly), events.DriftValidationError, "v2", ClaimNone, "/id type"},
		{"a required argument was added", "", `{"id":"x","extra":1}`, versions(t, wantUnit, idOnly), events.DriftValidationError, "v2", ClaimNone, "/unit required"},
		{"a type changed", "", `{"id":"x"}`, versions(t, idNumber, idOnly), events.DriftOldVersion, "v1", ClaimNone, "/id type"},
		{"a type that no version has", "", `{"id":true}`, versions(t, idNumber, idOnly), events.DriftValidationError, "v2", ClaimNone, "/id type"},
		{"an enum's value is gone", "", `{"unit":"lb"}`, versions(t, kgOrT, kgOrLb), events.DriftOldVersion, "v1", ClaimNone, "/unit enum"},
		{"an enum's value that never was", "", `{"unit":"stone"}`, versions(t, kgOrT, kgOrLb), events.DriftValidationError, "v2", ClaimNone, "/unit enum"},
		{"a name that no version knows", "", `{"id":"x","unit":"kg","colour":"red"}`, versions(t, wantUnit, idOnly), events.DriftUnknownArgument, "v2", ClaimNone, "unknown colour"},
		{"the active version is claimed", "v2", `{"id":"x","unit":"kg"}`, versions(t, wantUnit, idOnly), events.DriftCurrent, "v2", ClaimFits, ""},
		{"the claim decides where several fit", "v2", `{"id":"x"}`, versions(t, withNote, idOnly), events.DriftCurrent, "v2", ClaimFits, ""},
		{"an old version is claimed", "v1", `{"id":"x"}`, versions(t, wantUnit, idOnly), events.DriftOldVersion, "v1", ClaimFits, ""},
		{"an old version is claimed and the shape is the active one's", "v1", `{"id":"x","unit":"kg"}`, versions(t, wantUnit, idOnly),
			events.DriftOldVersion, "v1", ClaimDisagrees, "claimed unknown unit, fits v2"},
		{"an old version is claimed and nothing fits", "v1", `{"id":5}`, versions(t, wantUnit, idOnly),
			events.DriftValidationError, "v1", ClaimDisagrees, "claimed /id type, fits "},
		{"an old version is claimed and a name is unknown to all", "v1", `{"id":"x","unit":"kg","colour":"red"}`, versions(t, wantUnit, idOnly),
			events.DriftUnknownArgument, "v1", ClaimDisagrees, "claimed unknown colour,unit, fits "},
		{"the active version is claimed and the shape is an old one's", "v2", `{"id":"x"}`, versions(t, wantUnit, idOnly),
			events.DriftValidationError, "v2", ClaimDisagrees, "/unit required, fits v1"},
		{"a claim of a version that nobody knows", "v7", `{"id":"x","unit":"kg"}`, versions(t, wantUnit, idOnly), events.DriftCurrent, "v2", ClaimUnknown, ""},
		{"a claim of a version that nobody knows, of an old shape", "v7", `{"id":"x"}`, versions(t, wantUnit, idOnly),
			events.DriftOldVersion, "v1", ClaimUnknown, ""},
		{"the seed's case", "", `{"id":"x","amount":5}`, orders, events.DriftSilentDefault, "v1", ClaimNone, "amount is quantity"},
		{"the seed's case, the old version retired", "", `{"id":"x","amount":5}`, retired, events.DriftSilentDefault, "v1", ClaimNone, "amount is quantity"},
		{"the seed's case, served by the agent", "v1", `{"id":"x","amount":5}`, orders, events.DriftOldVersion, "v1", ClaimFits, ""},
		{"the seed's case, claimed and retired", "v1", `{"id":"x","amount":5}`, retired, events.DriftSilentDefault, "v1", ClaimFits, "amount is quantity"},
		{"a retired version alone fits", "", `{"id":"x"}`, &Versions{Active: Version{"v2", mustCompile(t, wantUnit), nil}, Retired: versions(t, wantUnit, idOnly).Legacy},
			events.DriftValidationError, "v1", ClaimNone, "/unit required"},
		{"a retired version alone fits a call that is valid", "", `{"id":"x","note":"n"}`,
			&Versions{Active: Version{"v2", mustCompile(t, idOnly), nil}, Retired: []Version{{"v1", mustCompile(t, withNote), nil}}},
			events.DriftValidationError, "v1", ClaimNone, " retired"},
		{"a retired version is claimed and the active one fits too", "v1", `{"id":"x"}`,
			&Versions{Active: Version{"v2", mustCompile(t, idOnly), nil}, Retired: []Version{{"v1", mustCompile(t, withNote), nil}}},
			events.DriftOldVersion, "v1", ClaimFits, ""},
		{"the owner says what a name is called now", "", `{"id":"x","count":4}`, aliased, events.DriftSilentDefault, "v2", ClaimNone, "count is qty"},
		{"a rename in a nested object", "", `{"lines":[{"amount":5}]}`, versions(t, nested("quantity", `,"default":0`), nested("amount", "")),
			events.DriftSilentDefault, "v1", ClaimNone, "/lines/0/amount is /lines/0/quantity"},
		{"a nested name without a default", "", `{"lines":[{"amount":5,"x":1}]}`, versions(t, nested("quantity", ""), nested("amount", "")),
			events.DriftUnknownArgument, "v2", ClaimNone, "unknown /lines/0/amount,/lines/0/x"},
		{"an argument claims the active version", "", `{"schema_version":"v2","id":"x","unit":"kg"}`,
			versions(t, versioned(t, wantUnit, "v2"), versioned(t, idOnly, "v1")), events.DriftCurrent, "v2", ClaimFits, ""},
		{"an argument claims an old version", "", `{"schema_version":"v1","id":"x"}`,
			versions(t, versioned(t, wantUnit, "v2"), versioned(t, idOnly, "v1")), events.DriftOldVersion, "v1", ClaimFits, "/schema_version const"},
		{"an argument claims an old version and the shape disagrees", "", `{"schema_version":"v1","id":"x","unit":"kg"}`,
			versions(t, versioned(t, wantUnit, "v2"), versioned(t, idOnly, "v1")), events.DriftValidationError, "v1", ClaimDisagrees, "claimed unknown unit, fits "},
		{"a claim by an argument that no schema names", "", `{"schema_version":"v2","id":"x","unit":"kg"}`, versions(t, wantUnit, idOnly),
			events.DriftCurrent, "v2", ClaimFits, ""},
		{"a made-up claim by an argument that no schema names", "", `{"schema_version":"v8","id":"x","unit":"kg"}`, versions(t, wantUnit, idOnly),
			events.DriftUnknownArgument, "v2", ClaimUnknown, "unknown schema_version"},
		{"no tool", "v1", `{}`, nil, events.DriftUnregistered, "v1", ClaimNone, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Classify(tt.versions, Call{Version: tt.claimed, Arguments: []byte(tt.args)})
			if got.Class != tt.class || got.Version != tt.used || got.Claim != tt.claim || got.Err != nil {
				t.Errorf("class %s, used %s, claim %q, %v", got.Class, got.Version, got.Claim, got.Err)
			}
			if said := besides(&got); tt.also != "" && !strings.Contains(said, tt.also) {
				t.Errorf("it says %q, want %q", said, tt.also)
			}
			if got.Drifted() != (got.Text() != "") {
				t.Errorf("text %q", got.Text())
			}
		})
	}
}

// besides writes what else a verdict says.
func besides(v *Verdict) string {
	var all []string
	for _, e := range v.Errors {
		all = append(all, e.Path+" "+e.Keyword)
	}
	if len(v.Unknown) > 0 {
		all = append(all, "unknown "+strings.Join(v.Unknown, ","))
	}
	for i, d := range v.Defaulted {
		all = append(all, v.Renamed[i]+" is "+d)
	}
	if v.Claim == ClaimDisagrees {
		for _, e := range v.ClaimErrors {
			all = append(all, "claimed "+e.Path+" "+e.Keyword)
		}
		if len(v.ClaimUnknown) > 0 {
			all = append(all, "claimed unknown "+strings.Join(v.ClaimUnknown, ","))
		}
		all = append(all, "fits "+v.Fits)
	}
	return strings.Join(all, ", ")
}

func TestAMigratedCallIsNoSilentDefault(t *testing.T) {
	got := Classify(versions(t, orderV2, orderV1), Call{Version: "v1", Arguments: []byte(`{"id":"x","amount":5}`), Migrated: true})
	if got.Class != events.DriftOldVersion {
		t.Errorf("class %s", got.Class)
	}
}

func TestJudgingByManyVersionsIsBounded(t *testing.T) {
	deep := `{"anyOf":[` + strings.Repeat(`{"properties":{"a":{"items":{"anyOf":[{"type":"string"},{"type":"null"}]}}}},`, 40) + `{"type":"string"}]}`
	v := &Versions{Active: Version{Name: "v0", Schema: mustCompile(t, `{"properties":{"b":{}}}`)}}
	for i := range MaxVersions - 1 {
		v.Legacy = append(v.Legacy, Version{Name: fmt.Sprintf("l%d", i), Schema: mustCompile(t, deep)})
	}
	args := `{"a":[` + strings.Repeat(`1,`, 400) + `1]}`
	got := Classify(v, Call{Arguments: []byte(args)})
	if got.Class != "" || !errors.Is(got.Err, ErrLimit) {
		t.Errorf("class %s, %v", got.Class, got.Err)
	}
}

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

func TestAVerdictTellsAModelWhatToDo(t *testing.T) {
	orders := versions(t, orderV2, orderV1)
	aliased := versions(t, `{"type":"object","properties":{"qty":{"type":"integer"}},"required":["qty"]}`)
	aliased.Renames = map[string]string{"count": "qty"}
	tests := []struct {
		name, claimed, args string
		versions            *Versions
		want                string
	}{
		{"current", "", `{"id":"x","quantity":1}`, orders, ""},
		{"an old version", "v1", `{"id":"x","amount":5}`, orders, `The arguments are of version v1, and the version to use is v2.`},
		{"a silent default", "", `{"id":"x","amount":5}`, orders, `The call would run with defaults in the place of what it gives: "amount" is not read any more, and "quantity", ` +
			`which took its place, is not given; call the tool by the schema it has now (version v2).`},
		{"an invalid call", "", `{"quantity":"5"}`, orders, `The arguments do not fit the schema (version v2): /id (required: is required); ` +
			`/quantity (type: want integer, got string);`},
		{"an unknown name", "", `{"id":"x","quantity":1,"colour":"red"}`, orders, `The schema (version v2) does not know "colour": what they say is not read.`},
		{"a name that the owner renamed", "", `{"count":4}`, aliased, `The arguments do not fit the schema (version v1): /qty (required: is required); ` +
			`it does not know "count". "count" is called "qty" now.`},
		{"a claim that is wrong", "v2", `{"amount":5,"id":"x","quantity":1}`, orders, `The schema (version v2) does not know "amount": what they say is not read.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Classify(tt.versions, Call{Version: tt.claimed, Arguments: []byte(tt.args)})
			if diff := cmp.Diff(tt.want, got.Text()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
