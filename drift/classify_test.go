package drift

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

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

const (
	idOnly   = `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`
	withNote = `{"type":"object","properties":{"id":{"type":"string"},"note":{"type":"string"}},"required":["id"]}`
	wantUnit = `{"type":"object","properties":{"id":{"type":"string"},"unit":{"type":"string"}},"required":["id","unit"]}`
	idNumber = `{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`
	kgOrT    = `{"type":"object","properties":{"unit":{"enum":["kg","t"]}}}`
	kgOrLb   = `{"type":"object","properties":{"unit":{"enum":["kg","lb"]}}}`
	renamed  = `{"type":"object","properties":{"id":{"type":"string"},"qty":{"type":"integer","default":1}},"required":["id"]}`
)

// classifyTest is one call and what it is.
type classifyTest struct {
	name, claimed, args string
	versions            *Versions
	class               events.DriftClass
	used                string
	claim               Claim
	also                string // part of what the verdict says besides
}

func TestClassifyTellsWhichVersionACallUsed(t *testing.T) {
	for _, tt := range slices.Concat(shapeTests(t), claimTests(t), seedTests(t)) {
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

// shapeTests are calls that claim nothing.
func shapeTests(t *testing.T) []classifyTest {
	fallback := versions(t, withNote, idOnly, idOnly)
	fallback.Fallback = "v2"
	return []classifyTest{
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
		{"no tool", "v1", `{}`, nil, events.DriftUnregistered, "v1", ClaimNone, ""},
	}
}

// claimTests are calls that claim a version.
func claimTests(t *testing.T) []classifyTest {
	return []classifyTest{
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
	}
}

// seedTests are renames, and versions that are retired.
func seedTests(t *testing.T) []classifyTest {
	nested := func(name, more string) string {
		return `{"type":"object","properties":{"lines":{"type":"array","items":{"type":"object","properties":{"` + name + `":{"type":"number"` + more + `}}}}}}`
	}
	orders := versions(t, orderV2, orderV1)
	retired := &Versions{Active: orders.Active, Retired: orders.Legacy}
	aliased := versions(t, renamed, idOnly)
	aliased.Renames = map[string]string{"count": "qty", "lines": "rows"}
	return []classifyTest{
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
