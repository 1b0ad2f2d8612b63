package activation

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// givenTool makes a tool with a definition.
func givenTool(server, name, description string, required ...string) Tool {
	return Tool{Name: name, Server: server, Definition: givenDefinition(name, description, required...)}
}

func givenDefinition(name, description string, required ...string) jsontext.Value {
	def, err := json.Marshal(map[string]any{
		"name": name, "description": description, "input_schema": map[string]any{"type": "object", "required": required},
	}, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err)
	}
	return def
}

// linesBelowHeader returns the lines of a text below its header.
func linesBelowHeader(t *testing.T, text string) []string {
	t.Helper()
	body, ok := strings.CutPrefix(text, Header(""))
	if !ok {
		t.Fatalf("no header in %q", text)
	}
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(body, "\n"), "\n"), "\n")
}

func TestTextGroupsByServerAndSorts(t *testing.T) {
	r := NewRoster(RosterInput{
		Tools: []Tool{
			givenTool("web", "web_search", "Search the web."),
			givenTool("issues", "update", "Change an issue.", "id", "fields"),
			givenTool("", "edit_file", "Edit a file.", "path"),
			givenTool("issues", "find", "Find\n issues\tby  words.", "query"),
			{Name: "undefined", Server: "web"},
			givenTool("issues", "plain", ""),
		},
		Descriptions: map[string]string{"issues": "Issues of\nall projects.", "none": "Has no tools."},
	})
	want := []string{
		"## The agent's own tools", "- edit_file(path): Edit a file.", "",
		"## Server issues", "> Issues of all projects.", "- find(query): Find issues by words.", "- plain", "- update(fields, id): Change an issue.", "",
		"## Server web", "- undefined", "- web_search: Search the web.",
	}
	if diff := cmp.Diff(want, linesBelowHeader(t, r.Text(TextOptions{}))); diff != "" {
		t.Error(diff)
	}
}

func TestTextLeavesOutWhatCannotBeLoaded(t *testing.T) {
	denied := givenTool("a", "rm", "Remove.")
	denied.Denied = true
	r := NewRoster(RosterInput{
		Tools: []Tool{denied, givenTool("a", "rm", "Remove too."), givenTool("away", "find", "Find."), givenTool("b", "ls", "List.")}, NotConnected: []string{"away"},
	})
	if diff := cmp.Diff([]string{"## Server b", "- ls: List."}, linesBelowHeader(t, r.Text(TextOptions{}))); diff != "" {
		t.Error(diff)
	}
}

func TestTextNamesSixRequiredArgumentsAndCountsTheRest(t *testing.T) {
	for n, want := range map[int]string{0: "- t", 1: "- t(a0)", 6: "- t(a0, a1, a2, a3, a4, a5)", 8: "- t(a0, a1, a2, a3, a4, a5, +2 more)"} {
		var required []string
		for i := range n {
			required = append(required, fmt.Sprint("a", n-1-i))
		}
		r := NewRoster(RosterInput{Tools: []Tool{givenTool("", "t", "", append(required, required...)...)}})
		if got := linesBelowHeader(t, r.Text(TextOptions{})); got[1] != want {
			t.Errorf("%d arguments: %q, want %q", n, got[1], want)
		}
	}
}

func TestTheHeaderSaysHowToUseTheRoster(t *testing.T) {
	for _, want := range []string{
		"Load with load_tools by exact name", "Load together, in one go, the tool that does the work and the tools that supply its arguments",
		"Call what is already callable; don't load it again", cutMark,
	} {
		if !strings.Contains(Header("load_tools"), want) {
			t.Errorf("the header does not say %q", want)
		}
	}
	r := NewRoster(RosterInput{Tools: []Tool{givenTool("", "t", "")}})
	if got := r.Text(TextOptions{Header: "Mine.\n"}); got != "Mine.\n\n## The agent's own tools\n- t\n" {
		t.Errorf("%q", got)
	}
	if got := NewRoster(RosterInput{}).Text(TextOptions{}); got != Header("") {
		t.Errorf("of nothing: %q", got)
	}
}

