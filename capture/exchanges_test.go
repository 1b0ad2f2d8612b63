package capture

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

// line makes a line of an exchange log; the answer is JSON.
func logged(conversation, provider, request, answer string) string {
	compact := strings.NewReplacer("\n", "", "\t", "")
	return fmt.Sprintf(`{"conversation":%q,"provider":%q,"request":%s,"response":%s}`+"\n",
		conversation, provider, compact.Replace(request), compact.Replace(answer))
}

// of returns the data of the events of one kind.
func of[T events.Data](all []*events.Event) []T {
	var some []T
	for _, e := range all {
		if d, ok := e.Data.(T); ok {
			some = append(some, d)
		}
	}
	return some
}

// mustRead reads a log that has no problem in it.
func mustRead(t *testing.T, text string, opt Options) []*events.Event {
	t.Helper()
	all, problems, sum, err := readText(t, text, opt)
	if err != nil || len(problems) > 0 || sum.Format != "exchanges" {
		t.Fatalf("%+v, %v, %v", sum, problems, err)
	}
	for _, e := range all {
		if err := e.Validate(); err != nil {
			t.Fatalf("%s: %v", e.Kind(), err)
		}
	}
	return all
}

// callSeen is what a test looks at of a call.
type callSeen struct {
	Name, ID, Execution string
	Outcome             events.Outcome
	Error               string
	Resolution          events.Resolution
	Attempt             int64
}

func seenCalls(all []*events.Event) []callSeen {
	var seen []callSeen
	for _, c := range of[*events.ToolCall](all) {
		seen = append(seen, callSeen{c.ToolName, c.ToolCallID, c.Execution, c.Outcome, c.ErrorType, c.Resolution, c.Attempt})
	}
	return seen
}

