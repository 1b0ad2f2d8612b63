// Package namefuzz tests what activation says of names of any kind. It is a package of its own because the tests of activation start
// the engine, which a fuzz test must not.
package namefuzz

import (
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

// FuzzBridges looks up calls whose arguments are anything.
func FuzzBridges(f *testing.F) {
	for _, args := range []string{``, `{}`, `{"name":"web_search"}`, `{"name":1}`, `{"server":"my__server","tool":"x__y"}`, `{"tool_name":"\u0000","args":"{"}`, `[]`, "{\"name\":\"\xff\"}"} {
		f.Add("call_tool", args)
	}
	f.Fuzz(func(t *testing.T, name, args string) {
		if got, _ := state().ResolveCall(name, []byte(args)); !got.Resolution.Valid() || got.Resolution == "" {
			t.Errorf("%q, %q: %+v", name, args, got)
		}
	})
}
