package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// settle stores a batch, its dead letters first. It returns nil once nothing in the batch needs more work.
func (s *session) settle(ctx context.Context, b *batch) error {
	if err := s.bury(ctx, b.dead); err != nil {
		return err
	}
	s.meter.duplicates.Add(float64(b.duplicates))
	if len(b.rows) == 0 {
		return nil
	}
	select {
	case s.inserts <- struct{}{}:
		defer func() { <-s.inserts }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := s.store(ctx, b); err != nil {
		return err
	}
	s.meter.bytes.Add(float64(b.bytes))
	return nil
}

// store inserts rows and looks at the position until it says that they are there, for as long as that takes.
func (s *session) store(ctx context.Context, b *batch) error {
	pause := newBackoff(s.cfg.RetryMin, s.cfg.RetryMax)
	started := time.Now()
	for try, unmoved := 0, 0; ; try++ {
		stored, err := s.recheck(ctx, b, try)
		if stored || err != nil {
			return s.stored(b, started, err)
		}
		insertErr := s.insert(ctx, b, unmoved)
		stored, err = s.look(ctx, b)
		if stored || err != nil {
			return s.stored(b, started, err)
		}
		if refused(insertErr) {
			return s.sift(ctx, b, insertErr)
		}
		if insertErr == nil {
			unmoved++
		}
		s.meter.retries.Inc()
		d := pause.NextBackOff()
		s.log.Warn("insert again", slog.Any("error", insertErr), slog.Int("rows", len(b.rows)), slog.Int("try", try+1), slog.Duration("retry_in", d))
		if err := wait(ctx, d); err != nil {
			return err
		}
	}
}

// recheck reads the position again before an insert when it was tried before, or when the last look is too old: a process
// that was stopped for long must not insert under a token that the store may have forgotten.
func (s *session) recheck(ctx context.Context, b *batch, try int) (stored bool, err error) {
	if try == 0 && time.Since(s.read) < s.cfg.PositionMaxAge {
		return false, nil
	}
	return s.look(ctx, b)
}

// insert sends the batch once. The token names the position that the batch goes on from, so that the store takes one block
// from there and no other. A number is added only after the store said yes and did not move.
func (s *session) insert(ctx context.Context, b *batch, unmoved int) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.InsertTimeout)
	defer cancel()
	token := s.name + "@" + strconv.FormatUint(s.position, 10)
	if unmoved > 0 {
		token += "#" + strconv.Itoa(unmoved)
	}
	if prepared := b.prepared; prepared != nil {
		b.prepared = nil
		return prepared(ctx, s.name, token)
	}
	return s.sink.Insert(ctx, s.name, token, b.rows)
}

// look reads the position, for as long as it takes the store to answer. It reports whether the batch is stored, and
// [errOvertaken] when something else is.
func (s *session) look(ctx context.Context, b *batch) (stored bool, err error) {
	pause := newBackoff(s.cfg.RetryMin, s.cfg.RetryMax)
	for {
		read := time.Now()
		position, err := s.readPosition(ctx)
		if err == nil {
			s.read = read
			return s.moved(b, position)
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		d := pause.NextBackOff()
		s.log.Warn("read position again", slog.Any("error", err), slog.Duration("retry_in", d))
		if err := wait(ctx, d); err != nil {
			return false, err
		}
	}
}

func (s *session) readPosition(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.InsertTimeout)
	defer cancel()
	return s.sink.Position(ctx, s.name)
}

func (s *session) moved(b *batch, position uint64) (stored bool, err error) {
	switch position {
	case s.position:
		return false, nil
	case b.high():
		s.position = position
		return true, nil
	}
	s.meter.races.Inc()
	return false, fmt.Errorf("%w: it is at %d, this batch goes from %d to %d", errOvertaken, position, s.position, b.high())
}

// stored notes that a batch was stored, unless there is an error.
func (s *session) stored(b *batch, started time.Time, err error) error {
	if err != nil {
		return err
	}
	s.recent.keep(b.ids)
	s.refusals, s.proven = 0, true
	s.meter.insertSeconds.Observe(time.Since(started).Seconds())
	s.meter.batches.Inc()
	s.meter.events.Add(float64(len(b.rows)))
	s.traffic.count(b)
	return nil
}

// bury publishes dead letters and returns once JetStream has them, for as long as that takes.
func (s *session) bury(ctx context.Context, dead []deadLetter) error {
	if len(dead) == 0 {
		return nil
	}
	limit := maxPayload(s.js)
	for some := range slices.Chunk(dead, publishWindow) { // what is acked is not sent again
		err := s.publish(ctx, func() []*nats.Msg {
			msgs := make([]*nats.Msg, len(some))
			for i := range some {
				msgs[i] = some[i].message(s.name, limit)
			}
			return msgs
		})
		if err != nil {
			return fmt.Errorf("publish dead letters: %w", err)
		}
	}
	s.meter.letters.Add(float64(len(dead)))
	first := &dead[0]
	s.log.Warn("lines refused", slog.Int("lines", len(dead)), slog.Uint64("first_seq", first.seq),
		slog.String("first_path", first.path), slog.String("first_reason", first.reason))
	return nil
}

// publish sends messages until JetStream has acked all of them. They carry ids, so sending one again counts once.
func (s *session) publish(ctx context.Context, msgs func() []*nats.Msg) error {
	pause := newBackoff(s.cfg.RetryMin, s.cfg.RetryMax)
	for {
		err := s.publishOnce(ctx, msgs())
		if err == nil || ctx.Err() != nil {
			return err
		}
		d := pause.NextBackOff()
		s.log.Warn("publish again", slog.Any("error", err), slog.Duration("retry_in", d))
		if err := wait(ctx, d); err != nil {
			return err
		}
	}
}

func (s *session) publishOnce(ctx context.Context, msgs []*nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.InsertTimeout)
	defer cancel()
	return publish(ctx, s.js, msgs)
}
