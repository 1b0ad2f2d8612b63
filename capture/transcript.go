package capture

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// transcript follows one conversation of an agent's session file, whose lines are messages and not requests: each answer
// of the model stands for a request of all messages before it. Tools and system prompt are not in such a file.
type transcript struct {
	src    *Source
	about  events.Context
	says   prefix.Messages
	places places
	turn   int64
	open   map[string]*openCall
	tries  map[string]int64
	ids    *activation.IDs
	// tools are those of --tools, and state looks names up in them; both are nil where there are none.
	tools *chatTools
	state *activation.State
}

// openCall is a call whose result has not come yet.
type openCall struct {
	call *events.ToolCall
	at   time.Time
}

// maxOpenCalls bounds the calls of one conversation that wait for a result.
const maxOpenCalls = 4096

func newTranscript(src *Source, about events.Context) *transcript {
	ids := activation.DefaultIDSettings()
	ids.IncludeValues = src.Options.IncludeValues
	return &transcript{
		src: src, about: about, open: map[string]*openCall{}, tries: map[string]int64{},
		ids: activation.NewIDs(src.Options.Digester, ids),
	}
}

// say appends a message: its role, and its content as it stands in the file.
func (t *transcript) say(role string, content []byte) {
	t.says.Append(t.digest(role, content))
}

func (t *transcript) digest(role string, content []byte) string {
	buf := make([]byte, 0, len(role)+1+len(content))
	buf = append(append(append(buf, role...), '\n'), content...)
	return t.src.Options.Digester.Short(buf)
}

// request returns the request that an answer stands for, before the answer itself is said.
func (t *transcript) request() *events.RequestPrefix {
	t.turn++
	r := &events.RequestPrefix{Context: t.about, Messages: t.says.List(), MessagesKnown: true}
	r.Turn = t.turn
	return r
}

// call opens a call that the model made in the answer to r, which made calls in all.
func (t *transcript) call(r *events.RequestPrefix, at time.Time, id, name string, args jsontext.Value, calls int) {
	if len(t.open) >= maxOpenCalls {
		t.end()
	}
	c := &events.ToolCall{
		Context: r.Context, ToolCallID: id, ToolName: name, ArgumentShape: drift.Shape(args),
		ArgumentsDigest: argumentsDigest(t.src.Options.Digester, args),
		MadeUpIDs:       t.ids.CheckCall(name, args),
	}
	c.Server, c.ResolvedName = splitMCP(name)
	if t.src.Options.IncludeValues && args.Kind() == '{' {
		c.Arguments = args.Clone()
	}
	t.judge(c, args)
	if t.open[id] != nil {
		t.src.unfinished++
	}
	t.open[id] = &openCall{call: c, at: at}
	t.share(c, r, calls)
}

// end counts the calls whose result did not come: whether they ran is not known, and nothing is said of them.
func (t *transcript) end() {
	t.src.unfinished += len(t.open)
	clear(t.open)
}

// share gives a call its part of what the request used.
func (t *transcript) share(c *events.ToolCall, r *events.RequestPrefix, calls int) {
	if n := int64(calls); n > 0 && r.OutputTokens.Known {
		input := r.UncachedInputTokens.N + r.CacheReadInputTokens.N + r.CacheWrite5mInputTokens.N + r.CacheWrite1hInputTokens.N
		c.InputTokens, c.OutputTokens = events.Tokens(input/n), events.Tokens(r.OutputTokens.N/n)
	}
}

// result ends a call and returns its event; nil when no such call is open.
func (t *transcript) result(id string, at time.Time, failed bool, text string) *events.Event {
	o := t.open[id]
	if o == nil {
		return nil
	}
	delete(t.open, id)
	c := o.call
	c.Outcome = events.OutcomeOK
	if failed {
		c.Outcome, c.ErrorType = failure(text)
	}
	if c.ErrorType == errNoSuchTool && (c.Resolution == "" || c.Resolution == events.ResolvedOK) {
		c.Resolution, c.ResolutionHow = events.ResolvedUnknown, "agent_said_so"
	}
	t.ids.Learn(text)
	t.number(c)
	if at.After(o.at) && !o.at.IsZero() {
		c.DurationSeconds = at.Sub(o.at).Seconds()
	}
	return t.src.Event(o.at, c, "call", id)
}

