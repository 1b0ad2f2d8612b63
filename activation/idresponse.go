package activation

import (
	"hash/maphash"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// SeeMessage remembers one message of a request, or one item of a list of input, as [IDs.SeeRequest] does with all of them.
func (t *IDs) SeeMessage(raw []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seeMessage(raw)
}

// SeeResponse remembers what tools that the provider runs (search, MCP servers, code) gave the model in an answer, and learns from it; the
// model's own words stay out. It is to be called with each answer before its calls are checked: such a result comes before the calls in the same
// answer, and may never be sent again. Body is the raw JSON of the answer of any API that SeeRequest knows: an object, or Gemini's list of them; of a stream it is
// what the parts come to, for OpenAI the last event. Where results are not shown, or not as text, it ends flags as [IDs.Blind] does, and so does a body
// that is none of these. An agent whose requests offer no such tool need not call it; where one does, nothing is flagged between a request and its answer.
func (t *IDs) SeeResponse(body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blind {
		return
	}
	if !eachElement(body, t.seeAnswer) && !eachMember(body, func(string, jsontext.Value) {}) {
		t.goBlind()
		return
	}
	t.seeAnswer(body)
	t.unheard = false
}

// seeAnswer takes an answer, and what of it are messages: Anthropic's is one itself.
func (t *IDs) seeAnswer(body jsontext.Value) {
	eachMember(body, func(name string, v jsontext.Value) {
		switch name {
		case "content":
			t.seeWithin(message{content: v})
		case "response": // of OpenAI's last event
			t.seeAnswer(v)
		case "choices":
			eachElement(v, func(c jsontext.Value) { t.seeWithin(messageOf(memberOf(c, "message"))) })
		case "candidates":
			eachElement(v, t.seeCandidate)
		case "output":
			if !eachElement(v, t.seeMessage) {
				t.seeWithin(messageOf(memberOf(v, "message")))
			}
		}
	})
}

// seeCandidate takes one of Gemini's answers. Pages and files that it read are named in it and not shown.
func (t *IDs) seeCandidate(c jsontext.Value) {
	eachMember(c, func(name string, v jsontext.Value) {
		switch name {
		case "content":
			t.seeWithin(messageOf(v))
		case "groundingMetadata", "grounding_metadata", "urlContextMetadata", "url_context_metadata":
			eachMember(v, func(string, jsontext.Value) { t.goBlind() })
		}
	})
}

// providerTools is what a request says of tools that the provider runs.
type providerTools struct {
	// hosted says that there are some, lost that their results are in no later request, goes on that the request names an earlier answer
	// in the place of sending what is in it.
	hosted, lost, goesOn bool
}

// hear takes the next request: what no SeeResponse told and no request will is not known. The same body again is another attempt.
func (t *IDs) hear(body []byte, now providerTools) {
	key := maphash.Bytes(t.seed, body)
	if key == t.lastBody {
		return
	}
	t.lastBody = key
	if t.unheard && (t.offered.lost || now.goesOn) {
		t.goBlind()
	}
	t.offered, t.unheard = now, now.hosted
}

// seeOffer notes what a member of a request says of tools that the provider runs.
func (o *providerTools) seeOffer(name string, v jsontext.Value) {
	switch name {
	case "tools":
		eachElement(v, o.seeTool)
	case "toolConfig", "tool_config":
		eachElement(memberOf(v, "tools"), o.seeTool)
	case "mcp_servers":
		eachElement(v, func(jsontext.Value) { o.hosted = true })
	case "web_search_options":
		if v.Kind() == jsontext.KindBeginObject {
			o.hosted, o.lost = true, true
		}
	case "previous_response_id", "conversation":
		o.goesOn = o.goesOn || v.Kind() != jsontext.KindNull
	case "input":
		eachElement(v, func(item jsontext.Value) {
			m := messageOf(item)
			o.goesOn = o.goesOn || m.isElsewhere()
		})
	}
}

// seeTool notes one tool: OpenAI's and Anthropic's tell by their type who runs them, Gemini's and Bedrock's by a member's name.
func (o *providerTools) seeTool(tool jsontext.Value) {
	kind, hosted, gemini, remote := "", false, false, false
	eachMember(tool, func(name string, v jsontext.Value) {
		switch name {
		case "type":
			kind = textOf(v)
		case "environment":
			remote = textOf(memberOf(v, "type")) != "local"
		case "systemTool":
			hosted = true
		case "googleSearch", "google_search", "googleSearchRetrieval", "google_search_retrieval", "urlContext", "url_context", "codeExecution",
			"code_execution", "fileSearch", "file_search", "googleMaps", "google_maps", "enterpriseWebSearch", "enterprise_web_search", "retrieval", "mcpServers":
			gemini = v.Kind() == jsontext.KindBeginObject || v.Kind() == jsontext.KindBeginArray
		}
	})
	if kind == "" {
		o.hosted, o.lost = o.hosted || hosted || gemini, o.lost || gemini
		return
	}
	o.hosted = o.hosted || !runsInAgent(kind) || kind == "shell" && remote
}

// agentsTools are the types, or their beginnings, of tools that the agent runs, and of the search for tools, which gives what the request has.
var agentsTools = []string{
	"function", "custom", "namespace", "computer", "local_shell", "shell", "apply_patch", "tool_search", "bash_", "text_editor_", "memory_",
}

func runsInAgent(kind string) bool {
	for _, beginning := range agentsTools {
		if strings.HasPrefix(kind, beginning) {
			return true
		}
	}
	return false
}

// memberOf returns a member of an object; nil where there is none.
func memberOf(raw jsontext.Value, name string) (found jsontext.Value) {
	eachMember(raw, func(n string, v jsontext.Value) {
		if n == name {
			found = v
		}
	})
	return found
}
