package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Errors of servers, in the chain of what [List] returns.
var (
	// ErrServer is a server that did not answer as the protocol says.
	ErrServer = errors.New("the server misbehaved")
	// ErrTimeout is a server that took too long.
	ErrTimeout = errors.New("no answer in time")
)

var errNoMessage = errors.New("no JSON-RPC message")

// List connects to a server, takes all of its tools and disconnects. The error says where it went wrong and, of a program, how it ended and what
// it last said; there is no listing then, since a part of one would look like tools taken away.
func List(ctx context.Context, cfg Config) (*Listing, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeoutCause(ctx, cfg.Timeout, fmt.Errorf("%w: %s", ErrTimeout, cfg.Timeout))
	defer cancel()
	list := listStdio
	if cfg.URL != "" {
		list = listHTTP
	}
	l, err := list(timed, cfg)
	if err != nil {
		if cause := context.Cause(timed); cause != nil {
			err = fmt.Errorf("%w: %w", cause, err)
		}
		return nil, fmt.Errorf("read tools of %s: %w", cfg.name(), err)
	}
	return l, nil
}

// name names the server in errors: without arguments and URL parts that may be secret.
func (c Config) name() string {
	if len(c.Command) > 0 {
		return filepath.Base(c.Command[0])
	}
	return redacted(c.URL)
}

// initializeFirst is the version of the protocol that is tried first, the last that begins with initialize: a server that knows only
// later ones refuses it in words, while old servers take anything else as a first message badly.
const initializeFirst = "2025-11-25"

// negotiate lists with the older way to begin and, where the server refuses that, with the newest.
func negotiate(list func(protocol string) (*Listing, error)) (*Listing, error) {
	l, err := list(initializeFirst)
	var refused *jsonrpc.Error
	if err == nil || !errors.Is(err, errGreeting) || !errors.As(err, &refused) {
		return l, err
	}
	if l, newer := list(""); newer == nil {
		return l, nil
	}
	return nil, err
}

// errGreeting marks errors of the start of a session.
var errGreeting = errors.New("begin session")

func listStdio(ctx context.Context, cfg Config) (*Listing, error) {
	return negotiate(func(protocol string) (*Listing, error) {
		s := &stdio{child: newChild(ctx, cfg), limit: cfg.MaxAnswer}
		l, err := session(ctx, cfg, &tap{Transport: s}, protocol)
		if s.child.cmd.Process != nil {
			_ = s.Close()
		}
		if err != nil {
			return nil, s.explain(ctx, err)
		}
		l.Transport, l.Problems = "stdio", append(s.problem(), l.Problems...)
		return l, nil
	})
}

// explain adds to an error what the program left behind: how it ended, where it did by itself, and its last words.
func (s *stdio) explain(ctx context.Context, err error) error {
	if s.ended.Load() && ctx.Err() == nil && s.child.cmd.ProcessState != nil {
		err = fmt.Errorf("%w; the server ended with %s", err, s.child.cmd.ProcessState)
	}
	if said := s.child.words.String(); said != "" {
		err = fmt.Errorf("%w; its last words: %s", err, said)
	}
	for _, p := range s.problem() {
		err = fmt.Errorf("%w; %s", err, p.Reason)
	}
	return err
}

// session begins a session, lists and ends it.
func session(ctx context.Context, cfg Config, t *tap, protocol string) (*Listing, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "tooltrail", Version: cfg.ClientVersion}, &mcp.ClientOptions{
		Logger:       cfg.logger(),
		Capabilities: &mcp.ClientCapabilities{}, // it has nothing to offer a server
	})
	s, err := client.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		if t.conn != nil {
			_ = t.conn.Close()
		}
		return nil, fmt.Errorf("%w: %w", errGreeting, err)
	}
	defer func() { _ = s.Close() }()
	in := s.InitializeResult()
	p := pager{cfg: cfg, conn: t.conn, ask: func(ctx context.Context, cursor string) error {
		_, err := s.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		return err
	}}
	l := &p.listing
	l.Protocol, l.Instructions = in.ProtocolVersion, in.Instructions
	if in.ServerInfo != nil {
		l.Server, l.Release = in.ServerInfo.Name, in.ServerInfo.Version
	}
	if err := p.all(ctx); err != nil {
		return nil, err
	}
	return l, nil
}
