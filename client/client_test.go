package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	stdstrings "strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

func closeNow(t *testing.T, c *Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := c.Close(ctx); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestAFullBufferDropsAndCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) { c.BufferEvents = 10 }, nil)
		l.leave()
		for range 25 {
			c.Emit(call("a"))
		}
		if st := c.Stats(); st.Emitted != 25 || st.Queued != 10 || st.Dropped[BufferFull] != 15 {
			t.Errorf("have %+v", st)
		}
		l.come()
		closeNow(t, c)
		if st := c.Stats(); st.Acked != 10 || st.Emitted != 25 {
			t.Errorf("have %+v", st)
		}
		c.Emit(call("a"))
		if st := c.Stats(); st.Dropped[Closed] != 1 {
			t.Errorf("have %+v", st)
		}
	})
}

func TestTheBufferIsBoundedInBytesToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) { c.BufferBytes = 100_000 }, nil)
		l.leave()
		for range 10 {
			e := call("a")
			e.Data.(*events.ToolCall).Arguments = []byte(`{"x":"` + stdstrings.Repeat("x", 30_000) + `"}`)
			c.Emit(e)
		}
		synctest.Wait()
		if st := c.Stats(); st.Queued != 3 || st.Dropped[BufferFull] != 7 || st.QueuedBytes > 100_000 {
			t.Errorf("have %+v", st)
		}
		l.come()
		closeNow(t, c)
		if st := c.Stats(); st.QueuedBytes != 0 {
			t.Errorf("have %+v", st)
		}
	})
}

func TestEventsThatCanNotBeSentAreCountedByReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		l.set(100_000)
		big := call("a")
		big.Data.(*events.ToolCall).Arguments = []byte(`{"x":"` + stdstrings.Repeat("x", events.MaxEventBytes) + `"}`)
		over := call("a")
		over.Data.(*events.ToolCall).Arguments = []byte(`{"x":"` + stdstrings.Repeat("x", 100_000) + `"}`)
		broken := call("a")
		broken.Data.(*events.ToolCall).Arguments = []byte(`{"x`)
		for _, e := range []*events.Event{big, over, broken, call("\xff"), {Data: &events.ToolCall{}}, {Data: (*events.ToolCall)(nil)}, {}, call("ok")} {
			c.Emit(e)
		}
		c.Emit(nil)
		_ = c.Flush(t.Context())
		if diff := cmp.Diff(map[Reason]uint64{TooLarge: 2, Invalid: 4}, c.Stats().Dropped); diff != "" {
			t.Error(diff)
		}
		if have := names(t, l.calls()); !slices.Equal(have, []string{"\ufffd", "ok"}) {
			t.Errorf("have %v", have)
		}
		closeNow(t, c)
	})
}

func TestHeartbeatsSayWhatWasLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) { c.HeartbeatEvery, c.BufferEvents = 30*time.Second, 2 }, nil)
		for range 5 {
			c.Emit(call("a"))
		}
		time.Sleep(61 * time.Second)
		closeNow(t, c)
		var beats []*events.ClientHeartbeat
		for _, m := range l.sent {
			if e, err := events.DecodeKind(events.KindClientHeartbeat, m.Data); err == nil {
				beats = append(beats, e.Data.(*events.ClientHeartbeat))
			}
		}
		if len(beats) != 3 { // two in a minute, one at the end
			t.Fatalf("have %d heartbeats", len(beats))
		}
		h := beats[2]
		want := []events.DropCount{{Reason: "buffer_full", Count: 3}}
		if h.Emitted != 5 || h.Acked != 2 || h.QueueEvents != 0 || h.Reconnects != 3 || h.ClientID != beats[0].ClientID || !cmp.Equal(h.Dropped, want) {
			t.Errorf("have %+v", h)
		}
		if st := c.Stats(); st.Emitted != 5 || st.Acked != 2 {
			t.Errorf("heartbeats were counted: %+v", st)
		}
	})
}

func TestHeartbeatsDoNotPileUpWhileNATSIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) { c.HeartbeatEvery = time.Second }, nil)
		l.leave()
		time.Sleep(time.Hour)
		l.come()
		synctest.Wait()
		if n := len(l.sent); n != 1 {
			t.Errorf("%d heartbeats had piled up", n)
		}
		closeNow(t, c)
	})
}

func TestPublishReturnsAfterTheAck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waiting *nats.Msg
		c, l := fake(t, nil, func(n int, m *nats.Msg) (error, bool) {
			if n == 0 {
				waiting = m
			}
			return nil, n > 0
		})
		done := make(chan error)
		go func() { done <- c.Publish(t.Context(), call("a"), call("b")) }()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("returned before the ack: %v", err)
		default:
		}
		l.res.add(result{waiting, nil})
		if err := <-done; err != nil {
			t.Error(err)
		}
		closeNow(t, c)
	})
}

