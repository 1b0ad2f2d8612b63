package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/stream"
)

// benchEvents is how many events a benchmark moves.
const benchEvents = 400_000

// BenchmarkPath holds the whole path, stream to store, against its three stages alone, on the same cores in the same run:
// fetching from JetStream, decoding and checking, inserting into the engine. The path has the classifier and the registrar that the
// programs have, and is measured without them, too. The servers are in this process, so CPU time is theirs too. limit-% is how near the whole path comes to the rate at which the stages' CPU time, added up, would fill the
// cores; stages-% is what part of the whole path's CPU time the stages alone take, which other load on the machine blurs less.
func BenchmarkPath(b *testing.B) {
	for _, per := range []int{1, 200} {
		b.Run(fmt.Sprintf("%d_a_message", per), func(b *testing.B) {
			b.Setenv("GOMEMLIMIT", "off") // the servers and the benchmark's own rows are in this process too
			ingest.DefaultConfig().TuneCollector()
			js := startBroker(b).connect()
			makeStreams(b, js)
			preload(b, js, per)
			var stages float64
			b.Run("fetch", func(b *testing.B) { stages += measure(b, func() { fetchAll(b, js, per) }) })
			b.Run("decode", func(b *testing.B) { stages += measure(b, func() { decodeAll(b, per) }) })
			b.Run("insert", func(b *testing.B) { stages += insertStage(b) })
			b.Run("bare", func(b *testing.B) { wholePath(b, js, nil, stages) })
			b.Run("all", func(b *testing.B) { wholePath(b, js, benchJudge(b, js), stages) })
		})
	}
}

