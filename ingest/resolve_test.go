package ingest_test

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
)

// told is an event at a second.
func told(at int, d events.Data) *events.Event {
	return &events.Event{Source: "agent/support", Time: time.Unix(1_700_000_000+int64(at), 0), Data: d}
}

func in(conversation string, turn int64) events.Context {
	return events.Context{AgentName: "support", ConversationID: conversation, Turn: turn}
}

func supportRoster(c events.Context) *events.ToolRoster {
	return &events.ToolRoster{Context: c, RosterDigest: "r", Tools: []events.RosterTool{
		{Name: "web_search"}, {Name: "create_order", Server: "orders"}, {Name: "edit_file", Deferred: true},
	}}
}

func named(c events.Context, name, arguments string) *events.ToolCall {
	d := &events.ToolCall{Context: c, ToolName: name, Outcome: events.OutcomeOK}
	if arguments != "" {
		d.Arguments = []byte(arguments)
	}
	return d
}

func TestAResolverStampsWhatIsRightAndLeavesTheRest(t *testing.T) {
	for _, tt := range []struct {
		name, called, arguments  string
		before                   []*events.Event
		resolution, server, tool string
	}{
		{"callable", "web_search", "", nil, "ok", "", ""},
		{"with its server", "mcp__orders__create_order", "", nil, "ok", "orders", "create_order"},
		{"inside a bridge", "call_tool", `{"name":"create_order","arguments":{}}`, nil, "ok", "orders", "create_order"},
		{"guessed", "WebSearch", "", nil, "", "", ""},
		{"not loaded", "edit_file", "", nil, "", "", ""},
		{"loaded before", "edit_file", "", []*events.Event{
			told(2, &events.Activation{Context: in("c", 1), Via: events.ViaActivationTool, Loaded: []string{"edit_file"}}),
		}, "ok", "", ""},
		{"loaded in the same message", "edit_file", "", []*events.Event{
			told(2, &events.Activation{Context: in("c", 2), Via: events.ViaActivationTool, Loaded: []string{"edit_file"}}),
		}, "", "", ""},
		{"of a server whose own list has it", "other", "", []*events.Event{
			told(2, &events.ToolRoster{Context: in("c", 1), Server: "s", Tools: []events.RosterTool{{Name: "other"}}}),
		}, "", "", ""},
	} {
		for _, of := range []string{"c", ""} {
			r := ingest.NewResolver(ingest.DefaultResolverConfig(), nil)
			r.Enrich(told(1, supportRoster(in(of, 0))))
			for _, e := range tt.before {
				r.Enrich(e)
			}
			call := named(in("c", 2), tt.called, tt.arguments)
			r.Enrich(told(3, call))
			if got, want := []string{string(call.Resolution), call.Server, call.ResolvedName}, []string{tt.resolution, tt.server, tt.tool}; !cmp.Equal(got, want) {
				t.Errorf("%s, roster of %q: %q, want %q", tt.name, of, got, want)
			}
		}
	}
}

func TestAResolverLeavesCallsThatAreJudgedOrOfNoConversation(t *testing.T) {
	r := ingest.NewResolver(ingest.DefaultResolverConfig(), nil)
	r.Enrich(told(1, supportRoster(in("", 0))))
	judged := named(in("c", 1), "web_search", "")
	judged.Resolution = events.ResolvedUnknown
	for _, call := range []*events.ToolCall{judged, named(in("", 1), "web_search", ""), named(events.Context{AgentName: "other", ConversationID: "c"}, "web_search", "")} {
		before := *call
		r.Enrich(told(2, call))
		if diff := cmp.Diff(before, *call); diff != "" {
			t.Error(diff)
		}
	}
}

func TestTheCallInsideABridgeIsHeldAgainstItsOwnSchema(t *testing.T) {
	c := ingest.NewClassifier(slog.New(slog.DiscardHandler))
	c.Enrich(told(0, orderDefinition()))
	c.Enrich(told(1, supportRoster(in("", 0))))
	for inner, want := range map[string]events.DriftClass{`{"customer":"c","quantity":1}`: events.DriftCurrent, `{"quantity":1}`: events.DriftValidationError} {
		given := `{"server":"orders","name":"create_order","arguments":` + inner + `}`
		call := named(in("c", 1), "call_tool", given)
		c.Enrich(told(2, call))
		if call.DriftClass != want || string(call.Arguments) != given || call.Bridge != "call_tool" {
			t.Errorf("%s: class %q, want %q; bridge %q, arguments %s", inner, call.DriftClass, want, call.Bridge, call.Arguments)
		}
	}
}

