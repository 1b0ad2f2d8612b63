package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ErrEngineOpen says that this process already has an engine open.
var ErrEngineOpen = errors.New("this process has an engine open already")

var engineOpen atomic.Bool

// Engine is the ClickHouse engine of this process, served on loopback behind
// ClickHouse's HTTP interface.
type Engine struct {
	cfg      EngineConfig
	lib      *library
	lock     *dirLock
	base     *conn // keeps the engine up while statements come and go
	admin    *adminConn
	settings map[string]bool // the names of all settings
	version  string
	timezone string
	slots    chan struct{}
	listener net.Listener
	http     *http.Server
	served   chan error
	stop     context.CancelFunc
	log      *slog.Logger
}

// OpenEngine opens the engine's data folder and serves it; it returns when
// queries can be sent to Addr. Errors wrap ErrLibraryMissing, ErrLibraryArch,
// ErrInUse, ErrEngineOpen or ErrPasswordNeeded where one of these is the cause.
func OpenEngine(cfg EngineConfig) (*Engine, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if !engineOpen.CompareAndSwap(false, true) {
		return nil, fmt.Errorf("open engine: %w", ErrEngineOpen)
	}
	e, err := openEngine(cfg)
	if err != nil {
		engineOpen.Store(false)
		return nil, fmt.Errorf("open engine: %w", err)
	}
	return e, nil
}

func openEngine(cfg EngineConfig) (_ *Engine, err error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("name data folder: %w", err)
	}
	cfg.Dir = dir
	lib, err := libraryFor(cfg)
	if err != nil {
		return nil, err
	}
	lock, err := lockDir(cfg.Dir)
	if err != nil {
		return nil, err
	}
	e := &Engine{cfg: cfg, lib: lib, lock: lock, slots: make(chan struct{}, cfg.MaxConcurrent), served: make(chan error, 1), log: cfg.Logger}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if err := errors.Join(e.listen(), e.boot()); err != nil {
		e.release()
		return nil, err
	}
	e.serve()
	return e, nil
}

func libraryFor(cfg EngineConfig) (*library, error) {
	path := cfg.Library
	if path == "" {
		found, err := FindLibrary()
		if err != nil {
			return nil, err
		}
		path = found
	}
	return loadLibrary(path)
}

func (e *Engine) listen() error {
	l, err := net.Listen("tcp", e.cfg.Listen)
	if err != nil {
		return err
	}
	e.listener = l
	return nil
}

// boot opens the connections that stay, and asks the engine who it is.
func (e *Engine) boot() error {
	if err := e.cfg.writeConfig(); err != nil {
		return err
	}
	base, err := openConn(e.lib, e.cfg.serverOptions())
	if err != nil {
		return fmt.Errorf("boot engine in %s: %w", e.cfg.Dir, err)
	}
	e.base = base
	names, err := base.exec("SELECT name FROM system.settings", "TSVRaw", nil)
	if err != nil {
		return fmt.Errorf("list settings: %w", err)
	}
	e.settings = make(map[string]bool)
	for name := range strings.Lines(string(names)) {
		e.settings[strings.TrimSpace(name)] = true
	}
	for name := range e.cfg.Settings {
		if !e.settings[name] {
			return unknownSetting(name)
		}
	}
	return e.ask()
}

func (e *Engine) ask() error {
	line, err := e.base.exec("SELECT version(), timezone()", "TSVRaw", nil)
	if err != nil {
		return fmt.Errorf("ask for version: %w", err)
	}
	e.version, e.timezone, _ = strings.Cut(strings.TrimSpace(string(line)), "\t")
	admin, err := e.connect(nil)
	if err != nil {
		return err
	}
	e.admin = &adminConn{conn: admin}
	return nil
}

// connect opens a connection of its own for one request: settings, parameters,
// the current database and temporary tables end with it.
func (e *Engine) connect(settings []setting) (*conn, error) {
	options := append([]setting{{"path", e.cfg.Dir}}, e.cfg.sessionSettings()...)
	return openConn(e.lib, append(options, settings...))
}

func (e *Engine) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	e.stop = cancel
	e.http = &http.Server{
		Handler:           e,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 30 * time.Second,
		IdleTimeout:       10 * time.Minute,
		MaxHeaderBytes:    int(e.cfg.MaxQueryBytes) + 1<<20,
		ErrorLog:          slog.NewLogLogger(e.log.Handler(), slog.LevelWarn),
	}
	go func() { e.served <- e.http.Serve(e.listener) }()
}

// Addr returns the address of the HTTP interface, host:port.
func (e *Engine) Addr() string { return e.listener.Addr().String() }

// Version returns the engine's version as ClickHouse states it.
func (e *Engine) Version() string { return e.version }

// Close stops taking requests, waits for the running ones, cancels what still
// runs when ctx ends, and closes the data folder.
func (e *Engine) Close(ctx context.Context) error {
	err := e.http.Shutdown(ctx)
	e.stop()
	if err != nil {
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		if err := e.http.Shutdown(grace); err != nil {
			return fmt.Errorf("close engine: statements still run: %w", err)
		}
	}
	if served := <-e.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	e.release()
	engineOpen.Store(false)
	if err != nil {
		return fmt.Errorf("close engine: %w", err)
	}
	return nil
}

// release gives back what openEngine took; the last connection to close shuts
// the engine down.
func (e *Engine) release() {
	if e.admin != nil {
		e.admin.conn.close()
	}
	if e.base != nil {
		e.base.close()
	}
	if e.listener != nil {
		e.listener.Close()
	}
	e.lock.release()
}

// adminConn is the connection from which running statements are cancelled.
type adminConn struct {
	mu   sync.Mutex
	conn *conn
}

// kill asks the engine to cancel the statement that carries the mark.
func (a *adminConn) kill(mark string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, err := a.conn.exec("KILL QUERY WHERE endsWith(Settings['log_comment'], {mark:String}) ASYNC", "Null", []param{{"mark", mark}})
	return err
}
