package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/metrics"
)

const (
	streamName  = "TOOLTRAIL"
	letterName  = "TOOLTRAIL_DEADLETTERS"
	callSubject = "tooltrail.v1.0.tool_call"
)

// broker is a real nats-server that can be stopped and started again on its port and data.
type broker struct {
	t    testing.TB
	opts *server.Options
	srv  *server.Server
}

func startBroker(t testing.TB) *broker {
	b := &broker{t: t, opts: &server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
	}}
	b.start()
	t.Cleanup(b.stop)
	return b
}

func (b *broker) start() {
	srv, err := server.NewServer(b.opts)
	if err != nil {
		b.t.Fatal(err)
	}
	srv.Start()
	if !srv.ReadyForConnections(10 * time.Second) {
		b.t.Fatal("nats-server is not ready")
	}
	b.srv = srv
	b.opts.Port = srv.Addr().(*net.TCPAddr).Port
}

func (b *broker) stop() {
	b.srv.Shutdown()
	b.srv.WaitForShutdown()
}

func (b *broker) connect() jetstream.JetStream {
	nc, err := nats.Connect(fmt.Sprintf("nats://127.0.0.1:%d", b.opts.Port), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		b.t.Fatal(err)
	}
	return js
}

// makeStreams creates both streams; change may alter the event stream's settings.
func makeStreams(t testing.TB, js jetstream.JetStream, change ...func(*jetstream.StreamConfig)) {
	t.Helper()
	cfg := jetstream.StreamConfig{Name: streamName, Subjects: []string{"tooltrail.v1.*.*"}, Storage: jetstream.FileStorage, Duplicates: time.Minute}
	for _, f := range change {
		f(&cfg)
	}
	for _, c := range []jetstream.StreamConfig{cfg, {Name: letterName, Subjects: []string{events.DeadLetterSubject}, Storage: jetstream.FileStorage}} {
		if _, err := js.CreateOrUpdateStream(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// quick returns settings with short waits.
func quick() ingest.Config {
	c := ingest.DefaultConfig()
	c.MaxAge = 20 * time.Millisecond
	c.RetryMin, c.RetryMax = 5*time.Millisecond, 50*time.Millisecond
	c.Heartbeat = 2 * time.Second
	c.PollInterval = 100 * time.Millisecond
	c.Grace = 10 * time.Second
	return c
}

// running is an ingester that runs until it is stopped.
type running struct {
	*ingest.Ingester
	metrics *metrics.Ingest
	reg     *prometheus.Registry
	log     *logBuffer
	cancel  context.CancelFunc
	result  chan error
	once    sync.Once
	err     error
}

func run(t testing.TB, js jetstream.JetStream, sink ingest.Sink, cfg ingest.Config) *running {
	return runWith(t, ingest.Parts{JetStream: js, Sink: sink}, cfg)
}

func runWith(t testing.TB, p ingest.Parts, cfg ingest.Config) *running {
	t.Helper()
	r := &running{reg: prometheus.NewRegistry(), log: &logBuffer{}, result: make(chan error, 1)}
	r.metrics = metrics.NewIngest(r.reg)
	p.Metrics, p.Log = r.metrics, slog.New(slog.NewTextHandler(r.log, nil))
	g, err := ingest.New(p, cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.Ingester = g
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() { r.result <- g.Run(ctx) }()
	t.Cleanup(func() {
		_ = r.stop()
		if t.Failed() {
			t.Logf("log:\n%s", r.log.String())
		}
	})
	return r
}

// stop ends the ingester and returns what Run returned.
func (r *running) stop() error {
	r.once.Do(func() { r.cancel(); r.err = <-r.result })
	return r.err
}

func (r *running) value(t testing.TB, c prometheus.Collector) float64 {
	t.Helper()
	return testutil.ToFloat64(c)
}

type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// eventually polls until ok holds.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(5 * time.Millisecond) // polling with a deadline around real I/O
	}
}

// call returns a tool call as a line; the same n gives the same event.
func call(n int) []byte { return callOf(n, "ok") }

func callID(n int) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Append(nil, "call", n)) }

func callOf(n int, tool string) []byte {
	e := &events.Event{ID: callID(n).String(), Source: "agent/test", Time: time.Unix(1_700_000_000, int64(n)*1000), Data: &events.ToolCall{
		Context:  events.Context{ConversationID: "c1", AgentName: "test"},
		ToolName: tool, Outcome: events.OutcomeOK, Attempt: 1,
	}}
	line, err := events.AppendEvent(nil, e)
	if err != nil {
		panic(err)
	}
	return line
}

// lines joins lines into one message.
func lines(l ...[]byte) []byte { return bytes.Join(l, []byte("\n")) }

// publishCalls publishes calls from to to, each message with per of them.
func publishCalls(t testing.TB, js jetstream.JetStream, from, to, per int) {
	t.Helper()
	for i := from; i < to; i += per {
		var batch [][]byte
		for n := i; n < min(i+per, to); n++ {
			batch = append(batch, call(n))
		}
		if _, err := js.PublishAsync(callSubject, lines(batch...)); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-js.PublishAsyncComplete():
	case <-time.After(2 * time.Minute):
		t.Fatal("publishing takes too long")
	}
}

func publish(t testing.TB, js jetstream.JetStream, data []byte) {
	t.Helper()
	if _, err := js.Publish(t.Context(), callSubject, data); err != nil {
		t.Fatal(err)
	}
}

// laneOf is the lane name of tool calls in the stream as it is now.
func laneOf(t testing.TB, js jetstream.JetStream) string {
	t.Helper()
	s, err := js.Stream(t.Context(), streamName)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d/%s", s.CachedInfo().Created.UnixNano(), callSubject)
}

func contains(s string, subs ...string) bool {
	for _, sub := range subs {
		if !strings.Contains(s, sub) {
			return false
		}
	}
	return true
}
