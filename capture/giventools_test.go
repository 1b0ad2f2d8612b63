package capture

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

const ccAsked = `{"type":"user","uuid":"a1","sessionId":"s","timestamp":"2026-03-01T09:00:00Z","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"a2","sessionId":"s","timestamp":"2026-03-01T09:00:01Z","requestId":"r","message":{"id":"m","role":"assistant","model":"c","content":[{"type":"tool_use","id":"t1","name":"mcp__notes__read","input":{"path":7}},{"type":"tool_use","id":"t2","name":"Grep","input":{}}]}}
`

const ccAnswered = `{"type":"user","uuid":"a3","sessionId":"s","timestamp":"2026-03-01T09:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
`

func TestAToolsFileJudgesTheCallsOfASessionFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	list := `[{"name":"read","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}]`
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	all, problems, _, err := readText(t, ccAsked+ccAnswered, Options{ToolsFile: file})
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	if n := len(of[*events.ToolDefinition](all)); n != 1 {
		t.Errorf("%d definitions", n)
	}
	if n := len(of[*events.ToolRoster](all)); n != 1 {
		t.Errorf("%d rosters", n)
	}
	calls := of[*events.ToolCall](all)
	if len(calls) != 1 || calls[0].Resolution != events.ResolvedOK || calls[0].DriftClass != events.DriftValidationError || calls[0].Server != "notes" {
		t.Errorf("calls %+v", calls)
	}
}

func TestCallsWithoutAResultAreCounted(t *testing.T) {
	_, _, sum, err := readText(t, ccAsked+ccAnswered, Options{})
	if err != nil || sum.Unfinished != 1 || sum.Events[events.KindToolCall] != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	pi := `{"type":"session","id":"s","cwd":"/x","timestamp":"2026-03-01T09:00:00Z"}
{"type":"message","id":"1","timestamp":"2026-03-01T09:00:01Z","message":{"role":"assistant","provider":"anthropic","model":"c","stopReason":"toolUse","content":[{"type":"toolCall","id":"t1","name":"read","arguments":{}}]}}
`
	if _, _, sum, err = readText(t, pi+pi, Options{}); err != nil || sum.Unfinished != 2 {
		t.Errorf("%+v, %v", sum, err)
	}
}

func TestAFileOfNoKnownFormatIsDescribed(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "it is empty",
		" \n\n":                      "it is empty",
		"PK\x03\x04\x00\x00":         "it is not text",
		"\xff\xfe{\x00":              "it is not text",
		"a,b\n1,2\n":                 "it looks like CSV",
		"Call me Ishmael.\n":         "its first line is no JSON object",
		`{"size":3,"colour":"red"}`:  "its first object has the keys colour, size",
		"{\n\"size\":3}":             "its first object has no keys",
		`{"secret-free-text":"hush"`: "its first object has the keys secret-free-text",
	} {
		_, err := OpenReader("x", strings.NewReader(text), 0, Options{})
		var unknown *UnknownFormatError
		if !errors.As(err, &unknown) || !errors.Is(err, ErrUnknownFormat) || unknown.Reason != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAnObjectThatIsNoListOfToolsIsSaidToBeNone(t *testing.T) {
	if _, err := definitionList([]byte(`{"colour":"red"}`)); err == nil || !strings.Contains(err.Error(), "has the keys colour") {
		t.Error(err)
	}
}
