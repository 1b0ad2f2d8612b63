package ingest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
)

// The headers of a dead letter's message; its body is the refused line itself.
const (
	headerID      = "Tooltrail-Id"
	headerSubject = "Tooltrail-Subject"
	headerSeq     = "Tooltrail-Seq"
	headerPos     = "Tooltrail-Pos"
	headerReason  = "Tooltrail-Reason"
	headerPath    = "Tooltrail-Path"
)

// letterSource is the CloudEvents source of dead letters.
const letterSource = "tooltrail/ingest"

// letterSpace is the namespace of dead letters' ids.
var letterSpace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://github.com/tooltrail/tooltrail/dead-letter"))

// deadLetter is a line on its way to the dead-letter stream.
type deadLetter struct {
	subject      string
	seq          uint64
	pos          uint32
	path, reason string
	payload      []byte
}

// refuse makes a dead letter of a line for an error.
func refuse(subject string, seq uint64, pos uint32, line []byte, err error) deadLetter {
	path, reason := reasonOf(err)
	return deadLetter{subject, seq, pos, path, reason, line}
}

// message returns the letter as a message of at most limit bytes. Its id comes from its place, so that a line refused again
// after a crash is the same dead letter.
func (d *deadLetter) message(lane string, limit int) *nats.Msg {
	id := uuid.NewSHA1(letterSpace, fmt.Appendf(nil, "%s/%d/%d", lane, d.seq, d.pos)).String()
	h := nats.Header{}
	h.Set(jetstream.MsgIDHeader, id)
	h.Set(headerID, id)
	h.Set(headerSubject, d.subject)
	h.Set(headerSeq, strconv.FormatUint(d.seq, 10))
	h.Set(headerPos, strconv.FormatUint(uint64(d.pos), 10))
	h.Set(headerReason, clip(d.reason, maxHeader))
	h.Set(headerPath, clip(d.path, maxHeader))
	payload := d.payload
	if room := max(0, limit-headerRoom); len(payload) > room {
		payload = payload[:room]
		h.Set(headerReason, clip(d.reason, maxHeader)+fmt.Sprintf(" (cut from %d bytes)", len(d.payload)))
	}
	return &nats.Msg{Subject: events.DeadLetterSubject, Header: h, Data: payload}
}

const (
	maxHeader = 500
	// headerRoom is more than the headers of a dead letter and their names take.
	headerRoom = 4 << 10
)

// clip makes s fit a header: at most n bytes, no control characters (a path may hold any name that a sender made up).
func clip(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	return strings.ToValidUTF8(s[:min(len(s), n)], "")
}

// maxPayload is the most that NATS takes in a message, and its default while that is not known.
func maxPayload(js jetstream.JetStream) int {
	if n := js.Conn().MaxPayload(); n > 0 {
		return int(n)
	}
	return 1 << 20
}

// openLetter reads a dead letter's message. One that lacks headers keeps its body.
func openLetter(m message) (*events.DeadLetter, uuid.UUID) {
	id, err := uuid.Parse(m.header.Get(headerID))
	if err != nil {
		id = uuid.NewSHA1(letterSpace, fmt.Appendf(nil, "%d/%d", m.seq, m.time.UnixNano()))
	}
	seq, _ := strconv.ParseUint(m.header.Get(headerSeq), 10, 64)
	pos, _ := strconv.ParseUint(m.header.Get(headerPos), 10, 32)
	d := &events.DeadLetter{
		Subject: m.header.Get(headerSubject), StreamSeq: seq, StreamPos: uint32(pos),
		Reason: m.header.Get(headerReason), Path: m.header.Get(headerPath), Payload: m.data,
	}
	if d.Reason == "" {
		d.Reason = "not known"
	}
	return d, id
}

// publish sends messages and returns once JetStream has acked all of them.
func publish(ctx context.Context, js jetstream.JetStream, msgs []*nats.Msg) error {
	for len(msgs) > 0 {
		n := min(len(msgs), publishWindow)
		if err := publishSome(ctx, js, msgs[:n]); err != nil {
			return err
		}
		msgs = msgs[n:]
	}
	return nil
}

// publishWindow is how many messages may wait for their acks.
const publishWindow = 256

func publishSome(ctx context.Context, js jetstream.JetStream, msgs []*nats.Msg) error {
	futures := make([]jetstream.PubAckFuture, 0, len(msgs))
	var errs []error
	for _, m := range msgs {
		f, err := js.PublishMsgAsync(m)
		if err != nil {
			errs = append(errs, err)
			break
		}
		futures = append(futures, f)
	}
	for _, f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			errs = append(errs, err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("publish: %w", errors.Join(errs[0]))
	}
	return nil
}
