package capture

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// turn is one exchange on its way to events.
type turn struct {
	r      *exchangeReader
	c      *exchangeConversation
	m      *mind
	body   jsontext.Value
	req    *prefix.Request
	answer *answer
	start  time.Time
	end    time.Time
	// key tells this request from others of its conversation, whatever the file around it.
	key     string
	context events.Context
	calls   int
	loads   int
	// came are the tools that the last request of the conversation did not offer, results what the new results say, told the tools
	// that a message said were loaded.
	came    []string
	results []string
	told    map[string]bool
	// replays says that the request tells the history in other words than the last one, as when another provider takes over.
	replays bool
}

// about fills what all events of the exchange say.
func (t *turn) about(x *exchange) {
	t.key = t.r.src.Options.Digester.Short(t.body)
	model := t.req.Model
	if model == "" {
		model = prefix.ModelOfPath(x.path)
	}
	if model == "" {
		model = t.answer.model
	}
	t.context = events.Context{
		AgentName: x.agent, ConversationID: t.c.id, Turn: t.c.turn, RequestID: x.requestID, ProviderName: t.req.Provider,
		RequestModel: trimModel(model), TraceID: x.traceID,
	}
	if t.context.RequestID == "" {
		t.context.RequestID = t.answer.id
	}
}

// trimModel drops Gemini's resource name before a model.
func trimModel(model string) string {
	const resource = "models/"
	if len(model) > len(resource) && model[:len(resource)] == resource {
		return model[len(resource):]
	}
	return model
}

// read sends the events of the exchange: the tools, what the new messages say and loaded, the request, what the
// answer says.
func (t *turn) read(x *exchange) error {
	if err := t.tools(); err != nil {
		return err
	}
	if err := t.history(); err != nil {
		return err
	}
	if err := t.loadedByResults(); err != nil {
		return err
	}
	if err := t.request(x); err != nil {
		return err
	}
	return t.reply()
}

// tools puts the request's tools in force. Gemini may keep them in an explicit cache, where they are not seen.
func (t *turn) tools() error {
	if t.req.CachedContent != "" {
		return nil
	}
	l := t.r.offered(t.req.RawTools)
	if t.c.tools != nil && t.c.tools.key == l.key {
		return nil
	}
	t.came = l.missingIn(t.c.tools)
	t.c.tools = l
	t.m.state.SetRoster(l.index)
	t.m.seeTools(l)
	return t.r.sendTools(t.c, t.start, t.context)
}

// request sends the request's own event.
func (t *turn) request(x *exchange) error {
	a, q := t.answer, t.req
	p := &events.RequestPrefix{
		Context: t.context, Tools: q.Tools, System: q.System, Params: q.Params, Breakpoints: q.Breakpoints,
		ToolsKnown: q.CachedContent == "", SystemKnown: q.CachedContent == "", MessagesKnown: q.PreviousResponseID == "",
		ProviderDiagnosis: a.diagnosis, Status: a.status(x.status), HTTPStatus: x.status, ErrorType: a.errorType,
		ResponseModel: a.model, ResponseID: a.id, FinishReason: a.finish, StartTime: t.start, EndTime: t.end,
		StatedCostUSD: x.cost,
	}
	var list prefix.Messages
	for _, d := range q.Messages {
		list.Append(d)
	}
	p.Messages = list.List()
	if t.c.tools != nil && len(t.c.tools.known) > 0 {
		p.RosterDigest = t.c.tools.roster.RosterDigest
	}
	a.usage.split(q.Breakpoints)
	a.usage.Set(p)
	return t.r.send(t.r.src.Event(t.start, p, decimal(t.c.turn), t.key))
}

// history takes the messages that the conversation did not have before: results, tools that were loaded, and what the model
// reads for the first time.
func (t *turn) history() error {
	t.meet()
	known := commonPrefix(t.m.messages, t.req.Messages)
	t.replays = known < len(t.m.messages)
	newSystem := commonPrefix(t.m.system, t.req.System) < len(t.req.System)
	t.m.messages, t.m.system = t.req.Messages, t.req.System
	var err error
	members(t.body, func(name string, v jsontext.Value) {
		switch name {
		case "system", "instructions", "systemInstruction", "system_instruction":
			if newSystem {
				t.m.see(v)
			}
		case "messages", "contents", "input":
			if err != nil {
				return
			}
			err = t.messages(v, known, newSystem)
		}
	})
	return err
}

// messages takes the messages from the first that is not known.
func (t *turn) messages(list jsontext.Value, known int, newSystem bool) error {
	var all []jsontext.Value
	if !elements(list, func(v jsontext.Value) { all = append(all, v) }) {
		all = []jsontext.Value{list}
	}
	lead := max(len(all)-len(t.req.Messages), 0)
	for i, raw := range all {
		if i < lead && !newSystem || i >= lead && i-lead < known {
			continue
		}
		if err := t.message(raw); err != nil {
			return err
		}
	}
	return nil
}

// message takes one message that is new.
func (t *turn) message(raw jsontext.Value) error {
	var s steps
	s.message(raw)
	t.m.ids.SeeMessage(raw)
	for _, st := range s {
		var err error
		switch {
		case st.result != nil:
			t.m.ids.Learn(st.result.text)
			t.results = append(t.results, st.result.text)
			err = t.settle(st.result)
		case st.load != nil && !t.repeats(st.load):
			err = t.load(st.load)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// commonPrefix is how many entries two lists begin with alike.
func commonPrefix(a, b []string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
