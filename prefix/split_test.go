package prefix

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func mustSplit(t *testing.T, provider, body string) *Request {
	t.Helper()
	r, err := Split(provider, []byte(body), events.Digester{})
	if err != nil {
		t.Fatalf("split %s: %v", body, err)
	}
	return r
}

func names(tools []events.PrefixTool) []string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name)
	}
	return all
}

func TestEachAPIIsTakenApart(t *testing.T) {
	type want struct {
		Provider         string
		API              API
		Model            string
		Tools, Deferred  []string
		System, Messages int
		Params           []string
	}
	for name, c := range map[string]struct {
		provider, body string
		want           want
	}{
		"anthropic messages": {"", `{"model":"claude-a","max_tokens":5,"thinking":{"type":"enabled","budget_tokens":9},"tool_choice":{"type":"auto"},
			"system":[{"type":"text","text":"be kind"},{"type":"text","text":"be brief"}],
			"tools":[{"name":"now","input_schema":{}},{"name":"later","input_schema":{},"defer_loading":true}],
			"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}`,
			want{ProviderAnthropic, APIMessages, "claude-a", []string{"now"}, []string{"later"}, 2, 2, []string{"thinking", "tool_choice"}}},
		"openai chat": {"", `{"model":"gpt-a","parallel_tool_calls":false,"reasoning_effort":"low",
			"messages":[{"role":"system","content":"a"},{"role":"developer","content":"b"},{"role":"user","content":"c"},{"role":"system","content":"late"}],
			"tools":[{"type":"function","function":{"name":"f","parameters":{}}}]}`,
			want{ProviderOpenAI, APIChat, "gpt-a", []string{"f"}, nil, 2, 2, []string{"parallel_tool_calls", "reasoning_effort"}}},
		"openai responses": {"openai", `{"model":"gpt-a","instructions":"be kind","input":[{"role":"developer","content":"x"},
			{"role":"user","content":"y"},{"role":"developer","type":"additional_tools","tools":[{"type":"function","name":"g"}]}],
			"tools":[{"type":"tool_search"},{"type":"function","name":"f","parameters":{},"defer_loading":true}],
			"reasoning":{"effort":"low","summary":"auto"},"text":{"format":{"type":"text"}}}`,
			want{ProviderOpenAI, APIResponses, "gpt-a", []string{"tool_search"}, []string{"f"}, 2, 2, []string{"reasoning.effort", "text.format"}}},
		"openai responses with a text as input": {"", `{"model":"gpt-a","input":"hello"}`,
			want{ProviderOpenAI, APIResponses, "gpt-a", nil, nil, 0, 1, nil}},
		"gemini": {"google", `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"systemInstruction":{"parts":[{"text":"a"},{"text":"b"}]},
			"tools":[{"functionDeclarations":[{"name":"f","parameters":{}},{"name":"g"}]},{"googleSearch":{}}],
			"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},"generationConfig":{"temperature":1,"thinkingConfig":{"thinkingBudget":1}}}`,
			want{ProviderGemini, APIGenerate, "", []string{"f", "g", "googleSearch"}, nil, 2, 1,
				[]string{"generationConfig.thinkingConfig", "toolConfig.functionCallingConfig"}}},
		"bedrock converse": {"bedrock", `{"modelId":"m","system":[{"text":"a"},{"cachePoint":{"type":"default"}}],
			"messages":[{"role":"user","content":[{"text":"hi"}]}],"inferenceConfig":{"maxTokens":5},
			"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{}}}},{"cachePoint":{"type":"default"}}],"toolChoice":{"auto":{}}}}`,
			want{ProviderBedrock, APIConverse, "m", []string{"f"}, nil, 1, 1, []string{"toolConfig.toolChoice"}}},
		"anthropic through bedrock": {"aws.bedrock", `{"anthropic_version":"bedrock-2023-05-31","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}`,
			want{ProviderBedrock, APIMessages, "", nil, nil, 0, 1, nil}},
		"openrouter chat": {"", `{"model":"anthropic/claude-a","provider":{"order":["x"]},"messages":[{"role":"user","content":"hi"}]}`,
			want{ProviderOpenRouter, APIChat, "anthropic/claude-a", nil, nil, 0, 1, []string{"provider"}}},
		"deepseek chat": {"deepseek", `{"model":"deepseek-chat","messages":[{"role":"system","content":"a"},{"role":"user","content":"hi"}]}`,
			want{ProviderDeepSeek, APIChat, "deepseek-chat", nil, nil, 1, 1, nil}},
		"mistral chat": {"", `{"model":"mistral-large","messages":[{"role":"user","content":"hi"}]}`,
			want{ProviderMistral, APIChat, "mistral-large", nil, nil, 0, 1, nil}},
		"a namespace of tools": {"openai", `{"model":"m","input":[],"tools":[{"type":"namespace","name":"crm","tools":[{"type":"function","name":"a","defer_loading":true}]}]}`,
			want{ProviderOpenAI, APIResponses, "m", []string{"crm"}, []string{"a"}, 0, 0, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			r := mustSplit(t, c.provider, c.body)
			var params []string
			for _, p := range r.Params {
				params = append(params, p.Name)
			}
			got := want{r.Provider, r.API, r.Model, names(r.Tools), r.Deferred, len(r.System), len(r.Messages), params}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCacheMarkersAreNoPartOfTheDigests(t *testing.T) {
	for name, c := range map[string]struct{ provider, plain, marked string }{
		"last member of a block": {"anthropic",
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}]}`},
		"first member of a block": {"anthropic",
			`{"messages":[{"role":"user","content":[{"type":"image","source":{}},{"type":"text","text":"b"}]}]}`,
			`{"messages":[{"role":"user","content":[{"cache_control":{"type":"ephemeral"},"type":"image","source":{}},{"type":"text","text":"b"}]}]}`},
		"with spaces": {"anthropic",
			`{"messages":[{"role": "user", "content": [{"type": "image", "source": {}}]}]}`,
			`{"messages":[{"role": "user", "content": [{"type": "image", "cache_control": {"type": "ephemeral"}, "source": {}}]}]}`},
		"in a tool result": {"anthropic",
			`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{}}]}]}]}`,
			`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{},"cache_control":{}}],"cache_control":{}}]}]}`},
		"a text that was wrapped to be marked": {"anthropic",
			`{"messages":[{"role":"user","content":"a"}]}`,
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}`},
		"a system text that was wrapped": {"anthropic",
			`{"system":"a","messages":[]}`,
			`{"system":[{"cache_control":{"type":"ephemeral"},"type":"text","text":"a"}],"messages":[]}`},
		"OpenAI's breakpoints": {"openai",
			`{"input":[{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]}]}`,
			`{"input":[{"role":"user","content":[{"prompt_cache_breakpoint":{"mode":"explicit"},"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]}]}`},
		"Bedrock's cache points": {"aws.bedrock",
			`{"system":[{"text":"s"}],"messages":[{"role":"user","content":[{"text":"a"},{"text":"b"}]}]}`,
			`{"system":[{"text":"s"},{"cachePoint":{"type":"default"}}],"messages":[{"role":"user","content":[{"text":"a"},{"cachePoint":{"type":"default"}},{"text":"b"},{"cachePoint":{"type":"default","ttl":"1h"}}]}]}`},
		"a cache point that comes first": {"aws.bedrock",
			`{"messages":[{"role":"user","content":[{"text":"b"}]}]}`,
			`{"messages":[{"role":"user","content":[{"cachePoint":{"type":"default"}},{"text":"b"}]}]}`},
		"on a tool": {"anthropic",
			`{"tools":[{"name":"a","input_schema":{}}],"messages":[]}`,
			`{"tools":[{"name":"a","input_schema":{},"cache_control":{"type":"ephemeral"}}],"messages":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			plain, marked := mustSplit(t, c.provider, c.plain), mustSplit(t, c.provider, c.marked)
			if len(plain.Breakpoints) != 0 || len(marked.Breakpoints) == 0 {
				t.Errorf("breakpoints: %v without markers, %v with", plain.Breakpoints, marked.Breakpoints)
			}
			for _, d := range []string{
				cmp.Diff(plain.Messages, marked.Messages), cmp.Diff(plain.System, marked.System), cmp.Diff(plain.Tools, marked.Tools),
			} {
				if d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func TestWhatIsNotAMarkerIsPartOfTheDigest(t *testing.T) {
	a := mustSplit(t, "anthropic", `{"messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"cache_control":1}}]}]}`)
	b := mustSplit(t, "anthropic", `{"messages":[{"role":"assistant","content":[{"type":"tool_use","input":{}}]}]}`)
	if slices.Equal(a.Messages, b.Messages) {
		t.Error("an argument that is named as a marker is, was masked")
	}
	c := mustSplit(t, "anthropic", `{"messages":[{"role":"user","content":"a "}]}`)
	d := mustSplit(t, "anthropic", `{"messages":[{"role":"user","content":"a"}]}`)
	if slices.Equal(c.Messages, d.Messages) {
		t.Error("one byte of a message changed and its digest did not")
	}
}

func TestBreakpointsSayWhereAndHowLong(t *testing.T) {
	for name, c := range map[string]struct {
		provider, body string
		want           []events.Breakpoint
	}{
		"in the provider's order, whatever the body's": {"anthropic",
			`{"messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"b","cache_control":{"type":"ephemeral","ttl":"1h"}}]}],
			"system":[{"type":"text","text":"s"},{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],
			"tools":[{"name":"a"},{"name":"b","cache_control":{"type":"ephemeral","ttl":"5m"}},{"name":"c","defer_loading":true}]}`,
			[]events.Breakpoint{{Part: "tools", Index: 1, TTLSeconds: 300}, {Part: "system", Index: 1, TTLSeconds: 300}, {Part: "messages", Index: 1, TTLSeconds: 3600}}},
		"automatic": {"anthropic", `{"cache_control":{"type":"ephemeral"},"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`,
			[]events.Breakpoint{{Part: "messages", Index: 1, TTLSeconds: 300}}},
		"on a leading system message": {"openrouter",
			`{"messages":[{"role":"system","content":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}]},
			{"role":"user","content":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}]}]}`,
			[]events.Breakpoint{{Part: "system", Index: 0, TTLSeconds: 300}, {Part: "messages", Index: 0, TTLSeconds: 300}}},
		"inherited from the request": {"openai",
			`{"messages":[{"role":"user","content":[{"type":"text","text":"a","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"text","text":"b"}]}],
			"prompt_cache_options":{"mode":"explicit","ttl":"30m"}}`,
			[]events.Breakpoint{{Part: "messages", Index: 0, TTLSeconds: 1800}}},
		"none of a null marker": {"anthropic", `{"messages":[{"role":"user","content":[{"type":"text","text":"b","cache_control":null}]}]}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, mustSplit(t, c.provider, c.body).Breakpoints); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestParametersAreComparedByValueNotBySpelling(t *testing.T) {
	a := mustSplit(t, "anthropic", `{"thinking":{"type":"enabled","budget_tokens":1024},"messages":[]}`)
	b := mustSplit(t, "anthropic", `{"thinking": {"budget_tokens":1024, "type":"enabled"},"messages":[],"temperature":1,"tool_choice":null}`)
	if d := cmp.Diff(a.Params, b.Params); d != "" {
		t.Error(d)
	}
}

func TestRawToolsShareTheBody(t *testing.T) {
	body := []byte(`{"tools":[{"functionDeclarations":[{"name":"f"}]}],"contents":[]}`)
	r, err := Split("google", body, events.Digester{})
	if err != nil || len(r.RawTools) != 1 {
		t.Fatal(r, err)
	}
	body[slices.Index(body, 'f')+len(`functionDeclarations":[{"name":"`)] = 'g'
	if string(r.RawTools[0]) != `{"name":"g"}` {
		t.Errorf("raw tool is a copy: %s", r.RawTools[0])
	}
}

func TestWhatIsNoRequestIsAnErrorThatQuotesNothing(t *testing.T) {
	for _, body := range []string{"", "null", "[]", `"secret"`, `{"messages":[{"secret":}]}`, `{"messages":["secret"`, `{"a":1} {"secret":1}`, `{"model":secret}`} {
		_, err := Split("", []byte(body), events.Digester{})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", body, err)
		}
	}
	if _, err := Split("", []byte("[]"), events.Digester{}); !errors.Is(err, ErrNotRequest) {
		t.Error(err)
	}
}

func TestProvidersAndModelsAreFoundInPaths(t *testing.T) {
	for path, want := range map[string][2]string{
		"https://api.anthropic.com/v1/messages":      {ProviderAnthropic, ""},
		"/v1/messages":                               {ProviderAnthropic, ""},
		"/v1/chat/completions":                       {ProviderOpenAI, ""},
		"/v1/responses":                              {ProviderOpenAI, ""},
		"/api/v1/chat/completions":                   {ProviderOpenRouter, ""},
		"https://api.deepseek.com/chat/completions":  {ProviderDeepSeek, ""},
		"https://api.mistral.ai/v1/chat/completions": {ProviderMistral, ""},
		"/v1beta/models/gemini-x:generateContent":    {ProviderGemini, "gemini-x"},
		"/v1/projects/p/publishers/google/models/gemini-x:streamGenerateContent": {ProviderVertex, "gemini-x"},
		"/model/eu.anthropic.claude-a-v1%3A0/converse":                           {ProviderBedrock, "eu.anthropic.claude-a-v1:0"},
		"/model/m/invoke": {ProviderBedrock, "m"},
		"/elsewhere":      {"", ""},
	} {
		if got := [2]string{ProviderOfPath(path), ModelOfPath(path)}; got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
