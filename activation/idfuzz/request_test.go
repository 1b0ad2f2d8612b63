package idfuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

// requests are one conversation in the form of each API. The system names card 1000001, a definition 1000002, the user 1000003, a result
// 1000004 and two ids of one shape; the model itself wrote 2000001 and called with 2000002.
var requests = map[string]string{
	"Anthropic": `{"model":"m","max_tokens":100000,"system":[{"type":"text","text":"card_1000001"}],"tools":[{"name":"pay","input_schema":{"default":"card_1000002"}}],"messages":[
		{"role":"user","content":"card_1000003"},{"role":"assistant","content":[{"type":"text","text":"card_2000001"},{"type":"tool_use","id":"t","name":"f","input":{"id":"card_2000002"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"[{\"id\":\"card_1000004\"},{\"id\":\"AB1C2D\"},{\"id\":\"XY9Z8W\"}]"}]}]}]}`,
	"Chat Completions": `{"model":"m","tools":[{"type":"function","function":{"name":"pay","parameters":{"default":"card_1000002"}}}],"messages":[
		{"role":"system","content":"card_1000001"},{"role":"user","content":[{"type":"text","text":"card_1000003"}]},
		{"role":"assistant","content":"card_2000001","tool_calls":[{"id":"t","function":{"name":"f","arguments":"{\"id\":\"card_2000002\"}"}}]},
		{"role":"tool","tool_call_id":"t","content":"[{\"id\":\"card_1000004\"},{\"id\":\"AB1C2D\"},{\"id\":\"XY9Z8W\"}]"}]}`,
	"Responses": `{"model":"m","instructions":"card_1000001","tools":[{"type":"function","name":"pay","parameters":{"default":"card_1000002"}}],"input":[
		{"role":"user","content":"card_1000003"},{"type":"reasoning","summary":[{"text":"card_2000001"}]},{"type":"message","role":"assistant","content":[{"text":"card_2000001"}]},
		{"type":"function_call","call_id":"t","name":"f","arguments":"{\"id\":\"card_2000002\"}"},
		{"type":"function_call_output","call_id":"t","output":"[{\"id\":\"card_1000004\"},{\"id\":\"AB1C2D\"},{\"id\":\"XY9Z8W\"}]"}]}`,
	"Gemini": `{"systemInstruction":{"parts":[{"text":"card_1000001"}]},"tools":[{"functionDeclarations":[{"name":"pay","parameters":{"default":"card_1000002"}}]}],"contents":[
		{"role":"user","parts":[{"text":"card_1000003"}]},{"role":"model","parts":[{"text":"card_2000001"},{"functionCall":{"name":"f","args":{"id":"card_2000002"}}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":[{"id":"card_1000004"},{"id":"AB1C2D"},{"id":"XY9Z8W"}]}}}]}]}`,
	"Bedrock": `{"system":[{"text":"card_1000001"}],"toolConfig":{"tools":[{"toolSpec":{"name":"pay","inputSchema":{"json":{"default":"card_1000002"}}}}]},"messages":[
		{"role":"user","content":[{"text":"card_1000003"}]},{"role":"assistant","content":[{"text":"card_2000001"},{"toolUse":{"toolUseId":"t","name":"f","input":{"id":"card_2000002"}}}]},
		{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"json":{"all":[{"id":"card_1000004"},{"id":"AB1C2D"},{"id":"XY9Z8W"}]}}]}}]}]}`,
}

func TestOfARequestAllIsSeenButWhatTheModelSaid(t *testing.T) {
	for api, body := range requests {
		ids := newIDs()
		ids.SeeRequest([]byte(body))
		ids.SeeRequest([]byte(body))
		for id, want := range map[string]string{
			"card_1000001": "", "card_1000002": "", "card_1000003": "", "card_1000004": "", "AB1C2D": "",
			"card_2000001": "card_2000001", "card_2000002": "card_2000002", "QQ7R8S": "QQ7R8S",
		} {
			if got := strings.Join(flagged(ids, `{"card_id":"`+id+`"}`), " "); got != want {
				t.Errorf("%s: %s: flagged %q", api, id, got)
			}
		}
	}
}

func TestWhatARequestDoesNotShowSilences(t *testing.T) {
	for name, tt := range map[string]struct {
		body   string
		silent bool
	}{
		"a text":                     {`{"messages":[{"role":"user","content":"hello"}]}`, false},
		"a text alone":               {`{"input":"hello"}`, false},
		"a picture":                  {`{"messages":[{"role":"user","content":[{"type":"image","source":{}}]}]}`, true},
		"a picture in a result":      {`{"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"image"}]}]}]}`, true},
		"a file":                     {`{"input":[{"role":"user","content":[{"type":"input_file","file_id":"x"}]}]}`, true},
		"a cache":                    {`{"cachedContent":"cachedContents/x","contents":[]}`, true},
		"a stored prompt":            {`{"prompt":{"id":"pmpt_1"},"input":"hello"}`, true},
		"an answer from before":      {`{"previous_response_id":"resp_1","input":"hello"}`, true},
		"no answer from before":      {`{"previous_response_id":null,"input":"hello"}`, false},
		"a conversation kept there":  {`{"conversation":{"id":"conv_1"},"input":"hello"}`, true},
		"a body that breaks off":     {`{"messages":[{"role":"user"`, true},
		"a body that is no object":   {`[]`, true},
		"no body":                    {``, true},
		"a word that says picture":   {`{"messages":[{"role":"user","content":"image"}]}`, false},
		"a result that the API made": {`{"messages":[{"role":"assistant","content":[{"type":"web_search_tool_result","content":[{"title":"card_5634230"}]}]}]}`, true},
	} {
		ids := newIDs()
		ids.SeeRequest([]byte(tt.body))
		if got := flagged(ids, `{"card_id":"card_5634230"}`) == nil; got != tt.silent {
			t.Errorf("%s: silent %v", name, got)
		}
	}
	ids := newIDs()
	ids.SeeRequest([]byte(`{"input":"hello"}`))
	ids.SeeRequest([]byte(`{"previous_response_id":"resp_1","input":"and on"}`))
	if flagged(ids, `{"card_id":"card_5634230"}`) == nil {
		t.Error("an answer to a request that was seen silences")
	}
}

