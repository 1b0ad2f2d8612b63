package capture

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// chatStart is when the conversations of a file are taken to start: nothing in it says. Messages follow a millisecond apart.
func chatStart(src *Source) time.Time {
	if src.ModTime.IsZero() {
		return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return src.ModTime.UTC().Truncate(time.Millisecond).Add(-time.Hour)
}

// chatMessage is one OpenAI message.
type chatMessage struct {
	Role         string         `json:"role"`
	Content      jsontext.Value `json:"content"`
	ToolCalls    []chatCall     `json:"tool_calls"`
	FunctionCall *chatFunction  `json:"function_call"`
	ToolCallID   string         `json:"tool_call_id"`
	Model        string         `json:"model"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// conversation turns the messages of one conversation into events, in their order.
type conversation struct {
	r       *chatReader
	id      string
	model   string
	tools   *chatTools
	state   *activation.State
	ids     *activation.IDs
	at      time.Time
	turn    int64
	calls   int
	system  []string
	history prefix.Messages
	// waiting are calls without a result yet, in the order of the calls.
	waiting []*chatWaiting
	// failed counts the failed tries in a row, by tool.
	failed map[string]int64
}

// chatWaiting is a call that waits for its result.
type chatWaiting struct {
	call *events.ToolCall
	at   time.Time
	n    int
}

// conversation starts one.
func (r *chatReader) conversation(id, model string, tools *chatTools) (*conversation, error) {
	if err := r.sendTools(tools); err != nil {
		return nil, err
	}
	settings := activation.DefaultIDSettings()
	settings.IncludeValues = r.src.Options.IncludeValues
	c := &conversation{
		r: r, id: id, model: model, tools: tools, at: chatStart(r.src),
		state:  activation.NewState(nil),
		ids:    activation.NewIDs(r.src.Options.Digester, settings),
		failed: map[string]int64{},
	}
	if tools != nil {
		c.state.SetRoster(tools.index)
		for _, text := range tools.text {
			c.ids.See(text)
		}
	}
	return c, nil
}

// message starts or goes on with the one conversation that an array of messages is.
func (r *chatReader) message(c *conversation, v jsontext.Value) (*conversation, error) {
	if err := r.ctx.Err(); err != nil {
		return c, err
	}
	if c == nil {
		var err error
		if c, err = r.conversation("array-"+r.src.Options.Digester.Full(v)[:8], "", r.tools); err != nil {
			return nil, err
		}
	}
	return c, c.message(v)
}

// end ends a conversation that may be none.
func (r *chatReader) end(c *conversation) error {
	if c == nil {
		return nil
	}
	return r.settle(c.end())
}

// message takes the next message.
func (c *conversation) message(raw jsontext.Value) error {
	var m chatMessage
	if err := json.Unmarshal(raw, &m, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return badLine("not a message: %s", jsonReason(err))
	}
	c.at = c.at.Add(time.Millisecond)
	if m.Role == "assistant" {
		if err := c.answer(&m); err != nil {
			return err
		}
	} else if err := c.input(&m); err != nil {
		return err
	}
	digest := c.r.src.Options.Digester.Short(raw)
	if c.history.Len() == 0 && (m.Role == "system" || m.Role == "developer") {
		c.system = append(c.system, digest)
		return nil
	}
	c.history.Append(digest)
	return nil
}

// input takes what the model reads: a result, or a message of the user or system.
func (c *conversation) input(m *chatMessage) error {
	text := contentText(m.Content)
	if activation.IsUnreadable(m.Content) {
		c.ids.Blind()
	}
	if m.Role == "tool" || m.Role == "function" {
		err := c.result(m.ToolCallID, text)
		c.ids.Learn(text)
		return err
	}
	c.ids.See(text)
	if m.Role == "user" {
		clear(c.failed)
	}
	return nil
}

// answer takes a message of the model: one request, and the calls in it.
func (c *conversation) answer(m *chatMessage) error {
	c.turn++
	if m.Model != "" {
		c.model = m.Model
	}
	if err := c.request(); err != nil {
		return err
	}
	c.state.Step()
	calls := m.ToolCalls
	if m.FunctionCall != nil {
		calls = append(calls, chatCall{Function: *m.FunctionCall})
	}
	for _, call := range calls {
		c.call(call)
	}
	return nil
}

func (c *conversation) context() events.Context {
	return events.Context{ConversationID: c.id, Turn: c.turn, RequestModel: c.model}
}

// request says the request whose answer the message is. The file says nothing of usage.
func (c *conversation) request() error {
	p := &events.RequestPrefix{
		Context:       c.context(),
		System:        c.system,
		SystemKnown:   true,
		Messages:      c.history.List(),
		MessagesKnown: true,
		Status:        events.StatusOK,
		StartTime:     c.at,
	}
	if c.tools != nil {
		p.Tools, p.ToolsKnown, p.RosterDigest = c.tools.prefix, true, c.tools.roster.RosterDigest
	}
	return c.send(c.at, p, "request", strconv.FormatInt(c.turn, 10))
}

func (c *conversation) send(at time.Time, data events.Data, parts ...string) error {
	return emitChecked(c.r.src.Event(at, data, parts...), c.r.emit)
}

// contentText returns the text of a message, whether it is a string or a list of parts.
func contentText(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return plain(v)
	case '[':
		var parts []struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(v, &parts) != nil {
			return string(v)
		}
		var all []string
		for _, p := range parts {
			all = append(all, p.Text)
		}
		return strings.Join(all, "\n")
	case 'n', jsontext.KindInvalid:
		return ""
	}
	return string(v)
}
