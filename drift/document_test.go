package drift

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

var (
	day0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	ann  = Edit{At: day0.AddDate(0, 0, 7), By: "ann", Reason: "because"}
)

// orderDocument has v1 as legacy and v2 as active, as seen in events.
func orderDocument(t testing.TB) *Document {
	t.Helper()
	d := NewDocument(Key{Tool: "process_order"})
	mustRegister(t, d, definitionOf(orderV1, "v1"), "")
	mustRegister(t, d, definitionOf(orderV2, "v2"), "")
	return d
}

func mustRegister(t testing.TB, d *Document, def *events.ToolDefinition, s State) {
	t.Helper()
	if changed, err := d.Register(def, "agent", day0, s); err != nil || !changed {
		t.Fatalf("register: changed %v, %v", changed, err)
	}
}

// states writes a document's versions as "v1 legacy, v2 active".
func states(d *Document) string {
	var all []string
	for _, v := range d.Versions {
		all = append(all, v.Version+" "+string(v.State))
	}
	return strings.Join(all, ", ")
}

// numbered is a schema like no other of its kind.
func numbered(n int) string {
	return fmt.Sprintf(`{"type":"object","maxProperties":%d}`, n)
}

func TestADefinitionSeenInEventsBecomesActiveOnlyWhenItsSchemaIsNew(t *testing.T) {
	d := orderDocument(t)
	if got := states(d); got != "v1 legacy, v2 active" {
		t.Fatal(got)
	}
	for _, seen := range []*events.ToolDefinition{
		definitionOf(orderV1, "v1"), definitionOf(orderV2, "v2"), definitionOf(orderV1, ""), definitionOf(orderV2, ""),
	} {
		if changed, err := d.Register(seen, "agent", day0, ""); err != nil || changed {
			t.Errorf("seen again: changed %v, %v", changed, err)
		}
	}
	mustRegister(t, d, definitionOf(numbered(1), ""), "")
	if got := states(d); !strings.HasPrefix(got, "v1 legacy, v2 legacy, schema-") || !strings.HasSuffix(got, " active") {
		t.Error(got)
	}
	if d.Managed || d.Edit.Action != ActionRegister || d.Edit.Version != d.Active().Version || d.Edit.By != "agent" {
		t.Errorf("managed %v, edit %+v", d.Managed, d.Edit)
	}
}

func TestADefinitionSeenInEventsIsLegacyWherePeopleDecide(t *testing.T) {
	d := orderDocument(t)
	if _, err := d.Activate("v2", ann); err != nil || !d.Managed {
		t.Fatal(err)
	}
	mustRegister(t, d, definitionOf(numbered(1), "v3"), "")
	if got := states(d); got != "v1 legacy, v2 active, v3 legacy" {
		t.Error(got)
	}
	if changed, err := d.Follow(ann); err != nil || !changed || d.Managed {
		t.Fatal(err)
	}
	mustRegister(t, d, definitionOf(numbered(2), "v4"), "")
	if got := states(d); got != "v1 legacy, v2 legacy, v3 legacy, v4 active" {
		t.Error(got)
	}
}

func TestAVersionThatChangedItsBytesIsJudgedByTheNewOnesAndRemembersTheOld(t *testing.T) {
	d := orderDocument(t)
	was := d.Version("v1").SchemaDigest
	mustRegister(t, d, definitionOf(numbered(3), "v1"), "")
	v1 := d.Version("v1")
	if states(d) != "v1 active, v2 legacy" || len(v1.Replaced) != 1 || v1.Replaced[0].SchemaDigest != was || !v1.Replaced[0].Until.Equal(day0) {
		t.Fatalf("%s, %+v", states(d), v1.Replaced)
	}
	if changed, err := d.Register(definitionOf(orderV1, "v1"), "agent", day0, ""); err != nil || changed {
		t.Errorf("an agent that still has the old bytes: changed %v, %v", changed, err)
	}
	mustRegister(t, d, definitionOf(orderV1, "v1"), stateAgain(d, "v1"))
	if v1 := d.Version("v1"); v1.SchemaDigest != was || len(v1.Replaced) != 2 {
		t.Errorf("a person put the old bytes back: %+v", v1.Replaced)
	}
	for i := range 3 * MaxReplaced {
		mustRegister(t, d, definitionOf(numbered(10+i), "v1"), "")
	}
	if n := len(d.Version("v1").Replaced); n != MaxReplaced {
		t.Errorf("%d replaced", n)
	}
}

