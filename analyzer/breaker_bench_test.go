package analyzer_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

// benchCalls is how many calls a benchmark of the breaker reads.
const benchCalls = 200_000

// BenchmarkBreaker reads calls from a real stream, a call and 200 calls a message, and holds that against fetching the same messages, and against
// fetching and decoding them, in the same run. The server is in this process, on the same cores. One call in ten fails validation.
func BenchmarkBreaker(b *testing.B) {
	for _, per := range []int{1, 200} {
		b.Run(fmt.Sprintf("%d_a_message", per), func(b *testing.B) {
			js := benchServer(b)
			preloadCalls(b, js, per)
			var plain, decoded float64
			b.Run("fetch", func(b *testing.B) { plain = rate(b, func() { fetchCalls(b, js, per, false) }) })
			b.Run("fetch_and_decode", func(b *testing.B) { decoded = rate(b, func() { fetchCalls(b, js, per, true) }) })
			b.Run("breaker", func(b *testing.B) {
				own := rate(b, func() { readAll(b, js) })
				b.ReportMetric(own/plain, "of-fetch")
				b.ReportMetric(own/decoded, "of-decode")
			})
		})
	}
}

// rate runs fn over all calls and reports calls a second.
func rate(b *testing.B, fn func()) (perSecond float64) {
	for b.Loop() {
		started := time.Now()
		fn()
		perSecond = benchCalls / time.Since(started).Seconds()
	}
	b.ReportMetric(perSecond, "events/s")
	b.ReportMetric(0, "ns/op")
	return perSecond
}

func benchServer(b *testing.B) jetstream.JetStream {
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: b.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		b.Fatal(err)
	}
	srv.Start()
	b.Cleanup(func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	})
	if !srv.ReadyForConnections(10 * time.Second) {
		b.Fatal("nats-server is not ready")
	}
	nc, err := nats.Connect(srv.ClientURL())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		b.Fatal(err)
	}
	if err := stream.Ensure(b.Context(), js, stream.DefaultConfig()); err != nil {
		b.Fatal(err)
	}
	return js
}

func preloadCalls(b *testing.B, js jetstream.JetStream, per int) {
	for i := 0; i < benchCalls; i += per {
		batch := make([][]byte, per)
		for k := range batch {
			n := i + k
			o := events.OutcomeOK
			if n%10 == 0 {
				o = events.OutcomeValidationError
			}
			batch[k] = line(b, uuid.NewString(), orderCall(o, func(c *events.ToolCall) {
				c.ToolName, c.ConversationID = fmt.Sprint("tool-", n%23), fmt.Sprint("conversation-", n/50)
			}))
		}
		for {
			if _, err := js.PublishAsync(events.Subject(0, events.KindToolCall), bytes.Join(batch, []byte("\n"))); err == nil {
				break
			}
		}
	}
	<-js.PublishAsyncComplete()
}

// fetchCalls reads the stream as the breaker does, and does nothing with what it reads, or decodes it.
func fetchCalls(b *testing.B, js jetstream.JetStream, per int, decode bool) {
	c, err := js.CreateConsumer(b.Context(), stream.Name, jetstream.ConsumerConfig{AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true})
	if err != nil {
		b.Fatal(err)
	}
	var n atomic.Int64
	done := make(chan struct{})
	cc, err := c.Consume(func(m jetstream.Msg) {
		if decode {
			for _, l := range events.Lines(m.Data()) {
				if _, err := events.DecodeKind(events.KindToolCall, l); err != nil {
					b.Error(err)
				}
			}
		}
		if n.Add(1) == int64(benchCalls/per) {
			close(done)
		}
	}, jetstream.PullMaxBytes(analyzer.DefaultBreakerConfig().PullBytes))
	if err != nil {
		b.Fatal(err)
	}
	<-done
	cc.Stop()
}

// readAll runs a breaker that has no checkpoint until it has read all calls.
func readAll(b *testing.B, js jetstream.JetStream) {
	if err := js.DeleteKeyValue(b.Context(), stream.BreakerBucket); err != nil {
		b.Fatal(err)
	}
	if err := stream.Ensure(b.Context(), js, stream.DefaultConfig()); err != nil {
		b.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	m := metrics.NewAnalyzer(prometheus.NewRegistry())
	a, err := analyzer.New(analyzer.DefaultConfig(), nil, nil, nil, m, log)
	if err != nil {
		b.Fatal(err)
	}
	cfg := analyzer.DefaultBreakerConfig()
	cfg.Since = 24 * time.Hour
	breaker, err := analyzer.NewBreaker(cfg, analyzer.BreakerParts{
		JetStream: js, Analyzer: a, Registry: analyzer.RegistryOf(drift.NewRegistry()), Log: log,
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { done <- breaker.Run(ctx) }()
	counted, ignored := m.Breaker.Calls.WithLabelValues("counted"), m.Breaker.Calls.WithLabelValues("ignored")
	for testutil.ToFloat64(counted)+testutil.ToFloat64(ignored) < benchCalls {
		time.Sleep(time.Millisecond) // the benchmark polls
	}
	cancel()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}
