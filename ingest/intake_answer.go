package ingest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
)

// IntakeAnswer is the body of the intake's answers.
type IntakeAnswer struct {
	// Accepted is the number of lines that JetStream has; 0 when the request as a whole did not work.
	Accepted int `json:"accepted"`
	// Errors are the refused lines, at most so many as the settings say.
	Errors []LineError `json:"errors"`
	// MoreErrors is how many refused lines are not in Errors.
	MoreErrors int `json:"more_errors,omitempty"`
	// Error says why the request as a whole did not work.
	Error string `json:"error,omitempty"`
}

// LineError is a refused line.
type LineError struct {
	// Line is its number in the body, from 1, blank lines counted.
	Line int `json:"line"`
	// Path is a JSON pointer into the event; empty when the whole of it is meant.
	Path string `json:"path"`
	// Reason says what is wrong. It quotes no value.
	Reason string `json:"reason"`
}

func (a *IntakeAnswer) refused() int { return len(a.Errors) + a.MoreErrors }

func (a *IntakeAnswer) write(w http.ResponseWriter, status int) {
	if a.Errors == nil {
		a.Errors = []LineError{}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(a) // the client has gone
}

// sorter puts the lines of a body into messages: one subject a message, in order, each within what NATS takes.
type sorter struct {
	cfg IntakeConfig
	// room is how much a message may hold.
	room  int
	lines int
	// open is the message of each subject that still grows; all of them, in order, are in groups.
	open   map[string]*group
	groups []*group
}

type group struct {
	subject string
	data    []byte
}

// payloadRoom is more than the headers of a message take.
const payloadRoom = 1 << 10

func newSorter(cfg IntakeConfig, maxPayload int) *sorter {
	return &sorter{cfg: cfg, room: maxPayload - payloadRoom, open: make(map[string]*group)}
}

// sort checks each line and puts the good ones into messages.
func (s *sorter) sort(body []byte) *IntakeAnswer {
	a := &IntakeAnswer{}
	for number := 1; len(body) > 0; number++ {
		line, rest, _ := bytes.Cut(body, []byte{'\n'})
		body = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		s.lines++
		if err := s.add(line); err == nil {
			a.Accepted++
		} else if len(a.Errors) < s.cfg.MaxErrors {
			path, reason := reasonOf(err)
			a.Errors = append(a.Errors, LineError{number, path, reason})
		} else {
			a.MoreErrors++
		}
	}
	return a
}

func (s *sorter) add(line []byte) error {
	if most := min(s.cfg.MaxLineBytes, s.room); len(line) > most {
		return &events.Error{Reason: fmt.Sprintf("line over %d bytes", most)}
	}
	e, err := events.Decode(line)
	if err != nil {
		return err
	}
	subject := events.Subject(events.Partition(e.Data.Common().ConversationID, s.cfg.Partitions), e.Kind())
	g := s.open[subject]
	if g == nil || len(g.data)+1+len(line) > s.room {
		g = &group{subject: subject}
		s.open[subject] = g
		s.groups = append(s.groups, g)
	} else {
		g.data = append(g.data, '\n')
	}
	g.data = append(g.data, line...)
	return nil
}

// messages returns what to publish. A message's id is the digest of its subject and content: the same lines have the same id.
func (s *sorter) messages() []*nats.Msg {
	msgs := make([]*nats.Msg, len(s.groups))
	for i, g := range s.groups {
		h := sha256.New()
		h.Write([]byte(g.subject + "\n"))
		h.Write(g.data)
		header := nats.Header{jetstream.MsgIDHeader: []string{hex.EncodeToString(h.Sum(nil)[:16])}}
		msgs[i] = &nats.Msg{Subject: g.subject, Header: header, Data: g.data}
	}
	return msgs
}
