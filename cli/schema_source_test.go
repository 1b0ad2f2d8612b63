package cli

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
)

func TestToolsOfTheRegistryAreComparedUnderTheirNamesThere(t *testing.T) {
	var all []*drift.Document
	for _, tool := range []string{"a", "b", "t"} {
		d := drift.NewDocument(drift.Key{Server: "h", Tool: tool})
		d.Versions = []drift.VersionEntry{{
			Version: "v1", State: drift.StateActive,
			Definition: jsontext.Value(`{"name":"t","description":"what it does","input_schema":{"type":"object","properties":{"x":{"type":"string"}}}}`),
		}}
		all = append(all, d)
	}
	was, err := sourceOf(all, "h", nil)
	if err != nil {
		t.Fatal(err)
	}
	is := &drift.Release{Tools: was.release.Tools[2:]}
	c, err := drift.CompareLists(was.release.Tools, is.Tools, drift.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Before != 3 || len(c.Removed) != 2 || c.Class != drift.Breaking {
		t.Errorf("%d before, removed %v, %s: want 3, a and b, breaking", c.Before, c.Removed, c.Class)
	}
	one, err := sourceOf(all, "h/b", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := nameOf(one.release.Tools[0]); got != "b" || one.versions["b"] != "v1" {
		t.Errorf("the definition is called %q, its versions are %v", got, one.versions)
	}
}
