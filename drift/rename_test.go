package drift

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestTheSeedsRenameIsShownWithItsSilentDefault(t *testing.T) {
	before := inOrder(`"id":{"type":"string"},"amount":{"type":"integer"}`)
	after := inOrder(`"id":{"type":"string"},"quantity":{"type":"integer","default":0},"unit":{"type":"string"}`)
	c := compared(t, before, after, CompareOptions{})
	if c.Class != Breaking || len(c.Renames) != 1 || c.Renames[0].From != "amount" || c.Renames[0].To != "quantity" || !c.Renames[0].SilentDefault {
		t.Errorf("%s, %+v", c.Class, c.Renames)
	}
	c = compared(t, before, after, CompareOptions{Aliases: map[string]string{"amount": "quantity"}})
	want := "breaking property_renamed /properties/quantity *\nunknown default_added"
	if got := changesText(c); !strings.HasPrefix(got, "breaking property_renamed /properties/quantity *\n") || strings.Contains(got, "property_removed") {
		t.Errorf("with an alias table: %s, want %s", got, want)
	}
}

func inOrder(properties string) string {
	return `{"type":"object","properties":{` + properties + `},"required":["id"]}`
}

func TestReleasesThatHideWhatTheyChangeAreFlagged(t *testing.T) {
	tool := func(schema string) []jsontext.Value {
		return []jsontext.Value{jsontext.Value(`{"name":"t","inputSchema":` + schema + `}`)}
	}
	const a, b = `{"type":"object","properties":{"x":{"type":"number"}}}`, `{"type":"object","properties":{"x":{"type":"integer"}}}`
	stated := `{"type":"object","properties":{"schema_version":{"const":"1"},"y":{"type":"string"}}}`
	restated := `{"type":"object","properties":{"schema_version":{"const":"1"},"y":{"type":"string"},"z":{"type":"string"}}}`
	for _, c := range []struct {
		name     string
		releases []Release
		want     string
	}{
		{"breaking in a minor version", []Release{{Name: "v1.1.0", Tools: tool(a)}, {Name: "v1.2.0", Tools: tool(b)}}, FlagBreakingMinor},
		{"breaking in a major version", []Release{{Name: "1.1.0", Tools: tool(a)}, {Name: "2.0.0", Tools: tool(b)}}, ""},
		{"not breaking", []Release{{Name: "v1.1.0", Tools: tool(b)}, {Name: "v1.2.0", Tools: tool(a)}}, ""},
		{"the same release again", []Release{{Name: "v1", Tools: tool(a)}, {Name: "v1", Tools: tool(a)}}, ""},
		{"the same release with other bytes", []Release{{Name: "v1", Tools: tool(a)}, {Name: "v1", Tools: tool(b)}}, FlagRugPull},
		{"the same version stated", []Release{{Name: "v1", Tools: tool(stated)}, {Name: "v2", Tools: tool(restated)}}, FlagUnversioned},
		{"no version at all", []Release{{Tools: tool(b)}, {Tools: tool(a)}}, FlagUnversioned},
		{"another server's", []Release{{Name: "v1", Server: "s", Tools: tool(a)}, {Name: "v1", Server: "u", Tools: tool(b)}}, ""},
	} {
		log, err := NewChangelog(c.releases, ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range log.Entries[1].Flags {
			got = append(got, f.Rule)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %q", c.name, got, c.want)
		}
	}
}

func TestOldCallsAreReplayed(t *testing.T) {
	old := []jsontext.Value{jsontext.Value(`{"name":"t","inputSchema":` + inOrder(`"id":{"type":"string"},"amount":{"type":"integer"}`) + `}`), jsontext.Value(`{"name":"gone"}`)}
	now := []jsontext.Value{jsontext.Value(`{"name":"t","inputSchema":` + inOrder(`"id":{"type":"string","maxLength":2},"quantity":{"type":"integer","default":0}`) + `}`)}
	r := NewReplayer(old, now)
	for _, c := range []struct{ tool, args, want string }{
		{"t", `{"id":"a"}`, ReplayOK}, {"t", `{"id":"abc"}`, ReplayRefused}, {"t", `{"id":"a","amount":2}`, ReplayDefault},
		{"t", `{"amount":2}`, ReplayNotOld}, {"t", `{"id":"a","other":2}`, ReplayNotOld}, {"gone", `{}`, ReplayGone}, {"never", `{}`, ReplayNotOld},
	} {
		if got := r.Call(OldCall{Tool: c.tool, Arguments: jsontext.Value(c.args)}); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.tool, c.args, got, c.want)
		}
	}
	if got := r.Report(); got.Broken() != 3 || got.Calls != 7 || len(got.Problems) != 3 {
		t.Errorf("%+v", got)
	}
}
