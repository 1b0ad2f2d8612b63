package activation

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// proved is a list with one model.
var proved = ArrayOptions{Defer: []DeferProof{{Model: "model-1", Hidden: "req_1", Unfolded: "req_2"}}}

// offered is a roster of one tool that needs no loading and three that do.
func offered() *Roster {
	tools := []Tool{givenTool("s", "d", "D."), givenTool("s", "b", "B."), givenTool("", "c", "C."), givenTool("t", "a", "A.")}
	for i := range tools {
		tools[i].Deferred = tools[i].Name != "c"
	}
	return NewRoster(RosterInput{Tools: tools})
}

// names returns the names in an array, those marked as deferred with a star.
func arrayNames(t interface{ Fatalf(string, ...any) }, array []jsontext.Value) string {
	var names []string
	for _, raw := range array {
		def, err := events.ParseTool(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if def.Deferred {
			def.Name += "*"
		}
		names = append(names, def.Name)
	}
	return strings.Join(names, " ")
}

func TestArrayHasWhatIsLoadedSortedByName(t *testing.T) {
	r := offered()
	for _, tt := range []struct {
		loaded []string
		want   string
	}{
		{nil, "c"}, {[]string{"d", "a"}, "a c d"}, {[]string{"a", "a", "nothing", "c"}, "a c"}, {[]string{"s/b"}, "b c"},
	} {
		if got := arrayNames(t, r.Array(tt.loaded...)); got != tt.want {
			t.Errorf("with %q loaded: %s, want %s", tt.loaded, got, tt.want)
		}
	}
}

func TestAToolArrayNeverShrinks(t *testing.T) {
	a, err := NewToolArray(offered(), proved)
	if err != nil {
		t.Fatal(err)
	}
	step := func(want, model string, loaded ...string) {
		t.Helper()
		if got := arrayNames(t, a.Next(model, loaded...)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	step("c", "other")
	step("b c", "other", "b")
	step("b c", "other")
	step("a* b* c d*", "model-1", "d")
	step("b c d", "other")
	step("b c d", "model-1-mini")
	denied := givenTool("s", "b", "Changed.")
	denied.Denied = true
	a.SetRoster(NewRoster(RosterInput{Tools: []Tool{denied, givenTool("", "bb", "New.")}}))
	before := a.Next("other")
	step("b bb c d", "other")
	step("a* b* bb c d*", "model-1")
	if !bytes.Contains(before[0], []byte("B.")) {
		t.Errorf("the definition changed: %s", before[0])
	}
	a.SetRoster(nil)
	step("b bb c d", "other")
}

func TestAnArrayOfAListedModelIsTheSameWhateverIsLoaded(t *testing.T) {
	a, err := NewToolArray(offered(), proved)
	if err != nil {
		t.Fatal(err)
	}
	first := a.Next("model-1")
	if diff := cmp.Diff(first, a.Next("model-1", "a", "b", "d")); diff != "" {
		t.Error(diff)
	}
	if !bytes.Contains(first[0], []byte(`"description":"A."`)) {
		t.Errorf("a deferred definition lost its description: %s", first[0])
	}
}

func TestAModelWithoutBothProofsIsRefused(t *testing.T) {
	_, err := NewToolArray(offered(), ArrayOptions{Defer: []DeferProof{{Model: "m", Hidden: "req_1"}, {Unfolded: "req_2", Hidden: "req_1"}}})
	if err == nil || !strings.Contains(err.Error(), "defer[0].unfolded is empty") || !strings.Contains(err.Error(), "defer[1].model is empty") {
		t.Errorf("%v", err)
	}
}

func TestTheMarkOfADeferredDefinitionIsSetAndTakenOff(t *testing.T) {
	for _, tt := range []struct{ def, plain, marked string }{
		{`{"name":"a", "x":[1, 2]}`, `{"name":"a", "x":[1, 2]}`, `{"name":"a","x":[1, 2],"defer_loading":true}`},
		{`{"defer_loading":true,"name":"a"}`, `{"name":"a"}`, `{"name":"a","defer_loading":true}`},
		{`{"name":"a","defer_\u006coading":true}`, `{"name":"a"}`, `{"name":"a","defer_loading":true}`},
		{`{"name":"a","x":{"defer_loading":1}}`, `{"name":"a","x":{"defer_loading":1}}`, `{"name":"a","x":{"defer_loading":1},"defer_loading":true}`},
		{`{"name":"\u00e9"}`, `{"name":"\u00e9"}`, `{"name":"\u00e9","defer_loading":true}`},
		{`{}`, `{}`, `{"defer_loading":true}`},
		// Beside function, never in it: Chat Completions, as gateways take it.
		{`{"type":"function","function":{"name":"a"}}`, `{"type":"function","function":{"name":"a"}}`, `{"type":"function","function":{"name":"a"},"defer_loading":true}`},
		{
			`{"type":"function","function":{"name":"a","defer_loading":true}}`, `{"type":"function","function":{"name":"a"}}`,
			`{"type":"function","function":{"name":"a"},"defer_loading":true}`,
		},
		// Beside name: Responses and Messages.
		{`{"type":"function","name":"a"}`, `{"type":"function","name":"a"}`, `{"type":"function","name":"a","defer_loading":true}`},
	} {
		def := jsontext.Value(tt.def)
		if got := string(setDeferred(def, false)); got != tt.plain {
			t.Errorf("plain %s, want %s", got, tt.plain)
		}
		if got := string(setDeferred(def, true)); got != tt.marked {
			t.Errorf("marked %s, want %s", got, tt.marked)
		}
		if string(def) != tt.def {
			t.Errorf("the definition was changed: %s", def)
		}
	}
}

func TestAnArrayAndAMentionGoByTheRostersSettings(t *testing.T) {
	in := RosterInput{Tools: []Tool{
		{Name: "a", Server: "s", Deferred: true, Definition: jsontext.Value(`{"name":"a"}`)}, {Name: "b", Server: "s"},
	}}
	in.Settings.Roster.Array, in.Settings.Roster.MentionLimit = proved, 1
	r := NewRoster(in)
	a, err := NewToolArray(r, ArrayOptions{})
	if err != nil || len(a.Next("model-1")) != 1 {
		t.Errorf("no deferred definition: %v", err)
	}
	if a, err = NewToolArray(r, ArrayOptions{Defer: []DeferProof{}}); err != nil || len(a.Next("model-1")) != 0 {
		t.Errorf("a list of its own is not taken: %v", err)
	}
	if m, ok := r.Mention("s", 0); !ok || len(m.Loaded) != 1 || len(m.Rest) != 1 {
		t.Errorf("%+v", m)
	}
	in.Settings.Roster.Array.Defer = []DeferProof{{Model: "model-1"}}
	if _, err := NewToolArray(NewRoster(in), ArrayOptions{}); err == nil {
		t.Error("a model without proofs is taken")
	}
}

func TestWhatWasSentStaysInTheSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, err := NewToolArray(NewRoster(RosterInput{Tools: anyTools(t)}), proved)
		if err != nil {
			t.Fatal(err)
		}
		last := map[string][]jsontext.Value{}
		for range rapid.IntRange(1, 8).Draw(t, "requests") {
			if rapid.IntRange(0, 3).Draw(t, "changed") == 0 {
				a.SetRoster(NewRoster(RosterInput{Tools: anyTools(t)}))
			}
			model := rapid.SampledFrom([]string{"model-1", "other"}).Draw(t, "model")
			now := a.Next(model, rapid.SliceOfN(anyName, 0, 3).Draw(t, "loaded")...)
			at := 0
			for _, def := range last[model] {
				for at < len(now) && !bytes.Equal(now[at], def) {
					at++
				}
				if at == len(now) {
					t.Fatalf("%s is gone or moved", def)
				}
			}
			last[model] = now
		}
	})
}

