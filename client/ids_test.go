package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// sentCalls returns the tool calls in the stream by their ids, and all that was sent.
func sentCalls(t *testing.T, js jetstream.JetStream) (map[string]*events.ToolCall, string) {
	t.Helper()
	st, err := js.Stream(context.Background(), stream.Name)
	if err != nil {
		t.Fatal(err)
	}
	calls, all := map[string]*events.ToolCall{}, ""
	state := st.CachedInfo().State
	for seq := state.FirstSeq; seq <= state.LastSeq; seq++ {
		m, err := st.GetMsg(context.Background(), seq)
		if err != nil {
			t.Fatal(err)
		}
		all += string(m.Data)
		for _, line := range events.Lines(m.Data) {
			e, err := events.Decode(line)
			if err != nil {
				t.Fatal(err)
			}
			if c, ok := e.Data.(*events.ToolCall); ok {
				calls[c.ToolCallID] = c
			}
		}
	}
	return calls, all
}

// conversation is a request as Anthropic's API takes it; its user names one card, and a result another.
const conversation = `{"model":"m","system":"Never refund to gift_card_1111111.","tools":[{"name":"pay","input_schema":{"properties":{"payment_id":{"examples":["card_2222222"]}}}}],
	"messages":[{"role":"user","content":"Pay with credit_card_3333333"},
	{"role":"assistant","content":[{"type":"text","text":"Or card_4444444?"},{"type":"tool_use","id":"a","name":"list","input":{"x_id":"card_5555555"}}]},
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"[{\"id\":\"card_6666666\"}]"}]}]}`

// pay makes one call as an agent does, and ends it whatever becomes of it.
func pay(c *client.Client, ids *activation.IDs, state *activation.State, id, name, args string) error {
	call := c.ToolCallStart(events.Context{ConversationID: "c"}, name, []byte(args))
	call.ToolCall.ToolCallID = id
	call.State, call.IDs = state, ids
	_, err := call.Check(context.Background())
	if err == nil {
		ids.Learn(`{"paid_with":"` + args + `"}`)
		call.End(events.OutcomeOK, "")
	}
	return err
}

func TestMadeUpIDsOfCallsReachTheStreamWithoutTheirValues(t *testing.T) {
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprintf("arguments kept %v", keep), func(t *testing.T) {
			s := serve(t, server.Options{})
			js := open(t, s.ClientURL())
			cfg := config(s.ClientURL())
			cfg.KeepArguments, cfg.Digester = keep, events.Digester{Key: []byte("key of this deployment")}
			c := start(t, cfg)
			ids := c.NewIDs(activation.IDSettings{IncludeValues: true})
			ids.SeeRequest([]byte(conversation))
			for i, seen := range []string{"gift_card_1111111", "card_2222222", "credit_card_3333333", "card_6666666"} {
				if err := pay(c, ids, nil, fmt.Sprint("seen", i), "pay", `{"payment_id":"`+seen+`"}`); err != nil {
					t.Fatal(err)
				}
			}
			const madeUp = "credit_card_9876543"
			if err := pay(c, ids, nil, "made up", "pay", `{"users":{"sara_doe_4963":{"payment_id":"`+madeUp+`"}}}`); err != nil {
				t.Fatal(err)
			}
			if err := pay(c, ids, nil, "said by the model", "pay", `{"payment_id":"card_4444444"}`); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(longer(t)); err != nil {
				t.Fatal(err)
			}
			calls, all := sentCalls(t, js)
			want := []events.MadeUpID{{Path: "/users/*/payment_id", Digest: cfg.Digester.Short([]byte(madeUp))}}
			if keep {
				want[0].Value = madeUp
			} else if strings.Contains(all, "9876543") || strings.Contains(all, "sara_doe") {
				t.Errorf("a value left: %s", all)
			}
			if diff := cmp.Diff(want, calls["made up"].MadeUpIDs); diff != "" {
				t.Error(diff)
			}
			for id, call := range calls {
				if n := len(call.MadeUpIDs); strings.HasPrefix(id, "seen") && n > 0 || id == "said by the model" && n != 1 {
					t.Errorf("%s: %+v", id, call.MadeUpIDs)
				}
			}
			if len(calls) != 6 {
				t.Errorf("%d calls", len(calls))
			}
		})
	}
}