func TestATrackerThatIsFullIsSilentAndGivesItsMemoryBack(t *testing.T) {
	s := activation.DefaultIDSettings()
	s.MaxSeen = 1000
	ids := activation.NewIDs(events.Digester{}, s)
	for i := range 100 {
		ids.SeeRequest(fmt.Appendf(nil, `{"messages":[{"role":"user","content":"word%d id_%d9999 and id_%d8888"}]}`, i, i, i))
		ids.Learn(fmt.Sprintf(`[{"id":"AB%03dC"},{"id":"XY%03dZ"}]`, i, i))
	}
	if got := ids.Check([]byte(`{"id":"id_19999"}`)); got != nil {
		t.Errorf("flagged %+v", got)
	}
	for i := range 1000 {
		ids.See(fmt.Sprintf("id_%d7777", i))
	}
	if got := ids.Check([]byte(`{"id":"never_77777"}`)); got != nil {
		t.Errorf("flagged %+v", got)
	}
}

// call is a call in a message of Chat Completions or Anthropic.
type call struct {
	Type     string          `json:"type"`
	Input    json.RawMessage `json:"input"`
	Function struct {
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// callsIn returns the arguments of the calls in a message.
func callsIn(message json.RawMessage) (all []string) {
	var m struct {
		ToolCalls []call          `json:"tool_calls"`
		Content   json.RawMessage `json:"content"`
	}
	if json.Unmarshal(message, &m) != nil {
		return nil
	}
	var blocks []call
	_ = json.Unmarshal(m.Content, &blocks) // text is no list
	for _, c := range append(m.ToolCalls, blocks...) {
		raw, text := c.Function.Arguments, ""
		if c.Type == "tool_use" {
			raw = c.Input
		}
		if json.Unmarshal(raw, &text) == nil {
			raw = json.RawMessage(text)
		}
		if len(raw) > 0 {
			all = append(all, string(raw))
		}
	}
	return all
}

// replay goes through a request's messages as an agent does that sent one request for each answer, and returns what is flagged.
func replay(t *testing.T, request map[string]json.RawMessage) (calls int, all []string) {
	t.Helper()
	var messages []json.RawMessage
	if json.Unmarshal(request["messages"], &messages) != nil {
		return 0, nil
	}
	ids := newIDs()
	for i, m := range messages {
		arguments := callsIn(m)
		if len(arguments) == 0 {
			continue
		}
		request["messages"], _ = json.Marshal(messages[:i])
		body, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		ids.SeeRequest(body)
		for _, a := range arguments {
			calls++
			all = append(all, flagged(ids, a)...)
		}
	}
	return calls, all
}

func TestRecordedConversationsReplayedAsRequestsHaveTheirTwoMadeUpIDs(t *testing.T) {
	tools, err := os.ReadFile(eventstest.SharedFile(t, "airline-tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(eventstest.SharedFile(t, "airline-trajectories.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	calls, flags := 0, map[string]int{}
	for line := range bytes.Lines(raw) {
		var in map[string]json.RawMessage
		if err := json.Unmarshal(line, &in); err != nil {
			t.Fatal(err)
		}
		n, found := replay(t, map[string]json.RawMessage{"tools": tools, "messages": in["messages"]})
		calls += n
		for _, id := range found {
			flags[id]++
		}
	}
	if calls != 621 || len(flags) != 1 || flags["credit_card_5634230"] != 2 {
		t.Errorf("%d calls, flags %v", calls, flags)
	}
}

func TestRecordedExchangesReplayedAsRequestsHaveNoMadeUpID(t *testing.T) {
	raw, err := os.ReadFile(eventstest.SharedFile(t, "llm-exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for line := range bytes.Lines(raw) {
		var in struct {
			Conversation string `json:"conversation"`
			Exchanges    []struct {
				Request map[string]json.RawMessage `json:"request"`
			} `json:"exchanges"`
		}
		if err := json.Unmarshal(line, &in); err != nil {
			t.Fatal(err)
		}
		for _, x := range in.Exchanges {
			n, found := replay(t, x.Request)
			if calls += n; found != nil {
				t.Errorf("%s: flagged %q", in.Conversation, found)
			}
		}
	}
	if calls == 0 {
		t.Error("no calls")
	}
}

func FuzzSeeRequest(f *testing.F) {
	for _, body := range requests {
		f.Add([]byte(body), `{"card_id":"card_5634230"}`)
	}
	f.Add([]byte(`{"messages":[{"content":[{"type":"x_result","content":{"a":[1]}}]}],"input":{}}`), `[]`)
	f.Fuzz(func(t *testing.T, body []byte, args string) {
		before := bytes.Clone(body)
		ids := newIDs()
		ids.SeeRequest(body)
		ids.SeeRequest(body)
		for _, m := range ids.Check([]byte(args)) {
			if strings.Contains(m.Path+"/", "/"+m.Value+"/") {
				t.Errorf("the place %q has the value %q", m.Path, m.Value)
			}
		}
		if !bytes.Equal(body, before) {
			t.Error("the body was changed")
		}
	})
}
