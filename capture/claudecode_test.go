package capture

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// ccText makes a session file of lines, each of which gets what all lines have.
func ccText(lines ...string) string {
	var b strings.Builder
	for i, l := range lines {
		l = strings.ReplaceAll(l, "AT", "2026-03-01T10:0"+string(rune('0'+i/6))+":"+string(rune('0'+i%6))+"0Z")
		b.WriteString(strings.ReplaceAll(l, "SESSION", `"sessionId":"s-1","version":"2.0.1"`) + "\n")
	}
	return b.String()
}

const ccUsageJSON = `"usage":{"input_tokens":3,"cache_creation_input_tokens":12304,"cache_read_input_tokens":0,"output_tokens":550,` +
	`"cache_creation":{"ephemeral_5m_input_tokens":12304,"ephemeral_1h_input_tokens":0}}`

func TestSeveralLinesOfOneClaudeCodeAnswerAreOneRequest(t *testing.T) {
	all, problems := readAll(t, ccText(
		`{"type":"summary","summary":"x","leafUuid":"y"}`,
		`{"type":"user",SESSION,"uuid":"u1","timestamp":"AT","message":{"role":"user","content":"look at it"}}`,
		`{"type":"assistant",SESSION,"uuid":"u2","parentUuid":"u1","timestamp":"AT","requestId":"r1","message":{"id":"m1","model":"claude-sonnet-4-5","content":[{"type":"thinking","thinking":"hm"}],`+ccUsageJSON+`}}`,
		`{"type":"assistant",SESSION,"uuid":"u3","parentUuid":"u2","timestamp":"AT","requestId":"r1","message":{"id":"m1","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"t1","name":"mcp__files__read_file","input":{"path":"/a"}}],`+ccUsageJSON+`}}`,
		`{"type":"user",SESSION,"uuid":"u4","parentUuid":"u3","timestamp":"AT","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"<tool_use_error>InputValidationError: path</tool_use_error>","is_error":true}]}}`,
		`{"type":"assistant",SESSION,"uuid":"u5","parentUuid":"u3","timestamp":"AT","requestId":"r1","message":{"id":"m1","model":"claude-sonnet-4-5","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"ls"}}],`+ccUsageJSON+`}}`,
		`{"type":"progress",SESSION,"uuid":"u6","timestamp":"AT"}`,
		`{"type":"user",SESSION,"uuid":"u7","parentUuid":"u5","timestamp":"AT","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"a\nb"}]}}`,
		`{"type":"assistant",SESSION,"uuid":"u8","parentUuid":"u7","timestamp":"AT","requestId":"r2","message":{"id":"m2","model":"claude-sonnet-4-5","stop_reason":"end_turn","content":[{"type":"text","text":"done"}],"usage":{"input_tokens":4,"cache_creation_input_tokens":100,"cache_read_input_tokens":12304,"output_tokens":5}}}`,
	), Options{Format: "claude-code"})
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	reqs := only[*events.RequestPrefix](all)
	if len(reqs) != 2 {
		t.Fatalf("%d requests, want 2", len(reqs))
	}
	if got := []int64{reqs[0].UncachedInputTokens.N, reqs[0].CacheWrite5mInputTokens.N, reqs[0].OutputTokens.N}; !cmp.Equal(got, []int64{3, 12304, 550}) {
		t.Errorf("usage of the first is %v: counted more than once?", got)
	}
	if len(reqs[0].Messages) != 1 || len(reqs[1].Messages) != 6 || reqs[0].FinishReason != "tool_use" {
		t.Errorf("messages %d and %d, want 1 and 6; first ended with %q", len(reqs[0].Messages), len(reqs[1].Messages), reqs[0].FinishReason)
	}
	calls := only[*events.ToolCall](all)
	if len(calls) != 2 {
		t.Fatalf("%d calls, want 2", len(calls))
	}
	if c := calls[0]; c.Server != "files" || c.ResolvedName != "read_file" || c.Outcome != events.OutcomeValidationError || c.OutputTokens.N != 275 {
		t.Errorf("first call %+v", c)
	}
	if c := calls[1]; c.Outcome != events.OutcomeOK || c.ToolName != "Bash" || len(c.ArgumentShape) != 1 || c.Arguments != nil {
		t.Errorf("second call %+v", c)
	}
	judged := prefix.Judge(observe(all)["s-1"], prefix.DefaultSettings())
	if judged[0].Verdict != prefix.ColdStart || judged[1].Verdict != prefix.OK {
		t.Errorf("verdicts %s, %s", judged[0].Verdict, judged[1].Verdict)
	}
}

func TestClaudeCodeSubAgentsAreConversationsOfTheirOwn(t *testing.T) {
	answer := func(uuid, parent, side, id string) string {
		return `{"type":"assistant",SESSION,"uuid":"` + uuid + `","parentUuid":"` + parent + `",` + side + `"timestamp":"AT","requestId":"r` + id +
			`","message":{"id":"` + id + `","model":"claude-haiku-4-5","content":[{"type":"text","text":"x"}],` + ccUsageJSON + `}}`
	}
	all, problems := readAll(t, ccText(
		`{"type":"user",SESSION,"uuid":"a1","timestamp":"AT","message":{"role":"user","content":"main"}}`,
		`{"type":"user",SESSION,"uuid":"b1","isSidechain":true,"timestamp":"AT","message":{"role":"user","content":"one"}}`,
		`{"type":"user",SESSION,"uuid":"c1","isSidechain":true,"agentId":"agent-7","timestamp":"AT","message":{"role":"user","content":"two"}}`,
		answer("b2", "b1", `"isSidechain":true,`, "m1"),
		answer("c2", "c1", `"isSidechain":true,"agentId":"agent-7",`, "m2"),
		answer("b3", "b2", `"isSidechain":true,`, "m3"),
		answer("a2", "a1", "", "m4"),
	), Options{})
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	got := map[string]int{}
	for id, reqs := range observe(all) {
		got[id] = len(reqs)
	}
	if d := cmp.Diff(map[string]int{"s-1": 1, "s-1/b1": 2, "s-1/agent-7": 1}, got); d != "" {
		t.Errorf("requests by conversation (-want +got):\n%s", d)
	}
}

