package capture

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func TestExchangesWithoutTimesKeepTheirOrderAndLieClose(t *testing.T) {
	one := logged("x", "anthropic", `{"model":"c","messages":[{"role":"user","content":"go"}]}`, `{"type":"message","content":[],"usage":{"input_tokens":1,"output_tokens":1}}`)
	requests := of[*events.RequestPrefix](mustRead(t, one+one+one, Options{}))
	for i := 1; i < len(requests); i++ {
		gap := requests[i].StartTime.Sub(requests[i-1].StartTime)
		if gap <= 0 || gap >= time.Second || !requests[i].EndTime.IsZero() {
			t.Errorf("gap %s, end %s", gap, requests[i].EndTime)
		}
	}
}

func TestTimesAreReadAsLogsWriteThem(t *testing.T) {
	want := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, raw := range []string{
		`"2026-01-02T03:04:05Z"`, `"2026-01-02T04:04:05+01:00"`, `"2026-01-02 03:04:05"`, `"Fri, 02 Jan 2026 03:04:05 GMT"`, `1767323045`, `1767323045000`,
	} {
		if got := timeOf([]byte(raw)); !got.Equal(want) {
			t.Errorf("%s: %s", raw, got)
		}
	}
	for _, raw := range []string{`""`, `null`, `"soon"`, `-1`, `{}`} {
		if got := timeOf([]byte(raw)); !got.IsZero() {
			t.Errorf("%s: %s", raw, got)
		}
	}
}

func TestALoggedTimeIsKept(t *testing.T) {
	log := `{"conversation":"x","date":"2026-01-02T03:04:05Z","duration_ms":1500,"status":200,"request":{"model":"c","messages":[{"role":"user","content":"go"}]},"response":null}`
	p := of[*events.RequestPrefix](mustRead(t, log, Options{}))[0]
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if !p.StartTime.Equal(start) || !p.EndTime.Equal(start.Add(1500*time.Millisecond)) {
		t.Errorf("%s to %s", p.StartTime, p.EndTime)
	}
	if p.UncachedInputTokens.Known || p.Status != events.StatusOK {
		t.Errorf("an answer that was not logged: %+v", p)
	}
}

func TestConversationsWithoutAnIDAreFoundByTheirMessages(t *testing.T) {
	bare := func(messages string) string {
		return `{"request":{"model":"gpt","messages":[` + messages + `]},"response":{"id":"r","choices":[]}}` + "\n"
	}
	a, b := `{"role":"user","content":"a"}`, `{"role":"user","content":"b"}`
	log := bare(a) + bare(b) + bare(a+`,{"role":"assistant","content":"x"},`+b) + bare(b+`,{"role":"assistant","content":"x"},`+a)
	requests := of[*events.RequestPrefix](mustRead(t, log, Options{}))
	id := func(i int) string { return requests[i].ConversationID }
	if len(requests) != 4 || id(0) == id(1) || id(0) != id(2) || id(1) != id(3) {
		t.Errorf("conversations %s, %s, %s, %s", id(0), id(1), id(2), id(3))
	}
	continued := `{"request":{"model":"gpt","input":"a"},"response":{"id":"r1","object":"response","status":"completed","output":[]}}
{"request":{"model":"gpt","input":"b","previous_response_id":"r1"},"response":{"id":"r2","object":"response","status":"completed","output":[]}}`
	requests = of[*events.RequestPrefix](mustRead(t, continued, Options{}))
	if id(0) != id(1) || requests[1].MessagesKnown {
		t.Errorf("conversations %s, %s; messages known %t", id(0), id(1), requests[1].MessagesKnown)
	}
}

func TestErrorsAndAbortsAreToldFromAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer, status string
		want           events.RequestStatus
		errorType      string
	}{
		"an error object":         {`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`, "529", events.StatusError, "overloaded_error"},
		"a code":                  {`{"error":{"code":429,"message":"x"}}`, "429", events.StatusError, "429"},
		"only the HTTP status":    {`null`, "500", events.StatusError, ""},
		"a stream that broke off": {`"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":5}}}\n\n"`, "200", events.StatusAborted, ""},
		"an answer":               {`{"type":"message","content":[]}`, "200", events.StatusOK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			log := `{"provider":"anthropic","status":` + c.status + `,"request":{"model":"c","messages":[{"role":"user","content":"go"}]},"response":` + c.answer + `}`
			p := of[*events.RequestPrefix](mustRead(t, log, Options{}))[0]
			if p.Status != c.want || p.ErrorType != c.errorType {
				t.Errorf("%s %s", p.Status, p.ErrorType)
			}
		})
	}
}

func TestTheProvidersDiagnosisIsKept(t *testing.T) {
	log := logged("x", "anthropic", `{"model":"c","messages":[{"role":"user","content":"go"}]}`,
		`{"type":"message","content":[],"diagnostics":{"cache_miss_reason":{"type":"tools_changed","cache_missed_input_tokens":5}}}`) +
		logged("y", "openai", `{"model":"c","input":"go"}`,
			`{"id":"r","output":[],"status":"completed","prompt_cache_diagnostics":{"reason":"tools_changed"}}`)
	for _, p := range of[*events.RequestPrefix](mustRead(t, log, Options{})) {
		if p.ProviderDiagnosis != "tools_changed" {
			t.Errorf("%s: %q", p.ProviderName, p.ProviderDiagnosis)
		}
	}
}

func TestArgumentsStayWithTheAgentUnlessAskedFor(t *testing.T) {
	log := logged("x", "openai", `{"model":"gpt","messages":[{"role":"user","content":"go"}],"tools":[{"type":"function","function":{"name":"f","parameters":{}}}]}`,
		`{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"who\":\"secret\"}"}}]}}]}`)
	for _, include := range []bool{false, true} {
		c := of[*events.ToolCall](mustRead(t, log, Options{IncludeValues: include}))[0]
		if got := string(c.Arguments); (got == `{"who":"secret"}`) != include || !include && got != "" {
			t.Errorf("include %t: %s", include, got)
		}
		if d := cmp.Diff([]events.Argument{{Path: "/who", Type: "string"}}, c.ArgumentShape); d != "" {
			t.Error(d)
		}
	}
}

func TestBadExchangesAreProblemsAndTheOthersAreRead(t *testing.T) {
	good := `{"request":{"model":"c","messages":[{"role":"user","content":"go"}]},"response":null}`
	log := `{"conversation":"x","exchanges":[` + good + `,{"request":null},7,` + good + `]}
{"conversation":"y","exchanges":5}
{"request":"{not json","response":{}}
{"request":{"model":"c"},"response":{}}
{"request":{"input":"x"},"response":{},"path":"/v1/embeddings"}
` + good
	all, problems, sum, err := readText(t, log, Options{})
	if err != nil || len(of[*events.RequestPrefix](all)) != 3 || sum.Problems != 5 {
		t.Errorf("%+v, %v", sum, err)
	}
	for i, want := range []int{1, 1, 2, 3, 4} {
		if problems[i].Line != want {
			t.Errorf("problem %d: %s", i, problems[i].Error())
		}
	}
}

func TestBodiesInsideHTTPMessagesAreFound(t *testing.T) {
	log := `{"request":{"method":"POST","url":"https://api.anthropic.com/v1/messages","body":"{\"model\":\"c\",\"messages\":[{\"role\":\"user\",\"content\":\"go\"}]}"},` +
		`"response":{"status":200,"body":"{\"type\":\"message\",\"content\":[],\"usage\":{\"input_tokens\":5,\"output_tokens\":6}}"}}`
	p := of[*events.RequestPrefix](mustRead(t, log, Options{}))[0]
	if p.ProviderName != "anthropic" || p.HTTPStatus != 200 || p.UncachedInputTokens.N != 5 {
		t.Errorf("%+v", p)
	}
}