func TestAMentionLoadsSixtyAndReportsTheCut(t *testing.T) {
	var in RosterInput
	for i := range 85 {
		in.Tools = append(in.Tools, Tool{Name: fmt.Sprintf("tool_%02d", 84-i), Server: "GitHub", Deferred: true})
	}
	in.Tools = append(in.Tools, Tool{Name: "x", Server: "small"}, Tool{Name: "y", Server: "Small"}, Tool{Name: "z", Server: "away"})
	in.NotConnected = []string{"away"}
	r := NewRoster(in)
	m, ok := r.Mention("@github", 0)
	if !ok || m.Server != "GitHub" || len(m.Loaded) != 60 || len(m.Rest) != 25 || m.Loaded[59] != "tool_59" || m.Rest[0] != "tool_60" {
		t.Errorf("%v %+v", ok, m)
	}
	if want := "Loaded 60 of the 85 tools of GitHub, the first by name; the other 25 are in the list of tools: load them by name."; m.String() != want {
		t.Error(m.String())
	}
	for _, name := range m.Rest {
		if !strings.Contains(r.Text(TextOptions{}), "\n- "+name+"\n") {
			t.Errorf("%s is not listed any more", name)
		}
	}
	s := NewState(r)
	s.Load(m.Loaded...)
	if !s.Loaded("tool_59") || s.Loaded("tool_60") {
		t.Error("not the first sixty are loaded")
	}
	m, ok = r.Mention("small", 1)
	if !ok || !slices.Equal(m.Loaded, []string{"x"}) || m.String() != "Loaded the one tool of small." {
		t.Errorf("%v %+v", ok, m)
	}
	for _, name := range []string{"SMALL", "away", "githb", "", "@"} {
		if m, ok := r.Mention(name, 0); ok {
			t.Errorf("%q brings %+v", name, m)
		}
	}
}
