package idfuzz

import (
	"encoding/json"
	"testing"

	"github.com/tooltrail/tooltrail/activation"
)

// unreadable are messages of all APIs that hold what is no text, however deep.
var unreadable = map[string]string{
	"Bedrock: a picture":                            `{"role":"user","content":[{"image":{"format":"png","source":{"bytes":"AA=="}}}]}`,
	"Bedrock: a picture in a result":                `{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"image":{"format":"png","source":{"bytes":"AA=="}}}]}}]}`,
	"Bedrock: a document in a result":               `{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"document":{"format":"pdf","name":"d","source":{"s3Location":{"uri":"s3://b/k"}}}}]}}]}`,
	"Bedrock: a film":                               `{"role":"user","content":[{"video":{"format":"mp4","source":{"s3Location":{"uri":"s3://b/k"}}}}]}`,
	"Bedrock: a guarded picture":                    `{"role":"user","content":[{"guardContent":{"image":{"format":"png","source":{"bytes":"AA=="}}}}]}`,
	"Anthropic: a picture in a result":              `{"role":"user","content":[{"type":"tool_result","content":[{"type":"image","source":{}}]}]}`,
	"Anthropic: a document":                         `{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA=="}}]}`,
	"Anthropic: a document, its type last":          `{"role":"user","content":[{"source":{"type":"url","url":"https://a.example"},"type":"document"}]}`,
	"Anthropic: pages that a search found":          `{"role":"assistant","content":[{"type":"web_search_tool_result","content":[{"type":"web_search_result","title":"t","encrypted_content":"AA=="}]}]}`,
	"Anthropic: a PDF that was fetched":             `{"role":"assistant","content":[{"type":"web_fetch_tool_result","content":{"type":"web_fetch_result","content":{"type":"document","source":{"type":"base64","data":"AA=="}}}}]}`,
	"Anthropic: encrypted output of code":           `{"role":"assistant","content":[{"type":"code_execution_tool_result","content":{"type":"encrypted_code_execution_result","encrypted_stdout":"AA=="}}]}`,
	"Anthropic: a picture that an MCP tool gave":    `{"role":"assistant","content":[{"type":"mcp_tool_result","content":[{"type":"image"}]}]}`,
	"Bedrock: a picture in a server tool's result":  `{"role":"assistant","content":[{"toolResult":{"content":[{"image":{"source":{"bytes":"AA=="}}}]}}]}`,
	"Responses: a screenshot":                       `{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AA=="}}`,
	"Responses: a screenshot by its file":           `{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","file_id":"f"}}`,
	"Responses: a picture in a result":              `{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"https://a.example/b.png"}]}`,
	"Responses: pages that a search found":          `{"type":"web_search_call","id":"w","status":"completed","action":{"type":"search","query":"q"}}`,
	"Responses: files that were searched unshown":   `{"type":"file_search_call","id":"w","status":"completed","queries":["q"],"results":null}`,
	"Responses: code whose output is unshown":       `{"type":"code_interpreter_call","id":"w","status":"completed","code":"x","outputs":null}`,
	"Responses: a page that an answer cites":        `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"t","annotations":[{"type":"url_citation","url":"https://a.example"}]}]}`,
	"Responses: a compaction":                       `{"type":"compaction","encrypted_content":"AA=="}`,
	"Responses: an item that is only named":         `{"type":"item_reference","id":"msg_1"}`,
	"Responses: an item that is named without type": `{"id":"msg_1"}`,
	"Anthropic: a compaction":                       `{"role":"assistant","content":[{"type":"compaction","content":"summary"}]}`,
	"Chat Completions: a picture":                   `{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a.example/b.png"}}]}`,
	"Chat Completions: a file":                      `{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}`,
	"Chat Completions: a sound":                     `{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AA=="}}]}`,
	"Chat Completions: a page that an answer cites": `{"role":"assistant","content":"t","annotations":[{"type":"url_citation","url_citation":{"url":"https://a.example"}}]}`,
	"Gemini: a picture":                             `{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}`,
	"Gemini: a picture in a result":                 `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{},"parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}}]}`,
	"Gemini: a file":                                `{"role":"user","parts":[{"fileData":{"fileUri":"files/x"}}]}`,
	"MCP: a resource that is no text":               `{"role":"user","content":[{"type":"tool_result","content":[{"type":"resource","resource":{"uri":"a://b","blob":"AA=="}}]}]}`,
	"MCP: a sound, deep":                            `{"role":"user","content":[{"toolResult":{"content":[{"json":{"a":[[[[{"b":{"type":"audio","data":"AA=="}}]]]]}}]}}]}`,
	"a data URL in a result":                        `{"role":"tool","tool_call_id":"t","content":"data:application/pdf;base64,AA=="}`,
}

