package drift

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func TestShapeHasTypesAndNoValues(t *testing.T) {
	got := Shape([]byte(`{"id":"secret","n":1,"m":1.0,"x":1.5,"e":1e3,"ok":true,"none":null,"list":[1,{"a/b":[]}],"o":{}}`))
	want := []events.Argument{
		{Path: "/id", Type: "string"}, {Path: "/n", Type: "integer"}, {Path: "/m", Type: "integer"}, {Path: "/x", Type: "number"},
		{Path: "/e", Type: "number"}, {Path: "/ok", Type: "boolean"}, {Path: "/none", Type: "null"}, {Path: "/list", Type: "array"},
		{Path: "/list/0", Type: "integer"}, {Path: "/list/1", Type: "object"}, {Path: "/list/1/*", Type: "array"},
		{Path: "/o", Type: "object"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestShapeIsBounded(t *testing.T) {
	tests := []struct {
		name, args string
		most       int
	}{
		{"nothing", ``, 0},
		{"an empty object", `{}`, 0},
		{"a bare value", `"x"`, 1},
		{"many values", `[` + strings.Repeat("1,", 100_000) + `1]`, maxShape},
		{"deep nesting", strings.Repeat(`{"a":`, 5_000) + `1` + strings.Repeat(`}`, 5_000), maxShapeDepth},
		{"cut short", `{"a":1,"b":`, 1},
		{"a long name", `{"` + strings.Repeat("n", 10_000) + `":1}`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Shape([]byte(tt.args)); len(got) > tt.most {
				t.Errorf("%d values, at most %d", len(got), tt.most)
			}
		})
	}
}
