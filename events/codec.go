package events

import (
	"bytes"
	"errors"
	"fmt"
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
	if k, ok := guessKind(line); ok && len(line) <= MaxEventBytes {
		if e := decoders[k].fast(k, line); e != nil {
			return e, nil
		}
	}
	k, err := kindOf(line)
	if err != nil {
		return nil, err
	}
	return DecodeKind(k, line)
}

// kindOf reads the event's type.
func kindOf(line []byte) (Kind, error) {
	if err := misplaced(line); err != nil {
		return "", err
	}
	var head struct {
		Type jsontext.Value `json:"type"`
	}
	if err := unmarshal(line, &head); err != nil {
		return "", err
	}
	var name string
	switch head.Type.Kind() {
	case jsontext.KindInvalid:
		return "", &Error{"/type", "missing"}
	case jsontext.KindString:
		if err := unmarshal(head.Type, &name); err != nil {
			return "", err
		}
	default:
		return "", &Error{"/type", "expected string, but got " + head.Type.Kind().String()}
	}
	k, ok := KindOfType(name)
	if !ok {
		return "", &Error{"/type", "not an event type of this version"}
	}
	return k, nil
}

// guessKind finds what is most likely the event's type, without reading the line.
func guessKind(line []byte) (Kind, bool) {
	const mark = `"type":"` + typePrefix
	i := bytes.Index(line, []byte(mark))
	if i < 0 {
		return "", false
	}
	name, _, _ := bytes.Cut(line[i+len(mark):], []byte(typeSuffix+`"`))
	for _, k := range Kinds() {
		if string(name) == string(k) {
			return k, true
		}
	}
	return "", false
}

// DecodeKind reads one event that must be of kind k, as the subject it came on says, and checks it.
func DecodeKind(k Kind, line []byte) (*Event, error) {
	d, ok := decoders[k]
	if !ok {
		return nil, fmt.Errorf("decode event: unknown kind %q", k)
	}
	if len(line) > MaxEventBytes {
		return nil, fmt.Errorf("decode event of %d bytes, at most %d: %w", len(line), MaxEventBytes, ErrTooLarge)
	}
	if e := d.fast(k, line); e != nil {
		return e, nil
	}
	return d.slow(k, line)
}

// decoder reads events of one kind. The fast way returns nil for what it refuses and for what it can't tell; then the slow
// way decides by the JSON Schema and gives the reason.
type decoder struct {
	fast func(k Kind, line []byte) *Event
	slow func(k Kind, line []byte) (*Event, error)
}

var decoders = map[Kind]decoder{
	KindToolCall:        {decodeFast[ToolCall], decodeSlowly[ToolCall]},
	KindActivation:      {decodeFast[Activation], decodeSlowly[Activation]},
	KindRequestPrefix:   {decodeFast[RequestPrefix], decodeSlowly[RequestPrefix]},
	KindToolRoster:      {decodeFast[ToolRoster], decodeSlowly[ToolRoster]},
	KindToolDefinition:  {decodeFast[ToolDefinition], decodeSlowly[ToolDefinition]},
	KindClientHeartbeat: {decodeFast[ClientHeartbeat], decodeSlowly[ClientHeartbeat]},
}

// data is a pointer to a kind's struct.
type data[T any] interface {
	*T
	Data
}

// slot is an event and its data in one allocation.
type slot[T any] struct {
	event Event
	env   envelope[T]
}

// decodeFast returns nil for what it refuses, and for what only the schema can tell.
func decodeFast[T any, P data[T]](k Kind, line []byte) *Event {
	var s slot[T]
	env := &s.env
	if err := json.Unmarshal(line, env); err != nil {
		return nil
	}
	if env.SpecVersion != SpecVersion || env.Type != k.Type() {
		return nil
	}
	s.event = Event{ID: env.ID, Source: env.Source, Time: env.Time, Data: P(&env.Data)}
	if s.event.check() != nil || doubtful(s.event.Data, line) {
		return nil
	}
	return &s.event
}

// doubtful reports what a Go struct no longer shows: a null, or whether an empty required string or a zero time was there.
func doubtful(d Data, line []byte) bool {
	switch d := d.(type) {
	case *ToolCall:
		if d.ToolName == "" {
			return true
		}
	case *Activation:
		for i := range d.Refused {
			if d.Refused[i].Name == "" {
				return true
			}
		}
	case *RequestPrefix:
		if d.EndTime.IsZero() && bytes.Contains(line, []byte("end_time")) {
			return true
		}
	}
	return hasNull(line)
}

// hasNull reports whether line may hold the literal null; the string "null" is none.
func hasNull(line []byte) bool {
	for {
		i := bytes.Index(line, []byte("null"))
		if i < 0 {
			return false
		}
		end := i + len("null")
		if i == 0 || line[i-1] != '"' || end == len(line) || line[end] != '"' {
			return true
		}
		line = line[end:]
	}
}

// unmarshal decodes strictly: duplicate names and invalid UTF-8 are refused, unknown names are not.
func unmarshal(line []byte, v any) error {
	if err := json.Unmarshal(line, v); err != nil {
		return syntaxError(err)
	}
	return nil
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
