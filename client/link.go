package client

import (
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/stream"
)

// flusherTimeout bounds how long a write may hang on a connection that takes nothing.
const flusherTimeout = 10 * time.Second

// link is the sender's way out.
type link interface {
	// up reports whether messages can be sent.
	up() bool
	// changed says that up may have become true.
	changed() <-chan nats.Status
	// limit is how large a message may be, headers included.
	limit() int
	// send starts one attempt. Its result comes to the results that the link was made with, exactly once, unless send fails.
	send(m *nats.Msg) error
	reconnects() uint64
	// close gives up what is under way; no result comes any more.
	close()
}

// result is the end of one attempt; no error means acknowledged.
type result struct {
	msg *nats.Msg
	err error
}

// results collects the ends of attempts from the connection's goroutines, which must never wait for the sender.
type results struct {
	wake chan struct{} // has room for one
	mu   sync.Mutex
	list []result
}

func newResults() *results { return &results{wake: make(chan struct{}, 1)} }

func (r *results) add(res result) {
	r.mu.Lock()
	r.list = append(r.list, res)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *results) take() []result {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.list
	r.list = nil
	return list
}

// natsLink is a link over a NATS connection.
type natsLink struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	changes chan nats.Status
	owned   bool
}

// dial makes a link; the connection may not be up yet.
func dial(cfg *Config, res *results) (*natsLink, error) {
	nc := cfg.Conn
	if nc == nil {
		var err error
		// Without a buffer of its own the connection refuses what it can't send, and the sender keeps it.
		nc, err = stream.Connect(cfg.NATS, cfg.Log, nats.ReconnectBufSize(-1), nats.FlusherTimeout(flusherTimeout))
		if err != nil {
			return nil, err
		}
	}
	js, err := jetstream.New(nc,
		jetstream.WithPublishAsyncTimeout(cfg.AckWait),
		jetstream.WithPublishAsyncAckHandler(func(_ jetstream.JetStream, m *nats.Msg, _ *jetstream.PubAck) { res.add(result{m, nil}) }),
		jetstream.WithPublishAsyncErrHandler(func(_ jetstream.JetStream, m *nats.Msg, err error) { res.add(result{m, err}) }),
	)
	if err != nil {
		if cfg.Conn == nil {
			nc.Close()
		}
		return nil, fmt.Errorf("open jetstream: %w", err)
	}
	return &natsLink{nc, js, nc.StatusChanged(nats.CONNECTED), cfg.Conn == nil}, nil
}

func (l *natsLink) up() bool { return l.nc.IsConnected() }

// servers are the addresses that are tried, without credentials.
func (l *natsLink) servers() []string {
	var all []string
	for _, address := range l.nc.Servers() {
		if u, err := url.Parse(address); err == nil {
			all = append(all, u.Host)
		}
	}
	return all
}

func (l *natsLink) changed() <-chan nats.Status { return l.changes }

func (l *natsLink) limit() int { return int(l.nc.MaxPayload()) }

func (l *natsLink) send(m *nats.Msg) error {
	// Without a stream there is no use in asking again at once: the sender's own pause is longer.
	_, err := l.js.PublishMsgAsync(m, jetstream.WithRetryAttempts(0))
	return err
}

func (l *natsLink) reconnects() uint64 { return l.nc.Stats().Reconnects }

func (l *natsLink) close() {
	l.nc.RemoveStatusListener(l.changes)
	l.js.CleanupPublisher()
	if l.owned {
		l.nc.Close()
	}
}

// notStored reports whether an attempt that ended so has certainly stored nothing: it was never sent, or was refused.
func notStored(err error) bool {
	for _, known := range []error{jetstream.ErrNoStreamResponse, nats.ErrReconnectBufExceeded, nats.ErrConnectionClosed, nats.ErrMaxPayload} {
		if errors.Is(err, known) {
			return true
		}
	}
	return errors.As(err, new(*jetstream.APIError))
}
