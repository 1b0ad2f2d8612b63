package capture

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

const piHead = `{"type":"session","version":3,"id":"s-1","timestamp":"2026-03-01T10:00:00Z","cwd":"/w","provider":"anthropic","modelId":"claude-sonnet-4-5","thinkingLevel":"off"}`

// piText makes a session file of entries, each of which follows the one before unless it names another parent. AT becomes a time
// a few seconds later for each line, USAGE usage that read and wrote what follows it.
func piText(lines ...string) string {
	var b strings.Builder
	b.WriteString(piHead + "\n")
	for i, l := range lines {
		id := string(rune('a' + i))
		if !strings.Contains(l, `"parentId"`) && i > 0 {
			l = strings.Replace(l, "{", `{"parentId":"`+string(rune('a'+i-1))+`",`, 1)
		}
		l = strings.Replace(l, "{", `{"id":"`+id+`",`, 1)
		b.WriteString(strings.ReplaceAll(l, "AT", "2026-03-01T10:0"+string(rune('0'+i/6))+":"+string(rune('0'+i%6))+"0Z") + "\n")
	}
	return b.String()
}

func piUser(text string) string {
	return `{"type":"message","timestamp":"AT","message":{"role":"user","content":"` + text + `"}}`
}

func piAnswer(read, write string, content string) string {
	return `{"type":"message","timestamp":"AT","message":{"role":"assistant","provider":"anthropic","model":"claude-sonnet-4-5","api":"anthropic-messages","content":[` + content +
		`],"stopReason":"toolUse","usage":{"input":3,"output":10,"cacheRead":` + read + `,"cacheWrite":` + write + `,"cost":{"total":0.25}}}}`
}

func piVerdicts(t *testing.T, text string) ([]*events.Event, string) {
	t.Helper()
	all, problems := readAll(t, text, Options{})
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	var got []string
	for _, j := range prefix.Judge(observe(all)["s-1"], prefix.DefaultSettings()) {
		got = append(got, string(j.Verdict))
	}
	return all, strings.Join(got, " ")
}

func TestAPiBranchGoesBackToItsParent(t *testing.T) {
	all, got := piVerdicts(t, piText(
		piUser("one"), piAnswer("0", "2000", ""), piUser("two"), piAnswer("2000", "1000", ""),
		strings.Replace(piUser("another two"), "{", `{"parentId":"b",`, 1), piAnswer("2000", "900", ""),
	))
	reqs := only[*events.RequestPrefix](all)
	if n := len(reqs[2].Messages); n != 3 || !cmp.Equal(reqs[1].Messages[:2], reqs[2].Messages[:2]) || got != "cold_start ok ok" {
		t.Errorf("%d messages on the branch, verdicts %s", n, got)
	}
}

func TestAPiCompactionKeepsItsTail(t *testing.T) {
	all, got := piVerdicts(t, piText(
		piUser("one"), piAnswer("0", "2000", ""), piUser("two"), piAnswer("2000", "1000", ""), piUser("three"), piAnswer("3000", "1000", ""), piUser("four"),
		`{"type":"compaction","timestamp":"AT","summary":"what happened","firstKeptEntryId":"e","tokensBefore":4000}`,
		piAnswer("0", "1500", ""),
	))
	reqs := only[*events.RequestPrefix](all)
	if n := len(reqs[3].Messages); n != 4 || got != "cold_start ok ok compaction" {
		t.Errorf("%d messages after the compaction, want summary and three; verdicts %s", n, got)
	}
}

func TestAThinkingLevelThatComesBackIsNoChange(t *testing.T) {
	level := func(l string) string {
		return `{"type":"thinking_level_change","timestamp":"AT","thinkingLevel":"` + l + `"}`
	}
	_, got := piVerdicts(t, piText(
		piUser("one"), piAnswer("0", "2000", ""), level("high"), level("off"), piAnswer("0", "2000", ""), level("low"), piAnswer("0", "2000", ""),
	))
	if got != "cold_start unattributed params_changed" {
		t.Errorf("verdicts %s", got)
	}
}

func TestPiCallsAreMatchedWithTheirResults(t *testing.T) {
	result := func(id, text, failed string) string {
		return `{"type":"message","timestamp":"AT","message":{"role":"toolResult","toolCallId":"` + id + `","content":[{"type":"text","text":"` + text + `"}],"isError":` + failed + `}}`
	}
	call := func(id, name string) string {
		return `{"type":"toolCall","id":"` + id + `","name":"` + name + `","arguments":{"path":"x","n":1}}`
	}
	aborted := strings.Replace(piAnswer("0", "0", call("t9", "bash")), "toolUse", "aborted", 1)
	all, _ := piVerdicts(t, piText(
		piUser("go"), piAnswer("0", "2000", call("t1", "bash")+","+call("t2", "mcp__web__get")), result("t1", "exit 1", "true"), result("t2", "fine", "false"),
		piAnswer("2000", "10", call("t3", "edit")), result("t3", `Validation failed for tool \"edit\": x`, "true"),
		piAnswer("2000", "10", call("t4", "edit")), result("t4", "Tool edit not found", "true"), aborted,
	))
	var got []string
	for _, c := range only[*events.ToolCall](all) {
		got = append(got, strings.Join([]string{c.ToolName, c.Server, string(c.Outcome), c.ErrorType, string(rune('0' + c.Attempt))}, " "))
		if len(c.ArgumentShape) != 2 || c.InputTokens.N == 0 || c.DurationSeconds == 0 {
			t.Errorf("call %+v", c)
		}
	}
	want := []string{"bash  execution_error  1", "mcp__web__get web ok  1", "edit  validation_error input_validation 1", "edit  refused no_such_tool 2"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
}

func TestPiSaysNothingOfWritesThatItsProviderDoesNotReport(t *testing.T) {
	text := strings.NewReplacer("anthropic-messages", "openai-responses", `"provider":"anthropic"`, `"provider":"openai"`).Replace(
		piText(piUser("one"), piAnswer("0", "0", "")))
	all, _ := piVerdicts(t, text)
	if r := only[*events.RequestPrefix](all)[0]; r.CacheWrite5mInputTokens.Known || !r.CacheReadInputTokens.Known || r.StatedCostUSD.USD != 0.25 {
		t.Errorf("request %+v", r)
	}
}

func TestWhatIsWrongInAPiSessionIsNamedByLine(t *testing.T) {
	text := piHead + "\n" + `{"type":"message","message":{}}` + "\n" + `{"type":"mess` + "\n" + `{"type":"label"}` + "\n" + `{}` + "\n" + piUser("x") + "\n"
	_, problems := readAll(t, text, Options{})
	want := []string{"test:2: a message without a role", "test:3: not a session line: no JSON at byte 13", "test:5: not a session line: it has no type"}
	if d := cmp.Diff(want, problems[:min(len(problems), 3)]); d != "" {
		t.Errorf("problems (-want +got):\n%s", d)
	}
}