// measure runs a stage once over all events and returns the CPU time that an event took, in microseconds.
func measure(b *testing.B, stage func()) (cpu float64) {
	for b.Loop() {
		started, used := time.Now(), cpuTime()
		stage()
		took := time.Since(started)
		cpu = float64((cpuTime() - used).Microseconds()) / benchEvents
		b.ReportMetric(benchEvents/took.Seconds(), "events/s")
		b.ReportMetric(cpu, "cpu-µs/event")
	}
	b.ReportMetric(0, "ns/op")
	return cpu
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchCall is an event of about 610 bytes.
func benchCall(n int) []byte {
	e := &events.Event{ID: callID(n).String(), Source: "agent/support", Time: time.Unix(1_700_000_000, int64(n)*1e6), Data: &events.ToolCall{
		Context: events.Context{
			AgentName: "support", AgentVersion: "1.4.2", Environment: "production", Team: "orders", ConversationID: fmt.Sprint("conversation-", n/50),
			Turn: int64(n%50 + 1), RequestID: fmt.Sprint("req_", n), ProviderName: "anthropic", RequestModel: "claude-sonnet",
		},
		ToolCallID: fmt.Sprint("toolu_", n), ToolName: fmt.Sprint("search_orders_", n%20), Server: "orders", SchemaVersion: "v2", Outcome: "ok",
		ArgumentShape: []events.Argument{{Path: "/customer", Type: "string"}, {Path: "/limit", Type: "integer"}},
		Attempt:       1, DurationSeconds: 0.25, InputTokens: events.Tokens(1200), OutputTokens: events.Tokens(80),
	}}
	line, err := events.AppendEvent(nil, e)
	if err != nil {
		panic(err)
	}
	return line
}

func eachMessage(per int, fn func([]byte)) {
	for i := 0; i < benchEvents; i += per {
		batch := make([][]byte, per)
		for k := range batch {
			batch[k] = benchCall(i + k)
		}
		fn(bytes.Join(batch, []byte("\n")))
	}
}

func preload(b *testing.B, js jetstream.JetStream, per int) {
	b.Helper()
	size := 0
	eachMessage(per, func(data []byte) {
		size += len(data)
		for {
			if _, err := js.PublishAsync(callSubject, data); err == nil {
				return
			}
		}
	})
	<-js.PublishAsyncComplete()
	if n := messages(b, js); n != uint64(benchEvents/per) {
		b.Fatalf("%d messages in the stream", n)
	}
	b.Logf("%d bytes an event", size/benchEvents)
}

func fetchAll(b *testing.B, js jetstream.JetStream, per int) {
	b.Helper()
	c, err := js.CreateConsumer(b.Context(), streamName, jetstream.ConsumerConfig{FilterSubject: callSubject, AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true})
	if err != nil {
		b.Fatal(err)
	}
	var n atomic.Int64
	done := make(chan struct{})
	cc, err := c.Consume(func(jetstream.Msg) {
		if n.Add(1) == int64(benchEvents/per) {
			close(done)
		}
	}, jetstream.PullMaxBytes(2<<20))
	if err != nil {
		b.Fatal(err)
	}
	<-done
	cc.Stop()
}

func decodeAll(b *testing.B, per int) {
	b.Helper()
	b.StopTimer()
	line := benchCall(0)
	msg := bytes.Join(bytes.Split(bytes.Repeat(append(line, '\n'), per), []byte("\n"))[:per], []byte("\n"))
	b.StartTimer()
	for range benchEvents / per {
		for _, l := range events.Lines(msg) {
			if _, err := events.DecodeKind(events.KindToolCall, l); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func insertStage(b *testing.B) float64 {
	db := openStore(b)
	rows := make([]events.Row, 0, benchEvents)
	for n := range benchEvents {
		e, err := events.DecodeKind(events.KindToolCall, benchCall(n))
		if err != nil {
			b.Fatal(err)
		}
		rows = append(rows, events.Row{Seq: uint64(n + 1), Event: e})
	}
	runtime.GC()
	size, round := ingest.DefaultConfig().MaxRows, 0
	return measure(b, func() {
		round++
		lane := fmt.Sprintf("%d/%s", round, callSubject)
		for i := 0; i < len(rows); i += size {
			if err := db.Insert(context.Background(), lane, fmt.Sprintf("%s@%d", lane, i), rows[i:i+size]); err != nil {
				b.Fatal(err)
			}
			if p, err := db.Position(context.Background(), lane); err != nil || p != uint64(i+size) {
				b.Fatal(p, err)
			}
		}
	})
}

// wholePath moves the events and measures from the first stored batch to the last: the start of a session, which costs the same
// however many events follow, is left out.
func wholePath(b *testing.B, js jetstream.JetStream, enricher ingest.Enricher, stages float64) {
	for b.Loop() {
		b.StopTimer()
		db := openStore(b)
		runtime.GC()
		b.StartTimer()
		r := runWith(b, ingest.Parts{JetStream: js, Sink: db, Enricher: enricher}, ingest.DefaultConfig())
		stored := func() float64 { return r.value(b, r.metrics.Events.WithLabelValues("tool_call")) }
		for stored() == 0 {
			time.Sleep(time.Millisecond)
		}
		first, started, used := stored(), time.Now(), cpuTime()
		for stored() < benchEvents {
			time.Sleep(time.Millisecond)
		}
		moved, took, cpu := benchEvents-first, time.Since(started), cpuTime()-used
		_ = r.stop()
		if got := countCalls(b, db); got.Rows != benchEvents {
			b.Fatalf("%+v", got)
		}
		rate := moved / took.Seconds()
		limit := float64(runtime.NumCPU()) * 1e6 / stages
		b.ReportMetric(rate, "events/s")
		b.ReportMetric(float64(cpu.Microseconds())/moved, "cpu-µs/event")
		b.ReportMetric(100*rate/limit, "limit-%")
		b.ReportMetric(100*stages*moved/float64(cpu.Microseconds()), "stages-%")
		b.ReportMetric(peakMB(), "peak-MB")
	}
	b.ReportMetric(0, "ns/op")
}

// benchJudge is a classifier that knows the tools of the calls from the registry's bucket, and follows it.
func benchJudge(b *testing.B, js jetstream.JetStream) ingest.Enricher {
	b.Helper()
	if _, err := js.CreateOrUpdateKeyValue(b.Context(), jetstream.KeyValueConfig{Bucket: stream.RegistryBucket, History: 64}); err != nil {
		b.Fatal(err)
	}
	j := newJudge(stream.NewBucket(js, stream.RegistryBucket))
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- j.registrar.Run(ctx) }()
	b.Cleanup(func() { stop(); <-done })
	for n := range 20 {
		j.saw(n, version(drift.Key{Server: "orders", Tool: fmt.Sprint("search_orders_", n)}, "v2"))
	}
	return j
}

// peakMB is the most memory that this process has had, the servers' included.
func peakMB() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Maxrss) / 1024
}
