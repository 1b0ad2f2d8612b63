package analyzer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

// people are who is told: a Querier of what was kept, a Keeper of findings and their states, and a Publisher.
type people struct {
	analyzer.JudgmentKeeper // not called: no detector runs

	mu        sync.Mutex
	kept      map[string]finding.Finding
	published []finding.Finding
	states    []finding.State
	// refuse is the error of both.
	refuse error
}

func newPeople() *people { return &people{kept: map[string]finding.Finding{}} }

func (p *people) Each(context.Context, string, []any, any, func() error) error { return nil }

func (p *people) SaveFindings(_ context.Context, fs []finding.Finding) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range fs {
		p.kept[f.Fingerprint] = f
	}
	return p.refuse
}

func (p *people) SetFindingState(_ context.Context, fingerprint string, s finding.State, _ time.Time) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.states = append(p.states, s)
	_, ok := p.kept[fingerprint]
	return ok, nil
}

func (p *people) Publish(_ context.Context, _ string, data []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuse != nil {
		return p.refuse
	}
	var f finding.Finding
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	p.published = append(p.published, f)
	return nil
}

func (p *people) set(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = err
}

// told counts what was published.
func (p *people) told() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.published)
}

// breaker is one that runs, on a connection of its own.
type breaker struct {
	*analyzer.Breaker
	metrics *metrics.Breaker
	js      jetstream.JetStream
	cancel  context.CancelFunc
	done    chan error
}

type breakerOptions struct {
	cfg    analyzer.BreakerConfig
	rules  func() drift.BreakerSettings
	people *people
}

// runBreaker starts a breaker with short waits.
func runBreaker(t *testing.T, s *natsServer, change ...func(*breakerOptions)) *breaker {
	t.Helper()
	o := breakerOptions{cfg: analyzer.DefaultBreakerConfig(), people: newPeople()}
	o.cfg.PollInterval, o.cfg.RetryMax, o.cfg.TellAfter = 100*time.Millisecond, 100*time.Millisecond, time.Minute
	for _, f := range change {
		f(&o)
	}
	log := slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	m := metrics.NewAnalyzer(prometheus.NewPedanticRegistry())
	a, err := analyzer.New(analyzer.DefaultConfig(), o.people, o.people, o.people, m, log)
	if err != nil {
		t.Fatal(err)
	}
	b := &breaker{metrics: m.Breaker, js: s.dial(), done: make(chan error, 1)}
	if b.Breaker, err = analyzer.NewBreaker(o.cfg, analyzer.BreakerParts{JetStream: b.js, Analyzer: a, Settings: o.rules, Log: log}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel = cancel
	go func() { b.done <- b.Run(ctx) }()
	t.Cleanup(func() { b.stop(t) })
	return b
}

// stop ends the breaker as SIGTERM does.
func (b *breaker) stop(t *testing.T) {
	t.Helper()
	b.cancel()
	if err := <-b.done; err != nil {
		t.Errorf("it ended with %v", err)
	}
	b.done <- nil
}

// kill ends the breaker as SIGKILL does: nothing more gets out.
func (b *breaker) kill(t *testing.T) {
	t.Helper()
	b.js.Conn().Close()
	b.stop(t)
}

// testWriter writes a log into a test's.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Helper()
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// dial connects without making anything.
func (s *natsServer) dial() jetstream.JetStream {
	s.t.Helper()
	cfg := stream.DefaultConfig()
	cfg.URL, cfg.ReconnectWait = fmt.Sprintf("nats://127.0.0.1:%d", s.opts.Port), 10*time.Millisecond
	nc, err := stream.Connect(cfg, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		s.t.Fatal(err)
	}
	return js
}

// orderCall is a call of shop/order.
func orderCall(o events.Outcome, change ...func(*events.ToolCall)) *events.ToolCall {
	c := &events.ToolCall{
		Context:  events.Context{ConversationID: "c1", AgentName: "support"},
		ToolName: "order", Server: "shop", Outcome: o, ActiveVersion: "v2",
	}
	if o == events.OutcomeValidationError {
		c.ValidationErrors = []events.ValidationError{{Path: "/quantity", Keyword: "required"}}
	}
	for _, f := range change {
		f(c)
	}
	return c
}

// line is a call's event, under an id.
func line(t testing.TB, id string, c *events.ToolCall) []byte {
	t.Helper()
	data, err := events.AppendEvent(nil, &events.Event{ID: id, Source: "/agents/support", Time: time.Now(), Data: c})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// send publishes a message and returns its sequence.
func send(t testing.TB, js jetstream.JetStream, lines ...[]byte) uint64 {
	t.Helper()
	ack, err := js.Publish(t.Context(), events.Subject(0, events.KindToolCall), bytes.Join(lines, []byte("\n")))
	if err != nil {
		t.Fatal(err)
	}
	return ack.Sequence
}

var words = map[string]events.Outcome{
	"ok": events.OutcomeOK, "fail": events.OutcomeExecutionError, "err": events.OutcomeValidationError, "refused": events.OutcomeRefused,
}

// sendCalls publishes a call a word, each as a message of its own, and returns the last sequence.
func sendCalls(t testing.TB, js jetstream.JetStream, script string) (seq uint64) {
	t.Helper()
	for _, w := range strings.Fields(script) {
		seq = send(t, js, line(t, uuid.NewString(), orderCall(words[w])))
	}
	return seq
}

const orderKey = "shop.order"

// switchOf reads the switch of shop/order.
func switchOf(t testing.TB, js jetstream.JetStream) *drift.Switch {
	t.Helper()
	e, err := stream.NewBucket(js, stream.BreakerBucket).Get(t.Context(), orderKey)
	if errors.Is(err, stream.ErrNoKey) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := drift.DecodeSwitch(e.Value)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// awaitState waits for shop/order to be in a state at a place in the stream.
func awaitState(t *testing.T, js jetstream.JetStream, state drift.SwitchState, seq uint64) *drift.Switch {
	t.Helper()
	var s *drift.Switch
	eventually(t, fmt.Sprintf("%s at %d", state, seq), func() bool {
		s = switchOf(t, js)
		return s != nil && s.State == state && s.Seq == seq
	})
	return s
}

// awaitRead waits until all calls are read, and that is stored.
func awaitRead(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	last := lastSeq(t, js)
	eventually(t, "a checkpoint at the end", func() bool { return checkpoint(t, js).Seq >= last })
}

func lastSeq(t testing.TB, js jetstream.JetStream) uint64 {
	t.Helper()
	s, err := js.Stream(t.Context(), stream.Name)
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.LastSeq
}

func checkpoint(t testing.TB, js jetstream.JetStream) drift.BreakerState {
	t.Helper()
	e, err := stream.NewBucket(js, stream.BreakerBucket).Get(t.Context(), "_checkpoint")
	if errors.Is(err, stream.ErrNoKey) {
		return drift.BreakerState{}
	}
	if err != nil {
		t.Fatal(err)
	}
	st, err := drift.DecodeBreakerState(e.Value)
	if err != nil {
		t.Fatal(err)
	}
	return st
}
