package client

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// expire drops what may not be sent again: a later attempt could be stored twice.
func (s *sender) expire(now time.Time) {
	s.retry = slices.DeleteFunc(s.retry, func(m *message) bool {
		if m.uncertain.IsZero() || now.Sub(m.uncertain) < s.cfg.RetryFor {
			return false
		}
		s.settle(m, Unacked)
		return true
	})
}

// send sends what is due, in order, as far as the window allows. Nothing overtakes what has to be sent again.
func (s *sender) send(now time.Time) {
	if s.link == nil || !s.link.up() {
		return
	}
	for len(s.flight) < s.cfg.Window && !s.retryAt.After(now) {
		line := &s.ready
		if len(s.retry) > 0 {
			line = &s.retry
		}
		if len(*line) == 0 {
			return
		}
		m := (*line)[0]
		(*line)[0] = nil
		*line = (*line)[1:]
		if max := s.link.limit() - headerRoom; len(m.data) > max {
			*line = append(s.halves(m), *line...)
			continue
		}
		s.attempt(m, now)
	}
}

// halves splits a message that is over the server's limit; a single event over it is dropped.
func (s *sender) halves(m *message) []*message {
	a, b, ok := m.split()
	if !ok {
		s.beat.complain(s.cfg.Log, TooLarge, nats.ErrMaxPayload)
		s.settle(m, TooLarge)
		return nil
	}
	return []*message{a, b}
}

func (s *sender) attempt(m *message, now time.Time) {
	m.fresh = m.uncertain.IsZero()
	if m.fresh {
		m.uncertain = now
	}
	msg := m.msg()
	s.flight[msg] = m
	if err := s.link.send(msg); err != nil {
		delete(s.flight, msg)
		s.failed(m, notStored(err), err, now)
	}
}

// finish takes the result of an attempt.
func (s *sender) finish(r result, now time.Time) {
	m, ok := s.flight[r.msg]
	if !ok {
		return
	}
	delete(s.flight, r.msg)
	if r.err != nil {
		s.failed(m, notStored(r.err), r.err, now)
		return
	}
	s.backoff.Reset()
	s.failing = false
	s.settle(m, "")
}

// failed puts a message in line again, where it stood.
func (s *sender) failed(m *message, notStored bool, err error, now time.Time) {
	if notStored && m.fresh {
		m.uncertain = time.Time{}
	}
	if m.abandoned {
		s.settle(m, Cancelled)
		return
	}
	s.tellFailure(m, err)
	at, _ := slices.BinarySearchFunc(s.retry, m, (*message).compare)
	s.retry = slices.Insert(s.retry, at, m)
	if !s.retryAt.After(now) {
		s.retryAt = now.Add(s.backoff.NextBackOff())
	}
}

// settle is the end of a message: acknowledged, or dropped for a reason.
func (s *sender) settle(m *message, r Reason) {
	s.buf.settle(m.events, m.res, r)
	for _, w := range m.waiters {
		w.settled(m.events, r)
	}
	if m.heartbeat {
		s.beat.pending = false
	}
	if !m.shared {
		s.bat.recycle(m.data)
	}
	m.data = nil
}

// tellFailure warns of the first attempt without success after one with; those that follow say no more.
func (s *sender) tellFailure(m *message, err error) {
	level := slog.LevelWarn
	if s.failing {
		level = slog.LevelDebug
	}
	s.failing = true
	s.cfg.Log.Log(context.Background(), level, "publish failed, will be tried again", slog.Any("error", err), slog.Int("events", m.events))
}
