package idfuzz

import (
	"bytes"
	"testing"
)

// answers have a result of a tool that the provider ran, which names card 1000001, and the model's own words, which name 2000001.
var answers = map[string]string{
	"Anthropic": `{"type":"message","role":"assistant","content":[{"type":"text","text":"card_2000001"},{"type":"mcp_tool_use","id":"m","name":"f","input":{"id":"card_2000001"}},
		{"type":"mcp_tool_result","tool_use_id":"m","content":[{"type":"text","text":"card_1000001"}]},{"type":"tool_use","id":"t","name":"pay","input":{"card_id":"card_2000001"}}]}`,
	"Responses": `{"object":"response","output":[{"type":"reasoning","encrypted_content":"AA==","summary":[{"text":"card_2000001"}]},
		{"type":"mcp_call","id":"m","name":"f","arguments":"{\"id\":\"card_2000001\"}","output":"{\"id\":\"card_1000001\"}"},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"card_2000001","annotations":[]}]},{"type":"function_call","name":"pay","arguments":"{\"card_id\":\"card_2000001\"}"}]}`,
	"Responses, last event": `{"type":"response.completed","response":{"output":[{"type":"file_search_call","queries":["card_2000001"],"results":[{"text":"card_1000001"}]}]}}`,
	"Responses, its tools":  `{"output":[{"type":"mcp_list_tools","tools":[{"name":"f","input_schema":{"default":"card_1000001"}}]}]}`,
	"Gemini":                `{"candidates":[{"content":{"role":"model","parts":[{"text":"card_2000001"},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"card_1000001"}}]}}]}`,
	"Gemini, streamed":      `[{"candidates":[{"content":{"parts":[{"text":"card_2000001"}]}}]},{"candidates":[{"content":{"parts":[{"codeExecutionResult":{"output":"card_1000001"}}]},"groundingMetadata":{}}]}]`,
	"Bedrock":               `{"output":{"message":{"role":"assistant","content":[{"text":"card_2000001"},{"toolResult":{"toolUseId":"t","content":[{"json":{"id":"card_1000001"}}]}}]}}}`,
}

func TestOfAnAnswerWhatTheProvidersToolsGaveIsSeenAndNotTheModelsWords(t *testing.T) {
	for api, body := range answers {
		ids := newIDs()
		ids.SeeRequest([]byte(`{"input":"hello"}`))
		before := bytes.Clone([]byte(body))
		ids.SeeResponse([]byte(body))
		if got := flagged(ids, `{"card_id":"card_1000001"}`); got != nil {
			t.Errorf("%s: flagged %q", api, got)
		}
		if flagged(ids, `{"card_id":"card_2000001"}`) == nil {
			t.Errorf("%s: the model's own words were seen", api)
		}
		if string(before) != body {
			t.Errorf("%s: the body was changed", api)
		}
	}
}

func TestAnAnswerWhoseResultsAreNotShownSilences(t *testing.T) {
	for name, body := range map[string]string{
		"a search of the web":               `{"output":[{"type":"web_search_call","status":"completed"}]}`,
		"a search of Google":                `{"candidates":[{"content":{"parts":[{"text":"t"}]},"groundingMetadata":{"groundingChunks":[{"web":{"uri":"u"}}]}}]}`,
		"a page that Gemini read":           `{"candidates":[{"url_context_metadata":{"url_metadata":[{}]}}]}`,
		"a page that is cited":              `{"choices":[{"message":{"role":"assistant","content":"t","annotations":[{"type":"url_citation"}]}}]}`,
		"pages that are encrypted":          `{"role":"assistant","content":[{"type":"web_search_tool_result","content":[{"type":"web_search_result","encrypted_content":"AA=="}]}]}`,
		"a picture of Bedrock's tool":       `{"output":{"message":{"content":[{"toolResult":{"content":[{"image":{"source":{"bytes":"AA=="}}}]}}]}}}`,
		"a body that breaks off":            `{"output":[`,
		"a list that breaks off":            `[{"candidates":[]}`,
		"a stream that is not put together": "event: response.completed\ndata: {}\n\n",
		"nothing":                           ``,
	} {
		ids := newIDs()
		ids.SeeRequest([]byte(`{"input":"hello"}`))
		ids.SeeResponse([]byte(body))
		if got := flagged(ids, `{"card_id":"card_2000001"}`); got != nil {
			t.Errorf("%s: flagged %q", name, got)
		}
	}
}