func TestBridgesOfOnesOwnAreUnwrappedAsTheSettingsSay(t *testing.T) {
	for _, own := range []bool{false, true} {
		cfg := ingest.DefaultResolverConfig()
		if own {
			cfg.Settings.Bridges = []string{"relay"}
		}
		r := ingest.NewResolver(cfg, nil)
		r.Enrich(told(1, supportRoster(in("c", 1))))
		right, wrong := named(in("c", 2), "relay", `{"name":"web_search"}`), named(in("c", 2), "relay", `{"name":"WebSerch"}`)
		r.Enrich(told(2, right))
		r.Enrich(told(2, wrong))
		if stamped := right.Resolution == events.ResolvedOK && right.Bridge == "relay" && right.ResolvedName == "web_search"; stamped != own {
			t.Errorf("own %t: the call inside is %q of %q", own, right.Resolution, right.ResolvedName)
		}
		if wrong.Resolution != "" || wrong.Bridge != "" || wrong.BridgedName != "" {
			t.Errorf("own %t: a guess is left to the analyzer, not %+v", own, wrong)
		}
	}
}

func TestAResolverForgetsWhatWasNotHeardOfForLongest(t *testing.T) {
	cfg := ingest.DefaultResolverConfig()
	cfg.Conversations, cfg.Names, cfg.Rosters = 2, 3, 2
	r := ingest.NewResolver(cfg, nil)
	stamped := func(conversation string) bool {
		call := named(in(conversation, 9), "web_search", "")
		r.Enrich(told(9, call))
		return call.Resolution != ""
	}
	for _, id := range []string{"a", "b", "a", "c"} {
		r.Enrich(told(1, supportRoster(in(id, 1))))
	}
	if !stamped("a") || stamped("b") || !stamped("c") {
		t.Error("another than the oldest was forgotten")
	}
	for range 4 {
		r.Enrich(told(2, &events.Activation{Context: in("a", 1), Via: events.ViaToolSearch, Loaded: []string{"x"}}))
	}
	if stamped("a") || !stamped("c") {
		t.Error("a conversation with too many names was not forgotten")
	}
}

func TestSettingsOfAResolverThatCannotWorkAreNamed(t *testing.T) {
	if err := ingest.DefaultResolverConfig().Validate(); err != nil {
		t.Error(err)
	}
	cfg := ingest.DefaultResolverConfig()
	cfg.Conversations, cfg.Rosters = -1, 0
	if err := cfg.Validate(); err == nil {
		t.Error("no error")
	}
}

func TestLanesEnrichAtOnce(t *testing.T) {
	r := ingest.NewResolver(ingest.DefaultResolverConfig(), nil)
	var lanes sync.WaitGroup
	for lane := range 4 {
		lanes.Go(func() {
			for i := range 500 {
				c := in(fmt.Sprint("c", i%7), int64(i))
				switch lane {
				case 0:
					r.Enrich(told(i, supportRoster(c)))
				case 1:
					r.Enrich(told(i, &events.Activation{Context: c, Via: events.ViaToolSearch, Loaded: []string{"edit_file"}}))
				default:
					r.Enrich(told(i, named(c, "edit_file", "")))
				}
			}
		})
	}
	lanes.Wait()
}

// BenchmarkResolver looks up names in rosters of 185 tools.
func BenchmarkResolver(b *testing.B) {
	roster := func(c events.Context) *events.ToolRoster {
		d := &events.ToolRoster{Context: c, RosterDigest: "r"}
		for i := range 185 {
			d.Tools = append(d.Tools, events.RosterTool{Name: fmt.Sprintf("server_%d_get_thing_%d", i%9, i), Server: fmt.Sprintf("server%d", i%9), Deferred: i%2 == 0})
		}
		return d
	}
	r := ingest.NewResolver(ingest.DefaultResolverConfig(), nil)
	for i := range 1000 {
		c := in(fmt.Sprint("c", i), 1)
		r.Enrich(told(1, roster(c)))
		r.Enrich(told(2, &events.Activation{Context: c, Via: events.ViaActivationTool, Loaded: []string{"server_0_get_thing_0", "server_2_get_thing_2"}}))
	}
	for name, called := range map[string]string{"callable": "server_1_get_thing_1", "loaded": "server_2_get_thing_2", "wrong": "get_something_else"} {
		b.Run(name, func(b *testing.B) {
			calls := make([]*events.Event, 1000)
			for i := range calls {
				calls[i] = told(3, named(in(fmt.Sprint("c", i), 2), called, ""))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e := calls[i%len(calls)]
				e.Data.(*events.ToolCall).Resolution = ""
				r.Enrich(e)
			}
		})
	}
	b.Run("roster again", func(b *testing.B) {
		d := roster(in("again", 1))
		b.ReportAllocs()
		for b.Loop() {
			r.Enrich(told(1, d))
		}
	})
}
