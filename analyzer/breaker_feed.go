package analyzer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// handle feeds the calls of one message, and writes what they decide before it returns.
func (s *breakerSession) handle(ctx context.Context, m jetstream.Msg) {
	if ctx.Err() != nil {
		return
	}
	meta, err := m.Metadata()
	if err != nil {
		s.stop(fmt.Errorf("read where a message is: %w", err))
		return
	}
	if meta.Sequence.Consumer != s.seen.Load()+1 {
		s.stop(errSkipped)
		return
	}
	s.seen.Store(meta.Sequence.Consumer)
	place := drift.Place{Epoch: s.epoch, Seq: meta.Sequence.Stream}
	s.calls = s.calls[:0]
	if m.Headers().Get(events.HistoryHeader) == "" {
		s.calls = s.read(s.calls, m.Data(), place, meta.Timestamp)
	} else {
		s.passOver(m.Data())
	}
	if err := s.feedAll(ctx, place); err != nil {
		s.stop(err)
		return
	}
	s.handled.Store(meta.Sequence.Consumer)
}

// read decodes the calls of a message, and judges those that nobody judged and of which it is known whose tool they call. What is no call is counted and passed over: the ingester keeps
// it as a dead letter.
func (s *breakerSession) read(calls []drift.BreakerCall, data []byte, place drift.Place, stored time.Time) []drift.BreakerCall {
	for _, line := range events.Lines(data) {
		e, err := events.DecodeKind(events.KindToolCall, line)
		if err != nil {
			s.metrics.DecodeErrors.Inc()
			continue
		}
		id, err := uuid.Parse(e.ID)
		call, ok := e.Data.(*events.ToolCall)
		if err != nil || !ok {
			s.metrics.DecodeErrors.Inc()
			continue
		}
		if s.registry.Places(call) {
			s.registry.Classify(call)
		}
		calls = append(calls, drift.BreakerCallOf(id, e.Time, call, place, stored))
	}
	return calls
}

// passOver counts calls of long ago, such as those of a file that is imported: no tool is disabled for them.
func (s *breakerSession) passOver(data []byte) {
	n := 0
	for range events.Lines(data) {
		n++
	}
	s.metrics.Calls.WithLabelValues("history").Add(float64(n))
}

// feedAll feeds the calls of the message at a place.
func (s *breakerSession) feedAll(ctx context.Context, place drift.Place) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if place.Seq <= s.idsTo {
		for i := range s.calls {
			s.core.Remember(&s.calls[i])
		}
		return nil
	}
	s.reread = true
	for i := range s.calls {
		if err := s.feed(ctx, &s.calls[i]); err != nil {
			return err
		}
	}
	s.core.Advance(place)
	return nil
}

// fedNames are the label values of what becomes of calls.
var fedNames = map[drift.Fed]string{drift.FedCounted: "counted", drift.FedDuplicate: "duplicate", drift.FedIgnored: "ignored"}

// feed feeds one call.
func (b *Breaker) feed(ctx context.Context, c *drift.BreakerCall) error {
	for _, k := range b.core.Blocking(c) {
		if err := b.confirm(ctx, k, c.Stored); err != nil {
			return err
		}
	}
	fed, d := b.core.Feed(c)
	b.metrics.Calls.WithLabelValues(fedNames[fed]).Inc()
	if d == nil || b.isLate(d) || b.leaveOut(d) {
		return nil
	}
	b.pending = d
	return b.decide(ctx)
}

// isLate reports that errors in a row are too old to disable a tool for: what came after them is still to be read.
func (b *Breaker) isLate(d *drift.Decision) bool {
	age := time.Since(d.At)
	if d.Probe || age <= b.cfg.Late {
		return false
	}
	b.metrics.Late.Inc()
	if now := time.Now(); now.Sub(b.saidLate) > lateLogEvery {
		b.saidLate = now
		b.log.Warn("errors in a row are read too late to disable a tool for", slog.String("tool", d.Key.String()), slog.Duration("age", age))
	}
	return true
}

// lateLogEvery is how often the log hears of that.
const lateLogEvery = time.Minute

