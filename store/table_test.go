package store

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

// ofStore are the columns that no event has.
var ofStore = []string{"lane", "seq", "pos", "ingested_at", "part_day"}

func TestEveryFieldOfEveryKindHasAColumnAndNoColumnIsWithoutAField(t *testing.T) {
	for _, d := range samples() {
		table, err := tableOf(d.Kind())
		if err != nil {
			t.Fatal(err)
		}
		fields := slices.Sorted(maps.Keys(flatten(&events.Event{ID: uuid.NewString(), Data: d})))
		var columns []string
		for _, c := range table.Columns() {
			if !slices.Contains(ofStore, c) {
				columns = append(columns, c)
			}
		}
		slices.Sort(columns)
		if diff := cmp.Diff(fields, columns); diff != "" {
			t.Errorf("%s (-fields of events +columns):\n%s", table.Name, diff)
		}
	}
}

func TestEveryKindHasATable(t *testing.T) {
	for _, k := range events.Kinds() {
		if _, err := tableOf(k); err != nil {
			t.Error(err)
		}
	}
	if _, err := tableOf("other"); err == nil {
		t.Error("a kind that does not exist has a table")
	}
}

func TestALaneNamesItsTable(t *testing.T) {
	for lane, want := range map[string]string{
		"1764000000000000000/tooltrail.v1.0.tool_call":       "tool_calls",
		"1764000000000000000/tooltrail.v1.7.request_prefix":  "request_prefixes",
		"1764000000000000000/" + events.DeadLetterSubject:    "dead_letters",
		"1764000000000000000/tooltrail.v1.0.other":           "",
		"tooltrail.v1.0.tool_call":                           "",
		"1764000000000000000/tooltrail.v1.zero.tool_roster":  "",
		"1764000000000000000/tooltrail.v1.3.tool_definition": "tool_definitions",
	} {
		table, err := tableOfLane(lane)
		switch {
		case want == "" && err == nil:
			t.Errorf("%s: is %s, want an error", lane, table.Name)
		case want != "" && (err != nil || table.Name != want):
			t.Errorf("%s: %v, %v, want %s", lane, table, err, want)
		}
	}
}

func TestATokenNamesThePositionThatItContinuesFrom(t *testing.T) {
	for token, want := range map[string]uint64{
		"1/tooltrail.v1.0.tool_call@0":     0,
		"1/tooltrail.v1.0.tool_call@412":   412,
		"1/tooltrail.v1.0.tool_call@412#2": 412,
		"a@b@7":                            7,
	} {
		if got, ok := tokenPosition(token); !ok || got != want {
			t.Errorf("%s: %d, %v, want %d", token, got, ok, want)
		}
	}
	for _, token := range []string{"", "a", "a@", "a@x", "a@-1"} {
		if _, ok := tokenPosition(token); ok {
			t.Errorf("%q names a position", token)
		}
	}
}