func TestClaudeCodeCompactionAndFailedRequestsAreNoBreaksOfTheirOwn(t *testing.T) {
	var lines []string
	for i := range 12 {
		n := string(rune('a' + i))
		lines = append(lines,
			`{"type":"user",SESSION,"uuid":"u`+n+`","timestamp":"AT","message":{"role":"user","content":"ask `+n+`"}}`,
			`{"type":"assistant",SESSION,"uuid":"v`+n+`","timestamp":"AT","requestId":"r`+n+`","message":{"id":"m`+n+`","model":"claude-sonnet-4-5","content":[],"usage":{"input_tokens":1,"cache_creation_input_tokens":2000,"cache_read_input_tokens":`+strings.Repeat("2", 1)+`000,"output_tokens":1}}}`)
	}
	lines = append(lines,
		`{"type":"assistant",SESSION,"uuid":"w1","timestamp":"AT","isApiErrorMessage":true,"message":{"id":"e1","model":"<synthetic>","content":[{"type":"text","text":"API Error"}],"usage":{"input_tokens":0,"output_tokens":0}}}`,
		`{"type":"system","subtype":"compact_boundary",SESSION,"uuid":"w2","timestamp":"AT"}`,
		`{"type":"user",SESSION,"uuid":"w3","isCompactSummary":true,"timestamp":"AT","message":{"role":"user","content":"This session is being continued"}}`,
		`{"type":"assistant",SESSION,"uuid":"w4","timestamp":"AT","requestId":"rz","message":{"id":"mz","model":"claude-sonnet-4-5","content":[],"usage":{"input_tokens":1,"cache_creation_input_tokens":900,"cache_read_input_tokens":1000,"output_tokens":1}}}`)
	all, problems := readAll(t, ccText(lines...), Options{})
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	judged := prefix.Judge(observe(all)["s-1"], prefix.DefaultSettings())
	if n := len(judged); n != 14 || judged[12].Verdict != prefix.NoUsage || judged[13].Verdict != prefix.Compaction {
		t.Errorf("%d requests, the last two %s and %s; want 14, no_usage and compaction", n, judged[n-2].Verdict, judged[n-1].Verdict)
	}
}

func TestBadLinesOfClaudeCodeAreNamedAndUnknownTypesCounted(t *testing.T) {
	text := ccText(
		`{"type":"file-history-snapshot","messageId":"x"}`,
		`{"type":"user",SESSION,"uuid":"u1","timestamp":"AT","message":{"role":"user","content":"hi"}}`,
		`"text"`, `42`, `{"silly":"this"}`, `{"type":"user",SESSION,"uuid":"u2","timestamp":"AT","message":"error"}`,
		`{"type":"brand-new",SESSION}`,
	)
	r, err := OpenReader("f.jsonl", strings.NewReader(text), 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := r.Read(t.Context(), func(*events.Event) error { return nil })
	if err != nil || sum.Problems != 4 {
		t.Errorf("problems %d, %v; want 4", sum.Problems, err)
	}
	if d := cmp.Diff(map[string]int{"file-history-snapshot": 1, "brand-new": 1}, sum.Skipped); d != "" {
		t.Errorf("skipped (-want +got):\n%s", d)
	}
}

func TestTheSharedClaudeCodeFilesAreRead(t *testing.T) {
	for _, tt := range []struct {
		file                      string
		requests, calls, problems int
		failed                    int
	}{
		{"claude-code/representative.jsonl", 5, 2, 0, 0},
		{"claude-code/sample.jsonl", 3, 2, 0, 0},
		{"claude-code/edge-cases.jsonl", 4, 1, 6, 1},
	} {
		all, r := readShared(t, tt.file)
		calls := only[*events.ToolCall](all)
		failed := 0
		for _, c := range calls {
			if c.Outcome != events.OutcomeOK {
				failed++
			}
		}
		if got := len(only[*events.RequestPrefix](all)); r.Format() != "claude-code" || got != tt.requests || len(calls) != tt.calls || r.src.problems != tt.problems || failed != tt.failed {
			t.Errorf("%s as %s: %d requests, %d calls, %d failed, %d problems", tt.file, r.Format(), got, len(calls), failed, r.src.problems)
		}
	}
}

func FuzzClaudeCodeAndPiReadersTakeAnyText(f *testing.F) {
	f.Add(`{"type":"session","id":"x","cwd":"/"}`+"\n"+`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"a"}],"usage":{"input":-1}}}`, true)
	f.Add(`{"type":"user","uuid":"u","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"content":[1,{"type":"tool_result"}]}}`, false)
	f.Fuzz(func(t *testing.T, text string, pi bool) {
		opt := Options{Format: "claude-code"}
		if pi {
			opt.Format = "pi"
		}
		r, err := OpenReader("fuzz", strings.NewReader(text), 0, opt)
		if err != nil {
			return
		}
		_, err = r.Read(t.Context(), func(e *events.Event) error {
			if err := e.Validate(); err != nil {
				t.Errorf("%s: %v", e.Kind(), err)
			}
			return nil
		})
		if err != nil {
			t.Errorf("reading ended with %v", err)
		}
	})
}