// readable are messages that only look like those.
var readable = map[string]string{
	"Anthropic: a document of text":             `{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"t"}}]}`,
	"Anthropic: a document of blocks":           `{"role":"user","content":[{"type":"document","source":{"type":"content","content":[{"type":"text","text":"t"}]}}]}`,
	"Anthropic: a text that was fetched":        `{"role":"assistant","content":[{"type":"web_fetch_tool_result","content":{"type":"web_fetch_result","content":{"type":"document","source":{"type":"text","data":"t"}}}}]}`,
	"Anthropic: thoughts":                       `{"role":"assistant","content":[{"type":"redacted_thinking","data":"AA=="},{"type":"thinking","thinking":"t","signature":"AA=="}]}`,
	"Anthropic: tools that a search found":      `{"role":"assistant","content":[{"type":"tool_search_tool_result","content":{"type":"tool_search_tool_search_result","tool_references":[{"type":"tool_reference","tool_name":"f"}]}}]}`,
	"Bedrock: a document of text":               `{"role":"user","content":[{"document":{"format":"txt","name":"d","source":{"text":"t"}}}]}`,
	"Bedrock: a size":                           `{"role":"user","content":[{"toolResult":{"content":[{"json":{"image":{"bytes":12,"url":"u"}}}]}}]}`,
	"Responses: encrypted thoughts":             `{"type":"reasoning","summary":[],"encrypted_content":"AA=="}`,
	"Responses: files that were searched":       `{"type":"file_search_call","id":"w","status":"completed","results":[{"text":"t"}]}`,
	"Responses: a hosted MCP call":              `{"type":"mcp_call","id":"m","name":"f","arguments":"{}","output":"t"}`,
	"Responses: a hosted MCP call that failed":  `{"type":"mcp_call","id":"m","name":"f","arguments":"{}","output":null,"error":"e"}`,
	"Responses: what an MCP server lists":       `{"type":"mcp_list_tools","server_label":"s","tools":[]}`,
	"Responses: a click":                        `{"type":"computer_call","call_id":"c","action":{"type":"click","x":1,"y":2}}`,
	"Responses: a patch":                        `{"type":"apply_patch_call","call_id":"c","operation":{}}`,
	"Gemini: a member of a result":              `{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"image":{"url":"https://a.b"}}}}]}`,
	"MCP: a resource of text":                   `{"role":"user","content":[{"type":"tool_result","content":[{"type":"resource","resource":{"uri":"a://b","text":"t"}}]}]}`,
	"a word that says picture":                  `{"role":"user","content":"image"}`,
	"a result in a text that speaks of a file":  `{"role":"tool","tool_call_id":"t","content":"[{\"type\":\"file\",\"name\":\"a\"}]"}`,
	"a blob that there is none of":              `{"role":"user","content":[{"type":"tool_result","content":[{"type":"resource","resource":{"text":"t","blob":null}}]}]}`,
	"a call of the model that speaks of images": `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{"type":"image"}}]}`,
}

// bodyOf is a request with a message, in the form that the message is of.
func bodyOf(name, message string) string {
	switch name[0] {
	case 'R':
		return `{"input":[` + message + `]}`
	case 'G':
		return `{"contents":[` + message + `]}`
	}
	return `{"messages":[` + message + `]}`
}

func TestWhatIsNoTextSilencesInAllAPIsHoweverDeep(t *testing.T) {
	for silent, messages := range map[bool]map[string]string{true: unreadable, false: readable} {
		for name, message := range messages {
			ids := newIDs()
			ids.SeeRequest([]byte(bodyOf(name, message)))
			if got := flagged(ids, `{"ticket_id":"TCK-1234567"}`) == nil; got != silent {
				t.Errorf("%s: silent %v", name, got)
			}
		}
	}
}

func TestACompactionOfWhatWasSeenSilencesNothing(t *testing.T) {
	for _, item := range []string{unreadable["Responses: a compaction"], unreadable["Responses: an item that is only named"]} {
		ids := newIDs()
		ids.SeeRequest([]byte(`{"input":[{"role":"user","content":"hello"}]}`))
		ids.SeeRequest([]byte(`{"input":[` + item + `,{"role":"user","content":"and on"}]}`))
		if flagged(ids, `{"ticket_id":"TCK-1234567"}`) == nil {
			t.Errorf("%s silences", item)
		}
	}
}

func FuzzIsUnreadable(f *testing.F) {
	for _, messages := range []map[string]string{unreadable, readable} {
		for _, message := range messages {
			f.Add([]byte(message))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		ids := newIDs()
		ids.SeeRequest([]byte(`{"messages":[` + string(raw) + `]}`))
		deeper := append(append([]byte(`[{"a":`), raw...), `}]`...)
		if json.Valid(raw) && activation.IsUnreadable(raw) != activation.IsUnreadable(deeper) {
			t.Error("told another thing of a message that stands deeper")
		}
	})
}
