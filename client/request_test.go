package client

import (
	"slices"
	stdstrings "strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

const body = `{"model":"claude-sonnet-4-5","max_tokens":100,"system":[{"type":"text","text":"SECRET","cache_control":{"type":"ephemeral"}}],
 "tools":[{"name":"a","description":"four","input_schema":{"type":"object"}},{"name":"b","input_schema":{"type":"object"},"defer_loading":true}],
 "messages":[{"role":"user","content":"SECRET"},{"role":"assistant","content":"SECRET"}]}`

func TestARequestIsDigestedAndItsTextStaysHome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		started := time.Now()
		raw := []byte(body)
		r := c.RequestStart(events.Context{ConversationID: "x"}, "anthropic", raw)
		clear(raw) // the agent may use its memory again
		r.RequestPrefix.ResponseID = "msg_1"
		time.Sleep(2 * time.Second)
		r.End(Usage{CacheReadInputTokens: events.Tokens(4096), OutputTokens: events.Tokens(7)})
		r.End(Usage{})
		closeNow(t, c)

		e, p := only[*events.RequestPrefix](t, l)
		want, err := prefix.Split("anthropic", []byte(body), events.Digester{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Tools, want.Tools) || !slices.Equal(p.System, want.System) || !slices.Equal(p.Messages, want.Messages) || len(p.Messages) != 2 || len(p.Breakpoints) != 1 {
			t.Errorf("have %+v", p)
		}
		if !p.ToolsKnown || !p.SystemKnown || !p.MessagesKnown || p.RequestModel != "claude-sonnet-4-5" || p.ProviderName != want.Provider || p.RequestID == "" {
			t.Errorf("have %+v", p)
		}
		if p.Status != events.StatusOK || p.CacheReadInputTokens != events.Tokens(4096) || p.UncachedInputTokens.Known || p.ResponseID != "msg_1" {
			t.Errorf("have %+v", p)
		}
		if !e.Time.Equal(started) || p.EndTime.Sub(p.StartTime) != 2*time.Second {
			t.Errorf("from %v to %v", p.StartTime, p.EndTime)
		}
		_, roster := only[*events.ToolRoster](t, l)
		if roster.RosterDigest != p.RosterDigest || len(roster.Tools) != 2 || !roster.Tools[1].Deferred || roster.Tools[0].SummaryLength != 4 || roster.ConversationID != "x" {
			t.Errorf("have %+v", roster)
		}
		for _, m := range l.sent {
			if stdstrings.Contains(string(m.Data), "SECRET") {
				t.Errorf("text left the agent: %s", m.Data)
			}
		}
	})
}

func TestToolsThatWereSentBeforeHaveTheSameDigests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := fake(t, func(c *Config) { c.Digester.Key = []byte("key") }, nil)
		first := c.RequestStart(events.Context{}, "anthropic", []byte(body)).RequestPrefix
		second := c.RequestStart(events.Context{}, "anthropic", []byte(body)).RequestPrefix
		unkeyed, err := prefix.Split("anthropic", []byte(body), events.Digester{})
		if err != nil {
			t.Fatal(err)
		}
		if len(first.Tools) != 1 || !slices.Equal(first.Tools, second.Tools) || first.RosterDigest != second.RosterDigest || slices.Equal(first.Tools, unkeyed.Tools) {
			t.Errorf("have %+v and %+v", first.Tools, second.Tools)
		}
		closeNow(t, c)
	})
}

func TestARequestThatFailedSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		c.RequestStart(events.Context{RequestID: "r1"}, "", []byte(`{"messages":`)).Fail(events.StatusAborted, "user")
		closeNow(t, c)
		_, p := only[*events.RequestPrefix](t, l)
		if p.Status != events.StatusAborted || p.ErrorType != "user" || p.ToolsKnown || p.MessagesKnown || p.RequestID != "r1" || p.OutputTokens.Known {
			t.Errorf("have %+v", p)
		}
	})
}

// kinds counts the events that were sent.
func kinds(t *testing.T, l *fakeLink) map[events.Kind]int {
	t.Helper()
	n := map[events.Kind]int{}
	for _, m := range l.calls() {
		for _, line := range events.Lines(m.Data) {
			e, err := events.Decode(line)
			if err != nil {
				t.Fatal(err)
			}
			n[e.Kind()]++
		}
	}
	return n
}

func TestARosterIsSentOnceAChangeAndADefinitionOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		a, b := jsontext.Value(`{"name":"a","input_schema":{}}`), jsontext.Value(`{"name":"b","input_schema":{}}`)
		marked := jsontext.Value(`{"name":"b","input_schema":{},"cache_control":{"type":"ephemeral"}}`)
		one := events.ToolRoster{Context: events.Context{ConversationID: "1"}}
		two := events.ToolRoster{Context: events.Context{ConversationID: "2"}}
		ab := c.Roster(one, a, b)
		if c.Roster(one, a, b) != ab || c.Roster(one, a, marked) != ab {
			t.Error("the same tools have another digest")
		}
		check := func(rosters, definitions int) {
			t.Helper()
			if err := c.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := kinds(t, l); n[events.KindToolRoster] != rosters || n[events.KindToolDefinition] != definitions {
				t.Errorf("have %v, want %d rosters and %d definitions", n, rosters, definitions)
			}
		}
		check(1, 2)
		c.Roster(two, a, b)
		check(2, 2)
		if ba := c.Roster(one, b, a, jsontext.Value(`{"no":"tool"}`)); ba == ab {
			t.Error("another order has the same digest")
		}
		check(3, 2)
		c.Roster(one, a, b)
		check(4, 2)
		time.Sleep(2 * time.Hour)
		c.Roster(one, a, b)
		check(5, 4)
		closeNow(t, c)
	})
}

func TestARosterThatFoundNoRoomIsSentLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, func(c *Config) { c.BufferEvents = 2 }, nil)
		a, b := jsontext.Value(`{"name":"a","input_schema":{}}`), jsontext.Value(`{"name":"b","input_schema":{}}`)
		c.Roster(events.ToolRoster{}, a, b) // room for the definitions alone
		if err := c.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Roster(events.ToolRoster{}, a, b)
		closeNow(t, c)
		if n := kinds(t, l); n[events.KindToolRoster] != 1 || n[events.KindToolDefinition] != 2 {
			t.Errorf("have %v", n)
		}
	})
}

func TestRequestsOfAClientThatWasNotStartedDoNothing(t *testing.T) {
	for _, c := range []*Client{nil, {}} {
		c.RequestStart(events.Context{}, "", []byte(body)).End(Usage{})
		if d := c.Roster(events.ToolRoster{}); d != "" {
			t.Errorf("have %q", d)
		}
	}
}

func FuzzHelpersNeverPanic(f *testing.F) {
	f.Add([]byte(body), "anthropic")
	f.Add([]byte(`{"contents":[{"parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":[{"name":"a"}]}]}`), "")
	f.Fuzz(func(t *testing.T, raw []byte, name string) {
		c := start(DefaultConfig().completed())
		c.RequestStart(events.Context{}, name, raw).End(Usage{})
		c.ToolCallStart(events.Context{}, name, raw).End(events.OutcomeOK, "")
		c.Roster(events.ToolRoster{}, raw)
		c.cancel()
		<-c.done
		if st := c.Stats(); st.Queued != 0 {
			t.Fatalf("have %+v", st)
		}
	})
}
