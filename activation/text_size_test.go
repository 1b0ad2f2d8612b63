package activation

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events/eventstest"
)

// sizedRoster returns a roster of n deferred tools of seven servers, with summaries of some 150 characters and definitions of some 900 bytes.
func sizedRoster(n int) *Roster {
	in := RosterInput{Descriptions: map[string]string{}}
	for i := range n {
		server := fmt.Sprint("server_", i%7)
		in.Descriptions[server] = "Everything about the things of " + server + "."
		properties := map[string]any{}
		var required []string
		for j := range 4 {
			name := fmt.Sprint("argument_", j)
			properties[name] = map[string]any{"type": "string", "description": strings.Repeat("what it means ", 9)}
			if j < i%4 {
				required = append(required, name)
			}
		}
		name := fmt.Sprintf("mcp__%s__do_thing_%03d", server, i)
		def, err := json.Marshal(map[string]any{
			"name": name, "description": strings.Repeat("Does a thing to another thing, then says so. ", 2+i%4),
			"input_schema": map[string]any{"type": "object", "properties": properties, "required": required},
		})
		if err != nil {
			panic(err)
		}
		in.Tools = append(in.Tools, Tool{Name: name, Server: server, Deferred: true, Definition: def})
	}
	return NewRoster(in)
}

func TestTheTextOf185ToolsIsAFractionOfTheirDefinitions(t *testing.T) {
	r := sizedRoster(185)
	text, all := r.Text(TextOptions{}), 0
	for _, tool := range r.Tools() {
		all += len(tool.Definition)
	}
	t.Logf("185 tools: text %d bytes, definitions %d bytes", len(text), all)
	if n := strings.Count(text, "\n- mcp__"); n != 185 {
		t.Errorf("%d tools", n)
	}
	if len(text)*3 > all {
		t.Errorf("text %d bytes, definitions %d bytes", len(text), all)
	}
	if text != sizedRoster(185).Text(TextOptions{}) {
		t.Error("built twice, other bytes")
	}
}

func TestHugeNamesAndDescriptionsMakeAShortText(t *testing.T) {
	huge := strings.Repeat("\u202e\u0301x", 1<<18)
	r := NewRoster(RosterInput{
		Tools:        []Tool{givenTool(huge, huge, huge, huge), givenTool(huge, huge+"2", huge+" "+huge, huge)},
		Descriptions: map[string]string{huge: huge},
	})
	text := strings.TrimPrefix(r.Text(TextOptions{}), Header(""))
	if len(text) > 8000 || strings.Count(text, "\n- ") != 2 {
		t.Errorf("%d bytes: %.400s", len(text), text)
	}
}

func BenchmarkText(b *testing.B) {
	b.Run("new roster", func(b *testing.B) {
		tools := sizedRoster(185).Tools()
		b.ReportAllocs()
		for b.Loop() {
			NewRoster(RosterInput{Tools: tools}).Text(TextOptions{})
		}
	})
	b.Run("again", func(b *testing.B) {
		r := sizedRoster(185)
		b.ReportAllocs()
		for b.Loop() {
			r.Text(TextOptions{})
		}
	})
}

func BenchmarkToolArray(b *testing.B) {
	r := sizedRoster(185)
	for _, model := range []string{"model-1", "other"} {
		b.Run(model, func(b *testing.B) {
			a, err := NewToolArray(r, proved)
			if err != nil {
				b.Fatal(err)
			}
			a.Next(model, r.Tools()[0].Name, r.Tools()[100].Name)
			b.ReportAllocs()
			for b.Loop() {
				a.Next(model)
			}
		})
	}
}

// lastRelease returns the tools of the last release of the recorded history.
func lastRelease(t *testing.T) (name string, tools []Tool) {
	t.Helper()
	f, err := os.Open(eventstest.SharedFile(t, "mcp-tool-history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var release struct {
		Release string           `json:"release"`
		Server  string           `json:"server"`
		Tools   []jsontext.Value `json:"tools"`
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		release.Tools = nil
		if err := json.Unmarshal(lines.Bytes(), &release); err != nil {
			t.Fatal(err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, def := range release.Tools {
		var d struct{ Name string }
		if err := json.Unmarshal(def, &d); err != nil {
			t.Fatal(err)
		}
		tools = append(tools, Tool{Name: d.Name, Server: release.Server, Deferred: true, Definition: def})
	}
	return release.Release, tools
}

func TestSummariesOfARealServerAtTwoLimits(t *testing.T) {
	release, tools := lastRelease(t)
	r := NewRoster(RosterInput{Tools: tools})
	if err := r.CheckDefinitions(); err != nil {
		t.Error(err)
	}
	definitions := 0
	for _, tool := range tools {
		definitions += len(tool.Definition)
	}
	cuts, size := map[int]int{}, map[int]int{}
	for _, limit := range []int{100, 300} {
		text := r.Text(TextOptions{SummaryLimit: limit})
		cuts[limit], size[limit] = strings.Count(text, " "+cutMark+"\n"), utf8.RuneCountInString(text)
		t.Logf("%s, %d tools, limit %d: %d summaries cut, text of %d characters (definitions %d bytes)", release, len(tools), limit, cuts[limit], size[limit], definitions)
	}
	t.Logf("300 has %d characters more than 100", size[300]-size[100])
	if len(tools) != 101 || cuts[100] != 28 || cuts[300] != 4 {
		t.Errorf("%d tools, %v cut", len(tools), cuts)
	}
}
