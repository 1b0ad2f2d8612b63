// Package namefuzz tests what activation says of names of any kind. It is a package of its own because the tests of activation start
// the engine, which a fuzz test must not.
package namefuzz

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

func state() *activation.State {
	s := activation.NewState(activation.NewRoster(activation.RosterInput{Tools: []activation.Tool{{Name: "was_here_before"}}}))
	s.SetRoster(activation.NewRoster(activation.RosterInput{
		Tools: []activation.Tool{
			{Name: "web_search"}, {Name: "mcp__a__b", Server: "a", Deferred: true}, {Name: "x__y", Server: "my__server"}, {Name: "ü_tool"},
			{Name: "a/b"}, {Name: "a:b"}, {Name: "rm", Denied: true},
		},
		NotConnected: []string{"away"}, Renames: map[string]string{"old": "web_search", "loop": "loop"},
	}))
	s.Load("brought")
	return s
}

// awkward are names that no tool should have and some model will call.
func awkward() []string {
	return []string{
		"", " ", "\x00", "\xff\xfe", "web_search\x00", "WebSearch", "w\u0435b_search", "web\u200b_search", "\u202ehcraes_bew", "İ_TOOL", "K", "mcp__a__b", "mcp__", "__",
		"a__", "a.b.c", "away__x", "old", "loop", "brought", "was_here_before", "remove_here_before", "<script>alert(1)</script>", "\x1b[31mred", "my__server__x__y",
		strings.Repeat("a_", 200), strings.Repeat("x", 1<<20), strings.Repeat("a__", 1<<18), strings.Repeat("é", 1<<19), "away__" + strings.Repeat("\xff", 1<<20),
	}
}

// judge asks all there is to ask about a name.
func judge(t *testing.T, name string) {
	t.Helper()
	s := state()
	got := s.Resolve(name)
	if !got.Resolution.Valid() || got.Resolution == "" {
		t.Errorf("%.200q: %+v", name, got)
	}
	refusal := s.RefusalOf(name, got)
	if may := s.Loaded(name) || got.Resolution == events.ResolvedRenamed && s.Loaded(got.Name); (refusal == nil) != may {
		t.Errorf("%.200q: %+v is refused: %v", name, got, refusal)
	}
	if refusal != nil {
		checkText(t, refusal.Error())
	}
	l, err := activation.NewLoader(s, activation.Checks{})
	if err != nil {
		t.Fatal(err)
	}
	for _, loaded := range []activation.Loaded{l.Load(name, "web_search"), l.Restore([]string{name})} {
		for i := range loaded.Refused {
			checkText(t, loaded.Refused[i].Text())
		}
		a := loaded.Event(events.Context{})
		if _, err := events.AppendEvent(nil, &events.Event{ID: "1", Source: "/a", Time: time.Unix(0, 0), Data: &a}); err != nil {
			t.Errorf("%.200q: %v", name, err)
		}
	}
}

// checkText checks that a text can go into a terminal and a request.
func checkText(t *testing.T, text string) {
	t.Helper()
	unfit := func(c rune) bool { return !unicode.IsPrint(c) }
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unfit) || len(text) > 2000 {
		t.Errorf("%d bytes: %.300q", len(text), text)
	}
}

func TestAwkwardNamesAreJudgedAndPrinted(t *testing.T) {
	for _, name := range awkward() {
		judge(t, name)
	}
}

func TestAToolOfAnAwkwardNameIsFoundByIt(t *testing.T) {
	for _, name := range awkward() {
		s := activation.NewState(activation.NewRoster(activation.RosterInput{Tools: []activation.Tool{{Name: name, Deferred: true}}}))
		if got := s.Resolve(name); got.Resolution != events.ResolvedNotActivated {
			t.Errorf("%.200q: %+v", name, got)
		}
		s.Load(name)
		if !s.Loaded(name) {
			t.Errorf("%.200q is not callable", name)
		}
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range awkward() {
		if len(name) < 1<<10 {
			f.Add(name)
		}
	}
	f.Fuzz(judge)
}

// bridgeRoster has a bridge, tools that can be called and one of each kind that can't.
func bridgeRoster() *activation.Roster {
	return activation.NewRoster(activation.RosterInput{Tools: []activation.Tool{
		{Name: "call_tool"}, {Name: "read"}, {Name: "rm", Denied: true}, {Name: "lazy", Deferred: true}, {Name: "B_del", Server: "B", Denied: true}, {Name: "del"},
	}})
}

// readers are the ways in which real bridges find the name of the tool that they are asked for.
var readers = []func(map[string]any) any{
	func(m map[string]any) any { return m["name"] },
	func(m map[string]any) any { return m["tool_name"] },
	func(m map[string]any) any { return m["toolName"] },
	func(m map[string]any) any { return m["tool"] },
	func(m map[string]any) any { o, _ := object(m["tool"]); return o["name"] },
	func(m map[string]any) any { o, _ := object(m["function"]); return o["name"] },
}

// object reads a value as bridges do: an object, or a string that holds one.
func object(v any) (map[string]any, bool) {
	for range 3 {
		text, ok := v.(string)
		if !ok {
			break
		}
		v = nil
		if json.Unmarshal([]byte(text), &v) != nil {
			return nil, false
		}
	}
	m, ok := v.(map[string]any)
	return m, ok
}

// reached returns the tools that a bridge could run for its arguments, within other bridges, too.
func reached(args any, depth int) []string {
	m, ok := object(args)
	if !ok || depth > 40 {
		return nil
	}
	var all []string
	for _, read := range readers {
		name, _ := read(m).(string)
		if m["server"] == "B" {
			all = append(all, "B_"+name)
		}
		all = append(all, name)
		if name != "call_tool" {
			continue
		}
		for _, key := range []string{"arguments", "args", "input", "params"} {
			all = append(all, reached(m[key], depth+1)...)
		}
	}
	return all
}

// FuzzBridges looks up calls whose arguments are anything. Whatever they are: no bridge that is let pass can reach a tool that can't be called.
func FuzzBridges(f *testing.F) {
	for _, args := range []string{
		``, `{}`, `{"name":"web_search"}`, `{"name":1}`, `{"server":"my__server","tool":"x__y"}`, `{"tool_name":"\u0000","args":"{"}`, `[]`, "{\"name\":\"\xff\"}",
		`{"name":"rm"}`, `{"name":"call_tool","arguments":{"tool":"rm"}}`, `{"name":"rm","tool_name":"read"}`, `{"name":"read","tool":{"name":"rm"}}`, `"{\"name\":\"rm\"}"`,
		`{"server":"B","name":"del"}`, `{"name":"rm","name":5}`, `{"function":"{\"name\":\"lazy\"}"}`, `{"name":"call_tool","args":"{\"name\":\"call_tool\",\"input\":{\"name\":\"rm\"}}"}`,
	} {
		f.Add("call_tool", args)
	}
	shut := []string{"rm", "lazy", "B_del"}
	f.Fuzz(func(t *testing.T, name, args string) {
		got, u := state().ResolveCall(name, []byte(args))
		if refused := state().RefusalOfCall(name, got, u); !got.Resolution.Valid() || got.Resolution == "" && refused == nil {
			t.Errorf("%q, %q: %+v", name, args, got)
		}
		s := activation.NewState(bridgeRoster())
		for _, tool := range reached(args, 0) {
			if slices.Contains(shut, tool) && s.Refuse("call_tool", []byte(args)) == nil {
				t.Errorf("%q reaches %s", args, tool)
			}
		}
		activation.DefaultSettings().Unwrap(name, []byte(args))
	})
}
