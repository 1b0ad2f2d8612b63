package events

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Error is input that is not a valid event: where, and why. It never quotes a value.
type Error struct {
	// Path is a JSON pointer into the event, such as /data/outcome.
	Path string
	// Reason says what is wrong there.
	Reason string
}

// Error gives the place and the reason.
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

// ErrTooLarge is in the chain of the error for an event over [MaxEventBytes].
var ErrTooLarge = errors.New("event too large")

// envelope is the CloudEvents structured JSON form of an event whose data is a T.
type envelope[T any] struct {
	SpecVersion     string    `json:"specversion"`
	ID              string    `json:"id"`
	Source          string    `json:"source"`
	Type            string    `json:"type"`
	Time            time.Time `json:"time"`
	DataContentType string    `json:"datacontenttype,omitzero"`
	Data            T         `json:"data"`
}

// AppendEvent appends e as one line of JSON, without a newline. It does not check e; see [Event.Validate].
func AppendEvent(dst []byte, e *Event) ([]byte, error) {
	if e.Data == nil {
		return dst, &Error{Path: "/data", Reason: "missing"}
	}
	env := envelope[Data]{SpecVersion, e.ID, e.Source, e.Kind().Type(), e.Time.UTC(), "application/json", e.Data}
	start := len(dst)
	buf := bytes.NewBuffer(dst)
	if err := json.MarshalWrite(buf, &env); err != nil {
		return dst, fmt.Errorf("encode event: %w", err)
	}
	if n := buf.Len() - start; n > MaxEventBytes {
		return dst, fmt.Errorf("encode event of %d bytes, at most %d: %w", n, MaxEventBytes, ErrTooLarge)
	}
	return buf.Bytes(), nil
}

// Decode reads one event of any kind and checks it.
func Decode(line []byte) (*Event, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := unmarshal(line, &head); err != nil {
		return nil, err
	}
	k, ok := KindOfType(head.Type)
	if !ok {
		return nil, &Error{Path: "/type", Reason: "not an event type of this version"}
	}
	return DecodeKind(k, line)
}

// DecodeKind reads one event that must be of kind k, as the subject it came on says, and checks it.
func DecodeKind(k Kind, line []byte) (*Event, error) {
	switch k {
	case KindToolCall:
		return decode[ToolCall](k, line)
	case KindActivation:
		return decode[Activation](k, line)
	case KindRequestPrefix:
		return decode[RequestPrefix](k, line)
	case KindToolRoster:
		return decode[ToolRoster](k, line)
	case KindToolDefinition:
		return decode[ToolDefinition](k, line)
	case KindClientHeartbeat:
		return decode[ClientHeartbeat](k, line)
	}
	return nil, fmt.Errorf("decode event: unknown kind %q", k)
}

func decode[T any, P interface {
	*T
	Data
}](k Kind, line []byte) (*Event, error) {
	if len(line) > MaxEventBytes {
		return nil, fmt.Errorf("decode event of %d bytes, at most %d: %w", len(line), MaxEventBytes, ErrTooLarge)
	}
	var env envelope[T]
	if err := unmarshal(line, &env); err != nil {
		return nil, err
	}
	if env.SpecVersion != SpecVersion {
		return nil, &Error{Path: "/specversion", Reason: "want " + SpecVersion}
	}
	if env.Type != k.Type() {
		return nil, &Error{Path: "/type", Reason: "want " + k.Type()}
	}
	e := &Event{ID: env.ID, Source: env.Source, Time: env.Time, Data: P(&env.Data)}
	if err := e.Validate(); err != nil {
		return nil, err
	}
	return e, nil
}

// unmarshal decodes strictly (duplicate names, invalid UTF-8 and wrong case are refused, unknown names are not) and turns
// the library's error into one that names the place and quotes nothing.
func unmarshal(line []byte, v any) error {
	err := json.Unmarshal(line, v)
	if err == nil {
		return nil
	}
	var sem *json.SemanticError
	if errors.As(err, &sem) {
		reason := "wrong type"
		if sem.JSONKind != 0 {
			reason = "wrong type, have " + sem.JSONKind.String()
		}
		return &Error{Path: string(sem.JSONPointer), Reason: reason}
	}
	var syn *jsontext.SyntacticError
	if errors.As(err, &syn) {
		return &Error{Path: string(syn.JSONPointer), Reason: fmt.Sprintf("not JSON at byte %d", syn.ByteOffset)}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Reason: "not JSON: cut short"}
	}
	return &Error{Reason: "not JSON"}
}

// Lines yields the events of a message: its lines that are not blank, numbered from 0.
func Lines(msg []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		n := 0
		for len(msg) > 0 {
			line, rest, _ := bytes.Cut(msg, []byte{'\n'})
			msg = rest
			line = bytes.TrimSpace(line)
			if len(line) == 0 {
				continue
			}
			if !yield(n, line) {
				return
			}
			n++
		}
	}
}

// Validate reports the first thing that the event's JSON Schema would refuse, as an [*Error].
func (e *Event) Validate() error {
	switch {
	case e.ID == "":
		return &Error{"/id", "missing"}
	case e.Source == "":
		return &Error{"/source", "missing"}
	case e.Time.IsZero():
		return &Error{"/time", "missing"}
	case e.Data == nil:
		return &Error{"/data", "missing"}
	}
	return nil
}