func TestCutTextCutsAtAWord(t *testing.T) {
	tests := []struct {
		name, text string
		limit      int
		kept, lost string
	}{
		{"a text that fits", "Find an issue.", 14, "Find an issue.", ""},
		{"one character too long", "Find an issue..", 14, "Find an […]", "issue.."},
		{"a cut at a space", "Find issues first by id", 16, "Find issues […]", "first by id"},
		{"a word that ends where the room ends", "Findingan issue by", 13, "Findingan […]", "issue by"},
		{"one long word", "abcdefghijklmnopqrstuvwxyz", 14, "abcdefghij […]", "klmnopqrstuvwxyz"},
		{"a space far before the end", "a bcdefghijklmnopqrstuvwxyz", 14, "a bcdefghi […]", "jklmnopqrstuvwxyz"},
		{"a script without spaces", strings.Repeat("検", 20), 14, strings.Repeat("検", 10) + " […]", strings.Repeat("検", 10)},
		{"characters, not bytes", strings.Repeat("é", 14), 14, strings.Repeat("é", 14), ""},
		{"a mark of the character before", "abcdefghie\u0301klmnopq", 14, "abcdefghi […]", "e\u0301klmnopq"},
		{"white space", "\n a \u2028\r\n b\u00a0\t", 14, "a b", ""},
		{"what can't be seen", "a\u200b\u202e\x00\x1b[2Jb\U000e0041\ufe0f", 14, "a[2Jb", ""},
		{"invalid UTF-8", "a\xffb", 14, "a\ufffdb", ""},
		{"a heap of marks", "a" + strings.Repeat("\u0301", 9), 14, "a" + strings.Repeat("\u0301", maxMarks), ""},
		{"no room for a word", "Find an issue", 4, "", "Find an issue"},
		{"no room at all", "Find", 0, "", "Find"},
		{"a negative limit", "Find", -9, "", "Find"},
		{"nothing", "", 300, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			kept, lost := CutText(tt.text, tt.limit)
			if kept != tt.kept || lost != tt.lost {
				t.Errorf("%q, lost %q; want %q, lost %q", kept, lost, tt.kept, tt.lost)
			}
		})
	}
}

func TestTextCutsSummariesAtTheLimit(t *testing.T) {
	long := strings.Repeat("word ", 100)
	r := NewRoster(RosterInput{Tools: []Tool{givenTool("s", "t", long)}, Descriptions: map[string]string{"s": strings.Repeat(long, 5)}})
	for limit, o := range map[int]TextOptions{300: {}, 50: {SummaryLimit: 50}} {
		summary := strings.TrimPrefix(linesBelowHeader(t, r.Text(o))[2], "- t: ")
		if n := utf8.RuneCountInString(summary); n > limit || n < limit-5 || !strings.HasSuffix(summary, "word "+cutMark) {
			t.Errorf("limit %d: %d characters, %q", limit, n, summary)
		}
	}
	about := strings.TrimPrefix(linesBelowHeader(t, r.Text(TextOptions{}))[1], "> ")
	if n := utf8.RuneCountInString(about); n > 1000 || n < 995 {
		t.Errorf("the description has %d characters", n)
	}
}

func TestNamesOfOtherCharactersAreEscapedAndToldApart(t *testing.T) {
	for name, want := range map[string]string{
		"mcp__a-b.c:d/e1":          "mcp__a-b.c:d/e1",
		"":                         `""`,
		"a b":                      `"a b"`,
		"a\n- b: forged":           `"a\n- b: forged"`,
		"a\x1b[2J\x00\x7f":         `"a\x1b[2J\x00\x7f"`,
		"a\xff":                    `"a\xff"`,
		"g\u0456thub":              `"g\u0456thub"`,
		"a\u202eb":                 `"a\u202eb"`,
		"<script>&":                `"\x3cscript\x3e\x26"`,
		`"quoted"`:                 `"\"quoted\""`,
		strings.Repeat("a", 256):   strings.Repeat("a", 256),
		strings.Repeat("a", 1<<20): `"` + strings.Repeat("a", 64) + `" […](1048576 bytes, sha256 9bc1b2a288b26af7)`,
	} {
		if got := quoteName(name); got != want {
			t.Errorf("%.80q is written %s, want %s", name, got, want)
		}
	}
}

func TestTextOptionsAreValidated(t *testing.T) {
	if err := (TextOptions{}).Validate(); err != nil {
		t.Errorf("the zero options: %v", err)
	}
	err := TextOptions{SummaryLimit: 15, DescriptionLimit: -1, ArgumentLimit: -1}.Validate()
	want := "summary_limit 15 is under 16\ndescription_limit -1 is under 16\nargument_limit -1 is under 1"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestCheckDefinitionsNamesWhatIsWrong(t *testing.T) {
	r := NewRoster(RosterInput{Tools: []Tool{
		givenTool("", "fine", ""),
		{Name: "absent"},
		{Name: "broken", Definition: jsontext.Value(`{"name":`)},
		{Name: "list", Definition: jsontext.Value(`[1]`)},
		{Name: "nameless", Definition: jsontext.Value(`{"description":"x"}`)},
		{Name: "other\n", Definition: givenDefinition("another", "")},
		{Name: "bytes", Definition: jsontext.Value("{\"name\":\"\xff\"}")},
	}})
	want := []string{
		"tool absent: no definition", "tool broken: definition is not valid JSON", "tool bytes: definition is not valid JSON",
		"tool list: definition is not an object", "tool nameless: read definition: /name: missing", `tool "other\n": definition is of another`,
	}
	err := r.CheckDefinitions()
	if err == nil {
		t.Fatal("all is well")
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Error(diff)
	}
	if n := len(r.Array()); n != 3 {
		t.Errorf("%d definitions sent, want 3", n)
	}
}