// stateAgain is the state that a version can be registered in again.
func stateAgain(d *Document, version string) State {
	if d.Version(version).State == StateActive {
		return StateActive
	}
	return StateLegacy
}

func TestAChangedDescriptionDoesNotChangeWhichVersionIsActive(t *testing.T) {
	d := orderDocument(t)
	def := definitionOf(orderV1, "v1")
	def.Definition = []byte(`{"name":"process_order","description":"Other words.","inputSchema":` + orderV1 + `}`)
	mustRegister(t, d, def, "")
	if got := states(d); got != "v1 legacy, v2 active" {
		t.Error(got)
	}
	if !strings.Contains(string(d.Version("v1").Definition), "Other words") || len(d.Version("v1").Replaced) != 1 {
		t.Errorf("%s", d.Version("v1").Definition)
	}
}

func TestAVersionWithoutANameTakesThatOfADefinitionWithItsSchema(t *testing.T) {
	d := NewDocument(Key{Tool: "process_order"})
	mustRegister(t, d, definitionOf(orderV1, ""), "")
	auto := d.Versions[0].Version
	mustRegister(t, d, definitionOf(orderV2, ""), "")
	if _, err := d.SetFallback(auto, ann); err != nil {
		t.Fatal(err)
	}
	if _, err := d.AddMigration(Migration{From: auto, To: d.Versions[1].Version, Steps: []Step{{Op: OpRename, Path: "/amount", To: "/quantity"}}}, ann); err != nil {
		t.Fatal(err)
	}
	mustRegister(t, d, definitionOf(orderV1, "v1"), "")
	if !strings.HasPrefix(states(d), "v1 legacy, schema-") || d.FallbackVersion != "v1" || d.Migrations[0].From != "v1" {
		t.Errorf("%s, fallback %s, %+v", states(d), d.FallbackVersion, d.Migrations)
	}
}

// editTest is an edit of a document and what becomes of it.
type editTest struct {
	name string
	do   func(d *Document) (bool, error)
	want string // the states, or a part of the error after "error: "
	also func(d *Document) bool
}

func always(*Document) bool { return true }

