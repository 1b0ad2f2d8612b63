package capture

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// piFormat is the session file of the pi coding agent: a session line, then messages, changes of model and thinking level,
// compactions and branches. From version 2 on, lines have ids and form a tree.
func piFormat() Format {
	return Format{
		Name:       "pi",
		About:      "session files of the pi coding agent",
		TakesTools: true,
		Sniff:      sniffPi,
		Read:       readPi,
	}
}

func sniffPi(head []byte) bool {
	for _, o := range headObjects(head, 5) {
		if o.String("type") == "session" && o.Has("id", "cwd") {
			return true
		}
	}
	return false
}

// piLine is one line of a session file.
type piLine struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"`
	ParentID  string    `json:"parentId"`
	Timestamp time.Time `json:"timestamp"`
	// Of the session line and of changes.
	Provider      string `json:"provider"`
	ModelID       string `json:"modelId"`
	ThinkingLevel string `json:"thinkingLevel"`
	// Of a message.
	Message piMessage `json:"message"`
	// Of a compaction, a branch summary and a message of an extension.
	Summary          string         `json:"summary"`
	FirstKeptEntryID string         `json:"firstKeptEntryId"`
	Content          jsontext.Value `json:"content"`
}

// piMessage is a message of the user, an answer of the model, or the result of a call.
type piMessage struct {
	Role       string         `json:"role"`
	API        string         `json:"api"`
	Content    jsontext.Value `json:"content"`
	Provider   string         `json:"provider"`
	Model      string         `json:"model"`
	Usage      *piUsage       `json:"usage"`
	StopReason string         `json:"stopReason"`
	// Timestamp is when an answer began, in milliseconds since 1970.
	Timestamp  float64 `json:"timestamp"`
	ToolCallID string  `json:"toolCallId"`
	IsError    bool    `json:"isError"`
	ResponseID string  `json:"responseId"`
}

// piUsage leaves the cache out of input.
type piUsage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Cost       struct {
		Total *float64 `json:"total"`
	} `json:"cost"`
}

// readPi streams the events of a session file; several sessions may follow each other.
func readPi(ctx context.Context, src *Source, emit Emit) error {
	tools, err := newGivenTools(src)
	if err != nil {
		return err
	}
	var s *piSession
	defer func() { s.finish() }()
	return src.Lines(func(_ int, line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var l piLine
		if err := decodeLenient(line, &l); err != nil {
			return badLine("not a session line: %s", jsonReason(err))
		}
		if l.Type == "session" {
			s.finish()
			s = newPiSession(src, &l)
			tools.use(s.transcript)
			return tools.send(src, l.Timestamp, emit)
		}
		if s == nil {
			return badLine("a line of no session: the session line is missing")
		}
		return s.line(&l, emit)
	})
}

// finish ends a session, where one was begun.
func (s *piSession) finish() {
	if s != nil {
		s.end()
	}
}

// piSession follows one session.
type piSession struct {
	*transcript
	thinking string
	last     string
}

func newPiSession(src *Source, l *piLine) *piSession {
	about := events.Context{AgentName: "pi", ConversationID: l.ID, ProviderName: l.Provider, RequestModel: l.ModelID}
	return &piSession{transcript: newTranscript(src, about), thinking: l.ThinkingLevel, last: l.ID}
}

// line reads one line after the session line.
func (s *piSession) line(l *piLine, emit Emit) error {
	if l.ParentID != "" && l.ParentID != s.last {
		s.goBack(l.ParentID)
	}
	s.last = l.ID
	before := s.says.Len()
	err := s.entry(l, emit)
	s.places.note(l.ID, place{min(before, s.says.Len()), s.says.Len()})
	return err
}

func (s *piSession) entry(l *piLine, emit Emit) error {
	switch l.Type {
	case "":
		return badLine("not a session line: it has no type")
	case "message":
		return s.message(l, emit)
	case "model_change":
		s.about.ProviderName, s.about.RequestModel = l.Provider, l.ModelID
	case "thinking_level_change":
		s.thinking = l.ThinkingLevel
	case "compaction":
		s.compact(l.FirstKeptEntryID, []byte(l.Summary))
	case "branch_summary":
		s.say("summary", []byte(l.Summary))
	case "custom_message":
		s.say("custom", l.Content)
	default:
		s.src.Skip(l.Type)
	}
	return nil
}

