package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Connect connects to NATS and stays connected: it tries for as long as it takes, at first and after every loss, so the
// connection it returns may not be up yet ([WaitConnected]). More options, such as a server in process, come after the settings'
// own. An error means that the settings are wrong.
func Connect(cfg Config, log *slog.Logger, more ...nats.Option) (*nats.Conn, error) {
	opts, err := cfg.options(log)
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(cfg.URL, append(opts, more...)...)
	if err != nil {
		return nil, fmt.Errorf("connect to nats: %w", err)
	}
	return nc, nil
}

// WaitConnected returns when the connection is up, with the context's error when that ends first, and with
// [nats.ErrConnectionClosed] when it never will be.
func WaitConnected(ctx context.Context, nc *nats.Conn) error {
	changes := nc.StatusChanged(nats.CONNECTED, nats.CLOSED)
	defer nc.RemoveStatusListener(changes)
	for {
		switch nc.Status() {
		case nats.CONNECTED:
			return nil
		case nats.CLOSED:
			return fmt.Errorf("wait for nats: %w", nats.ErrConnectionClosed)
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return fmt.Errorf("wait for nats: %w", context.Cause(ctx))
		}
	}
}

// options turns the settings into the client's own.
func (c Config) options(log *slog.Logger) ([]nats.Option, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	opts := []nats.Option{
		nats.Name(c.Name),
		nats.Timeout(c.DialTimeout),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(c.ReconnectWait),
		nats.ReconnectJitter(c.ReconnectWait, c.ReconnectWait),
		nats.PingInterval(20 * time.Second),
		nats.MaxPingsOutstanding(2),
		nats.IgnoreAuthErrorAbort(),
	}
	if c.Inbox != "" {
		opts = append(opts, nats.CustomInboxPrefix(c.Inbox))
	}
	opts = append(opts, logged(log)...)
	who, err := c.credentials()
	return append(append(opts, who...), c.tls()...), err
}

func (c Config) credentials() ([]nats.Option, error) {
	switch {
	case c.CredsFile != "":
		return []nats.Option{nats.UserCredentials(c.CredsFile)}, nil
	case c.NkeySeedFile != "":
		o, err := nats.NkeyOptionFromSeed(c.NkeySeedFile)
		if err != nil {
			return nil, fmt.Errorf("read nkey seed: %w", err)
		}
		return []nats.Option{o}, nil
	case c.Token != "":
		return []nats.Option{nats.Token(c.Token)}, nil
	case c.User != "":
		return []nats.Option{nats.UserInfo(c.User, c.Password)}, nil
	}
	return nil, nil
}

func (c Config) tls() []nats.Option {
	var opts []nats.Option
	if c.TLSCA != "" {
		opts = append(opts, nats.RootCAs(c.TLSCA))
	}
	if c.TLSCert != "" {
		opts = append(opts, nats.ClientCert(c.TLSCert, c.TLSKey))
	}
	return opts
}

// logged tells the log when the connection comes and goes.
func logged(log *slog.Logger) []nats.Option {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	refused := refusals{told: map[string]bool{}}
	return []nats.Option{
		nats.ConnectHandler(func(nc *nats.Conn) { log.Info("nats connected", slog.String("server", nc.ConnectedServerName())) }),
		nats.ReconnectHandler(func(nc *nats.Conn) { log.Info("nats connected again", slog.String("server", nc.ConnectedServerName())) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil { // nil is our own closing
				log.Warn("nats connection lost", slog.Any("error", err))
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if !errors.Is(err, nats.ErrSlowConsumer) && !refused.again(err) {
				log.Warn("nats reports an error", slog.Any("error", err))
			}
		}),
	}
}

// maxRefusals is how many refusals are remembered.
const maxRefusals = 64

// refusals remembers what the server did not permit: whoever tries it again and again is told once.
type refusals struct {
	mu   sync.Mutex
	told map[string]bool
}

// again reports that an error is a refusal which was told before, or one too many.
func (r *refusals) again(err error) bool {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told[err.Error()] || len(r.told) >= maxRefusals {
		return true
	}
	r.told[err.Error()] = true
	return false
}
