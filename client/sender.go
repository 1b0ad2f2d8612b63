package client

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"

	"github.com/tooltrail/tooltrail/events"
)

// sender owns everything between the buffer and the connection. One goroutine runs it; others reach it through the buffer, the
// results and requests.
type sender struct {
	cfg *Config
	buf *buffer
	bat *batcher
	res *results
	// requests are run by the sender between two steps.
	requests chan func()
	// links brings the connection once it was dialled.
	links chan link
	link  link
	// shared is link, for Stats.
	shared atomic.Pointer[link]

	seq   uint64
	ready []*message // complete, never sent
	retry []*message // sent without success, in order
	// flight are the attempts under way.
	flight map[*nats.Msg]*message
	// retryAt is when the next attempt may be made; backoff gives the pauses.
	retryAt time.Time
	backoff *backoff.ExponentialBackOff
	// failing says that the log has heard of an attempt without success since the last one with.
	failing bool

	beat heart
}

// The pauses between attempts.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

func newSender(cfg *Config, buf *buffer, res *results) *sender {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = firstPause, lastPause
	return &sender{
		cfg: cfg, buf: buf, bat: newBatcher(cfg), res: res,
		requests: make(chan func()), links: make(chan link, 1),
		flight: map[*nats.Msg]*message{}, backoff: pauses,
	}
}

// run sends until the context ends; what is left then is counted as not acknowledged.
func (s *sender) run(ctx context.Context) {
	defer s.stop()
	s.beat.next = time.Now().Add(s.cfg.HeartbeatEvery)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := time.Now()
		s.step(now)
		timer.Reset(s.sleep(now))
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-s.buf.wake:
		case <-s.res.wake:
		case <-s.changes():
			s.retryAt = time.Time{} // the connection is back: no need to wait
		case l, ok := <-s.links:
			s.linked(l, ok)
		case do := <-s.requests:
			do()
		}
	}
}

// linked takes the connection, or learns that there will be none.
func (s *sender) linked(l link, ok bool) {
	if !ok {
		s.links = nil
		return
	}
	s.link = l
	s.shared.Store(&l)
}

func (s *sender) changes() <-chan nats.Status {
	if s.link == nil {
		return nil
	}
	return s.link.changed()
}

// step does whatever can be done now.
func (s *sender) step(now time.Time) {
	for _, r := range s.res.take() {
		s.finish(r, now)
	}
	s.fill()
	if !now.Before(s.beat.next) {
		s.heartbeat(now)
	}
	if s.clear(now) {
		s.bat.completeOlder(now.Add(-s.cfg.BatchAge))
	}
	s.collect()
	s.expire(now)
	s.send(now)
}

// clear reports whether a complete message would be sent at once; else messages go on filling up.
func (s *sender) clear(now time.Time) bool {
	return s.link != nil && s.link.up() && len(s.ready) == 0 && len(s.retry) == 0 && !now.Before(s.retryAt) && len(s.flight) < s.cfg.Window
}

// sleep returns how long nothing will be due.
func (s *sender) sleep(now time.Time) time.Duration {
	next := s.beat.next
	sooner := func(at time.Time) {
		if at.Before(next) {
			next = at
		}
	}
	if since, ok := s.bat.oldest(); ok && s.clear(now) {
		sooner(since.Add(s.cfg.BatchAge))
	}
	if s.retryAt.After(now) {
		sooner(s.retryAt)
	}
	for _, m := range s.retry {
		if !m.uncertain.IsZero() {
			sooner(m.uncertain.Add(s.cfg.RetryFor))
		}
	}
	return max(next.Sub(now), time.Millisecond)
}

// fill encodes what waits in the buffer, and sends what gets complete meanwhile.
func (s *sender) fill() {
	if s.link != nil && s.link.limit() > 2*headerRoom {
		s.bat.limit = min(s.cfg.BatchBytes, s.link.limit()-headerRoom)
	}
	taken := s.buf.take()
	now := time.Now()
	var grown int64
	for _, it := range taken {
		size, err := s.bat.add(it, 1, now)
		if err != nil {
			s.refuse(it, err)
			continue
		}
		grown += int64(size) - it.weight
		if len(s.bat.full) > 0 {
			now = time.Now()
			s.collect()
			s.send(now)
		}
	}
	s.buf.resize(grown)
	s.buf.giveBack(taken)
}

// refuse drops an event that can't be encoded.
func (s *sender) refuse(it item, err error) {
	reason := Invalid
	if errors.Is(err, events.ErrTooLarge) {
		reason = TooLarge
	}
	s.beat.complain(s.cfg.Log, reason, err)
	s.buf.settle(1, reserved{1, it.weight}, reason)
}

// collect puts complete messages in line.
func (s *sender) collect() {
	for _, m := range s.bat.take() {
		s.enqueue(m)
	}
}

func (s *sender) enqueue(m *message) {
	s.seq++
	m.seq, m.id = s.seq, s.beat.messageID(s.seq)
	s.ready = append(s.ready, m)
}

// outstanding calls f for every message that is not settled.
func (s *sender) outstanding(f func(*message)) {
	for _, m := range s.retry {
		f(m)
	}
	for _, m := range s.ready {
		f(m)
	}
	for _, m := range s.flight {
		f(m)
	}
}

// flush sends everything that was given so far and lets w wait for it; not for heartbeats, which count as nothing.
func (s *sender) flush(w *waiter) {
	s.fill()
	s.bat.completeAll()
	s.collect()
	w.pending++ // for this function itself
	s.outstanding(func(m *message) {
		if !m.heartbeat {
			w.watch(m)
		}
	})
	w.settled(0, "")
}

// farewell sends a last heartbeat, if the connection is up, and lets w wait for it.
func (s *sender) farewell(w *waiter) {
	w.pending++
	if s.link != nil && s.link.up() {
		s.heartbeat(time.Now())
		s.outstanding(func(m *message) {
			if m.heartbeat {
				w.watch(m)
			}
		})
	}
	w.settled(0, "")
}

// publish puts messages in line, after everything that was given before.
func (s *sender) publish(msgs []*message, w *waiter) {
	s.fill()
	s.bat.completeAll()
	s.collect()
	w.pending++
	for _, m := range msgs {
		w.watch(m)
		s.enqueue(m)
	}
	w.settled(0, "")
}

// abandon gives up the messages that w waits for and returns how many events are not acknowledged; those under way still may be.
func (s *sender) abandon(w *waiter) int {
	giveUp := func(m *message) bool {
		if !slices.Contains(m.waiters, w) {
			return false
		}
		s.settle(m, Cancelled)
		return true
	}
	s.retry = slices.DeleteFunc(s.retry, giveUp)
	s.ready = slices.DeleteFunc(s.ready, giveUp)
	n := w.failed
	for _, m := range s.flight {
		if slices.Contains(m.waiters, w) {
			m.abandoned = true
			n += m.events
		}
	}
	return n
}

// stop counts what is left as not acknowledged.
func (s *sender) stop() {
	for _, r := range s.res.take() {
		s.finish(r, time.Now())
	}
	s.fill()
	s.bat.completeAll()
	s.collect()
	var left []*message
	s.outstanding(func(m *message) { left = append(left, m) })
	for _, m := range left {
		s.settle(m, Unacked)
	}
	s.tellLosses()
}

// hangUp lets go of the connection, once the sender and whoever dials have ended.
func (s *sender) hangUp() {
	if s.link == nil {
		select {
		case s.link = <-s.links:
		default:
		}
	}
	if s.link != nil {
		s.link.close()
	}
}
