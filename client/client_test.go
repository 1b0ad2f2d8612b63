package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	stdstrings "strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

func never(int, *nats.Msg) (error, bool) { return nil, false }

func closeNow(t *testing.T, c *Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := c.Close(ctx); err != nil {
		t.Errorf("close: %v", err)
	}
}

func TestAMessageIsCompleteByAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		defer closeNow(t, c)
		c.Emit(call("a"))
		time.Sleep(150 * time.Millisecond)
		c.Emit(call("b"))
		time.Sleep(49 * time.Millisecond)
		synctest.Wait()
		if n := len(l.calls()); n != 0 {
			t.Errorf("%d messages were sent too early", n)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if have := lines(l.calls()); !slices.Equal(have, []int{2}) {
			t.Errorf("have %v events a message, want 2", have)
		}
		if st := c.Stats(); st.Acked != 2 || st.Queued != 0 || st.QueuedBytes != 0 || !st.Connected || st.Reconnects != 3 {
			t.Errorf("have %+v", st)
		}
	})
}

func TestAMessageIsCompleteByCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) { c.BatchEvents = 3 }, nil)
		defer closeNow(t, c)
		for i := range 7 {
			c.Emit(call(fmt.Sprint(i)))
		}
		synctest.Wait()
		if have := lines(l.calls()); !slices.Equal(have, []int{3, 3}) {
			t.Errorf("have %v events a message", have)
		}
		if err := c.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		if have := names(t, l.calls()); !slices.Equal(have, []string{"0", "1", "2", "3", "4", "5", "6"}) {
			t.Errorf("have %v", have)
		}
	})
}

func TestAMessageIsCompleteBySize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) { c.BatchBytes = 1000 }, nil)
		defer closeNow(t, c)
		for range 8 {
			c.Emit(call("name"))
		}
		c.Emit(call(stdstrings.Repeat("x", 5000))) // alone over the limit, and sent alone
		if err := c.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		for _, m := range l.calls() {
			if len(m.Data) > 1000 && stdstrings.Count(string(m.Data), "\n") > 1 {
				t.Errorf("a message of %d bytes", len(m.Data))
			}
		}
		if n := len(names(t, l.calls())); n != 9 {
			t.Errorf("have %d events, want 9", n)
		}
	})
}

func TestAMessageHasEventsOfOnePartitionAndKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) { c.Partitions = 4 }, nil)
		defer closeNow(t, c)
		for i := range 40 {
			e := call("a")
			e.Data.Common().ConversationID = fmt.Sprint(i)
			c.Emit(e)
			c.Emit(&events.Event{Data: &events.Activation{Via: events.ViaMention}})
		}
		if err := c.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		subjects := map[string]bool{}
		for _, m := range l.calls() {
			p, k, err := events.ParseSubject(m.Subject)
			if err != nil {
				t.Fatal(err)
			}
			subjects[m.Subject] = true
			for _, line := range events.Lines(m.Data) {
				e, err := events.DecodeKind(k, line)
				if err != nil || events.Partition(e.Data.Common().ConversationID, 4) != p {
					t.Errorf("%s: %v", m.Subject, err)
				}
			}
		}
		if len(subjects) != 5 {
			t.Errorf("have %v", subjects)
		}
	})
}

func TestWhatTheEventLeavesEmptyIsFilledIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) {
			c.Source, c.Context = "/agents/a", events.Context{AgentName: "a", Team: "t", Turn: 2}
		}, nil)
		defer closeNow(t, c)
		e := call("x")
		e.Data.Common().Team = "its own"
		if err := c.Publish(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		got, err := events.Decode(l.calls()[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		x := got.Data.Common()
		if got.Source != "/agents/a" || got.ID != e.ID || got.ID[14] != '7' || !got.Time.Equal(e.Time) || x.AgentName != "a" || x.Team != "its own" || x.Turn != 2 {
			t.Errorf("have %+v, %+v", got, x)
		}
	})
}

func TestARetryCarriesTheSameIdAndStopsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, func(int, *nats.Msg) (error, bool) { return jetstream.ErrAsyncPublishTimeout, true })
		c.Emit(call("a"))
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		attempts := l.calls()
		if n := len(attempts); n < 10 || len(slices.Compact(ids(attempts))) != 1 {
			t.Errorf("have %d attempts as %v", n, slices.Compact(ids(attempts)))
		}
		if last := l.at[len(l.at)-1].Sub(l.at[0]); last >= c.cfg.RetryFor || last >= c.cfg.NATS.Duplicates/2 {
			t.Errorf("still tried after %v", last)
		}
		if diff := cmp.Diff(map[Reason]uint64{Unacked: 1}, c.Stats().Dropped); diff != "" {
			t.Error(diff)
		}
		if c.Stats().QueuedBytes != 0 {
			t.Error("room was not given back")
		}
		closeNow(t, c)
	})
}

func TestWhatWasCertainlyNotStoredIsTriedForAsLongAsItTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Bool
		c, _ := fake(t, nil, func(int, *nats.Msg) (error, bool) {
			if open.Load() {
				return nil, true
			}
			return jetstream.ErrNoStreamResponse, true
		})
		c.Emit(call("a"))
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		open.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		if st := c.Stats(); st.Acked != 1 {
			t.Errorf("have %+v", st)
		}
		closeNow(t, c)
	})
}

func TestNothingOvertakesWhatHasToBeSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) { c.BatchEvents = 1 }, func(n int, _ *nats.Msg) (error, bool) {
			if n == 1 || n == 2 {
				return nats.ErrDisconnected, true
			}
			return nil, true
		})
		for i := range 3 {
			c.Emit(call(fmt.Sprint(i)))
		}
		synctest.Wait()
		for i := 3; i < 6; i++ {
			c.Emit(call(fmt.Sprint(i)))
		}
		closeNow(t, c)
		if have := names(t, l.calls()); !slices.Equal(have, []string{"0", "1", "2", "1", "2", "3", "4", "5"}) {
			t.Errorf("have %v", have)
		}
	})
}

func TestTheWindowBoundsWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) { c.BatchEvents, c.Window = 1, 4 }, never)
		for range 10 {
			c.Emit(call("a"))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := len(l.calls()); n != 4 {
			t.Errorf("have %d under way, want 4", n)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := c.Close(ctx)
		if !errors.Is(err, ErrUnacked) || !errors.Is(err, context.DeadlineExceeded) || !stdstrings.Contains(err.Error(), "10 events") {
			t.Errorf("have %v", err)
		}
		if st := c.Stats(); st.Dropped[Unacked] != 10 || st.Queued != 0 {
			t.Errorf("have %+v", st)
		}
	})
}

func TestWhileNATSIsAwayMessagesFillUpAndThenGoOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		l.leave()
		synctest.Wait()
		for i := range 600 {
			c.Emit(call(fmt.Sprint(i)))
			time.Sleep(time.Second)
		}
		if n := len(l.calls()); n != 0 {
			t.Errorf("%d were sent", n)
		}
		l.come()
		synctest.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		if have := lines(l.calls()); !slices.Equal(have, []int{512, 88}) {
			t.Errorf("have %v events a message", have)
		}
		closeNow(t, c)
	})
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
		if diff := cmp.Diff(map[Reason]uint64{TooLarge: 2, Invalid: 5}, c.Stats().Dropped); diff != "" {
			t.Error(diff)
		}
		if have := names(t, l.calls()); !slices.Equal(have, []string{"ok"}) {
			t.Errorf("have %v", have)
		}
		closeNow(t, c)
	})
}

func TestAMessageOverTheServersLimitIsSplit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		l.leave()
		var want []string
		for i := range 100 {
			want = append(want, fmt.Sprint(i))
			c.Emit(call(want[i]))
		}
		synctest.Wait()
		l.set(3000) // as when the connection moves to another server
		l.come()
		closeNow(t, c)
		if have := names(t, l.calls()); !slices.Equal(have, want) {
			t.Errorf("have %v", have)
		}
		if n := len(slices.Compact(ids(l.calls()))); n != len(l.calls()) || n < 10 {
			t.Errorf("%d ids for %d messages", n, len(l.calls()))
		}
		if st := c.Stats(); st.Acked != 100 || st.QueuedBytes != 0 {
			t.Errorf("have %+v", st)
		}
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
