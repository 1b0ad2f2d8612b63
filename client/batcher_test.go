package client

import (
	"fmt"
	"slices"
	stdstrings "strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

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