func TestPublishSaysWhatWasNotAcked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var under []*nats.Msg
		c, l := fake(t, nil, func(_ int, m *nats.Msg) (error, bool) {
			under = append(under, m)
			return nil, len(under) > 1
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := c.Publish(ctx, call("a"), call("b"))
		if !errors.Is(err, ErrUnacked) || !errors.Is(err, context.DeadlineExceeded) || !stdstrings.Contains(err.Error(), "2 events") {
			t.Errorf("have %v", err)
		}
		l.res.add(result{under[0], nats.ErrDisconnected}) // the attempt fails, and nobody waits any more
		synctest.Wait()
		if st := c.Stats(); st.Dropped[Cancelled] != 2 || st.Queued != 0 {
			t.Errorf("have %+v", st)
		}
		closeNow(t, c)
	})
}

func TestPublishRefusesAnInvalidEventAndSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		var e *events.Error
		if err := c.Publish(t.Context(), call("a"), &events.Event{Data: &events.ToolCall{}}); !errors.As(err, &e) || e.Path != "/data/outcome" {
			t.Errorf("have %v", err)
		}
		if err := c.Publish(t.Context(), nil); err == nil {
			t.Error("want an error for a nil event")
		}
		if st := c.Stats(); st.Emitted != 0 || len(l.calls()) != 0 {
			t.Errorf("have %+v", st)
		}
		closeNow(t, c)
		if err := c.Publish(t.Context(), call("a")); !errors.Is(err, ErrClosed) {
			t.Errorf("have %v", err)
		}
		if err := c.Flush(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("have %v", err)
		}
	})
}

func TestTheZeroClientDropsAndCounts(t *testing.T) {
	var c Client
	c.Emit(call("a"))
	c.Emit(call("b"))
	if st := c.Stats(); st.Emitted != 2 || st.Dropped[NotStarted] != 2 || st.Queued != 0 {
		t.Errorf("have %+v", st)
	}
	for _, c := range []*Client{&c, nil} {
		c.Emit(call("a"))
		if err := c.Publish(t.Context(), call("a")); !errors.Is(err, ErrNotStarted) {
			t.Errorf("have %v", err)
		}
		if err := c.Flush(t.Context()); !errors.Is(err, ErrNotStarted) {
			t.Errorf("have %v", err)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
		_ = c.Stats()
	}
}

// Beyond building the event Emit allocates nothing, but for the buffer's own growth.
func TestEmitAllocatesLessThanOnceAnEvent(t *testing.T) {
	const n = 10_000
	for name, room := range map[string]int{"with room": 2 * n, "full": 1} {
		cfg := DefaultConfig()
		cfg.BufferEvents, cfg.BufferBytes = room, 1<<30
		var c Client // no sender: what it allocates is not Emit's
		c.buf.buffer = newBuffer(&cfg)
		evs := make([]*events.Event, n+1)
		for i := range evs {
			evs[i] = call("a")
		}
		next := 0
		if have := testing.AllocsPerRun(n, func() { c.Emit(evs[next]); next++ }); have > 0 {
			t.Errorf("%s: %v allocations an event", name, have)
		}
	}
}

// Whatever the server does, every event is acked, dropped or queued, once.
func TestEveryEventIsAccountedFor(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		fates := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 40).Draw(r, "answers")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 20).Draw(r, "bursts")
		synctest.Test(t, func(t *testing.T) {
			c, l := fake(t, func(c *Config) { c.BatchEvents, c.BufferEvents, c.Window = 7, 50, 3 }, func(n int, _ *nats.Msg) (error, bool) {
				switch fates[n%len(fates)] {
				case 0:
					return nats.ErrDisconnected, true
				case 1:
					return jetstream.ErrNoStreamResponse, true
				}
				return nil, true
			})
			l.set(2500)
			total := 0
			for i, n := range sizes {
				for j := range n {
					e := call(fmt.Sprint(i, j))
					if j%17 == 16 {
						e.Data = &events.ToolCall{}
					}
					c.Emit(e)
					total++
				}
				if i%3 == 0 {
					ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
					_ = c.Publish(ctx, call("p"), call("q"))
					cancel()
				}
				time.Sleep(time.Duration(n) * 10 * time.Millisecond)
				st := c.Stats()
				var dropped uint64
				for _, d := range st.Dropped {
					dropped += d
				}
				if st.Emitted != st.Acked+dropped+st.Queued || st.Queued > 1<<40 {
					r.Fatalf("have %+v", st)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := c.Close(ctx)
			st := c.Stats()
			if st.Queued != 0 || st.QueuedBytes != 0 || st.Emitted < uint64(total) {
				r.Fatalf("have %+v (close: %v)", st, err)
			}
		})
	})
}