// send emits an event that fits its schema. One that does not is a problem of the line that was read last, which goes on to be
// read. A request's list of messages keeps it small; a call may hold large arguments.
func (t *transcript) send(e *events.Event, emit Emit) error {
	if e.Kind() == events.KindToolCall {
		return t.src.settle(emitChecked(e, emit))
	}
	if r, ok := e.Data.(*events.RequestPrefix); ok {
		unlisted := *r // the digests were made here, and there are many
		unlisted.Messages = nil
		if err := (&events.Event{ID: e.ID, Source: e.Source, Time: e.Time, Data: &unlisted}).Validate(); err != nil {
			return t.src.settle(badLine("%s: %s", e.Kind(), eventReason(err)))
		}
	}
	return emit(e)
}

// number counts the tries of one piece of work. A call that could not run is tried again by the next call of its tool; one that
// ran and failed only by the same call again, since a command that exits with 1 has mostly said what it was asked.
func (t *transcript) number(c *events.ToolCall) {
	same := c.ToolName + "\x00" + c.ArgumentsDigest
	c.Attempt = 1 + max(t.tries[c.ToolName], t.tries[same])
	if len(t.tries) >= maxOpenCalls {
		clear(t.tries)
	}
	switch c.Outcome {
	case events.OutcomeOK:
		delete(t.tries, c.ToolName)
		delete(t.tries, same)
	case events.OutcomeExecutionError:
		t.tries[same] = c.Attempt
	default:
		t.tries[c.ToolName] = c.Attempt
	}
}

// places remembers where in the conversation recent lines stood, so that a branch or a compaction finds its place.
type places struct {
	known  map[string]place
	recent []string
}

// place is how many messages were said before and after a line.
type place struct {
	before, after int
}

// maxPlaces is how many lines are remembered.
const maxPlaces = 4096

// note remembers a line.
func (p *places) note(id string, at place) {
	if id == "" {
		return
	}
	if p.known == nil {
		p.known = map[string]place{}
	}
	if len(p.recent) >= 2*maxPlaces {
		for _, old := range p.recent[:maxPlaces] {
			delete(p.known, old)
		}
		p.recent = append(p.recent[:0], p.recent[maxPlaces:]...)
	}
	p.known[id] = at
	p.recent = append(p.recent, id)
}

// cut forgets what was said after the first n messages: it is on a branch that was left.
func (p *places) cut(n int) {
	for id, at := range p.known {
		if at.after > n {
			delete(p.known, id)
		}
	}
}

// compact moves the lines from the n-th message on to behind a summary and forgets those before.
func (p *places) compact(n int) {
	for id, at := range p.known {
		if at.before < n {
			delete(p.known, id)
			continue
		}
		p.known[id] = place{at.before - n + 1, at.after - n + 1}
	}
}

// goBack drops what was said after the line, where that is known.
func (t *transcript) goBack(id string) {
	at, known := t.places.known[id]
	if known && at.after < t.says.Len() && t.says.Truncate(at.after) {
		t.places.cut(at.after)
	}
}

// compact replaces what was said before the line by a summary; all of it where the line is not known.
func (t *transcript) compact(firstKept string, summary []byte) {
	n := t.says.Len()
	if at, known := t.places.known[firstKept]; known {
		n = at.before
	}
	t.says.Compact(n, t.digest("summary", summary))
	t.places.compact(n)
}

// saidText returns the text of a message's content: a string, or a list of blocks of which some have a text. Other content
// gives its JSON.
func saidText(content jsontext.Value) string {
	var text string
	if content.Kind() == '"' && decodeLenient(content, &text) == nil {
		return text
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	if content.Kind() != '[' || decodeLenient(content, &blocks) != nil {
		return string(content)
	}
	parts := make([]string, 0, len(blocks))
	for _, b := range blocks {
		if b.Text != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}
