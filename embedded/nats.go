package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// NATSConfig says how the NATS server in this process runs.
type NATSConfig struct {
	// Dir is the folder of JetStream's files; required.
	Dir string
	// Listen is the address to listen on, host:port; port 0 picks a free one.
	// A host that is not loopback needs Password.
	Listen string
	// User and Password are what clients must give; none are asked for when
	// Password is empty.
	User, Password string
	// MaxStore bounds JetStream's files in bytes.
	MaxStore int64
	// MaxMemory bounds JetStream's memory streams in bytes.
	MaxMemory int64
	// MaxPayload bounds one message in bytes.
	MaxPayload int32
	// SyncInterval is how often written messages are forced to disk. The death
	// of the process costs nothing whatever it is; a power cut costs at most
	// the messages acked within it.
	SyncInterval time.Duration
	// SyncAlways forces every message to disk before its ack. Nothing acked is
	// lost to a power cut; publishing one message at a time gets 10 to 50 times slower.
	SyncAlways bool
	// ReadyWait bounds the wait for the server to accept connections.
	ReadyWait time.Duration
	// Logger gets the server's warnings and errors; nil for none.
	Logger *slog.Logger
}

// DefaultNATSConfig returns the settings for one machine, keeping its files in dir.
func DefaultNATSConfig(dir string) NATSConfig {
	return NATSConfig{
		Dir:          dir,
		Listen:       "127.0.0.1:4222",
		MaxStore:     16 << 30,
		MaxMemory:    256 << 20,
		MaxPayload:   1 << 20,
		SyncInterval: 10 * time.Second,
		ReadyWait:    30 * time.Second,
	}
}

// Validate says what is wrong with the settings.
func (c NATSConfig) Validate() error {
	switch {
	case c.Dir == "":
		return errors.New("nats: no data folder given")
	case c.MaxStore <= 0 || c.MaxMemory < 0:
		return errors.New("nats: MaxStore must be positive, MaxMemory not negative")
	case c.MaxPayload < 1024 || c.MaxPayload > 64<<20:
		return errors.New("nats: MaxPayload must be between 1 KiB and 64 MiB")
	case c.SyncInterval <= 0 && !c.SyncAlways:
		return errors.New("nats: SyncInterval must be positive")
	case c.ReadyWait <= 0:
		return errors.New("nats: ReadyWait must be positive")
	}
	return checkListen("nats", c.Listen, c.Password)
}

// NATS is a running NATS server with JetStream.
type NATS struct {
	server *server.Server
	lock   *dirLock
}

// StartNATS starts the server and returns when it accepts connections. A data
// folder that another process uses gives an error wrapping ErrInUse.
func StartNATS(cfg NATSConfig) (*NATS, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	lock, err := lockDir(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("start nats: %w", err)
	}
	srv, err := startServer(cfg)
	if err != nil {
		lock.release()
		return nil, err
	}
	return &NATS{server: srv, lock: lock}, nil
}

func startServer(cfg NATSConfig) (*server.Server, error) {
	if err := checkFree(cfg.Listen); err != nil {
		return nil, fmt.Errorf("start nats: %w", err)
	}
	opts, err := cfg.options()
	if err != nil {
		return nil, err
	}
	srv, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("start nats: %w", err)
	}
	logger := &natsLogger{log: cfg.Logger}
	srv.SetLogger(logger, false, false)
	go srv.Start()
	if !srv.ReadyForConnections(cfg.ReadyWait) || !srv.JetStreamEnabled() {
		srv.Shutdown()
		srv.WaitForShutdown()
		return nil, fmt.Errorf("start nats on %s: not ready after %v%s", cfg.Listen, cfg.ReadyWait, logger.reason())
	}
	return srv, nil
}

// checkFree finds out at once whether the address can be listened on; the
// server itself would only log it.
func checkFree(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return l.Close()
}

func (c NATSConfig) options() (*server.Options, error) {
	host, port, err := splitListen(c.Listen)
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return &server.Options{
		ServerName:         "tooltrail",
		Host:               host,
		Port:               port,
		Username:           c.User,
		Password:           c.Password,
		NoSigs:             true,
		JetStream:          true,
		StoreDir:           c.Dir,
		JetStreamMaxStore:  c.MaxStore,
		JetStreamMaxMemory: c.MaxMemory,
		MaxPayload:         c.MaxPayload,
		SyncInterval:       c.SyncInterval,
		SyncAlways:         c.SyncAlways,
	}, nil
}

// Addr returns the address that the server listens on, host:port.
func (n *NATS) Addr() string { return n.server.Addr().String() }

// URL returns the address as NATS clients take it.
func (n *NATS) URL() string { return "nats://" + n.Addr() }

// Shutdown stops the server, its files written. It returns ctx's error when
// the server has not stopped by then; it goes on stopping.
func (n *NATS) Shutdown(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.server.Shutdown()
		n.server.WaitForShutdown()
		n.lock.release()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop nats: %w", ctx.Err())
	}
}
