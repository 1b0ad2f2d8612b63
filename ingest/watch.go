package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// watch looks from time to time how far the session is behind, whether the stream has dropped what it had not fetched, and
// whether messages got lost on the way here.
func (s *session) watch(ctx context.Context) {
	var last uint64
	for wait(ctx, s.cfg.PollInterval) == nil {
		seen := s.seen.Load()
		err := s.poll(ctx, seen == last)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errStalled) || errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
			s.stop(err)
			return
		}
		if err != nil {
			s.log.Warn("look at the stream again", slog.Any("error", err))
		}
		last = seen
	}
}

// poll looks once. Idle says that no message came since the look before.
func (s *session) poll(ctx context.Context, idle bool) error {
	ctx, cancel := context.WithTimeout(ctx, max(s.cfg.PollInterval, time.Second))
	defer cancel()
	seen, edge := s.seen.Load(), s.seenSeq.Load()
	found, err := s.js.Stream(ctx, s.lane.stream)
	if err != nil {
		return err
	}
	consumer, err := s.consumer.Info(ctx)
	if err != nil {
		return err
	}
	state := found.CachedInfo().State
	oldest, blocked := s.hopper.pending()
	s.measure(consumer, oldest)
	if idle && !blocked && consumer.Delivered.Consumer > seen && s.seen.Load() == seen {
		return errStalled
	}
	if consumer.NumPending == 0 && consumer.Delivered.Consumer == s.settled.Load() {
		s.clear(ctx, state.LastSeq)
	} else {
		s.clear(ctx, s.settledSeq.Load())
	}
	s.gaps(state.FirstSeq, edge)
	return nil
}

// measure sets the gauges of how far the session is behind.
func (s *session) measure(c *jetstream.ConsumerInfo, oldest time.Time) {
	settled := s.settled.Load()
	s.meter.lagMessages.Set(float64(c.NumPending + c.Delivered.Consumer - min(settled, c.Delivered.Consumer)))
	if ns := s.busy.Load(); ns != 0 {
		oldest = time.Unix(0, ns)
	}
	age := 0.0
	if !oldest.IsZero() {
		age = max(0, time.Since(oldest).Seconds())
	}
	s.meter.lagSeconds.Set(age)
}

// The key-value bucket of what the ingester remembers of each lane, beside the store.
const stateBucket = "tooltrail_ingest"

// clear notes that no message of the lane up to sequence seq needs work any more. It is kept so that a later ingester can
// tell a lane that had nothing for long from one whose messages the stream dropped.
func (l *lane) clear(ctx context.Context, seq uint64) {
	if seq <= l.clearTo {
		return
	}
	l.clearTo = seq
	if time.Since(l.clearKept) < clearEvery {
		return
	}
	l.clearKept = time.Now()
	kv, err := l.bucket(ctx)
	if err == nil {
		_, err = kv.Put(ctx, l.clearKey(), []byte(strconv.FormatUint(seq, 10)))
	}
	if err != nil {
		l.log.Warn("keep what is clear", slog.Any("error", err))
	}
}

// clearEvery is how often that is kept.
const clearEvery = time.Minute

// recall returns what an earlier ingester noted as clear, 0 when none did.
func (l *lane) recall(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	kv, err := l.bucket(ctx)
	if err != nil {
		return 0, err
	}
	entry, err := kv.Get(ctx, l.clearKey())
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("recall what is clear: %w", err)
	}
	return strconv.ParseUint(string(entry.Value()), 10, 64)
}

func (l *lane) clearKey() string { return "clear." + l.name }

// bucket opens the bucket, or makes it.
func (g *Ingester) bucket(ctx context.Context) (jetstream.KeyValue, error) {
	kv, err := g.js.KeyValue(ctx, stateBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = g.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: stateBucket, Description: "How far ingest is, beside the store."})
	}
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", stateBucket, err)
	}
	return kv, nil
}

// gaps counts what the stream has dropped before it was stored: its first sequence is beyond the one behind edge, the last
// that was fetched, and beyond what is known to be clear. How many messages of this lane were among those dropped is not
// known, so all are counted.
func (l *lane) gaps(first, edge uint64) {
	edge = max(edge, l.clearTo)
	if edge == 0 || first <= edge+1 {
		return
	}
	lost := first - 1 - edge
	l.clearTo = first - 1
	l.meter.gaps.Inc()
	l.meter.gapMessages.Add(float64(lost))
	l.log.Error("the stream dropped messages that may not have been stored; make its retention longer",
		slog.Uint64("after_seq", edge), slog.Uint64("first_seq", first), slog.Uint64("messages_at_most", lost))
}
