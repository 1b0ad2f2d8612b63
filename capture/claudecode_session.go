package capture

import (
	"cmp"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// ccSession follows one conversation.
type ccSession struct {
	*transcript
	emit Emit
	// answer is the answer whose lines are being read; its last line has its final usage.
	answer *ccAnswer
	// asked is when the last line before an answer was written: about when its request was sent.
	asked time.Time
}

// ccAnswer is an answer of the model, whose lines follow each other with results of its calls between them.
type ccAnswer struct {
	id, requestID string
	req           *events.RequestPrefix
	calls         []ccCall
}

// ccCall is a call of an answer, and its result where that came before the answer's last line.
type ccCall struct {
	at     time.Time
	block  ccBlock
	result *ccResult
}

type ccResult struct {
	at     time.Time
	failed bool
	text   string
}

// synthetic is the model of lines that the agent wrote itself.
const synthetic = "<synthetic>"

func (s *ccSession) line(l *ccLine) error {
	s.about.AgentVersion = cmp.Or(l.Version, s.about.AgentVersion)
	before := s.says.Len()
	var err error
	switch {
	case l.Timestamp.IsZero():
		return badLine("%s line without a timestamp", l.Type)
	case l.Type == "assistant":
		err = s.assistant(l)
	default:
		err = s.user(l)
	}
	s.places.note(l.UUID, place{min(before, s.says.Len()), s.says.Len()})
	return err
}

// user reads a prompt, results of calls, or the summary that a compaction leaves.
func (s *ccSession) user(l *ccLine) error {
	if len(l.Message.Content) == 0 {
		return badLine("user line without content")
	}
	if activation.IsUnreadable(l.Message.Content) {
		s.ids.Blind()
	}
	results := s.results(l)
	switch {
	case l.IsCompactSummary:
		if err := s.flush(); err != nil {
			return err
		}
		s.compact("", l.Message.Content)
	case len(results) == 0:
		if err := s.flush(); err != nil {
			return err
		}
		s.goBack(l.ParentUUID)
		s.ids.See(saidText(l.Message.Content))
		s.say("user", l.Message.Content)
	default:
		s.say("user", l.Message.Content)
	}
	s.asked = l.Timestamp
	for _, b := range results {
		if err := s.resulted(b.ToolUseID, &ccResult{l.Timestamp, b.IsError, saidText(b.Content)}); err != nil {
			return err
		}
	}
	return nil
}

// results returns the results of calls among a message's blocks.
func (s *ccSession) results(l *ccLine) []ccBlock {
	var results []ccBlock
	for _, b := range blocksOf(l.Message.Content) {
		if b.Type == "tool_result" {
			results = append(results, b)
		}
	}
	return results
}

// blocksOf returns the blocks of a message; content that is a text, and elements that are no blocks, give none.
func blocksOf(content jsontext.Value) []ccBlock {
	var blocks []ccBlock
	elements(content, func(v jsontext.Value) {
		var b ccBlock
		if v.Kind() == '{' && decodeLenient(v, &b) == nil {
			blocks = append(blocks, b)
		}
	})
	return blocks
}

// resulted keeps the result of a call of the answer being read, and sends that of any other.
func (s *ccSession) resulted(id string, r *ccResult) error {
	if s.answer != nil {
		for i := range s.answer.calls {
			if c := &s.answer.calls[i]; c.block.ID == id {
				c.result = r
				return nil
			}
		}
	}
	return s.sendCall(id, r)
}

func (s *ccSession) sendCall(id string, r *ccResult) error {
	e := s.result(id, r.at, r.failed, r.text)
	if e == nil {
		return nil
	}
	if id != "" { // a session that was continued in another file has the call there again
		e.ID = EventID(events.KindToolCall, "", "claude-code", id)
	}
	return s.send(e, s.emit)
}

// assistant reads a line of an answer.
func (s *ccSession) assistant(l *ccLine) error {
	m := &l.Message
	if m.Model == synthetic {
		return s.synthetic(l)
	}
	if len(m.Content) == 0 && m.Usage == nil {
		return badLine("assistant line without content")
	}
	if a := s.answer; a == nil || m.ID == "" || a.id != m.ID || a.requestID != l.RequestID {
		if err := s.flush(); err != nil {
			return err
		}
		s.begin(l)
	}
	a := s.answer
	s.fill(a.req, l)
	for _, b := range blocksOf(m.Content) {
		if b.Type == "tool_use" && b.Name != "" {
			a.calls = append(a.calls, ccCall{at: l.Timestamp, block: b})
		}
	}
	s.say("assistant", m.Content)
	return nil
}

// begin starts an answer.
func (s *ccSession) begin(l *ccLine) {
	s.answer = &ccAnswer{id: l.Message.ID, requestID: l.RequestID, req: s.request()}
	r := s.answer.req
	r.RequestID, r.Status = l.RequestID, events.StatusOK
	r.StartTime = l.Timestamp
	if !s.asked.IsZero() && s.asked.Before(l.Timestamp) {
		r.StartTime = s.asked
	}
}

// synthetic reads a line that the agent wrote in place of an answer: of a request that failed, or of none.
func (s *ccSession) synthetic(l *ccLine) error {
	if err := s.flush(); err != nil {
		return err
	}
	if !l.IsAPIError {
		s.src.Skip("assistant/synthetic")
		return nil
	}
	s.begin(l)
	r := s.answer.req
	r.Status, r.EndTime, r.ErrorType = events.StatusError, l.Timestamp, "api_error"
	s.answer.id = cmp.Or(l.Message.ID, l.UUID)
	return s.flush()
}

// fill puts into a request what a line of its answer says; later lines know more.
func (s *ccSession) fill(r *events.RequestPrefix, l *ccLine) {
	m := &l.Message
	r.RequestModel = cmp.Or(m.Model, r.RequestModel)
	r.ResponseID, r.FinishReason = m.ID, cmp.Or(m.StopReason, r.FinishReason)
	r.EndTime = l.Timestamp
	if r.EndTime.Before(r.StartTime) {
		r.EndTime = r.StartTime
	}
	s.about.RequestModel = r.RequestModel
	if l.CostUSD != nil && *l.CostUSD >= 0 {
		r.StatedCostUSD = events.USD(*l.CostUSD)
	}
	u := m.Usage
	if u == nil {
		return
	}
	r.UncachedInputTokens = events.Tokens(max(u.Input, 0))
	r.OutputTokens = events.Tokens(max(u.Output, r.OutputTokens.N, 0))
	if u.Read != nil {
		r.CacheReadInputTokens = events.Tokens(max(*u.Read, 0))
	}
	if u.Creation != nil {
		long := max(u.ByTTL.Long, 0)
		r.CacheWrite1hInputTokens = events.Tokens(long)
		r.CacheWrite5mInputTokens = events.Tokens(max(*u.Creation-long, 0))
	}
}

// flush ends the answer that was being read: its last line has come.
func (s *ccSession) flush() error {
	a := s.answer
	if a == nil {
		return nil
	}
	s.answer = nil
	e := s.src.Event(a.req.EndTime, a.req, "request", strconv.FormatInt(a.req.Turn, 10), a.id)
	if a.id != "" { // a session that was continued in another file has the answer there again
		e.ID = EventID(events.KindRequestPrefix, "", "claude-code", a.id, a.requestID)
	}
	if err := s.send(e, s.emit); err != nil {
		return err
	}
	for _, c := range a.calls {
		s.call(a.req, c.at, c.block.ID, c.block.Name, c.block.Input, len(a.calls))
		if c.result == nil {
			continue
		}
		if err := s.sendCall(c.block.ID, c.result); err != nil {
			return err
		}
	}
	return nil
}
