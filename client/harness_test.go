package client_test

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// serve starts a NATS server with JetStream on loopback.
func serve(t testing.TB, opts server.Options) *server.Server {
	t.Helper()
	s, err := newServer(opts, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(s) })
	return s
}

func newServer(opts server.Options, dir string) (*server.Server, error) {
	opts.Host, opts.JetStream, opts.NoSigs, opts.NoLog = "127.0.0.1", true, true, true
	if opts.Port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	if opts.StoreDir == "" {
		opts.StoreDir = dir
	}
	s, err := server.NewServer(&opts)
	if err != nil {
		return nil, err
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		return nil, errors.New("the server does not come up")
	}
	return s, nil
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

func config(address string) client.Config {
	cfg := client.DefaultConfig()
	cfg.Log = slog.New(slog.DiscardHandler)
	cfg.NATS.URL, cfg.NATS.ReconnectWait = address, 20*time.Millisecond
	cfg.BatchAge, cfg.Source = 20*time.Millisecond, "/agents/test"
	return cfg
}

func start(t testing.TB, cfg client.Config) *client.Client {
	t.Helper()
	c, err := client.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		_ = c.Close(ctx) // a test that cares has closed it
	})
	return c
}

// open connects as a reader and makes the streams.
func open(t testing.TB, address string) jetstream.JetStream {
	t.Helper()
	cfg := stream.DefaultConfig()
	cfg.URL, cfg.ReconnectWait = address, 20*time.Millisecond
	nc, err := stream.Connect(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := stream.WaitConnected(ctx, nc); err != nil {
		t.Fatal(err)
	}
	if err := stream.Ensure(ctx, js, cfg); err != nil {
		t.Fatal(err)
	}
	return js
}

// stored returns how often each tool name is in the stream, and how many messages there are.
func stored(t testing.TB, js jetstream.JetStream) (map[string]int, uint64) {
	t.Helper()
	st, err := js.Stream(context.Background(), stream.Name)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	state := st.CachedInfo().State
	for seq := state.FirstSeq; seq <= state.LastSeq; seq++ {
		m, err := st.GetMsg(context.Background(), seq)
		if err != nil {
			t.Fatal(err)
		}
		_, kind, err := events.ParseSubject(m.Subject)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range events.Lines(m.Data) {
			e, err := events.DecodeKind(kind, line)
			if err != nil {
				t.Fatal(err)
			}
			if c, ok := e.Data.(*events.ToolCall); ok {
				names[c.ToolName]++
			}
		}
	}
	return names, state.Msgs
}

func event(i int) *events.Event {
	return &events.Event{Data: &events.ToolCall{ToolName: strconv.Itoa(i), Outcome: events.OutcomeOK}}
}

// once fails unless the names 0 to n-1 are stored once each.
func once(t *testing.T, names map[string]int, n int) {
	t.Helper()
	wrong := 0
	for i := range n {
		if names[strconv.Itoa(i)] != 1 {
			wrong++
		}
	}
	if wrong > 0 || len(names) != n {
		t.Errorf("of %d events %d are not stored once; %d names", n, wrong, len(names))
	}
}

func longer(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func waitAcked(t *testing.T, c *client.Client, n uint64) {
	t.Helper()
	ctx := longer(t)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for c.Stats().Acked < n {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("have %+v, want %d acked", c.Stats(), n)
		}
	}
}