// offers are requests whose tools the provider runs.
var offers = map[string]string{
	"Anthropic":               `{"messages":[{"role":"user","content":"hello"}],"tools":[{"type":"web_search_20250305","name":"web_search"}]}`,
	"Anthropic's MCP servers": `{"messages":[{"role":"user","content":"hello"}],"mcp_servers":[{"type":"url","url":"https://a.example"}]}`,
	"Responses":               `{"input":"hello","tools":[{"type":"function","name":"f"},{"type":"mcp","server_label":"s"}]}`,
	"Responses' shell":        `{"input":"hello","tools":[{"type":"shell","environment":{"type":"container_auto"}}]}`,
	"Chat Completions":        `{"messages":[{"role":"user","content":"hello"}],"web_search_options":{}}`,
	"Gemini":                  `{"contents":[{"role":"user","parts":[{"text":"hello"}]}],"tools":[{"googleSearch":{}}]}`,
	"Bedrock":                 `{"messages":[{"role":"user","content":[{"text":"hello"}]}],"toolConfig":{"tools":[{"systemTool":{"name":"nova_grounding"}}]}}`,
}

func TestWhereTheProviderRunsToolsNothingIsFlaggedBeforeTheAnswerWasSeen(t *testing.T) {
	const call = `{"card_id":"card_2000001"}`
	for api, body := range offers {
		ids := newIDs()
		ids.SeeRequest([]byte(body))
		if got := flagged(ids, call); got != nil {
			t.Errorf("%s: flagged %q", api, got)
		}
		ids.SeeResponse([]byte(`{}`))
		if flagged(ids, call) == nil {
			t.Errorf("%s: silent though the answer was seen", api)
		}
	}
	for api, body := range requests {
		ids := newIDs()
		ids.SeeRequest([]byte(body))
		if flagged(ids, call) == nil {
			t.Errorf("%s: silent though the agent runs all tools", api)
		}
	}
}

func TestAnAnswerThatWasNeverSeenSilencesWhereItsResultsAreNotSentAgain(t *testing.T) {
	const hosted = `"tools":[{"type":"mcp","server_label":"s"}]`
	const own = `"tools":[{"type":"function","name":"f"}]`
	first := `{"input":"hello",` + hosted + `}`
	for name, tt := range map[string]struct {
		requests []string
		heard    bool
		silent   bool
	}{
		"continued":             {[]string{first, `{"previous_response_id":"r","input":"on",` + own + `}`}, false, true},
		"continued, and seen":   {[]string{first, `{"previous_response_id":"r","input":"on",` + own + `}`}, true, false},
		"sent again":            {[]string{first, `{"input":[{"role":"user","content":"hello"},{"type":"mcp_call","output":"x"}],` + own + `}`}, false, false},
		"an item that is named": {[]string{first, `{"input":[{"type":"item_reference","id":"m"}],` + own + `}`}, false, true},
		"Gemini":                {[]string{offers["Gemini"], `{"contents":[{"role":"user","parts":[{"text":"on"}]}]}`}, false, true},
		"another attempt":       {[]string{`{"input":"hello"}`, `{"previous_response_id":"r","input":"on",` + hosted + `}`, `{"previous_response_id":"r","input":"on",` + hosted + `}`}, true, false},
	} {
		ids := newIDs()
		for i, body := range tt.requests {
			ids.SeeRequest([]byte(body))
			if again := i+1 < len(tt.requests) && tt.requests[i+1] == body; tt.heard && !again {
				ids.SeeResponse([]byte(`{"output":[]}`))
			}
		}
		if got := flagged(ids, `{"card_id":"card_2000001"}`) == nil; got != tt.silent {
			t.Errorf("%s: silent %v", name, got)
		}
	}
}

func FuzzSeeResponse(f *testing.F) {
	for _, body := range answers {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		ids := newIDs()
		ids.SeeResponse(body)
		ids.SeeResponse(body)
		ids.Check([]byte(`{"card_id":"card_5634230"}`))
		if !bytes.Equal(body, before) {
			t.Error("the body was changed")
		}
	})
}
