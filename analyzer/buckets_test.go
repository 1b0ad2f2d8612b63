package analyzer_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// natsServer is a real nats-server that can be stopped and started again on its port and data.
type natsServer struct {
	t    *testing.T
	opts server.Options
	srv  *server.Server
}

func startNATS(t *testing.T) *natsServer {
	t.Helper()
	s := &natsServer{t: t, opts: server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *natsServer) start() {
	s.t.Helper()
	opts := s.opts
	srv, err := server.NewServer(&opts)
	if err != nil {
		s.t.Fatal(err)
	}
	srv.Start()
	if !srv.ReadyForConnections(10 * time.Second) {
		s.t.Fatal("nats-server is not ready")
	}
	s.srv, s.opts.Port = srv, opts.Port
}

func (s *natsServer) stop() {
	s.srv.Shutdown()
	s.srv.WaitForShutdown()
}

// connect returns JetStream, with the streams and buckets made.
func (s *natsServer) connect() jetstream.JetStream {
	s.t.Helper()
	cfg := stream.DefaultConfig()
	cfg.URL, cfg.ReconnectWait = s.srv.ClientURL(), 10*time.Millisecond
	nc, err := stream.Connect(cfg, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(nc.Close)
	if err := stream.WaitConnected(s.t.Context(), nc); err != nil {
		s.t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := stream.Ensure(s.t.Context(), js, cfg); err != nil {
		s.t.Fatal(err)
	}
	return js
}

// put writes a value under the key of names.
func put(t *testing.T, js jetstream.JetStream, bucket, value string, names ...string) uint64 {
	t.Helper()
	key, err := stream.Key(names...)
	if err != nil {
		t.Fatal(err)
	}
	revision, err := stream.NewBucket(js, bucket).Change(t.Context(), key, func([]byte) ([]byte, error) { return []byte(value), nil })
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

// document is a registry document of one version that somebody changed.
func document(key drift.Key, version, action string) string {
	return `{"server":"` + key.Server + `","tool":"` + key.Tool + `","versions":[{"version":"` + version + `","state":"active","since":"2026-03-01T12:00:00Z",` +
		`"wire_digest":"w","definition_digest":"d","schema_digest":"s` + version + `","registered_at":"2026-03-01T12:00:00Z",` +
		`"definition":{"name":"` + key.Tool + `","inputSchema":{"type":"object"}}}],` +
		`"edit":{"at":"2026-03-01T12:00:00Z","by":"ada","action":"` + action + `","version":"` + version + `","reason":"it works"}}`
}

// start runs a part until the test ends, or until what it returns is called.
func start(t *testing.T, run func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("it ended with %v", err)
		}
		done <- nil
	}
	t.Cleanup(stop)
	return stop
}

// eventually polls until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}
