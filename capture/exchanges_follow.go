package capture

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// exchangeConversation is what is known of one conversation; see [mind] for what takes more room.
type exchangeConversation struct {
	id      string
	turn    int64
	rosters int
	clock   clock
	tools   *offeredTools
	// waiting are calls without a result yet, in their order.
	waiting []*waitingCall
	// failed counts the failed tries in a row, by tool.
	failed map[string]int64
}

// mind is what a conversation's model has in mind: what was said, and which tools it can call.
type mind struct {
	messages, system []string
	state            *activation.State
	ids              *activation.IDs
	// found counts what tool searches of the last answer found, by the names.
	found map[string]int
}

// maxSeen bounds what a mind remembers to know made-up ids by.
const maxSeen = 1 << 17

// follow takes the next exchange of a conversation.
func (r *exchangeReader) follow(x *exchange, body jsontext.Value, req *prefix.Request, a *answer) error {
	c, err := r.find(x, body, req)
	if err != nil {
		return err
	}
	c.turn++
	start := c.clock.next(x.date, a.created, chatStart(r.src).Add(time.Duration(r.count)*tick))
	t := &turn{r: r, c: c, m: r.mind(c), body: body, req: req, answer: a, start: start, end: c.clock.end(x, a)}
	t.about(x)
	if err := t.read(x); err != nil {
		return err
	}
	if a.id == "" {
		return nil
	}
	return r.answers.put(a.id, c.id)
}

// find returns the conversation that an exchange belongs to: the one it names, the one whose answer it continues, or the one
// whose messages it extends.
func (r *exchangeReader) find(x *exchange, body jsontext.Value, req *prefix.Request) (*exchangeConversation, error) {
	id := x.conversation
	if id == "" {
		id = namedInBody(body)
	}
	if id == "" && req.PreviousResponseID != "" {
		id, _ = r.answers.get(req.PreviousResponseID)
	}
	if id == "" {
		var err error
		if id, err = r.extended(req); err != nil {
			return nil, err
		}
	}
	if c, ok := r.convs.get(id); ok {
		return c, nil
	}
	c := &exchangeConversation{id: id, failed: map[string]int64{}}
	return c, r.convs.put(id, c)
}

// namedInBody returns the conversation that a body names: OpenAI's conversation, or the session in the user id that Claude Code
// sends.
func namedInBody(body jsontext.Value) string {
	v := member(body, "conversation")
	if s := stringOf(v); s != "" {
		return s
	}
	if s := stringOf(member(v, "id")); s != "" {
		return s
	}
	_, session, _ := strings.Cut(stringOf(member(member(body, "metadata"), "user_id")), "_session_")
	return session
}

// extended returns the conversation whose last request had the longest beginning of these messages; a new one is named by them.
func (r *exchangeReader) extended(req *prefix.Request) (string, error) {
	chain := r.chain(req)
	last := chain[len(chain)-1]
	id := "messages-" + last[:16]
	for _, head := range slices.Backward(chain) {
		if known, ok := r.heads.get(head); ok {
			id = known
			break
		}
	}
	return id, r.heads.put(last, id)
}

// chain returns a digest for each beginning of a request's messages, the system part included.
func (r *exchangeReader) chain(req *prefix.Request) []string {
	h := r.src.Options.Digester.New()
	_, _ = h.Write([]byte(strings.Join(req.System, " ")))
	all := make([]string, 0, len(req.Messages)+1)
	for _, m := range req.Messages {
		_, _ = h.Write([]byte(m))
		all = append(all, hex.EncodeToString(h.Sum(nil)[:16]))
	}
	if len(all) == 0 {
		all = append(all, hex.EncodeToString(h.Sum(nil)[:16]))
	}
	return all
}

// mind returns the conversation's mind, a fresh one where it was forgotten.
func (r *exchangeReader) mind(c *exchangeConversation) *mind {
	if m, ok := r.minds.get(c.id); ok {
		return m
	}
	settings := activation.DefaultIDSettings()
	settings.IncludeValues, settings.MaxSeen = r.src.Options.IncludeValues, maxSeen
	m := &mind{
		state: activation.NewState(nil),
		ids:   activation.NewIDs(r.src.Options.Digester, settings),
		found: map[string]int{},
	}
	if c.tools != nil {
		m.state.SetRoster(c.tools.index)
		m.seeTools(c.tools)
	}
	_ = r.minds.put(c.id, m) // forgetting a mind can't fail
	return m
}

func (m *mind) seeTools(l *offeredTools) {
	for _, text := range l.text {
		m.ids.See(text)
	}
}

// seeChunk is how much of a text is turned into a string at a time.
const seeChunk = 64 << 10

// see remembers what the model reads, cut where no id can lie.
func (m *mind) see(raw []byte) {
	for len(raw) > seeChunk {
		n := bytes.LastIndexAny(raw[:seeChunk], " ,\t") + 1
		if n == 0 {
			n = seeChunk
		}
		m.ids.See(string(raw[:n]))
		raw = raw[n:]
	}
	m.ids.See(string(raw))
}

// end sends the calls that no later request answered.
func (r *exchangeReader) end(c *exchangeConversation) error {
	for _, w := range c.waiting {
		if w.call.Outcome == "" {
			w.call.Outcome, w.call.ErrorType = events.OutcomeOK, noResult
		}
		if err := r.sendCall(c, w); err != nil {
			return err
		}
	}
	c.waiting = nil
	return nil
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
