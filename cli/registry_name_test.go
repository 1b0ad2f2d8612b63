package cli

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/drift"
)

func TestToolsAreFoundByTheirNames(t *testing.T) {
	known := []drift.Key{{Server: "shop", Tool: "order"}, {Server: "desk", Tool: "order"}, {Server: "shop", Tool: "cancel"}, {Tool: "search"}, {Server: "search", Tool: "x"}, {Server: "a/b", Tool: "c"}, {Server: "a", Tool: "b/c"}, {Server: "a", Tool: "@c/d"}}
	for _, c := range []struct {
		name  toolName
		want  drift.Key
		found bool
		err   error
	}{
		{name: toolName{text: "shop/order"}, want: drift.Key{Server: "shop", Tool: "order"}, found: true},
		{name: toolName{text: "cancel"}, want: drift.Key{Server: "shop", Tool: "cancel"}, found: true},
		{name: toolName{text: "search"}, want: drift.Key{Tool: "search"}, found: true},
		{name: toolName{text: "b/c"}, want: drift.Key{Server: "a", Tool: "b/c"}, found: true},
		{name: toolName{text: "@c/d"}, want: drift.Key{Server: "a", Tool: "@c/d"}, found: true},
		{name: toolName{text: "order"}, err: errTwoTools},
		{name: toolName{text: "a/b/c"}, err: errTwoTools},
		{name: toolName{key: drift.Key{Server: "a/b", Tool: "c"}, exact: true}, want: drift.Key{Server: "a/b", Tool: "c"}, found: true},
		{name: toolName{key: drift.Key{Tool: "order"}, exact: true}, want: drift.Key{Tool: "order"}},
		{name: toolName{text: "new/tool/x"}, want: drift.Key{Server: "new", Tool: "tool/x"}},
		{name: toolName{text: "new"}, want: drift.Key{Tool: "new"}},
	} {
		got, found, err := c.name.find(known)
		if got != c.want || found != c.found || !errors.Is(err, c.err) {
			t.Errorf("%+v: have %+v, %v, %v", c.name, got, found, err)
		}
	}
}

func TestAToolIsFoundByItsFullNameOrMoreThanOneHasIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[ab/@.]{1,4}`)
		known := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) drift.Key {
			return drift.Key{Server: rapid.OneOf(rapid.Just(""), name).Draw(t, "server"), Tool: name.Draw(t, "tool")}
		}), 1, 8, rapid.ID[drift.Key]).Draw(t, "known")
		k := rapid.SampledFrom(known).Draw(t, "one")
		got, found, err := toolName{text: k.String()}.find(known)
		if err == nil && (got != k || !found) || err != nil && !errors.Is(err, errTwoTools) {
			t.Fatalf("%v among %v: have %v, %v, %v", k, known, got, found, err)
		}
		if got, found, err = (toolName{key: k, exact: true}).find(known); got != k || !found || err != nil {
			t.Fatalf("%v by its exact name: have %v, %v, %v", k, got, found, err)
		}
	})
}

func TestPeopleAreShownTheNearestName(t *testing.T) {
	known := []drift.Key{{Server: "desk", Tool: "process_order"}, {Server: "shop", Tool: "process_order"}, {Tool: "lookup"}}
	for want, k := range map[string]drift.Key{
		"shop/process_order": {Server: "shop", Tool: "process_orders"},
		"desk/process_order": {Server: "dsk", Tool: "process_order"},
		"lookup":             {Tool: "LookUp"},
		"":                   {Tool: "zzzzzzzz"},
	} {
		if got := nearestTool(k, known); got != want {
			t.Errorf("%v: have %q, want %q", k, got, want)
		}
	}
}

func TestSharesArePercentOrFractions(t *testing.T) {
	for text, want := range map[string]float64{"10%": 0.1, "0.1": 0.1, "100%": 1, "1": 1, "0.5%": 0.005} {
		if got, err := parseShare(text); err != nil || got != want {
			t.Errorf("%s: have %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "%", "0", "0%", "101%", "1.1", "-1%", "NaN", "Inf", "10 %", "ten"} {
		if got, err := parseShare(text); err == nil {
			t.Errorf("%q: have %v", text, got)
		}
	}
}

func document(server, tool string, versions ...string) *drift.Document {
	d := drift.NewDocument(drift.Key{Server: server, Tool: tool})
	for i, v := range versions {
		state := drift.StateLegacy
		if i == len(versions)-1 {
			state = drift.StateActive
		}
		def := fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"schema_version":{"const":%q}}}}`, tool, v)
		d.Versions = append(d.Versions, drift.VersionEntry{Version: v, State: state, Definition: []byte(def)})
	}
	return d
}

func TestWhatANameInTheRegistryStandsFor(t *testing.T) {
	all := []*drift.Document{document("", "search", "v1"), document("a", "order", "v1", "v2"), document("a", "order@v1", "v9"), document("b", "pay", "v3")}
	empty, own, a := "", []string{"search:v1"}, []string{"order:v2", "order@v1:v9"}
	for _, c := range []struct {
		name   string
		server *string
		want   []string
		err    error
	}{
		{name: "a", want: a},
		{name: "a/order", want: []string{"order:v2"}},
		{name: "a/order@v2", want: []string{"order:v2"}},
		{name: "a/order@v1", want: []string{"order@v1:v9"}}, // a tool's whole name goes before a version
		{name: "pay@v3", want: []string{"pay:v3"}},
		{name: "pay@v4", err: errNoVersion},
		{name: "", err: errWhichServer},
		{name: "", server: &empty, want: own},
		{name: "search", want: own},
		{name: "nothing", err: errNoSource},
		{name: "@", err: errNoSource},
	} {
		s, err := sourceOf(all, c.name, c.server)
		if !errors.Is(err, c.err) {
			t.Errorf("%q: have %v, want %v", c.name, err, c.err)
		}
		if err != nil {
			continue
		}
		var got []string
		for _, raw := range s.release.Tools {
			got = append(got, nameOf(raw)+":"+s.versions[nameOf(raw)])
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.name, diff)
		}
	}
}

func TestThatAToolStatesAnotherVersionBreaksNothing(t *testing.T) {
	was, is := document("", "order", "v1").Versions[0].Definition, document("", "order", "v2").Versions[0].Definition
	c, err := compareTools(was, is, drift.CompareOptions{})
	if err != nil || c.Class != drift.NonBreaking || len(c.Changes) != 1 || c.Changes[0].Text() != `schema version changed: "v1" -> "v2"` {
		t.Errorf("have %+v, %v", c, err)
	}
	if c, err = compareTools(is, is, drift.CompareOptions{}); err != nil || len(c.Changes) > 0 {
		t.Errorf("the same: have %+v, %v", c, err)
	}
	for schema, want := range map[string]string{
		`{"properties":{"schema_version":{"const":"v1"}}}`: "v1", `{"properties":{"schema_version":{"const":1}}}`: "", `{"properties":{"schema_version":true}}`: "",
		`{"properties":[]}`: "", `true`: "", ``: "",
	} {
		if got := statedVersion([]byte(schema)); got != want {
			t.Errorf("%s: have %q", schema, got)
		}
	}
}
