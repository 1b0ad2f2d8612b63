package capture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

// chatTurns are the messages of one small conversation.
const chatTurns = `{"role":"system","content":"Be kind."},
{"role":"user","content":[{"type":"text","text":"cancel ZFA04Y"}]},
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"cancel","arguments":"{\"booking_id\":\"ZFA04Y\"}"}}]},
{"role":"tool","tool_call_id":"c1","content":"Error: not found"},
{"role":"assistant","tool_calls":[{"id":"c2","function":{"name":"cancel","arguments":{"booking_id":"book_99999"}}}]},
{"role":"tool","tool_call_id":"c2","content":"done"}`

// oneLine puts a text of several lines into one.
func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

func TestChatFormsSayTheSame(t *testing.T) {
	forms := map[string]string{
		"a line with an id":        oneLine(`{"conversation_id":"x","messages":[` + chatTurns + `]}`),
		"a line without one":       oneLine(`{"messages":[` + chatTurns + `]}`),
		"an object over lines":     "{\n\"messages\":[" + chatTurns + "]\n}\n",
		"an array of trajectories": "[{\"messages\":[" + chatTurns + "]}]",
		"an array of messages":     "[\n" + chatTurns + "\n]",
	}
	for name, text := range forms {
		t.Run(name, func(t *testing.T) {
			if f, ok := Detect([]byte(text)); !ok || f.Name != "openai-chat" {
				t.Errorf("detected as %q", f.Name)
			}
			all, problems := readAll(t, text, Options{IncludeValues: true})
			if len(problems) > 0 {
				t.Error(problems)
			}
			if n := len(only[*events.RequestPrefix](all)); n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
			calls := only[*events.ToolCall](all)
			if len(calls) != 2 {
				t.Fatalf("%d calls, want 2", len(calls))
			}
			a, b := calls[0], calls[1]
			if a.Outcome != events.OutcomeExecutionError || b.Outcome != events.OutcomeOK || a.Attempt != 1 || b.Attempt != 2 {
				t.Errorf("outcomes %s %s, attempts %d %d", a.Outcome, b.Outcome, a.Attempt, b.Attempt)
			}
			if len(a.MadeUpIDs) != 0 || len(b.MadeUpIDs) != 1 || b.MadeUpIDs[0].Value != "book_99999" {
				t.Errorf("made up %v, %v", a.MadeUpIDs, b.MadeUpIDs)
			}
			if a.Resolution != "" || a.DriftClass != "" {
				t.Errorf("judged without tools: %s, %s", a.Resolution, a.DriftClass)
			}
		})
	}
}

func TestChatWithToolsJudgesNamesAndArguments(t *testing.T) {
	const tools = `[{"type":"function","function":{"name":"cancel","parameters":{"type":"object",
		"properties":{"booking_id":{"type":"string"}},"required":["booking_id"]}}}]`
	dir := t.TempDir()
	files := map[string]string{
		"list.json": tools, "object.json": `{"tools":` + tools + `}`, "answer.json": `{"jsonrpc":"2.0","id":1,"result":{"tools":` + tools + `}}`,
	}
	call := func(name, args string) string {
		return `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"` + name + `","arguments":` + args + `}}]},` +
			`{"role":"tool","tool_call_id":"a","content":"fine"}]}`
	}
	text := strings.Join([]string{
		call("cancel", `"{\"booking_id\":\"x\"}"`),
		call("cancel", `"{\"booking_id\":7}"`),
		call("cancel", `"{\"booking_id\":"`),
		call("cancel", `"{\"booking_id\":\"x\",\"why\":1}"`),
		call("Cancel", `"{}"`),
		call("launch_rocket", `"{}"`),
		call("call_tool", `"{\"name\":\"cancel\",\"arguments\":{\"booking_id\":7}}"`),
		call("call_tool", `"{\"name\":\"Cancel\"}"`),
	}, "\n")
	want := []string{
		"cancel ok ok current", "cancel ok validation_error validation_error /booking_id type",
		"cancel ok validation_error validation_error  json", "cancel ok ok unknown_argument",
		"Cancel guessed ok ", "launch_rocket unknown ok ", "call_tool ok validation_error validation_error /booking_id type",
		"call_tool guessed ok  Cancel",
	}
	for name, content := range files {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			all, problems := readAll(t, text, Options{ToolsFile: path})
			if len(problems) > 0 {
				t.Error(problems)
			}
			var got []string
			for _, c := range only[*events.ToolCall](all) {
				s := strings.Join([]string{c.ToolName, string(c.Resolution), string(c.Outcome), string(c.DriftClass)}, " ")
				for _, v := range c.ValidationErrors {
					s += " " + v.Path + " " + v.Keyword
				}
				if c.BridgedName != "" {
					s += " " + c.BridgedName
				}
				got = append(got, s)
				if len(c.Arguments) > 0 {
					t.Errorf("values of %s though they were not asked for", c.ToolName)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if n := len(only[*events.ToolRoster](all)) + len(only[*events.ToolDefinition](all)); n != 2 {
				t.Errorf("%d rosters and definitions, want one of each", n)
			}
		})
	}
}

