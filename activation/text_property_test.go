package activation

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// anyText draws a text of any bytes.
var anyText = rapid.OneOf(
	rapid.StringMatching(`[a-z]{1,6}( [a-z]{1,9}){0,80}`), rapid.String(),
	rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) string { return string(b) }),
	rapid.SampledFrom([]string{"\n## Server x\n- y", "\x1b[31m", "\u202e", "g\u0456thub", "github", "", " ", strings.Repeat("long ", 300), strings.Repeat("検", 400)}),
)

// anyName draws a name; a few are drawn often, so that names and servers repeat.
var anyName = rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "c", "get_user", "getUser", "list", "d"}), anyText)

// anyTools draws tools of any names, with repetitions.
func anyTools(t *rapid.T) []Tool {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Tool {
		tool := givenTool(anyName.Draw(t, "server"), anyName.Draw(t, "name"), anyText.Draw(t, "description"),
			rapid.SliceOfN(anyName, 0, 9).Draw(t, "required")...)
		tool.Denied = rapid.IntRange(0, 9).Draw(t, "denied") == 0
		tool.Deferred = rapid.Bool().Draw(t, "deferred")
		return tool
	}), 0, 12).Draw(t, "tools")
}

func TestTheSameSetMakesTheSameBytesInAnyOrderWhateverIsLoaded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tools := anyTools(t)
		in := RosterInput{
			Tools: tools, Descriptions: map[string]string{"a": anyText.Draw(t, "a"), "b": anyText.Draw(t, "b")},
			Servers: []string{"a", "empty"}, NotConnected: rapid.SliceOfN(anyName, 0, 2).Draw(t, "not connected"),
		}
		o := TextOptions{SummaryLimit: rapid.SampledFrom([]int{0, 16, 100}).Draw(t, "limit")}
		want := NewRoster(in).Text(o)

		in.Tools = rapid.Permutation(tools).Draw(t, "order")
		in.Tools = append(in.Tools, in.Tools[:rapid.IntRange(0, len(tools)).Draw(t, "repeated")]...)
		slices.Reverse(in.Servers)
		r := NewRoster(in)
		array := r.Array("a", "get_user")
		r.Array()
		if got := r.Text(o); got != want {
			t.Fatalf("in another order\n%s\nwant\n%s", got, want)
		}
		for i := range in.Tools {
			in.Tools[i].Deferred = rapid.Bool().Draw(t, "deferred now")
		}
		loaded := NewState(NewRoster(in))
		loaded.Load(rapid.SliceOfN(anyName, 0, 5).Draw(t, "loaded")...)
		if got := loaded.Roster().Text(o); got != want {
			t.Fatalf("with others loaded\n%s\nwant\n%s", got, want)
		}
		in.Tools = tools
		if other := NewRoster(in).Array("get_user", "a"); len(rapidFlags(tools)) == 0 && !slices.EqualFunc(array, other, slices.Equal) {
			t.Fatalf("arrays differ\n%s\n%s", array, other)
		}
	})
}

// rapidFlags returns the names that some tools have deferred and others not.
func rapidFlags(tools []Tool) []string {
	deferred := map[string]bool{}
	var both []string
	for _, t := range tools {
		if was, ok := deferred[t.Name]; ok && was != t.Deferred {
			both = append(both, t.Name)
		}
		deferred[t.Name] = t.Deferred
	}
	return both
}

func TestTextHasEachNameOnceOnALineOfItsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tools := anyTools(t)
		r := NewRoster(RosterInput{Tools: tools})
		denied, names := map[string]bool{}, map[string]bool{}
		for _, tool := range r.Tools() { // with the servers before names of several
			denied[tool.Name] = denied[tool.Name] || tool.Denied
		}
		for name, no := range denied {
			if !no {
				names["- "+quoteName(name)] = true
			}
		}
		text := strings.TrimPrefix(r.Text(TextOptions{}), Header(""))
		if !utf8.ValidString(text) {
			t.Fatalf("not UTF-8: %q", text)
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.ContainsFunc(line, func(c rune) bool { return !unicode.IsPrint(c) }) {
				t.Fatalf("a line has what can't be printed: %q", line)
			}
			if strings.HasPrefix(line, "- ") && !takeName(names, line) {
				t.Fatalf("no tool, or one more time: %q", line)
			}
		}
		if len(names) > 0 {
			t.Fatalf("not in the text: %v", names)
		}
	})
}

// takeName removes the name that a line begins with.
func takeName(names map[string]bool, line string) bool {
	for name := range names {
		rest, ok := strings.CutPrefix(line, name)
		if ok && (rest == "" || rest[0] == '(' || strings.HasPrefix(rest, ": ")) {
			delete(names, name)
			return true
		}
	}
	return false
}

func TestACutTextIsTheStartOfTheWholeOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, limit := anyText.Draw(t, "text"), rapid.IntRange(-1, 400).Draw(t, "limit")
		whole := cleanText(text)
		kept, lost := CutText(text, limit)
		if n := utf8.RuneCountInString(kept); n > max(limit, 0) {
			t.Fatalf("%d characters, limit %d", n, limit)
		}
		if lost == "" && kept != whole {
			t.Fatalf("%q, want %q", kept, whole)
		}
		start, cut := strings.CutSuffix(kept, " "+cutMark)
		if lost != "" && (kept != "" && !cut || start+lost != whole && start+" "+lost != whole) {
			t.Fatalf("%q and %q are not %q", kept, lost, whole)
		}
		if cleanText(whole) != whole {
			t.Fatalf("cleaned again: %q", cleanText(whole))
		}
	})
}
