package analyzer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// breakerSession reads from one consumer of one stream, from one place on, until something about them changes.
type breakerSession struct {
	*Breaker
	stream   jetstream.Stream
	consumer jetstream.Consumer
	epoch    string
	// idsTo is the sequence up to which messages are read for the ids of their calls alone.
	idsTo uint64
	// seen is the consumer's number of the last message that came, handled that of the last one whose calls were fed.
	seen, handled atomic.Uint64
	// stop ends the session for a reason.
	stop context.CancelCauseFunc
	// calls is used again for each message.
	calls []drift.BreakerCall
}

// Why a session ends.
var (
	errSkipped  = errors.New("a message got lost on the way here")
	errStalled  = errors.New("the server sent messages that did not come")
	errReplaced = errors.New("the stream was created anew")
)

// session opens a consumer and reads until ctx ends or it can't go on. It says whether anything was read.
func (b *Breaker) session(ctx context.Context) (moved bool, err error) {
	s, err := b.open(ctx)
	if err != nil {
		return false, fmt.Errorf("open the stream: %w", err)
	}
	err = s.run(ctx)
	return s.handled.Load() > 0, err
}

// open makes a consumer behind what was read, and makes sure that it is one of the stream that was asked before.
func (b *Breaker) open(ctx context.Context) (*breakerSession, error) {
	if err := b.finish(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, breakerAsk)
	defer cancel()
	if err := b.restore(ctx); err != nil {
		return nil, err
	}
	ahead := b.ahead()
	found, err := b.js.Stream(ctx, b.cfg.Stream)
	if err != nil {
		return nil, fmt.Errorf("find stream %s: %w", b.cfg.Stream, err)
	}
	s := &breakerSession{Breaker: b, stream: found, epoch: stream.EpochOf(found.CachedInfo())}
	if s.consumer, err = found.CreateConsumer(ctx, s.start(found.CachedInfo())); err != nil {
		return nil, fmt.Errorf("create consumer: %w", err)
	}
	info, err := found.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("read stream: %w", err)
	}
	if stream.EpochOf(info) != s.epoch {
		return nil, errReplaced
	}
	s.checkGap(info.State.FirstSeq)
	if err := b.mend(ctx, ahead, endOf(info)); err != nil {
		return nil, err
	}
	return s, nil
}

// start says from where on to read: behind what was read of this stream, with some messages before it the first time, or else from a
// time on.
func (s *breakerSession) start(info *jetstream.StreamInfo) jetstream.ConsumerConfig {
	s.mu.Lock()
	defer s.mu.Unlock()
	cfg := jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy,
		FilterSubject: events.SubjectPrefix + "*." + string(events.KindToolCall),
		AckPolicy:     jetstream.AckNonePolicy, InactiveThreshold: breakerIdle, MemoryStorage: true, Replicas: 1,
	}
	place := s.core.Place()
	if place.Epoch != s.epoch || place.Seq == 0 || place.Seq > info.State.LastSeq {
		if place.Seq > 0 {
			s.metrics.Gaps.Inc()
			s.log.Warn("the stream is another one than before: start anew", slog.Duration("since", s.cfg.Since))
		}
		s.core.Reset(drift.Place{Epoch: s.epoch})
		since := time.Now().Add(-s.cfg.Since)
		cfg.DeliverPolicy, cfg.OptStartTime = jetstream.DeliverByStartTimePolicy, &since
		return cfg
	}
	cfg.OptStartSeq = place.Seq + 1
	if !s.reread {
		cfg.OptStartSeq -= min(s.cfg.Reread, place.Seq)
	}
	s.idsTo = place.Seq
	return cfg
}

// breakerIdle is how long the server keeps a consumer that nobody asks.
const breakerIdle = 5 * time.Minute

// checkGap starts all streaks anew where the stream has dropped messages that were not read.
func (s *breakerSession) checkGap(first uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place := s.core.Place()
	if place.Epoch != s.epoch || place.Seq == 0 || first <= place.Seq+1 {
		return
	}
	s.core.Reset(drift.Place{Epoch: s.epoch, Seq: first - 1})
	s.metrics.Gaps.Inc()
	s.log.Error("the stream dropped messages that were not read: all streaks start anew",
		slog.Uint64("after_seq", place.Seq), slog.Uint64("first_seq", first))
}

// run reads until ctx ends or the session can't go on, and returns the reason.
func (s *breakerSession) run(ctx context.Context) error {
	ctx, s.stop = context.WithCancelCause(ctx)
	defer s.stop(nil)
	largest := int(s.js.Conn().MaxPayload()) + messageRoom
	consuming, err := s.consumer.Consume(func(m jetstream.Msg) { s.handle(ctx, m) },
		jetstream.PullMaxBytes(max(s.cfg.PullBytes, largest)), jetstream.PullHeartbeat(s.cfg.Heartbeat), jetstream.PullExpiry(4*s.cfg.Heartbeat),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) { s.stop(fmt.Errorf("consume: %w", err)) }),
	)
	if err != nil {
		return fmt.Errorf("consume: %w", err)
	}
	s.log.Info("reading tool calls", slog.Uint64("from_seq", s.idsTo+1))
	var watching sync.WaitGroup
	watching.Go(func() { s.watch(ctx) })
	<-ctx.Done()
	consuming.Stop()
	<-consuming.Closed()
	watching.Wait()
	s.forget()
	return context.Cause(ctx)
}

// messageRoom is more than a message's subjects take beside its payload, in bytes.
const messageRoom = 64 << 10

// forget tells the server that the consumer is not needed any more. It would notice by itself later.
func (s *breakerSession) forget() {
	if !s.js.Conn().IsConnected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.stream.DeleteConsumer(ctx, s.consumer.CachedInfo().Name) // as said
}

// watch looks from time to time how far behind the session is, and whether all is as it was.
func (s *breakerSession) watch(ctx context.Context) {
	tick := time.NewTicker(s.cfg.PollInterval)
	defer tick.Stop()
	var last uint64
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		seen := s.seen.Load()
		err := s.poll(ctx, seen == last)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errStalled), errors.Is(err, errReplaced), errors.Is(err, jetstream.ErrConsumerNotFound), errors.Is(err, jetstream.ErrStreamNotFound):
			s.stop(err)
			return
		case err != nil:
			s.log.Warn("look at the stream again", slog.Any("error", err))
		}
		last = seen
	}
}

// poll looks once. Idle says that no message came since the look before.
func (s *breakerSession) poll(ctx context.Context, idle bool) error {
	ctx, cancel := context.WithTimeout(ctx, breakerAsk)
	defer cancel()
	handled, ahead := s.handled.Load(), s.ahead()
	found, err := s.js.Stream(ctx, s.cfg.Stream)
	if err != nil {
		return err
	}
	info := found.CachedInfo()
	if stream.EpochOf(info) != s.epoch {
		return errReplaced
	}
	c, err := s.consumer.Info(ctx)
	if err != nil {
		return err
	}
	sent := c.Delivered.Consumer
	s.metrics.LagMessages.Set(float64(c.NumPending + sent - min(handled, sent)))
	if idle && sent > handled && s.handled.Load() == handled && s.seen.Load() == handled {
		return errStalled
	}
	if c.NumPending == 0 && sent == handled {
		s.clear(info.State.LastSeq)
	}
	s.checkGap(info.State.FirstSeq)
	return s.mend(ctx, ahead, endOf(info))
}

// clear says that up to a sequence all calls were fed.
func (s *breakerSession) clear(seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending == nil {
		s.core.Advance(drift.Place{Epoch: s.epoch, Seq: seq})
	}
}
