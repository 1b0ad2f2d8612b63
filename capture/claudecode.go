package capture

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// claudeCodeFormat is the session file of Claude Code, under ~/.claude/projects. Several lines can hold one answer, a block
// each, with the same message id and request id, each repeating the usage. Sub-agents speak in lines marked isSidechain, here or
// in files of their own. Most other types of lines (summary, system, progress, snapshots, ...) say nothing of interest.
func claudeCodeFormat() Format {
	return Format{
		Name:       "claude-code",
		About:      "session files of Claude Code",
		TakesTools: true,
		Sniff:      sniffClaudeCode,
		Read:       readClaudeCode,
	}
}

func sniffClaudeCode(head []byte) bool {
	for _, o := range headObjects(head, 50) {
		switch o.String("type") {
		case "user", "assistant":
			return o.Has("sessionId", "uuid")
		case "summary":
			return o.Has("leafUuid")
		case "file-history-snapshot", "queue-operation", "progress", "last-prompt":
			return true
		}
	}
	return false
}

// ccLine is one line of a session file.
type ccLine struct {
	Type             string    `json:"type"`
	Subtype          string    `json:"subtype"`
	UUID             string    `json:"uuid"`
	ParentUUID       string    `json:"parentUuid"`
	SessionID        string    `json:"sessionId"`
	AgentID          string    `json:"agentId"`
	IsSidechain      bool      `json:"isSidechain"`
	IsCompactSummary bool      `json:"isCompactSummary"`
	IsAPIError       bool      `json:"isApiErrorMessage"`
	Timestamp        time.Time `json:"timestamp"`
	Version          string    `json:"version"`
	RequestID        string    `json:"requestId"`
	CostUSD          *float64  `json:"costUSD"`
	Message          ccMessage `json:"message"`
}

// ccMessage is a message as the API has it.
type ccMessage struct {
	ID         string         `json:"id"`
	Role       string         `json:"role"`
	Model      string         `json:"model"`
	Content    jsontext.Value `json:"content"`
	StopReason string         `json:"stop_reason"`
	Usage      *ccUsage       `json:"usage"`
}

// ccUsage is Anthropic's: input leaves the cache out.
type ccUsage struct {
	Input    int64  `json:"input_tokens"`
	Output   int64  `json:"output_tokens"`
	Read     *int64 `json:"cache_read_input_tokens"`
	Creation *int64 `json:"cache_creation_input_tokens"`
	ByTTL    struct {
		Short int64 `json:"ephemeral_5m_input_tokens"`
		Long  int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

// ccBlock is a block of a message.
type ccBlock struct {
	Type      string         `json:"type"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Input     jsontext.Value `json:"input"`
	ToolUseID string         `json:"tool_use_id"`
	IsError   bool           `json:"is_error"`
	Content   jsontext.Value `json:"content"`
}

// readClaudeCode streams the events of a session file.
func readClaudeCode(ctx context.Context, src *Source, emit Emit) error {
	tools, err := newGivenTools(src)
	if err != nil {
		return err
	}
	f := &ccFile{src: src, emit: emit, tools: tools, sessions: map[string]*ccSession{}, sides: map[string]string{}}
	err = src.Lines(func(_ int, line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return f.line(line)
	})
	if err != nil {
		return err
	}
	return f.end()
}

// ccFile holds the conversations of a file: the session's own and those of its sub-agents.
type ccFile struct {
	src      *Source
	emit     Emit
	sessions map[string]*ccSession
	order    []string
	tools    *givenTools
	// sides maps a sub-agent's lines to the line that it began with, where the lines don't name the sub-agent.
	sides map[string]string
}

// maxSessions bounds the conversations that are followed at a time.
const maxSessions = 256

func (f *ccFile) line(line []byte) error {
	var l ccLine
	if err := decodeLenient(line, &l); err != nil {
		return badLine("not a session line: %s", jsonReason(err))
	}
	switch l.Type {
	case "":
		return badLine("not a session line: it has no type")
	case "user", "assistant":
		s, err := f.session(&l)
		if err != nil {
			return err
		}
		return s.line(&l)
	}
	if l.Type == "system" && l.Subtype != "" {
		l.Type += "/" + l.Subtype
	}
	f.src.Skip(l.Type)
	return nil
}

// session returns the conversation that a line belongs to.
func (f *ccFile) session(l *ccLine) (*ccSession, error) {
	id := l.SessionID
	if l.IsSidechain {
		id += "/" + f.side(l)
	}
	if s := f.sessions[id]; s != nil {
		return s, nil
	}
	if len(f.order) == maxSessions {
		oldest := f.sessions[f.order[0]]
		delete(f.sessions, f.order[0])
		f.order = f.order[1:]
		if err := oldest.flush(); err != nil {
			return nil, err
		}
		oldest.end()
	}
	about := events.Context{AgentName: "claude-code", ConversationID: id, ProviderName: "anthropic"}
	if l.IsSidechain {
		about.AgentName = "claude-code/sub-agent"
	}
	s := &ccSession{transcript: newTranscript(f.src, about), emit: f.emit}
	if err := f.tools.send(f.src, l.Timestamp, f.emit); err != nil {
		return nil, err
	}
	f.tools.use(s.transcript)
	f.sessions[id], f.order = s, append(f.order, id)
	return s, nil
}

// side names the sub-agent of a line: by its id, or by the line that its conversation began with.
func (f *ccFile) side(l *ccLine) string {
	if l.AgentID != "" {
		return l.AgentID
	}
	root, known := f.sides[l.ParentUUID]
	if !known {
		root = l.UUID
	}
	if len(f.sides) >= maxPlaces {
		clear(f.sides)
	}
	f.sides[l.UUID] = root
	return root
}

// end sends what is still held back.
func (f *ccFile) end() error {
	for _, id := range f.order {
		s := f.sessions[id]
		if err := s.flush(); err != nil {
			return err
		}
		s.end()
	}
	return nil
}
