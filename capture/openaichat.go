package capture

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// openAIChatFormat is conversations as lists of OpenAI messages.
func openAIChatFormat() Format {
	return Format{
		Name:       "openai-chat",
		About:      "conversations as lists of OpenAI messages, one a line or one array; --tools gives the definitions",
		TakesTools: true,
		Sniff:      sniffOpenAIChat,
		Read:       readOpenAIChat,
	}
}

// sniffOpenAIChat recognises objects with messages (trajectories) and arrays of messages or of such objects.
func sniffOpenAIChat(head []byte) bool {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if rest, ok := bytes.CutPrefix(head, []byte("[")); ok {
		o := headObject(bytes.TrimSpace(rest))
		return isTrajectory(o) || isMessage(o)
	}
	return isTrajectory(headObject(head))
}

func isTrajectory(o headFields) bool {
	return o.Has("messages") && !o.Has("response") && !o.Has("request") && o["messages"].Kind() != '{'
}

func isMessage(o headFields) bool {
	switch o.String("role") {
	case "system", "developer", "user", "assistant", "tool":
		return o.Has("content") || o.Has("tool_calls")
	}
	return false
}

func readOpenAIChat(ctx context.Context, src *Source, emit Emit) error {
	r, err := newChatReader(ctx, src, emit)
	if err != nil {
		return err
	}
	if chatLines(src) {
		return src.Lines(func(_ int, line []byte) error { return r.value(line) })
	}
	return r.values(src.Reader())
}

// chatLines reports whether the input is one object a line, and not one array or objects over several lines.
func chatLines(src *Source) bool {
	b, ok := src.Reader().(*bufio.Reader)
	if !ok {
		return true
	}
	head, _ := b.Peek(HeadBytes)
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if bytes.HasPrefix(head, []byte("[")) {
		return false
	}
	first, _, more := bytes.Cut(head, []byte("\n"))
	return !more || jsontext.Value(first).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) || len(first) > 4096
}

// chatReader turns trajectories into events.
type chatReader struct {
	ctx  context.Context
	src  *Source
	emit Emit
	// tools are those of --tools, in force where a trajectory has none of its own.
	tools *chatTools
	// sent remembers the rosters and definitions that were sent.
	sent *recentSet
}

func newChatReader(ctx context.Context, src *Source, emit Emit) (*chatReader, error) {
	r := &chatReader{ctx: ctx, src: src, emit: emit, sent: newRecentSet(maxDefinitions)}
	var err error
	r.tools, err = loadTools(src)
	return r, err
}

// definitionList reads a list of definitions, or an object with one under tools or result.tools as an MCP server answers it.
func definitionList(raw []byte) ([]jsontext.Value, error) {
	raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	whole := raw
	if bytes.HasPrefix(raw, []byte("{")) {
		var o struct {
			Tools  jsontext.Value `json:"tools"`
			Result struct {
				Tools jsontext.Value `json:"tools"`
			} `json:"result"`
		}
		if err := json.Unmarshal(raw, &o); err != nil {
			return nil, errors.New(jsonReason(err))
		}
		raw = o.Tools
		if len(raw) == 0 {
			raw = o.Result.Tools
		}
		if len(raw) == 0 {
			return nil, errors.New("want a list of tools, or an object with one under tools or result.tools; this object has " + keysOf(headObject(whole)))
		}
	}
	var list []jsontext.Value
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errors.New("want a list of tools: " + jsonReason(err))
	}
	return flatten(list), nil
}

// flatten takes lists of function declarations, as Gemini has them, apart.
func flatten(list []jsontext.Value) []jsontext.Value {
	var all []jsontext.Value
	for _, v := range list {
		var g struct {
			Snake []jsontext.Value `json:"function_declarations"`
			Camel []jsontext.Value `json:"functionDeclarations"`
		}
		if json.Unmarshal(v, &g) == nil && len(g.Snake)+len(g.Camel) > 0 {
			all = append(append(all, g.Snake...), g.Camel...)
			continue
		}
		all = append(all, v)
	}
	return all
}

// values reads one array, or objects one after the other.
func (r *chatReader) values(in io.Reader) error {
	limit := r.src.Options.MaxLineBytes
	if limit <= 0 {
		limit = DefaultMaxLineBytes
	}
	dec := jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var inOne *conversation
	for {
		kind := dec.PeekKind()
		if kind == '[' && dec.StackDepth() == 0 || kind == ']' && dec.StackDepth() == 1 {
			if _, err := dec.ReadToken(); err != nil {
				return r.broken(err)
			}
			continue
		}
		v, err := dec.ReadValue()
		switch {
		case errors.Is(err, io.EOF):
			return r.end(inOne)
		case err != nil:
			return errors.Join(r.broken(err), r.end(inOne))
		case len(v) > limit:
			err = badLine("a value of %d bytes, at most %d", len(v), limit)
		case dec.StackDepth() == 1 && isMessage(headObject(v)):
			inOne, err = r.message(inOne, v)
		default:
			err = r.value(v)
		}
		if err = r.settle(err); err != nil {
			return err
		}
	}
}

// settle makes a problem of what is the fault of one value.
func (r *chatReader) settle(err error) error {
	var bad *LineError
	if errors.As(err, &bad) {
		return r.src.Problem(0, bad.Reason)
	}
	return err
}

// broken reports that the rest of the input can't be read.
func (r *chatReader) broken(err error) error { return r.src.Problem(0, jsonReason(err)) }

// trajectory is one conversation.
type trajectory struct {
	TaskID         jsontext.Value   `json:"task_id"`
	Trial          jsontext.Value   `json:"trial"`
	ID             jsontext.Value   `json:"id"`
	ConversationID string           `json:"conversation_id"`
	SessionID      string           `json:"session_id"`
	Model          string           `json:"model"`
	Messages       []jsontext.Value `json:"messages"`
	Tools          []jsontext.Value `json:"tools"`
}

// value reads one trajectory.
func (r *chatReader) value(v []byte) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	var t trajectory
	if err := json.Unmarshal(v, &t, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return badLine("not a conversation: %s", jsonReason(err))
	}
	if t.Messages == nil {
		return badLine("not a conversation: no messages")
	}
	tools := r.tools
	if len(t.Tools) > 0 {
		var err error
		if tools, err = newChatTools(r.src.Options.Digester, flatten(t.Tools)); err != nil {
			return badLine("tools: %s", err)
		}
	}
	c, err := r.conversation(t.id(r.src.Options.Digester.Full(v)), t.Model, tools)
	if err != nil {
		return err
	}
	for _, m := range t.Messages {
		if err := c.message(m); err != nil {
			return err
		}
	}
	return c.end()
}

// id returns the conversation's own id, or its task and trial with the start of the content's digest, since several runs of the
// same tasks are several conversations.
func (t *trajectory) id(digest string) string {
	for _, s := range []string{t.ConversationID, t.SessionID, plain(t.ID)} {
		if s != "" {
			return s
		}
	}
	parts := []string{plain(t.TaskID), plain(t.Trial), digest[:8]}
	var all []string
	for _, p := range parts {
		if p != "" {
			all = append(all, p)
		}
	}
	return strings.Join(all, "-")
}

// plain returns a string or number as text, and "" for anything else.
func plain(v jsontext.Value) string {
	switch v.Kind() {
	case '0':
		return string(v)
	case '"':
		s, err := jsontext.AppendUnquote(nil, v)
		if err == nil {
			return string(s)
		}
	}
	return ""
}
