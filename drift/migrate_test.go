package drift

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func raw(text string) jsontext.Value { return jsontext.Value(text) }

func TestStepsChangeArgumentsAndLeaveTheRestAsItWas(t *testing.T) {
	tests := []struct {
		name, args string
		steps      []Step
		want       string // or a part of the error after "error: "
	}{
		{"a rename keeps place and text", ` { "b" : 1.50, "amount":1e2, "é":[ 1 ] }`, []Step{{Op: OpRename, Path: "/amount", To: "/quantity"}}, `{"b":1.50,"quantity":1e2,"é":[1]}`},
		{"a rename of what is not there", `{"b":1}`, []Step{{Op: OpRename, Path: "/amount", To: "/quantity"}}, `{"b":1}`},
		{"a rename onto a value", `{"amount":1,"quantity":2}`, []Step{{Op: OpRename, Path: "/amount", To: "/quantity"}}, `error: step 0: /quantity: there is a value already`},
		{"a rename in an object", `{"o":{"a":1}}`, []Step{{Op: OpRename, Path: "/o/a", To: "/o/b"}}, `{"o":{"b":1}}`},
		{"a rename in every item", `{"l":[{"a":1},5,{"c":2},{"a":[]}]}`, []Step{{Op: OpRename, Path: "/l/*/a", To: "/l/*/b"}}, `{"l":[{"b":1},5,{"c":2},{"b":[]}]}`},
		{"a rename in one item", `{"l":[{"a":1},{"a":2}]}`, []Step{{Op: OpRename, Path: "/l/1/a", To: "/l/1/b"}}, `{"l":[{"a":1},{"b":2}]}`},
		{"a name with a slash and a star", `{"*":{"a/b":1}}`, []Step{{Op: OpRename, Path: "/*/a~1b", To: "/*/c~0"}}, `{"*":{"c~":1}}`},
		{"a move into an object that is made", `{"street":"x","city":"y"}`, []Step{
			{Op: OpMove, Path: "/street", To: "/address/street"}, {Op: OpMove, Path: "/city", To: "/address/city"},
		}, `{"address":{"street":"x","city":"y"}}`},
		{"a move out of an object", `{"o":{"a":{"x":0.10}},"b":1}`, []Step{{Op: OpMove, Path: "/o/a", To: "/a"}}, `{"o":{},"b":1,"a":{"x":0.10}}`},
		{"a move onto a value", `{"a":1,"o":{"a":2}}`, []Step{{Op: OpMove, Path: "/a", To: "/o/a"}}, `error: /o/a: there is a value already`},
		{"a move into what is no object", `{"a":1,"o":2}`, []Step{{Op: OpMove, Path: "/a", To: "/o/a"}}, `error: /o: no object`},
		{"a move through what is no object", `{"a":1,"o":[]}`, []Step{{Op: OpMove, Path: "/a", To: "/o/p/a"}}, `error: /o/p: there is no such place`},
		{"a move to where there already is nothing to move", `{"b":2}`, []Step{{Op: OpMove, Path: "/a", To: "/b"}}, `{"b":2}`},
		{"a default where nothing is", `{"a":1}`, []Step{{Op: OpDefault, Path: "/unit", Value: raw(`{"b": 1.0}`)}}, `{"a":1,"unit":{"b":1.0}}`},
		{"a default where null is", `{"unit":null}`, []Step{{Op: OpDefault, Path: "/unit", Value: raw(`"kg"`)}}, `{"unit":null}`},
		{"a default in an object that is not there", `{}`, []Step{{Op: OpDefault, Path: "/o/unit", Value: raw(`"kg"`)}}, `{}`},
		{"a default in every item", `{"l":[{},{"u":2}]}`, []Step{{Op: OpDefault, Path: "/l/*/u", Value: raw(`1`)}}, `{"l":[{"u":1},{"u":2}]}`},
		{"a drop", `{"a":1,"b":2}`, []Step{{Op: OpDrop, Path: "/a"}, {Op: OpDrop, Path: "/c"}}, `{"b":2}`},
		{"a map of strings", `{"unit":"lb"}`, []Step{{Op: OpMap, Path: "/unit", Values: map[string]jsontext.Value{"lb": raw(`"pound"`)}}}, `{"unit":"pound"}`},
		{"a map of other scalars", `{"a":1,"b":true,"c":null}`, []Step{
			{Op: OpMap, Path: "/a", Values: map[string]jsontext.Value{"1": raw(`"one"`)}},
			{Op: OpMap, Path: "/b", Values: map[string]jsontext.Value{"true": raw(`{"on":true}`)}},
			{Op: OpMap, Path: "/c", Values: map[string]jsontext.Value{"null": raw(`0`)}},
		}, `{"a":"one","b":{"on":true},"c":0}`},
		{"a map of a value that is not listed", `{"unit":"kg","o":{}}`, []Step{
			{Op: OpMap, Path: "/unit", Values: map[string]jsontext.Value{"lb": raw(`1`)}}, {Op: OpMap, Path: "/o", Values: map[string]jsontext.Value{"": raw(`1`)}},
		}, `{"unit":"kg","o":{}}`},
		{"a swap by a third name", `{"a":1,"b":2}`, []Step{
			{Op: OpRename, Path: "/a", To: "/t"}, {Op: OpRename, Path: "/b", To: "/a"}, {Op: OpRename, Path: "/t", To: "/b"},
		}, `{"b":1,"a":2}`},
		{"no arguments at all", ``, []Step{{Op: OpDefault, Path: "/a", Value: raw(`1`)}}, `{"a":1}`},
		{"arguments that are no object", `[1]`, []Step{{Op: OpDefault, Path: "/a", Value: raw(`1`)}}, `[1]`},
		{"arguments that are no JSON", `{"a"`, []Step{{Op: OpDrop, Path: "/a"}}, `error: not JSON`},
		{"a name twice", `{"a":1,"a":2}`, []Step{{Op: OpDrop, Path: "/a"}}, `error: a name twice`},
		{"too deep", strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 100), []Step{{Op: OpDrop, Path: "/a"}}, `error: beyond the limits`},
		{"an operation of a newer program", `{"a":1}`, []Step{{Op: "split", Path: "/a"}}, `error: written for a newer program`},
		{"a member of a newer program", `{"a":1}`, []Step{{Op: OpDrop, Path: "/a", More: raw(`{"if":{"b":1}}`)}}, `error: written for a newer program`},
		{"a path that is none", `{"a":1}`, []Step{{Op: OpDrop, Path: "a"}}, `error: no JSON pointer`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := Migration{From: "v1", To: "v2", Steps: tt.steps}
			got, err := m.Apply(raw(tt.args))
			part, fails := strings.CutPrefix(tt.want, "error: ")
			if fails {
				if !errors.Is(err, ErrMigration) || !strings.Contains(err.Error(), part) || !strings.HasPrefix(err.Error(), "migrate v1-to-v2: ") {
					t.Errorf("error %v", err)
				}
			} else if err != nil || string(got) != tt.want {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

func TestAMigrationDoesNotBlowUpArguments(t *testing.T) {
	args := `{"l":[` + strings.Repeat(`{},`, 50_000) + `{}]}`
	m := Migration{From: "v1", To: "v2", Steps: []Step{{Op: OpDefault, Path: "/l/*/a", Value: raw(`"` + strings.Repeat("x", 4000) + `"`)}}}
	if _, err := m.Apply(raw(args)); !errors.Is(err, ErrLimit) || !errors.Is(err, ErrMigration) {
		t.Errorf("error %v", err)
	}
}

func rename(from, to, was, now string) Migration {
	return Migration{From: from, To: to, Steps: []Step{{Op: OpRename, Path: "/" + was, To: "/" + now}}}
}

func TestMigrationsAreChainedToTheActiveVersion(t *testing.T) {
	schema := func(name string) string {
		return `{"type":"object","properties":{"` + name + `":{"type":"number"}},"required":["` + name + `"]}`
	}
	v := versions(t, schema("d"), schema("a"), schema("b"), schema("c"))
	v.Migrations = []Migration{
		rename("v3", "v2", "c", "b"), rename("v1", "v2", "a", "b"), rename("v2", "v3", "b", "c"), rename("v2", "v1", "b", "a"), rename("v3", "v4", "c", "d"),
	}
	got, err := v.Migrate("v1", raw(`{"a":1.0}`))
	if diff := cmp.Diff(Migrated{Arguments: raw(`{"d":1.0}`), From: "v1", To: "v4", Name: "v1-to-v4"}, got); err != nil || diff != "" {
		t.Error(diff, err)
	}
	v.Migrations = append(v.Migrations, rename("v1", "v4", "a", "d"), rename("v1", "v3", "a", "x"))
	if got, err := v.Migrate("v1", raw(`{"a":2}`)); err != nil || string(got.Arguments) != `{"d":2}` {
		t.Errorf("the short way: %s, %v", got.Arguments, err)
	}
	for _, from := range []string{"v4", "v9", ""} {
		if _, err := v.Migrate(from, raw(`{}`)); !errors.Is(err, ErrNoMigration) || v.CanMigrate(from) {
			t.Errorf("from %q: %v", from, err)
		}
	}
	_, err = v.Migrate("v2", raw(`{"b":"ZQXJ"}`))
	var failed *MigrationError
	if !errors.As(err, &failed) || len(failed.Errors) != 1 || failed.Path != "/d" || strings.Contains(err.Error(), "ZQXJ") {
		t.Errorf("a result that is not valid: %v", err)
	}
	_, err = v.Migrate("v2", raw(`{"b":1,"more":2}`))
	if !errors.As(err, &failed) || len(failed.Unknown) != 1 {
		t.Errorf("a result with a name that nobody reads: %v", err)
	}
}

func TestTheClaimOfAMigratedCallIsOfTheNewVersion(t *testing.T) {
	v := versions(t, versioned(t, orderV2, "v2"), versioned(t, orderV1, "v1"))
	v.Migrations = []Migration{rename("v1", "v2", "amount", "quantity")}
	got, err := v.Migrate("v1", raw(`{"schema_version":"v1","id":"x","amount":5}`))
	if err != nil || string(got.Arguments) != `{"schema_version":"v2","id":"x","quantity":5}` {
		t.Errorf("%s, %v", got.Arguments, err)
	}
	plain := versions(t, orderV2, versioned(t, orderV1, "v1"))
	plain.Migrations = v.Migrations
	got, err = plain.Migrate("v1", raw(`{"schema_version":"v1","id":"x","amount":5}`))
	if err != nil || string(got.Arguments) != `{"id":"x","quantity":5}` {
		t.Errorf("%s, %v", got.Arguments, err)
	}
}

func TestAMigrationIsHeldAgainstBothSchemasWhenItIsAdded(t *testing.T) {
	tests := []struct {
		name string
		m    Migration
		want string // part of the error; empty for none
	}{
		{"right", rename("v1", "v2", "amount", "quantity"), ""},
		{"a version that is not there", rename("v0", "v2", "amount", "quantity"), `/from: there is no version "v0"`},
		{"a version that is not there yet", rename("v1", "v3", "amount", "quantity"), `/to: there is no version "v3"`},
		{"to itself", rename("v1", "v1", "amount", "quantity"), "/to: the same version"},
		{"no steps", Migration{From: "v1", To: "v2"}, "/steps: missing"},
		{"an argument that v1 does not have", rename("v1", "v2", "amnt", "quantity"), "/steps/0/path: version v1 has no such argument"},
		{"an argument that v2 does not have", rename("v1", "v2", "amount", "qty"), "version v2 has no argument /qty"},
		{"by a name that neither has", Migration{From: "v1", To: "v2", Steps: []Step{
			{Op: OpRename, Path: "/amount", To: "/t"}, {Op: OpRename, Path: "/t", To: "/quantity"},
		}}, ""},
		{"a default for what v2 does not have", Migration{From: "v1", To: "v2", Steps: []Step{{Op: OpDefault, Path: "/x", Value: raw(`1`)}}}, "no argument /x"},
		{"an operation that nobody knows", Migration{From: "v1", To: "v2", Steps: []Step{{Op: "split", Path: "/amount"}}}, `/steps/0/op: "split"`},
		{"a rename out of its object", Migration{From: "v1", To: "v2", Steps: []Step{{Op: OpRename, Path: "/amount", To: "/o/quantity"}}}, "/steps/0/to: a rename stays"},
		{"a move below itself", Migration{From: "v1", To: "v2", Steps: []Step{{Op: OpMove, Path: "/amount", To: "/amount/x"}}}, "/steps/0/to: below itself"},
		{"a move of every item", Migration{From: "v1", To: "v2", Steps: []Step{{Op: OpMove, Path: "/l/*/a", To: "/l/*/b/a"}}}, "/steps/0/to: a move has no part *"},
		{"a map without values", Migration{From: "v1", To: "v2", Steps: []Step{{Op: OpMap, Path: "/amount"}}}, "/steps/0/values: 0 values"},
		{"a default that is no JSON", Migration{From: "v1", To: "v2", Steps: []Step{{Op: OpDefault, Path: "/unit", Value: raw(`kg`)}}}, "/steps/0/value: not JSON"},
		{"too many steps", Migration{From: "v1", To: "v2", Steps: make([]Step, MaxSteps+1)}, "/steps: 65 steps"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := orderDocument(t)
			changed, err := d.AddMigration(tt.m, ann)
			if tt.want == "" && (err != nil || !changed || len(d.Migrations) != 1) {
				t.Errorf("changed %v, %v", changed, err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestAMigrationTakesThePlaceOfTheOneBefore(t *testing.T) {
	d := orderDocument(t)
	for i := range 2 {
		m := rename("v1", "v2", "amount", "quantity")
		if i == 1 {
			m.Steps = append(m.Steps, Step{Op: OpDefault, Path: "/unit", Value: raw(`"kg"`)})
		}
		if changed, err := d.AddMigration(m, ann); err != nil || !changed {
			t.Fatal(err)
		}
	}
	if len(d.Migrations) != 1 || len(d.Migrations[0].Steps) != 2 {
		t.Errorf("%+v", d.Migrations)
	}
	r, err := d.Rehearse(d.Migrations[0])
	if err != nil || r.Err != nil || string(r.After) != `{"quantity":1,"id":"text","unit":"kg"}` {
		t.Errorf("%s to %s, %v, %v", r.Before, r.After, r.Err, err)
	}
	if changed, err := d.RemoveMigration("v1", "v2", ann); err != nil || !changed || len(d.Migrations) != 0 {
		t.Errorf("%v", err)
	}
}

func TestWhatASchemaSurelyLacksIsKnown(t *testing.T) {
	s := mustCompile(t, `{"properties":{"l":{"items":{"properties":{"a":{"properties":{"b":{}}}}}},"free":{},"o":{"$ref":"#/$defs/o"}},
		"$defs":{"o":{"anyOf":[{"properties":{"x":{}}},{"properties":{"y":{}}}]}}}`)
	for path, lacks := range map[string]bool{
		"/l": false, "/m": true, "/l/*/a": false, "/l/0/a/b": false, "/l/*/c": true, "/l/*/a/c": true, "/free/any/thing": false, "/o/x": false, "/o/y": false, "/o/z": true,
	} {
		if got := s.lacks(parts(path)); got != lacks {
			t.Errorf("%s: lacks %v", path, got)
		}
	}
	open := mustCompile(t, `{"properties":{"a":{}},"additionalProperties":true}`)
	if open.lacks(parts("/z")) {
		t.Error("more names are welcome")
	}
}

func TestARenameThereAndBackIsNoChange(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		args, _ := jsontext.AppendFormat(nil, []byte(jsonText(rapid.MapOfN(rapid.SampledFrom(names), genValue(2), 0, 3).Draw(t, "arguments"))))
		was := rapid.SampledFrom(names).Draw(t, "was")
		there := rename("v1", "v2", was, "never")
		back := rename("v2", "v1", "never", was)
		once, err := there.Apply(args)
		if err != nil {
			t.Fatal(err)
		}
		again, err := back.Apply(once)
		if err != nil || string(again) != string(args) {
			t.Fatalf("%s, then %s, then %s, %v", args, once, again, err)
		}
	})
}

// genStep draws a step, most of them on names that are there.
func genStep() *rapid.Generator[Step] {
	return rapid.Custom(func(t *rapid.T) Step {
		path := rapid.SampledFrom([]string{"/a", "/b", "/a/b", "/b/*/a", "/a/0", "/c/d", "/*", "/a/*/*"})
		to := rapid.SampledFrom([]string{"/e", "/a/e", "/b/*/e", "/f/g/h", "/c/e", "/b", "/d"})
		value := raw(jsonText(genValue(1).Draw(t, "value")))
		return Step{
			Op: rapid.SampledFrom([]Op{OpRename, OpMove, OpDefault, OpDrop, OpMap}).Draw(t, "op"), Path: path.Draw(t, "path"), To: to.Draw(t, "to"),
			Value: value, Values: map[string]jsontext.Value{"a": value, "1": raw(`"x"`), "null": raw(`{}`)},
		}
	})
}

func TestAMigrationThatWorksGivesValidArgumentsAndElseAnError(t *testing.T) {
	done := 0
	rapid.Check(t, func(t *rapid.T) {
		s, err := CompileSchema([]byte(jsonText(genSchema(2).Draw(t, "schema"))), Limits{})
		if err != nil {
			return
		}
		v := &Versions{Active: Version{Name: "v2", Schema: s}, Migrations: []Migration{{From: "v1", To: "v2", Steps: rapid.SliceOfN(genStep(), 1, 4).Draw(t, "steps")}}}
		args := raw(jsonText(genValue(3).Draw(t, "arguments")))
		before := string(args)
		got, err := v.Migrate("v1", args)
		if string(args) != before {
			t.Fatalf("the original became %s", args)
		}
		if err != nil {
			if !errors.Is(err, ErrMigration) {
				t.Fatalf("error %v", err)
			}
			return
		}
		done++
		verdict := s.Classify(got.Arguments)
		if verdict.Class != "current" {
			t.Fatalf("%s is %s: %+v", got.Arguments, verdict.Class, verdict.Errors)
		}
	})
	if done == 0 {
		t.Error("no migration worked")
	}
	t.Log(fmt.Sprint(done, " migrations worked"))
}