// confirm makes sure that a switch which keeps a call from counting was so when the stream got the call: the watch may tell of it later
// than the stream of what follows. One look serves all calls that the stream has by then.
func (b *Breaker) confirm(ctx context.Context, k drift.SwitchKey, stored time.Time) error {
	if b.confirmed[k].After(stored) {
		return nil
	}
	key, err := keyOfSwitch(k)
	if err != nil {
		return err
	}
	return b.insist(ctx, "look at a switch", k, func() error {
		now := time.Now()
		e, err := b.get(ctx, key)
		if err != nil {
			return err
		}
		is := b.readSwitch(key, e.Value)
		b.teller.see(key, b.core.Switch(k), is, e.At)
		b.core.SetSwitch(k, is)
		if b.confirmed[k] = now; !is.Refuses(now) {
			delete(b.confirmed, k)
		}
		return nil
	})
}

// get reads a key of the bucket; one that is not there has no value.
func (b *Breaker) get(ctx context.Context, key string) (stream.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, breakerAsk)
	defer cancel()
	e, err := b.switches.Get(ctx, key)
	if errors.Is(err, stream.ErrNoKey) {
		return stream.Entry{}, nil
	}
	return e, err
}

// insist tries until it succeeds. The error is that ctx ended.
func (b *Breaker) insist(ctx context.Context, what string, k drift.SwitchKey, try func() error) error {
	for pauses := b.pauses(); ; {
		err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b.metrics.WriteErrors.WithLabelValues("switch").Inc()
		pause := pauses.NextBackOff()
		b.log.Error("the breaker waits for its bucket", slog.String("to", what), slog.String("tool", k.String()),
			slog.Any("error", err), slog.Duration("retry_in", pause))
		sleep(ctx, pause)
	}
}

// finish writes what a session before could not.
func (b *Breaker) finish(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending == nil {
		return nil
	}
	return b.decide(ctx)
}

// decide writes the pending decision, for as long as that takes. The error is that ctx ended.
func (b *Breaker) decide(ctx context.Context) error {
	d := b.pending
	key, err := keyOfSwitch(d.Key)
	if err != nil { // the breaker decides on nothing with such names
		b.pending = nil
		return err
	}
	return b.insist(ctx, "write a switch", d.Key, func() error {
		is, won, err := b.write(ctx, key, d)
		if err != nil {
			return err
		}
		b.teller.see(key, b.core.Switch(d.Key), is, time.Now())
		b.core.SetSwitch(d.Key, is)
		b.core.Settle(d)
		b.pending = nil
		if won {
			b.written(key, d, is)
		}
		return nil
	})
}

// write puts a decision into the bucket, unless what is there was decided at the same place or behind it. It returns what is there then,
// and whether that is new.
func (b *Breaker) write(ctx context.Context, key string, d *drift.Decision) (is *drift.Switch, won bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, breakerAsk)
	defer cancel()
	_, err = b.switches.Change(ctx, key, func(old []byte) ([]byte, error) {
		was := b.readSwitch(key, old)
		above, err := b.above(ctx, d.Key)
		if err != nil {
			return nil, err
		}
		next := d.Apply(was, above)
		if is, won = was, next != nil; !won {
			return nil, nil
		}
		is = next
		return next.Encode()
	})
	return is, won, err
}

// above returns the switch of a tool for all agents, where a decision is on that for one.
func (b *Breaker) above(ctx context.Context, k drift.SwitchKey) (*drift.Switch, error) {
	if k.Agent == "" {
		return nil, nil
	}
	key, err := keyOfSwitch(drift.SwitchKey{Key: k.Key})
	if err != nil {
		return nil, err
	}
	e, err := b.get(ctx, key)
	return b.readSwitch(key, e.Value), err
}

// written counts a decision that this breaker wrote, and has people told of it.
func (b *Breaker) written(key string, d *drift.Decision, s *drift.Switch) {
	if !b.registry.Knows(d.Key.Key) {
		b.unregistered.n++
	}
	b.metrics.DecisionSeconds.Observe(max(0, time.Since(d.At).Seconds()))
	attrs := []any{
		slog.String("tool", d.Key.String()), slog.String("agent", s.Agent), slog.String("version", s.Version),
		slog.String("reason", s.Reason), slog.Uint64("seq", s.Seq),
	}
	if d.Probe {
		b.metrics.Probes.WithLabelValues(string(s.State)).Inc()
		b.log.Info("a probe decided", append(attrs, slog.String("state", string(s.State)))...)
		return
	}
	b.metrics.Trips.WithLabelValues(cmp.Or(string(s.AlertOnly), string(s.State))).Inc()
	b.log.Warn("calls of a tool failed validation in a row", append(attrs, slog.String("state", string(s.State)))...)
	b.teller.owe(key, s)
}