func TestPeopleMoveVersionsFromStateToState(t *testing.T) {
	for _, tt := range slices.Concat(stateTests(t), canaryTests(t)) {
		t.Run(tt.name, func(t *testing.T) {
			d := orderDocument(t)
			changed, err := tt.do(d)
			got := states(d)
			if err != nil {
				got = "error: " + err.Error()
			}
			if part, ok := strings.CutPrefix(tt.want, "error: "); ok && err != nil {
				if !strings.Contains(err.Error(), part) || changed {
					t.Errorf("changed %v, %v", changed, err)
				}
			} else if got != tt.want || !changed || !tt.also(d) {
				t.Errorf("changed %v, %s, %+v", changed, got, d.Canary)
			}
			if err := d.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
}

func stateTests(t *testing.T) []editTest {
	return []editTest{
		{"the active version can be activated once more, which pins it", func(d *Document) (bool, error) { return d.Activate("v2", ann) },
			"v1 legacy, v2 active", func(d *Document) bool { return d.Managed && d.Version("v2").Since.Equal(day0) }},
		{"another version is activated", func(d *Document) (bool, error) { return d.Activate("v1", ann) },
			"v1 active, v2 legacy", func(d *Document) bool {
				return d.Version("v1").Since.Equal(ann.At) && d.Version("v2").Since.Equal(ann.At) && d.Edit.Action == ActionActivate &&
					d.Edit.Reason == "because"
			}},
		{"a version that is not there", func(d *Document) (bool, error) { return d.Activate("v9", ann) }, "error: no such version", always},
		{"an old version is retired", func(d *Document) (bool, error) { return d.Retire("v1", ann) }, "v1 retired, v2 active", always},
		{"a retired version is activated", func(d *Document) (bool, error) {
			_, _ = d.Retire("v1", ann)
			return d.Activate("v1", ann)
		}, "v1 active, v2 legacy", always},
		{"the active version is not retired", func(d *Document) (bool, error) { return d.Retire("v2", ann) }, "error: it is active", always},
		{"the fallback is not retired", func(d *Document) (bool, error) {
			_, _ = d.SetFallback("v1", ann)
			return d.Retire("v1", ann)
		}, "error: it is the fallback", always},
		{"a retired version is no fallback", func(d *Document) (bool, error) {
			_, _ = d.Retire("v1", ann)
			return d.SetFallback("v1", ann)
		}, "error: is retired", always},
		{"a person registers an active version", func(d *Document) (bool, error) {
			return d.Register(definitionOf(numbered(1), "v3"), "ann", day0, StateActive)
		}, "v1 legacy, v2 legacy, v3 active", func(d *Document) bool { return d.Managed }},
		{"a person registers a legacy version", func(d *Document) (bool, error) {
			return d.Register(definitionOf(numbered(1), "v3"), "ann", day0, StateLegacy)
		}, "v1 legacy, v2 active, v3 legacy", func(d *Document) bool { return d.Managed }},
		{"a definition of another tool", func(d *Document) (bool, error) {
			def := definitionOf(numbered(1), "v3")
			def.ToolName = "other"
			return d.Register(def, "ann", day0, StateActive)
		}, "error: is of other", always},
		{"a definition that can't be compiled", func(d *Document) (bool, error) {
			return d.Register(definitionOf(`{"properties":{"a":{"type":"strin"}}}`, "v3"), "ann", day0, "")
		}, "error: /properties/a/type", always},
	}
}

func TestAnEditThatFailsChangesNothing(t *testing.T) {
	d := orderDocument(t)
	before := d.Clone()
	for _, do := range []func() (bool, error){
		func() (bool, error) { return d.Retire("v2", ann) },
		func() (bool, error) { return d.SetFallback("v7", ann) },
		func() (bool, error) { return d.SetOwner(strings.Repeat("x", maxText+1), ann) },
		func() (bool, error) { return d.AddRenames(map[string]string{"a": "a"}, ann) },
		func() (bool, error) { return d.StartCanary("v1", -1, "", ann) },
		func() (bool, error) { return d.RemoveMigration("v1", "v2", ann) },
		func() (bool, error) { return d.AddMigration(Migration{From: "v1", To: "v2"}, ann) },
	} {
		changed, err := do()
		if changed || !errors.Is(err, ErrDocument) || !strings.Contains(err.Error(), "process_order") {
			t.Errorf("changed %v, %v", changed, err)
		}
	}
	if diff := cmp.Diff(before, d); diff != "" {
		t.Error(diff)
	}
}

func TestAnEditWithoutEffectIsNoChange(t *testing.T) {
	d := orderDocument(t)
	do := []func() (bool, error){
		func() (bool, error) { return d.SetOwner("team", ann) },
		func() (bool, error) { return d.SetFallback("v1", ann) },
		func() (bool, error) { return d.AddRenames(map[string]string{"amount": "quantity"}, ann) },
		func() (bool, error) { return d.Activate("v2", ann) },
	}
	for i, one := range do {
		if changed, err := one(); err != nil || !changed {
			t.Errorf("%d first: %v, %v", i, changed, err)
		}
		if changed, err := one(); err != nil || changed {
			t.Errorf("%d again: %v, %v", i, changed, err)
		}
	}
	if changed, err := d.AddRenames(map[string]string{"amount": ""}, ann); err != nil || !changed || len(d.Renames) != 0 {
		t.Errorf("taken back: %v, %v", changed, err)
	}
}