func TestIDsAreLookedForInRefusedAndBridgedCallsAndThoseThatNobodyChecks(t *testing.T) {
	s := serve(t, server.Options{})
	js := open(t, s.ClientURL())
	c := start(t, config(s.ClientURL()))
	roster := activation.NewRoster(activation.RosterInput{Tools: []activation.Tool{{Name: "pay", Server: "shop"}}})
	state, ids := activation.NewState(roster), c.NewIDs(activation.IDSettings{})
	const args = `{"payment_id":"card_9876543"}`
	var refused *client.RefusedError
	if err := pay(c, ids, state, "refused", "pay_all", args); !errors.As(err, &refused) {
		t.Errorf("have %v", err)
	}
	if err := pay(c, ids, state, "bridged", "call_tool", `{"name":"pay","arguments":{"payment_id":"card_9876544"}}`); err != nil {
		t.Error(err)
	}
	unchecked := c.ToolCallStart(events.Context{}, "pay", []byte(`{"payment_id":"card_1876545"}`))
	unchecked.ToolCall.ToolCallID, unchecked.IDs = "unchecked", ids
	unchecked.End(events.OutcomeOK, "")
	provider := c.ToolCallStart(events.Context{}, "search", []byte(`{"payment_id":"card_9876546"}`))
	provider.ToolCall.ToolCallID, provider.ToolCall.Execution, provider.IDs = "provider", "provider", ids
	provider.End(events.OutcomeOK, "")
	if err := c.Close(longer(t)); err != nil {
		t.Fatal(err)
	}
	calls, _ := sentCalls(t, js)
	for id, want := range map[string]int{"refused": 1, "bridged": 1, "unchecked": 1, "provider": 0} {
		if call := calls[id]; call == nil || len(call.MadeUpIDs) != want || want > 0 && call.MadeUpIDs[0].Path != "/payment_id" {
			t.Errorf("%s: %+v", id, call)
		}
	}
	if shape := calls["bridged"].ArgumentShape; len(shape) != 1 || shape[0].Path != "/payment_id" {
		t.Errorf("have %+v", shape)
	}
}

func TestParallelCallsMayShareWhatTheirModelHasRead(t *testing.T) {
	var c client.Client
	ids := c.NewIDs(activation.IDSettings{})
	ids.SeeRequest([]byte(conversation))
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := range 50 {
				call := c.ToolCallStart(events.Context{}, "pay", fmt.Appendf(nil, `{"a_id":"credit_card_3333333","b_id":"other_%04d%04d"}`, i+10, n))
				call.IDs = ids
				if _, err := call.Check(t.Context()); err != nil {
					t.Error(err)
				}
				ids.Learn(fmt.Sprintf(`{"id":"result_%d_%d"}`, i, n))
				ids.SeeRequest([]byte(conversation))
				call.End(events.OutcomeOK, "")
				if found := call.ToolCall.MadeUpIDs; len(found) != 1 || found[0].Path != "/b_id" {
					t.Errorf("have %+v", found)
				}
			}
		})
	}
	all.Wait()
}

// longBody is a request of a conversation with so many results, each with some 30 ids in 2 KB.
func longBody(results int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"messages":[{"role":"user","content":"hello"}`)
	for i := range results {
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"list","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"[`, i, i)
		for n := range 30 {
			fmt.Fprintf(&b, `{\"id\":\"card_%07d\",\"at\":\"2024-05-15T10:11:12Z\"},`, i*30+n)
		}
		b.WriteString(`{}]"}]}`)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// BenchmarkIDsOfACall is what a call costs more in a conversation of a megabyte.
func BenchmarkIDsOfACall(b *testing.B) {
	for _, with := range []bool{false, true} {
		b.Run(fmt.Sprintf("ids %v", with), func(b *testing.B) {
			var c client.Client
			ids := c.NewIDs(activation.IDSettings{})
			ids.SeeRequest(longBody(500))
			args := []byte(`{"user_id":"mia_li_3668","payment_id":"card_0000042","flights":[{"flight_number":"HAT123","date":"2024-05-15"}]}`)
			b.ReportAllocs()
			for b.Loop() {
				call := c.ToolCallStart(events.Context{}, "pay", args)
				if with {
					call.IDs = ids
				}
				_, _ = call.Check(b.Context())
				call.End(events.OutcomeOK, "")
			}
		})
	}
}

// BenchmarkSeeRequest is what a request costs whose conversation of a megabyte was seen but for its last message, and a first one.
func BenchmarkSeeRequest(b *testing.B) {
	body := longBody(500)
	b.Run("again", func(b *testing.B) {
		var c client.Client
		ids := c.NewIDs(activation.IDSettings{})
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			ids.SeeRequest(body)
		}
	})
	b.Run("first", func(b *testing.B) {
		var c client.Client
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			c.NewIDs(activation.IDSettings{}).SeeRequest(body)
		}
	})
}