func (s *piSession) message(l *piLine, emit Emit) error {
	m := &l.Message
	if m.Role != "assistant" && activation.IsUnreadable(m.Content) {
		s.ids.Blind()
	}
	switch m.Role {
	case "":
		return badLine("a message without a role")
	case "assistant":
		return s.answer(l, emit)
	case "toolResult":
		if e := s.result(m.ToolCallID, l.Timestamp, m.IsError, saidText(m.Content)); e != nil {
			if err := s.send(e, emit); err != nil {
				return err
			}
		}
	default:
		s.ids.See(saidText(m.Content))
	}
	s.say(m.Role, m.Content)
	return nil
}

// answer sends the request that an answer stands for and opens its calls. Calls of an answer that was aborted or failed are
// never run: nothing is said of them.
func (s *piSession) answer(l *piLine, emit Emit) error {
	m := &l.Message
	r := s.request()
	s.fill(r, l)
	if err := s.send(s.src.Event(r.EndTime, r, "request", strconv.FormatInt(r.Turn, 10)), emit); err != nil {
		return err
	}
	s.say(m.Role, m.Content)
	var blocks []piBlock
	if r.Status != events.StatusOK || decodeLenient(m.Content, &blocks) != nil {
		return nil
	}
	calls := 0
	for _, b := range blocks {
		if b.Type == "toolCall" {
			calls++
		}
	}
	for _, b := range blocks {
		if b.Type == "toolCall" && b.Name != "" {
			s.call(r, l.Timestamp, b.ID, b.Name, b.Arguments, calls)
		}
	}
	return nil
}

// piBlock is a block of an answer; of its kinds only calls matter here.
type piBlock struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// fill puts into a request what the line of its answer says.
func (s *piSession) fill(r *events.RequestPrefix, l *piLine) {
	m := &l.Message
	r.ProviderName = cmp.Or(m.Provider, r.ProviderName)
	r.RequestModel = cmp.Or(m.Model, r.RequestModel)
	r.Status, r.FinishReason, r.ResponseID = piStatus(m.StopReason), m.StopReason, m.ResponseID
	r.EndTime = l.Timestamp
	r.StartTime = l.Timestamp
	if m.Timestamp > 0 {
		r.StartTime = time.UnixMilli(int64(m.Timestamp)).UTC()
	}
	if r.EndTime.Before(r.StartTime) {
		r.EndTime = r.StartTime
	}
	if s.thinking != "" {
		r.Params = []events.Param{{Name: "thinking", Digest: s.src.Options.Digester.Short([]byte(s.thinking))}}
	}
	u := m.Usage
	if u == nil {
		return
	}
	r.UncachedInputTokens, r.OutputTokens = events.Tokens(max(u.Input, 0)), events.Tokens(max(u.Output, 0))
	r.CacheReadInputTokens = events.Tokens(max(u.CacheRead, 0))
	if u.CacheWrite > 0 || reportsWrites(r.ProviderName, m.API) {
		r.CacheWrite5mInputTokens = events.Tokens(max(u.CacheWrite, 0))
	}
	if c := u.Cost.Total; c != nil && *c >= 0 {
		r.StatedCostUSD = events.USD(*c)
	}
}

// reportsWrites reports whether a zero of tokens written says that none were: the file has a zero also where a provider does
// not report them.
func reportsWrites(provider, api string) bool {
	return provider == "anthropic" || strings.HasPrefix(api, "anthropic") || strings.HasPrefix(api, "bedrock")
}

func piStatus(stopReason string) events.RequestStatus {
	switch stopReason {
	case "aborted":
		return events.StatusAborted
	case "error":
		return events.StatusError
	}
	return events.StatusOK
}
