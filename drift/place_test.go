package drift

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

const placesSchema = `{"type":"object","properties":{"users":{"type":"object","properties":{"admin_20991":{"type":"string"}},
	"additionalProperties":{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}},
	"list":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}},"order_10001":{"type":"string"}},
	"required":["line_item_4711"]}`

func TestPlacesInArgumentsHoldNoValues(t *testing.T) {
	s, err := CompileSchema([]byte(placesSchema), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	v := &Versions{Active: Version{Name: "v1", Schema: s}}
	args := []byte(`{"users":{"sara_doe_496":{"age":"x","nick":1},"john_roe_512":{"age":"y"},"admin_20991":1,"Ann Doe":{}},
		"list":[{"n":"x"},{"n":1,"m":2}],"order_10001":5,"line_item_4711":1,"7654321":1}`)
	got := Classify(v, Call{Arguments: args})
	var places []string
	for _, e := range got.Errors {
		places = append(places, e.Path+" "+e.Keyword)
	}
	want := []string{"/list/0/n type", "/order_10001 type", "/users/*/age required", "/users/*/age type", "/users/admin_20991 type"}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Error(diff)
	}
	unknown := []string{"/list/1/m", "/users/*/nick", "7654321", "line_item_4711"}
	if diff := cmp.Diff(unknown, got.Unknown); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(got.Text(), "sara") {
		t.Error(got.Text())
	}
	paths := func(shape []events.Argument) (all []string) {
		for _, a := range shape {
			all = append(all, a.Path)
		}
		return all
	}
	alone := []string{
		"/users", "/users/*", "/users/*/age", "/users/*/nick", "/users/*", "/users/*/age", "/users/*", "/users/*", "/list", "/list/0", "/list/0/n",
		"/list/1", "/list/1/n", "/list/1/m", "/*", "/*", "/*",
	}
	if diff := cmp.Diff(alone, paths(Shape(args))); diff != "" {
		t.Error(diff)
	}
	known := strings.NewReplacer("/users/*|/users/*|/list", "/users/admin_20991|/users/*|/list", "/*|/*|/*", "/order_10001|/line_item_4711|/*")
	withSchema := strings.Split(known.Replace(strings.Join(alone, "|")), "|")
	if diff := cmp.Diff(withSchema, paths(v.Shape(args))); diff != "" {
		t.Error(diff)
	}
}

func TestNamesOfUnknownArgumentsAreCut(t *testing.T) {
	s, err := CompileSchema([]byte(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}}}}`), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("n", 300)
	got := s.Classify([]byte(`{"` + long + `":1,"a":{"` + long + `":1}}`))
	if len(got.Unknown) != 2 {
		t.Fatalf("%s: %d names, %v", got.Class, len(got.Unknown), got.Err)
	}
	if len(got.Unknown[0]) > len("/a/")+maxArgumentName || len(got.Unknown[1]) > maxArgumentName {
		t.Errorf("%d names, %d and %d bytes", len(got.Unknown), len(got.Unknown[0]), len(got.Unknown[1]))
	}
}

func TestSilentDefaultsInMapsTellNoKeys(t *testing.T) {
	compile := func(raw string) *Schema {
		s, err := CompileSchema([]byte(raw), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	v := &Versions{
		Active: Version{Name: "v2", Schema: compile(`{"type":"object","properties":{"users":{"type":"object","additionalProperties":
			{"type":"object","properties":{"years":{"type":"integer","default":0}}}}}}`)},
		Legacy: []Version{{Name: "v1", Schema: compile(`{"type":"object","properties":{"users":{"type":"object","additionalProperties":
			{"type":"object","properties":{"age":{"type":"integer"}}}}}}`)}},
		Renames: map[string]string{"age": "years"},
	}
	got := Classify(v, Call{Arguments: []byte(`{"users":{"sara_doe_496":{"age":3}}}`)})
	if got.Class != events.DriftSilentDefault || got.Defaulted[0] != "/users/*/years" || got.Renamed[0] != "/users/*/age" || got.Unknown[0] != "/users/*/age" {
		t.Errorf("%+v", got)
	}
}
