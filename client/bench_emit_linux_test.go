package client_test

import (
	"context"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/events"
)

// pool makes events ahead, so that a benchmark sees Emit alone.
func pool(n int) []*events.Event {
	evs := make([]*events.Event, n)
	for i := range evs {
		evs[i] = event(i)
		evs[i].Data.Common().ConversationID = "conv-7f3a"
		evs[i].Source, evs[i].Time = "/agents/test", time.Now()
	}
	return evs
}

// What Emit takes of an agent while NATS is away, with room in the buffer and when it is full: own-cpu-ns/emit and allocs/emit,
// both beyond building the event, which is done before.
func BenchmarkEmitNATSAbsent(b *testing.B) {
	absent := client.DefaultConfig()
	absent.Log = slog.New(slog.DiscardHandler)
	absent.NATS.URL = "nats://127.0.0.1:1"
	b.Run("room", func(b *testing.B) {
		const round = 1 << 13
		cfg := absent
		cfg.BufferEvents, cfg.BufferBytes = 2*round, 1<<30
		var c *client.Client
		var evs []*events.Event
		var spent cost
		spent.start()
		for i := range b.N {
			if i%round == 0 {
				spent.stop()
				discard(b, c)
				c, evs = start(b, cfg), pool(round)
				runtime.GC()
				spent.start()
			}
			c.Emit(evs[i%round])
		}
		spent.stop()
		spent.report(b)
		if st := c.Stats(); st.Dropped[client.BufferFull] > 0 {
			b.Errorf("there was no room: %+v", st)
		}
		discard(b, c)
	})
	b.Run("full", func(b *testing.B) {
		cfg := absent
		cfg.BufferEvents = 1
		c, evs := start(b, cfg), pool(1<<10)
		var spent cost
		spent.start()
		for i := range b.N {
			c.Emit(evs[i%len(evs)])
		}
		spent.stop()
		spent.report(b)
		if st := c.Stats(); st.Dropped[client.BufferFull]+1 < uint64(b.N) { //nolint:gosec // positive
			b.Errorf("the buffer was not full: %+v", st)
		}
		discard(b, c)
	})
}

// discard closes a client without waiting.
func discard(b *testing.B, c *client.Client) {
	b.Helper()
	if c == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = c.Close(ctx)
}

// From Emit to the acknowledgement, events of about 610 bytes in the client's own batches.
func BenchmarkEmitToAck(b *testing.B) {
	s := serve(b, server.Options{})
	open(b, s.ClientURL())
	cfg := config(s.ClientURL())
	cfg.BufferEvents, cfg.BufferBytes = b.N+1, 8<<30
	c := start(b, cfg)
	evs := pool(b.N)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		c.Emit(evs[i])
	}
	if err := c.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
