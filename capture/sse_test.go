package capture

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

// answerSeen is what a test looks at of an answer.
type answerSeen struct {
	ID, Model, Finish, Error string
	Calls                    []string
	Loaded                   []string
	Input, Read, Output      events.Count
	Cut                      bool
}

func lookAt(a answer) answerSeen {
	s := answerSeen{a.id, a.model, a.finish, a.errorType, nil, nil, a.usage.UncachedInputTokens, a.usage.CacheReadInputTokens, a.usage.OutputTokens, a.cut}
	for _, st := range a.steps {
		switch {
		case st.call != nil:
			s.Calls = append(s.Calls, st.call.id+" "+st.call.name+string(st.call.args))
		case st.load != nil:
			s.Loaded = append(s.Loaded, st.load.names...)
		}
	}
	return s
}

func eventStream(data ...string) string {
	return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n"
}

func TestStreamsArePutTogether(t *testing.T) {
	n := events.Tokens
	anthropic := []string{
		`{"type":"message_start","message":{"id":"m","model":"c","usage":{"input_tokens":5,"cache_read_input_tokens":70,"cache_creation_input_tokens":0,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"f","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":":1}"}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"tool_search_tool_result","tool_use_id":"s","content":{"tool_references":[{"type":"tool_reference","tool_name":"g"}]}}}`,
		`{"type":"ping"}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":42,"input_tokens":6}}`,
		`{"type":"message_stop"}`,
	}
	chat := []string{
		`{"id":"m","model":"g","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"f","arguments":""}}]}}]}`,
		`{"id":"m","model":"g","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}}]}`,
		`{"id":"m","model":"g","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"t2","function":{"name":"g","arguments":"{}"}},{"index":0,"function":{"arguments":":1}"}}]}}]}`,
		`{"id":"m","model":"g","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":null}`,
		`{"id":"m","model":"g","choices":[],"usage":{"prompt_tokens":75,"completion_tokens":42,"prompt_tokens_details":{"cached_tokens":70}}}`,
	}
	responses := []string{
		`{"type":"response.created","response":{"id":"m","model":"g","status":"in_progress","output":[],"usage":null}}`,
		`{"type":"response.output_item.done","item":{"type":"function_call","call_id":"t1","name":"f","arguments":"{\"a\":1}"}}`,
		`{"type":"response.completed","response":{"id":"m","model":"g","status":"completed","output":[{"type":"function_call","call_id":"t1","name":"f","arguments":"{\"a\":1}"}],"usage":{"input_tokens":75,"input_tokens_details":{"cached_tokens":70},"output_tokens":42,"total_tokens":117}}}`,
	}
	gemini := []string{
		`{"responseId":"m","modelVersion":"g","candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]}}],"usageMetadata":{"promptTokenCount":75}}`,
		`{"responseId":"m","modelVersion":"g","candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"t1","name":"f","args":{"a":1}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":75,"cachedContentTokenCount":70,"candidatesTokenCount":42}}`,
	}
	converse := []string{
		`{"messageStart":{"role":"assistant"}}`, `{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"hi"}}}`, `{"contentBlockStop":{"contentBlockIndex":0}}`,
		`{"contentBlockStart":{"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t1","name":"f"}}}}`,
		`{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\"a\""}}}}`,
		`{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolUse":{"input":":1}"}}}}`,
		`{"messageStop":{"stopReason":"tool_use"}}`, `{"metadata":{"usage":{"inputTokens":5,"cacheReadInputTokens":70,"outputTokens":42}}}`,
	}
	for name, c := range map[string]struct {
		text string
		want answerSeen
	}{
		"bedrock converse": {"[" + strings.Join(converse, ",") + "]", answerSeen{"", "", "tool_use", "", []string{`t1 f{"a":1}`}, nil, n(5), n(70), n(42), false}},
		"anthropic":        {eventStream(anthropic...), answerSeen{"m", "c", "tool_use", "", []string{`t1 f{"a":1}`}, []string{"g"}, n(6), n(70), n(42), false}},
		"cut off":          {eventStream(anthropic[:5]...), answerSeen{"m", "c", "", "", []string{`t1 f`}, nil, n(5), n(70), n(1), true}},
		"overloaded":       {eventStream(anthropic[0], `{"type":"error","error":{"type":"overloaded_error"}}`), answerSeen{"m", "c", "", "overloaded_error", nil, nil, n(5), n(70), n(1), false}},
		"chat": {": comment\n\n" + eventStream(append(chat, "[DONE]")...),
			answerSeen{"m", "g", "tool_calls", "", []string{`t1 f{"a":1}`, `t2 g{}`}, nil, n(5), n(70), n(42), false}},
		"chat without usage": {eventStream(chat[0], chat[3]), answerSeen{"m", "g", "tool_calls", "", []string{`t1 f{}`}, nil, events.Count{}, events.Count{}, events.Count{}, false}},
		"responses":          {eventStream(responses...), answerSeen{"m", "g", "completed", "", []string{`t1 f{"a":1}`}, nil, n(5), n(70), n(42), false}},
		"responses cut off":  {eventStream(responses[:2]...), answerSeen{"m", "g", "", "", []string{`t1 f{"a":1}`}, nil, events.Count{}, events.Count{}, events.Count{}, true}},
		"gemini":             {eventStream(gemini...), answerSeen{"m", "g", "STOP", "", []string{`t1 f{"a":1}`}, nil, n(5), n(70), n(42), false}},
		"gemini as a list":   {"[" + strings.Join(gemini, ",\r\n") + "]", answerSeen{"m", "g", "STOP", "", []string{`t1 f{"a":1}`}, nil, n(5), n(70), n(42), false}},
		"carriage returns":   {strings.ReplaceAll(eventStream(chat...), "\n", "\r\n"), answerSeen{"m", "g", "tool_calls", "", []string{`t1 f{"a":1}`, `t2 g{}`}, nil, n(5), n(70), n(42), false}},
		"lines of JSON":      {strings.Join(chat, "\n"), answerSeen{"m", "g", "tool_calls", "", []string{`t1 f{"a":1}`, `t2 g{}`}, nil, n(5), n(70), n(42), false}},
		"nothing":            {"", answerSeen{}},
		"no stream at all":   {"Bad gateway", answerSeen{}},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := quote(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, lookAt(readAnswer(raw))); d != "" {
				t.Error(d)
			}
		})
	}
}

func FuzzReadAnswer(f *testing.F) {
	f.Add([]byte(`{"choices":[{"delta":{"tool_calls":[{"index":-1}]}}]}`))
	f.Add([]byte(`"data: {\"type\":\"content_block_delta\",\"index\":9}\n\n"`))
	f.Add([]byte(`"data: {\"type\":\"response.completed\"}\n"`))
	f.Add([]byte(`[{"candidates":[{}]},7]`))
	f.Add([]byte(`{"output":{"message":{}},"error":"x"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a := readAnswer(raw)
		for _, st := range a.steps {
			if (st.call != nil) == (st.result != nil) && st.load == nil {
				t.Fatalf("%+v", st)
			}
		}
	})
}

func quote(text string) (jsontext.Value, error) { return jsontext.AppendQuote(nil, text) }
