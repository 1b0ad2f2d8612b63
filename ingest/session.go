package ingest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// session is a lane at work: one consumer of one stream, from one position on, until something about them changes.
type session struct {
	*lane
	stream   jetstream.Stream
	consumer jetstream.Consumer
	reader   reader
	hopper   *hopper
	// read is when the position was last read.
	read time.Time
	// busy is when the oldest message of the batch on its way was put into the stream, in Unix nanoseconds, 0 without one.
	busy atomic.Int64
	// seen and settled are the consumer's sequence of the last message that came, and of the last one that needs no more work;
	// seenSeq and settledSeq are the same in the stream's sequence.
	seen, settled, seenSeq, settledSeq atomic.Uint64
	// proven is set once the store has taken something in this session.
	proven bool
	// stop ends the session for a reason.
	stop context.CancelCauseFunc
}

// run consumes and stores until ctx ends or the session can't go on, and returns the reason. What was fetched before a
// graceful end is stored under work.
func (s *session) run(ctx, work context.Context) error {
	ctx, s.stop = context.WithCancelCause(ctx)
	defer s.stop(nil)
	consuming, err := s.consume()
	if err != nil {
		return fmt.Errorf("consume: %w", err)
	}
	var helpers sync.WaitGroup
	helpers.Go(func() { s.watch(ctx) })
	helpers.Go(func() {
		<-ctx.Done()
		s.hopper.close()
		consuming.Stop()
		<-consuming.Closed()
	})
	ready := make(chan *batch)
	helpers.Go(func() { s.prepare(ready) })
	err = s.drain(work, ready)
	s.stop(err)
	for b := range ready {
		s.giveUp(b)
	}
	helpers.Wait()
	s.forget()
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}

// consume starts to fill the hopper.
func (s *session) consume() (jetstream.ConsumeContext, error) {
	largest := maxPayload(s.js) + messageRoom
	return s.consumer.Consume(s.handle,
		jetstream.PullMaxBytes(max(s.cfg.PullBytes, largest)),
		jetstream.PullHeartbeat(s.cfg.Heartbeat),
		jetstream.PullExpiry(4*s.cfg.Heartbeat),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) { s.stop(fmt.Errorf("consume: %w", err)) }),
	)
}

// messageRoom is more than a message's subjects take beside its payload.
const messageRoom = 64 << 10

// handle puts one message into the hopper, and waits there while the store is slower than the stream.
func (s *session) handle(msg jetstream.Msg) {
	m := message{data: msg.Data(), header: msg.Headers()}
	if err := m.placeOf(msg.Reply()); err != nil {
		s.stop(err)
		return
	}
	if m.delivered != s.seen.Load()+1 {
		s.stop(errSkipped)
		s.hopper.close()
		return
	}
	added := s.hopper.add(len(m.data), func(b *batch) {
		b.begin(m)
		s.reader.read(b, m)
	})
	if added {
		s.seen.Store(m.delivered)
		s.seenSeq.Store(m.seq)
	}
}

// prepare takes batch after batch from the hopper, lets the sink prepare it while the one before is on its way, and hands it on,
// until the hopper is closed and empty.
func (s *session) prepare(ready chan<- *batch) {
	defer close(ready)
	preparer, _ := s.sink.(Preparer)
	for b, ok := s.hopper.take(); ok; b, ok = s.hopper.take() {
		if preparer != nil && len(b.rows) > 0 {
			b.prepare(preparer)
		}
		ready <- b
	}
}

// drain stores batch after batch until there are no more.
func (s *session) drain(work context.Context, ready <-chan *batch) error {
	for b := range ready {
		s.busy.Store(b.oldest.UnixNano())
		err := s.settle(work, b)
		s.busy.Store(0)
		if err != nil {
			s.giveUp(b)
			return err
		}
		s.settled.Store(b.delivered)
		s.settledSeq.Store(b.last)
		s.settledTo.Store(b.last)
		s.hopper.done(b)
	}
	return nil
}

// giveUp lets a batch go that was not seen to be stored as a whole.
func (s *session) giveUp(b *batch) {
	for i, row := range b.rows {
		if row.Seq > s.position {
			s.recent.release(b.ids[i:])
			s.unstored += len(b.rows) - i
			break
		}
	}
	s.hopper.done(b)
}

// forget tells the server that the consumer is not needed any more. It would notice by itself later.
func (s *session) forget() {
	if !s.js.Conn().IsConnected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.stream.DeleteConsumer(ctx, s.consumer.CachedInfo().Name)
}
