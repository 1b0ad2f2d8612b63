// Package rosterfuzz fuzzes the texts and arrays of rosters, apart from tests that start the engine.
package rosterfuzz

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// maxText is the most that a roster of two tools of one server may take, in bytes: two summaries, a description and eight names of 256
// characters, each of at most ten bytes when escaped.
const maxText = 10 * (1000 + 2*300 + 8*256)

func FuzzRoster(f *testing.F) {
	f.Add("github", "get_me", "Get\x00 me", "reason")
	f.Add("\u202e", "\xff\n- x", strings.Repeat("\u0301", 99), "</script>")
	f.Add("", "", `{"name":"2","defer_loading":true}`, strings.Repeat("a", 300))
	f.Fuzz(func(t *testing.T, server, name, description, argument string) {
		def, err := json.Marshal(map[string]any{
			"name": name, "description": description, "defer_loading": true, "input_schema": map[string]any{"required": []string{argument}},
		}, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			t.Fatal(err)
		}
		tools := []activation.Tool{
			{Name: name, Server: server, Deferred: true, Definition: def}, {Name: name + "2", Server: server, Definition: jsontext.Value(description)},
		}
		in := activation.RosterInput{Tools: tools, Descriptions: map[string]string{server: description}}
		checkText(t, activation.NewRoster(in))
		checkArrays(t, activation.NewRoster(in), name)
	})
}

func checkText(t *testing.T, r *activation.Roster) {
	t.Helper()
	text := strings.TrimPrefix(r.Text(activation.TextOptions{}), activation.Header(""))
	if n := strings.Count(text, "\n- "); n != 2 {
		t.Errorf("%d tools in %q", n, text)
	}
	if len(text) > maxText {
		t.Errorf("%d bytes", len(text))
	}
}

func checkArrays(t *testing.T, r *activation.Roster, name string) {
	t.Helper()
	a, err := activation.NewToolArray(r, activation.ArrayOptions{Defer: []activation.DeferProof{{Model: "m", Hidden: "h", Unfolded: "u"}}})
	if err != nil {
		t.Fatal(err)
	}
	for model, marked := range map[string]bool{"m": true, "other": false} {
		for _, raw := range a.Next(model, name) {
			if !raw.IsValid(jsontext.AllowDuplicateNames(true)) {
				t.Fatalf("not valid: %s", raw)
			}
			if def, err := events.ParseTool(raw); err == nil && def.Name == name && def.Deferred != marked && strings.Contains(string(raw), `"required"`) {
				t.Errorf("for %s: %s", model, raw)
			}
		}
	}
}
