package capture

import (
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

func TestPicturesFilesAndSoundsAreUnreadable(t *testing.T) {
	for raw, want := range map[string]bool{
		`"text"`:                               false,
		``:                                     false,
		`{"role":"user","content":"an image"}`: false,
		`{"role":"user","content":[{"type":"text","text":"image"}]}`:                                             false,
		`{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"AA=="}}]}`:                  true,
		`[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:"}}]`:                          true,
		`{"content":[{"type":"tool_result","content":[{"type":"image"}]}]}`:                                      true,
		`{"type":"function_call_output","output":[{"type":"input_file"}]}`:                                       true,
		`{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}`:                        true,
		`{"role":"user","content":[{"image":{"format":"png","source":{"bytes":"AA=="}}}]}`:                       true,
		`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"image":{"url":"https://a.b"}}}}]}`: false,
		`{"role":"user","content":[{"type":["image"`:                                                             false,
	} {
		if got := activation.IsUnreadable([]byte(raw)); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}

// paid is an answer of the Responses API that calls pay with an id.
func paid(id string) string {
	return `{"id":"resp_1","object":"response","output":[{"type":"function_call","call_id":"c1","name":"pay","arguments":"{\"card_id\":\"` + id + `\"}"}]}`
}

func TestIDsAreMadeUpOnlyWhereAllThatWasReadIsKnown(t *testing.T) {
	const tools = `"tools":[{"type":"function","name":"pay","parameters":{"type":"object"}}]`
	for name, tt := range map[string]struct {
		request string
		want    int
	}{
		"text alone":         {`{"model":"m","input":[{"role":"user","content":"pay"}],` + tools + `}`, 1},
		"the id in the text": {`{"model":"m","input":[{"role":"user","content":"pay with card_5634230"}],` + tools + `}`, 0},
		"the id as the default of a schema": {
			`{"model":"m","input":[{"role":"user","content":"pay"}],"tools":[{"type":"function","name":"pay","parameters":{"type":"object","properties":{"card_id":{"type":"string","default":"card_5634230"}}}}]}`, 0,
		},
		"a picture":                         {`{"model":"m","input":[{"role":"user","content":[{"type":"input_image","image_url":"data:"}]}],` + tools + `}`, 0},
		"a response before that is unknown": {`{"model":"m","previous_response_id":"resp_0","input":[{"role":"user","content":"pay"}],` + tools + `}`, 0},
	} {
		flags := 0
		for _, c := range of[*events.ToolCall](mustRead(t, logged("x", "openai", tt.request, paid("card_5634230")), Options{})) {
			flags += len(c.MadeUpIDs)
		}
		if flags != tt.want {
			t.Errorf("%s: %d flags, want %d", name, flags, tt.want)
		}
	}
}

func TestIDsInResultsOfTheProvidersOwnToolsWereSeen(t *testing.T) {
	const first = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"find and pay"}`
	const tools = `],"tools":[{"name":"pay","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search"}]}`
	const found = `{"type":"server_tool_use","id":"s1","name":"web_search","input":{"query":"card"}},` +
		`{"type":"web_search_tool_result","tool_use_id":"s1","content":[{"type":"web_search_result","url":"https://a.example/card_5634230"}]}`
	log := logged("x", "anthropic", first+tools, `{"type":"message","role":"assistant","content":[`+found+`]}`) +
		logged("x", "anthropic", first+`,{"role":"assistant","content":[`+found+`]},{"role":"user","content":"now pay"}`+tools,
			`{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"pay","input":{"card_id":"card_5634230"}}]}`)
	for _, c := range of[*events.ToolCall](mustRead(t, log, Options{})) {
		if len(c.MadeUpIDs) > 0 {
			t.Errorf("%s has made-up ids", c.ToolName)
		}
	}
}

func TestWhatTheProvidersToolsGaveInTheSameAnswerWasSeenOrSilences(t *testing.T) {
	const request = `{"model":"m","input":[{"role":"user","content":"pay"}],"tools":[{"type":"function","name":"pay","parameters":{"type":"object"}},{"type":"mcp","server_label":"s"}]}`
	for name, tt := range map[string]struct {
		item string
		want int
	}{
		"an MCP call that gave the id":    {`{"type":"mcp_call","id":"m1","name":"f","arguments":"{}","output":"card_5634230"}`, 0},
		"an MCP call that gave another":   {`{"type":"mcp_call","id":"m1","name":"f","arguments":"{}","output":"card_7734230"}`, 1},
		"a search whose pages are hidden": {`{"type":"web_search_call","id":"w1","status":"completed"}`, 0},
	} {
		flags := 0
		answer := strings.Replace(paid("card_5634230"), `"output":[`, `"output":[`+tt.item+`,`, 1)
		for _, c := range of[*events.ToolCall](mustRead(t, logged("x", "openai", request, answer), Options{})) {
			flags += len(c.MadeUpIDs)
		}
		if flags != tt.want {
			t.Errorf("%s: %d flags, want %d", name, flags, tt.want)
		}
	}
}