func TestChatSaysWhatItCannotRead(t *testing.T) {
	lines := []string{
		`{"messages":"none"}`, `{"messages":[7]}`, `{"task_id":1}`, `{"messages":`,
		oneLine(`{"messages":[` + chatTurns + `]}`),
		`{"messages":[],"tools":[{"description":"no name"}]}`,
	}
	all, problems := readAll(t, strings.Join(lines, "\n"), Options{Format: "openai-chat"})
	want := []string{
		"test:1: not a conversation: a member has the wrong type", "test:2: not a message: a member has the wrong type",
		"test:3: not a conversation: no messages", "test:4: not a conversation: no JSON at byte 12",
		"test:6: tools: tool 0: /name: missing",
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Error(diff)
	}
	if n := len(only[*events.ToolCall](all)); n != 2 {
		t.Errorf("%d calls", n)
	}
}

func TestChatReadTwiceGivesTheSameIDs(t *testing.T) {
	text := oneLine(`{"task_id":4,"trial":2,"messages":[` + chatTurns + `]}`)
	a, _ := readAll(t, text, Options{})
	b, _ := readAll(t, text, Options{})
	seen := map[string]bool{}
	for i := range a {
		if a[i].ID != b[i].ID || seen[a[i].ID] {
			t.Errorf("event %d: %s and %s", i, a[i].ID, b[i].ID)
		}
		seen[a[i].ID] = true
		if id := a[i].Data.Common().ConversationID; !strings.HasPrefix(id, "4-2-") {
			t.Errorf("conversation %q", id)
		}
	}
}

func TestChatCallsWithoutAResultAreSentAtTheEnd(t *testing.T) {
	all, _ := readAll(t, `{"messages":[{"role":"assistant","function_call":{"name":"finish","arguments":""}}]}`, Options{})
	calls := only[*events.ToolCall](all)
	if len(calls) != 1 || calls[0].ErrorType != noResult || calls[0].Outcome != events.OutcomeOK {
		t.Errorf("%+v", calls)
	}
}

func FuzzOpenAIChat(f *testing.F) {
	f.Add(oneLine(`{"messages":[` + chatTurns + `]}`))
	f.Add("[" + chatTurns + "]")
	f.Add(`[{"role":"tool","content":[{}]}][`)
	f.Fuzz(func(t *testing.T, text string) {
		readAll(t, " "+text, Options{Format: "openai-chat", IncludeValues: true}) // the blank keeps it from being gzip
	})
}

func FuzzToolHistory(f *testing.F) {
	f.Add(`{"release":"v1","released_at":"2026-01-01T00:00:00Z","server":"s","tools":[{"name":"a","inputSchema":{}}]}`)
	f.Add(`{"release":"v1","released_at":"0001-01-01T00:00:00Z","server":"s","tools":[{"googleSearch":{}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		readAll(t, " "+text, Options{Format: "tool-history"})
	})
}
