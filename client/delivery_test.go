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
)

func never(int, *nats.Msg) (error, bool) { return nil, false }

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
		var first []*nats.Msg // all under way before one is answered
		c, l := fake(t, func(c *Config) { c.BatchEvents = 1 }, func(n int, m *nats.Msg) (error, bool) {
			if n < 3 {
				first = append(first, m)
			}
			return nil, n >= 3
		})
		for i := range 3 {
			c.Emit(call(fmt.Sprint(i)))
		}
		synctest.Wait()
		for i, err := range []error{nil, nats.ErrDisconnected, nats.ErrDisconnected} {
			l.res.add(result{first[i], err})
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
