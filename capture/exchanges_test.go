package capture

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

// logged makes a line of an exchange log; the answer is JSON.
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

func FuzzExchanges(f *testing.F) {
	f.Add([]byte(logged("x", "anthropic", `{"model":"c","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"tool_reference","tool_name":"b"}]}]}],"tools":[{"name":"f","input_schema":{}}]}`,
		`{"type":"message","content":[{"type":"tool_use","id":"a","name":"f","input":{"a":1}}],"usage":{"input_tokens":1}}`)))
	f.Add([]byte(`{"exchanges":[{"request":{"input":[{"type":"function_call","call_id":"a"}]},"response":"data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"mcp_call\",\"name\":\"x\"}}\n\n"}]}`))
	f.Add([]byte(`{"request":{"contents":[{"parts":[{"functionResponse":{"name":"f"}}]}]},"response":[{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]}}]}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r := newExchangeReader(context.Background(), &Source{Name: "fuzz", lines: newLines(strings.NewReader(""), 0), Options: Options{Source: "s"}}, func(e *events.Event) error {
			if err := e.Validate(); err != nil {
				t.Fatalf("%s: %v", e.Kind(), err)
			}
			return nil
		})
		if err := r.readLine(line); err != nil {
			if bad := (*LineError)(nil); !errors.As(err, &bad) {
				t.Fatal(err)
			}
		}
		if err := r.convs.clear(); err != nil {
			t.Fatal(err)
		}
	})
}
