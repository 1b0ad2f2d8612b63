package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
)

// sift stores what it can of a batch that the store refused as a whole: it halves the batch between messages until the
// message is found that holds what the store will not take. What is behind it goes on.
func (s *session) sift(ctx context.Context, b *batch, cause error) error {
	left, right, ok := b.halves()
	if !ok {
		return s.single(ctx, b, cause)
	}
	if err := s.store(ctx, left); err != nil {
		return err
	}
	return s.store(ctx, right)
}

// single deals with one message that the store refuses. Its rows can't be stored apart, since the position counts messages. So
// each becomes a message of its own, further back in the stream; one that is refused alone goes to the dead letters. While the
// store has not taken anything yet it may be the store that is at fault, and all of the message goes to the dead letters.
func (s *session) single(ctx context.Context, b *batch, cause error) error {
	if s.refusals++; s.refusals > s.cfg.MaxRefused {
		return fmt.Errorf("%w: %w", errRefusesAll, cause)
	}
	s.recent.release(b.ids)
	lines := s.lines(ctx, b)
	if len(b.rows) == 1 || !s.proven {
		return s.condemn(ctx, b, lines, cause)
	}
	return s.spread(ctx, b, lines)
}

// condemn sends the rows of one message to the dead letters. A dead letter that the store refuses makes no other one.
func (s *session) condemn(ctx context.Context, b *batch, lines [][]byte, cause error) error {
	if s.kind == events.KindDeadLetter {
		s.meter.letters.Inc()
		s.log.Error("give up a dead letter that the store refuses", slog.Uint64("seq", b.high()), slog.Any("error", cause))
		return nil
	}
	dead := make([]deadLetter, len(b.rows))
	for i, row := range b.rows {
		dead[i] = deadLetter{s.subject, row.Seq, row.Pos, "", "refused by the store: " + cause.Error(), lines[i]}
	}
	return s.bury(ctx, dead)
}

// spread publishes the rows of one message again, each as a message of its own.
func (s *session) spread(ctx context.Context, b *batch, lines [][]byte) error {
	s.log.Warn("publish the events of a refused message one by one", slog.Uint64("seq", b.high()), slog.Int("events", len(lines)))
	id := s.name + "/" + strconv.FormatUint(b.high(), 10) + "/"
	return s.publish(ctx, func() []*nats.Msg {
		msgs := make([]*nats.Msg, len(lines))
		for i, line := range lines {
			h := nats.Header{jetstream.MsgIDHeader: []string{id + strconv.Itoa(int(b.rows[i].Pos))}}
			msgs[i] = &nats.Msg{Subject: s.subject, Header: h, Data: line}
		}
		return msgs
	})
}

// lines returns the rows' lines as they came, for rows of one message. What the stream has dropped meanwhile is encoded anew.
func (s *session) lines(ctx context.Context, b *batch) [][]byte {
	byPos := make(map[uint32][]byte)
	if msg, err := s.stream.GetMsg(ctx, b.high()); err == nil {
		for pos, line := range events.Lines(msg.Data) {
			byPos[uint32(pos)] = line //nolint:gosec // a message has fewer lines
		}
	} else if !errors.Is(err, jetstream.ErrMsgNotFound) {
		s.log.Warn("read message again", slog.Uint64("seq", b.high()), slog.Any("error", err))
	}
	lines := make([][]byte, len(b.rows))
	for i, row := range b.rows {
		lines[i] = byPos[row.Pos]
		if lines[i] == nil {
			lines[i], _ = events.AppendEvent(nil, row.Event)
		}
	}
	return lines
}