// A conversation of each API: the model calls f, which succeeds, then f again, which fails; the log ends there.
func TestCallsAndTheirResultsAreFoundInEachAPI(t *testing.T) {
	ok, failed := events.OutcomeOK, events.OutcomeExecutionError
	want := []callSeen{
		{"f", "c1", "", ok, "", events.ResolvedOK, 1},
		{"f", "c2", "", failed, "", events.ResolvedOK, 1},
		{"f", "c3", "", ok, noResult, events.ResolvedOK, 2},
	}
	for name, c := range map[string]struct{ provider, tools, user, use, ok, failed, answer string }{
		"anthropic": {
			"anthropic", `"max_tokens":9,"messages":[%s],"tools":[{"name":"f","input_schema":{"type":"object"}}]`,
			`{"role":"user","content":"go"}`,
			`{"role":"assistant","content":[{"type":"tool_use","id":"%s","name":"f","input":{}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"fine"}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"boom","is_error":true}]}`,
			`{"id":"m","type":"message","role":"assistant","content":[{"type":"tool_use","id":"%s","name":"f","input":{}}],"usage":{"input_tokens":9,"output_tokens":3}}`,
		},
		"openai chat": {
			"openai", `"messages":[%s],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`,
			`{"role":"user","content":"go"}`,
			`{"role":"assistant","tool_calls":[{"id":"%s","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
			`{"role":"tool","tool_call_id":"%s","content":"fine"}`,
			`{"role":"tool","tool_call_id":"%s","content":"Error: boom"}`,
			`{"id":"m","choices":[{"message":{"role":"assistant","tool_calls":[{"id":"%s","type":"function","function":{"name":"f","arguments":"{}"}}]}}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`,
		},
		"openai responses": {
			"openai", `"input":[%s],"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}]`,
			`{"role":"user","content":"go"}`,
			`{"type":"function_call","call_id":"%s","name":"f","arguments":"{}"}`,
			`{"type":"function_call_output","call_id":"%s","output":"fine"}`,
			`{"type":"function_call_output","call_id":"%s","output":"{\"error\":\"boom\"}"}`,
			`{"id":"m","object":"response","status":"completed","output":[{"type":"function_call","call_id":"%s","name":"f","arguments":"{}"}],"usage":{"input_tokens":9,"output_tokens":3,"total_tokens":12}}`,
		},
		"gemini": {
			"google", `"contents":[%s],"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT"}}]}]`,
			`{"role":"user","parts":[{"text":"go"}]}`,
			`{"role":"model","parts":[{"functionCall":{"id":"%s","name":"f","args":{}}}]}`,
			`{"role":"user","parts":[{"functionResponse":{"id":"%s","name":"f","response":{"output":"fine"}}}]}`,
			`{"role":"user","parts":[{"functionResponse":{"id":"%s","name":"f","response":{"error":"boom"}}}]}`,
			`{"responseId":"m","candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"%s","name":"f","args":{}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3}}`,
		},
		"bedrock converse": {
			"aws.bedrock", `"messages":[%s],"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]}`,
			`{"role":"user","content":[{"text":"go"}]}`,
			`{"role":"assistant","content":[{"toolUse":{"toolUseId":"%s","name":"f","input":{}}}]}`,
			`{"role":"user","content":[{"toolResult":{"toolUseId":"%s","content":[{"text":"fine"}],"status":"success"}}]}`,
			`{"role":"user","content":[{"toolResult":{"toolUseId":"%s","content":[{"text":"boom"}],"status":"error"}}]}`,
			`{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"%s","name":"f","input":{}}}]}},"stopReason":"tool_use","usage":{"inputTokens":9,"outputTokens":3,"totalTokens":12}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			history := []string{c.user}
			var log strings.Builder
			for i, result := range []string{c.ok, c.failed, ""} {
				id := fmt.Sprintf("c%d", i+1)
				log.WriteString(logged("x", c.provider, `{"model":"m",`+fmt.Sprintf(c.tools, strings.Join(history, ","))+`}`, fmt.Sprintf(c.answer, id)))
				if result != "" {
					history = append(history, fmt.Sprintf(c.use, id), fmt.Sprintf(result, id))
				}
			}
			all := mustRead(t, log.String(), Options{})
			if d := cmp.Diff(want, seenCalls(all)); d != "" {
				t.Error(d)
			}
			checkRequests(t, of[*events.RequestPrefix](all))
			if n := len(of[*events.ToolRoster](all)); n != 1 {
				t.Errorf("%d rosters", n)
			}
			if n := len(of[*events.ToolDefinition](all)); n != 1 {
				t.Errorf("%d definitions", n)
			}
		})
	}
}

// checkRequests checks what all APIs' conversations have in common: each request extends the last.
func checkRequests(t *testing.T, requests []*events.RequestPrefix) {
	t.Helper()
	if len(requests) != 3 {
		t.Fatalf("%d requests", len(requests))
	}
	for i, p := range requests {
		if p.Turn != int64(i+1) || len(p.Messages) != 2*i+1 || p.UncachedInputTokens != events.Tokens(9) || p.OutputTokens != events.Tokens(3) ||
			p.Status != events.StatusOK || len(p.Tools) != 1 || p.RosterDigest == "" || !p.EndTime.IsZero() {
			t.Errorf("request %d: %+v", i, p)
		}
		if i > 0 && !cmp.Equal(requests[i-1].Messages, p.Messages[:2*i-1]) {
			t.Errorf("request %d does not extend the one before", i)
		}
	}
}

func TestToolsThatWereSearchedAddedOrRunByTheProviderCanBeCalled(t *testing.T) {
	deferred := `{"name":"later","input_schema":{"type":"object"},"defer_loading":true}`
	request := func(messages, tools string) string {
		return `{"model":"claude","max_tokens":9,"messages":[` + messages + `],"tools":[` + tools + `]}`
	}
	user := `{"role":"user","content":"go"}`
	use := `{"type":"tool_use","id":"c1","name":"later","input":{}}`
	answer := func(blocks string) string {
		return `{"id":"m","type":"message","role":"assistant","content":[` + blocks + `],"usage":{"input_tokens":1,"output_tokens":1}}`
	}
	for name, c := range map[string]struct {
		log  string
		via  []events.ActivationVia
		want events.Resolution
	}{
		"never loaded": {logged("x", "anthropic", request(user, deferred), answer(use)), nil, events.ResolvedNotActivated},
		"unknown":      {logged("x", "anthropic", request(user, `{"name":"quite_another","input_schema":{}}`), answer(use)), nil, events.ResolvedUnknown},
		"found by the search in the same answer": {logged("x", "anthropic", request(user, deferred+`,{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"}`),
			answer(`{"type":"server_tool_use","id":"s1","name":"tool_search_tool_bm25","input":{"query":"x"}},
				{"type":"tool_search_tool_result","tool_use_id":"s1","content":{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"later"}]}},`+use)),
			[]events.ActivationVia{events.ViaToolSearch}, events.ResolvedOK},
		"referred to by a result": {logged("x", "anthropic", request(user+`,{"role":"assistant","content":[{"type":"tool_use","id":"s1","name":"search","input":{}}]},
				{"role":"user","content":[{"type":"tool_result","tool_use_id":"s1","content":[{"type":"tool_reference","tool_name":"later"}]}]}`, deferred), answer(use)),
			[]events.ActivationVia{events.ViaToolSearch}, events.ResolvedOK},
		"added by a system message": {logged("x", "anthropic", request(user+`,{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_reference","name":"later"}}]}`, deferred), answer(use)),
			[]events.ActivationVia{events.ViaToolAddition}, events.ResolvedOK},
		"added with its definition": {logged("x", "openai",
			`{"model":"gpt","input":[{"role":"user","content":"go"},{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"later","parameters":{}}]}]}`,
			`{"id":"r","object":"response","status":"completed","output":[{"type":"function_call","call_id":"c1","name":"later","arguments":"{}"}],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}`),
			[]events.ActivationVia{events.ViaToolAddition}, events.ResolvedOK},
		"run by the provider": {logged("x", "openai", `{"model":"gpt","input":"go","tools":[{"type":"web_search"}]}`,
			`{"id":"r","object":"response","status":"completed","output":[{"type":"web_search_call","id":"later","status":"completed"}],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}`),
			nil, events.ResolvedOK},
	} {
		t.Run(name, func(t *testing.T) {
			all := mustRead(t, c.log, Options{})
			calls := of[*events.ToolCall](all)
			if len(calls) == 0 || calls[len(calls)-1].Resolution != c.want {
				t.Errorf("calls %+v, want %s", seenCalls(all), c.want)
			}
			var via []events.ActivationVia
			for _, a := range of[*events.Activation](all) {
				via = append(via, a.Via)
			}
			if d := cmp.Diff(c.via, via); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestASearchThatTheNextRequestRepeatsIsToldOnce(t *testing.T) {
	tools := `"tools":[{"name":"later","input_schema":{},"defer_loading":true}]`
	search := `{"type":"server_tool_use","id":"s1","name":"tool_search_tool_bm25","input":{}},
		{"type":"tool_search_tool_result","tool_use_id":"s1","content":{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"later"}]}}`
	log := logged("x", "anthropic", `{"model":"c","messages":[{"role":"user","content":"go"}],`+tools+`}`,
		`{"id":"m","type":"message","content":[`+search+`],"usage":{"input_tokens":1,"output_tokens":1}}`) +
		logged("x", "anthropic", `{"model":"c","messages":[{"role":"user","content":"go"},{"role":"assistant","content":[`+search+`]},{"role":"user","content":"on"}],`+tools+`}`,
			`{"id":"m2","type":"message","content":[],"usage":{"input_tokens":1,"output_tokens":1}}`)
	if n := len(of[*events.Activation](mustRead(t, log, Options{}))); n != 1 {
		t.Errorf("%d activations", n)
	}
}

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

func FuzzExchanges(f *testing.F) {
	f.Add([]byte(logged("x", "anthropic", `{"model":"c","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"tool_reference","tool_name":"b"}]}]}],"tools":[{"name":"f","input_schema":{}}]}`,
		`{"type":"message","content":[{"type":"tool_use","id":"a","name":"f","input":{"a":1}}],"usage":{"input_tokens":1}}`)))
	f.Add([]byte(`{"exchanges":[{"request":{"input":[{"type":"function_call","call_id":"a"}]},"response":"data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"mcp_call\",\"name\":\"x\"}}\n\n"}]}`))
	f.Add([]byte(`{"request":{"contents":[{"parts":[{"functionResponse":{"name":"f"}}]}]},"response":[{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]}}]}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r := newExchangeReader(context.Background(), &Source{Name: "fuzz", lines: NewLines(strings.NewReader(""), 0), Options: Options{Source: "s"}}, func(e *events.Event) error {
			if err := e.Validate(); err != nil {
				t.Fatalf("%s: %v", e.Kind(), err)
			}
			return nil
		})
		if err := r.readLine(line); err != nil {
			if _, ok := err.(*LineError); !ok {
				t.Fatal(err)
			}
		}
		if err := r.convs.clear(); err != nil {
			t.Fatal(err)
		}
	})
}
