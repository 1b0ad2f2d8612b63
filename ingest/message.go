package ingest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"

	"github.com/tooltrail/tooltrail/events"
)

// message is one message of a lane.
type message struct {
	data   []byte
	header nats.Header
	// seq is its stream sequence, delivered its number among those of the consumer, from 1.
	seq, delivered uint64
	time           time.Time
}

// errNoPlace is for a message whose reply subject does not say where it stands.
var errNoPlace = errors.New("message without a place in the stream")

// placeOf reads a message's place from the reply subject that JetStream gave it:
// $JS.ACK.[DOMAIN.ACCOUNT.]STREAM.CONSUMER.DELIVERIES.SEQ.DELIVERED.NANOSECONDS.PENDING[.RANDOM]. It allocates nothing.
func (m *message) placeOf(reply string) error {
	rest, ok := strings.CutPrefix(reply, "$JS.ACK.")
	if !ok {
		return errNoPlace
	}
	first := 3 // of STREAM.CONSUMER.DELIVERIES.SEQ...
	if strings.Count(rest, ".") > 6 {
		first = 5
	}
	for range first {
		_, rest, _ = strings.Cut(rest, ".")
	}
	seq, rest, _ := strings.Cut(rest, ".")
	delivered, rest, _ := strings.Cut(rest, ".")
	nanos, _, ok := strings.Cut(rest, ".")
	if !ok {
		return errNoPlace
	}
	var errs [3]error
	var ns int64
	m.seq, errs[0] = strconv.ParseUint(seq, 10, 64)
	m.delivered, errs[1] = strconv.ParseUint(delivered, 10, 64)
	ns, errs[2] = strconv.ParseInt(nanos, 10, 64)
	if errors.Join(errs[:]...) != nil {
		return errNoPlace
	}
	m.time = time.Unix(0, ns)
	return nil
}

// reader turns the messages of a lane into rows.
type reader interface {
	read(b *batch, m message)
}

// eventReader reads event messages of one kind.
type eventReader struct {
	subject  string
	kind     events.Kind
	recent   *recent
	enricher Enricher
	// maxLetters is how many refused lines of a message are letters of their own.
	maxLetters int
}

func (r *eventReader) read(b *batch, m message) {
	refused := 0
	for pos, line := range events.Lines(m.data) {
		e, id, err := r.decode(line)
		if err != nil {
			r.refuse(b, refused, refuse(r.subject, m.seq, uint32(pos), line, err)) //nolint:gosec // a message has fewer lines
			refused++
			continue
		}
		if !r.recent.claim(id) {
			b.duplicates++
			continue
		}
		if r.enricher != nil {
			r.enricher.Enrich(e)
		}
		b.rows = append(b.rows, events.Row{Seq: m.seq, Pos: uint32(pos), Event: e}) //nolint:gosec // as above
		b.ids = append(b.ids, id)
	}
}

func (r *eventReader) decode(line []byte) (*events.Event, uuid.UUID, error) {
	e, err := events.DecodeKind(r.kind, line)
	if err != nil {
		return nil, uuid.UUID{}, err
	}
	id, err := uuid.Parse(e.ID)
	if err != nil {
		return nil, uuid.UUID{}, &events.Error{Path: "/id", Reason: "not a UUID"}
	}
	return e, id, nil
}

// refuse adds a dead letter to the batch, where before of its message came before it. Past the most that a message may have, lines
// join the last letter, which is named by its first line and keeps all of them.
func (r *eventReader) refuse(b *batch, before int, d deadLetter) {
	switch {
	case before < r.maxLetters:
		b.dead = append(b.dead, d)
	case before == r.maxLetters:
		d.reason += " (and further lines of this message)"
		d.payload = slices.Clone(d.payload)
		b.dead = append(b.dead, d)
	default:
		last := &b.dead[len(b.dead)-1]
		last.payload = append(append(last.payload, '\n'), d.payload...)
	}
}

// letterReader reads the messages of the dead-letter stream. It reads anything, so that no dead letter makes another.
type letterReader struct {
	recent *recent
}

func (r *letterReader) read(b *batch, m message) {
	letter, id := openLetter(m)
	if !r.recent.claim(id) {
		b.duplicates++
		return
	}
	e := &events.Event{ID: id.String(), Source: letterSource, Time: m.time.UTC(), Data: letter}
	b.rows = append(b.rows, events.Row{Seq: m.seq, Event: e})
	b.ids = append(b.ids, id)
}

// reasonOf returns where an event is wrong and why; the reason quotes no value.
func reasonOf(err error) (path, reason string) {
	var e *events.Error
	switch {
	case errors.As(err, &e):
		return e.Path, e.Reason
	case errors.Is(err, events.ErrTooLarge):
		return "", fmt.Sprintf("over %d bytes", events.MaxEventBytes)
	}
	return "", err.Error()
}
