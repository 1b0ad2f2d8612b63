package prefix

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// agentIs makes the request one of an agent; turns of several agents in a conversation are no order.
func agentIs(agent string) opt {
	return func(o *Observed) { o.AgentName, o.Turn, o.ID = agent, 0, agent+o.ID }
}

// again makes the request another event of one that began so much later.
func again(later float64, ms ...string) opt {
	return func(o *Observed) {
		d := time.Duration(later * float64(time.Second))
		o.ID, o.Turn, o.StartTime, o.EndTime = o.ID+"b", 0, o.StartTime.Add(d), o.EndTime.Add(d)
		o.Messages = append(o.Messages, ms...)
	}
}

func provider(name string) opt { return func(o *Observed) { o.ProviderName = name } }

func requestID(id string) opt { return func(o *Observed) { o.RequestID = id } }

func TestOnlyWhatCouldBeCachedIsExpected(t *testing.T) {
	const big = 100_000
	for _, tt := range []struct {
		name string
		reqs []Observed
		want string
		lost int64 // in all
	}{
		{"a request sent twice to have the first answer", []Observed{req(1, 0, 0, big), req(2, 9, big, 40_000), req(2, 9, big, 40_000, again(0.1))}, "cold_start ok ok", 0},
		{"the same told by two events", []Observed{req(1, 0, 0, big), req(2, 9, big, 40_000), req(2, 9, big, 40_000, again(0))}, "cold_start ok ok", 0},
		{"three times", []Observed{req(1, 0, 0, big), req(2, 9, big, 40_000), req(2, 9, big, 40_000, again(0.1)), req(2, 9, big, 40_000, again(0.2))}, "cold_start ok ok ok", 0},
		{"with one message more, before the answer", []Observed{req(1, 0, 0, big), req(2, 9, big, 40_000), req(2, 9, big, 40_000, again(1, "more"))}, "cold_start ok ok", 0},
		{"rewritten before the answer", []Observed{req(1, 0, 0, big), req(2, 9, big, 40_000), req(2, 9, big, 40_000, again(1), messages("m0 x m2"))},
			"cold_start ok ok+messages_changed", 0},
		{"a second one with other tools", []Observed{req(1, 0, 0, big), req(2, 9, big, 40_000), req(2, 9, 0, 140_000, again(0.1), tools("A:1"))}, "cold_start ok tools_changed", big},
		{"again when the answer was there", []Observed{req(1, 0, 0, big), req(2, 9, big, 40_000), req(2, 9, big, 40_000, again(3))}, "cold_start ok unattributed", 40_000},
		{"one request id in two events", []Observed{req(1, 0, 0, big), req(2, 9, big, 40_000, requestID("q")), req(2, 9, big, 40_000, again(3), requestID("q"))}, "cold_start ok ok", 0},
		{"one request id for different requests", []Observed{req(1, 0, 0, big, requestID("q")), req(2, 9, 0, big, requestID("q"))}, "cold_start unattributed", big},
		{"a first one sent twice", []Observed{req(1, 0, 0, big), req(1, 0, 0, big, again(0))}, "concurrent_cold_start cold_start", 0},
		{"what both broke alike", []Observed{req(1, 0, 0, big), req(2, 900, 0, 140_000), req(2, 900, 0, 140_000, again(0.1))}, "cold_start ttl_expired ok", big},
		{"and on from there", []Observed{req(1, 0, 0, big), req(2, 9, big, 40_000), req(2, 9, big, 40_000, again(0.1)), req(3, 20, 0, 150_000, again(0))},
			"cold_start ok ok unattributed", 140_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			judged := Judge(tt.reqs, DefaultSettings())
			if got := verdictsOf(judged); got != tt.want {
				t.Errorf("verdicts %q, want %q", got, tt.want)
			}
			sum := int64(0)
			for _, v := range judged {
				sum += v.TokensLost.N
			}
			if sum != tt.lost {
				t.Errorf("lost %d, want %d", sum, tt.lost)
			}
		})
	}
}

func TestADuplicateOfARequestCostsNothingMore(t *testing.T) {
	judged := Judge([]Observed{req(1, 0, 0, 5000, requestID("q")), req(1, 0, 0, 5000, again(7), requestID("q"))}, DefaultSettings())
	if judged[0].CostUSD.USD == 0 || judged[1].CostUSD != events.USD(0) {
		t.Errorf("cost %+v and %+v", judged[0].CostUSD, judged[1].CostUSD)
	}
}

func TestTwoAgentsInOneConversationAreKeptApart(t *testing.T) {
	const big = 100_000
	sub := []opt{agentIs("sub"), tools("Z:1"), system("sub")}
	judged := Judge([]Observed{
		req(1, 0, 0, big, agentIs("main")),
		req(1, 30, 0, 5_000, sub...),
		req(2, 60, big, 500, agentIs("main")),
		req(2, 70, 5_000, 100, sub...),
		req(3, 80, big+500, 100, agentIs("")), // may be either's
	}, DefaultSettings())
	if got := verdictsOf(judged); got != "cold_start cold_start ok ok ok+tools_changed+system_changed" {
		t.Errorf("verdicts %s", got)
	}
	for i, want := range []int{-1, -1, 0, 1, 3} {
		if judged[i].Compared != want {
			t.Errorf("request %d is compared with %d, want %d", i, judged[i].Compared, want)
		}
	}
}

func TestNoRequestIsComparedWithAnotherAgents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reqs := anyRequests(t)
		for i := range reqs {
			reqs[i].AgentName = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "agent")
		}
		for i, v := range Judge(reqs, DefaultSettings()) {
			if v.Compared < 0 {
				continue
			}
			if a, b := reqs[i].AgentName, reqs[v.Compared].AgentName; a != b && a != "" && b != "" {
				t.Fatalf("request %d of %s is compared with one of %s", i, a, b)
			}
		}
	})
}

func TestAnotherNameOfAModelIsNoOtherModel(t *testing.T) {
	for _, tt := range []struct {
		name         string
		providers    [2]string
		models       [2]string
		sameProvider bool
		same         bool
	}{
		{"a date", [2]string{"anthropic", "anthropic"}, [2]string{"claude-sonnet-4-5", "claude-sonnet-4-5-20250929"}, true, true},
		{"the latest", [2]string{"anthropic", "anthropic"}, [2]string{"claude-3-5-haiku-latest", "claude-3-5-haiku-20241022"}, true, true},
		{"two dates", [2]string{"openai", "openai"}, [2]string{"gpt-4o-2024-05-13", "gpt-4o-2024-08-06"}, true, false},
		{"a point", [2]string{"anthropic", "anthropic"}, [2]string{"claude-sonnet-4.5", "claude-sonnet-4-5"}, true, true},
		{"case", [2]string{"openai", "openai"}, [2]string{"GPT-5", "gpt-5"}, true, true},
		{"a provider's spelling", [2]string{"Anthropic", "claude"}, [2]string{"claude-sonnet-4-5", "claude-sonnet-4-5"}, true, true},
		{"a region", [2]string{"bedrock", "aws.bedrock"}, [2]string{"eu.anthropic.claude-haiku-4-5-20251001-v1:0", "anthropic.claude-haiku-4-5"}, true, true},
		{"a path", [2]string{"google", "gcp.gemini"}, [2]string{"models/gemini-2.5-flash", "gemini-2.5-flash"}, true, true},
		{"a size", [2]string{"ollama", "ollama"}, [2]string{"llama3:8b", "llama3:70b"}, true, false},
		{"a maker at a router", [2]string{"openrouter", "openrouter"}, [2]string{"a/x", "b/x"}, true, false},
		{"a router is another cache", [2]string{"openrouter", "openai"}, [2]string{"openai/gpt-5", "gpt-5"}, false, false},
		{"another model", [2]string{"anthropic", "anthropic"}, [2]string{"claude-sonnet-4-5", "claude-haiku-4-5"}, true, false},
	} {
		reqs := []Observed{req(1, 0, 0, 9000, provider(tt.providers[0]), model(tt.models[0])), req(2, 900, 0, 9000, provider(tt.providers[1]), model(tt.models[1]))}
		nodes := arrange(reqs)
		if got := nodes[1].sameModel(nodes[0]); got != tt.same || nodes[0].sameModel(nodes[1]) != tt.same {
			t.Errorf("%s: same model %v", tt.name, got)
		}
		if got := nodes[1].sameProvider(nodes[0]); got != tt.sameProvider {
			t.Errorf("%s: same provider %v", tt.name, got)
		}
		if v := Judge(reqs, DefaultSettings())[1]; tt.same == v.gives(ModelChanged) {
			t.Errorf("%s: %s", tt.name, verdictsOf([]Judged{v}))
		}
	}
}

func TestRequestsThatBeginAtOnceHaveOneOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reqs := anyRequests(t)
		for i := range reqs {
			reqs[i].ID, reqs[i].StartTime = fmt.Sprint(i), t0
			reqs[i].RequestID = rapid.SampledFrom([]string{"", "q", "r"}).Draw(t, "request id")
			reqs[i].AgentName = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "agent")
		}
		place := rapid.Permutation(indexes(len(reqs))).Draw(t, "order")
		mixed := make([]Observed, len(reqs))
		for to, from := range place {
			mixed[to] = reqs[from]
		}
		want, got := Judge(reqs, DefaultSettings()), Judge(mixed, DefaultSettings())
		for to, from := range place {
			a, b := want[from], got[to]
			a.Compared, a.Root, b.Compared, b.Root = 0, 0, 0, 0
			if d := cmp.Diff(a, b); d != "" {
				t.Fatalf("request %d:\n%s", from, d)
			}
		}
	})
}

func TestARecordingHasOneOrderWhateverCameFirst(t *testing.T) {
	a, b, c := req(1, 0, 0, 9000), req(2, 9, 9000, 10, again(0)), req(2, 9, 9000, 10, again(0), messages("m0 m1 m2 m3"))
	b.ID, c.ID = "b", "c"
	var want []string
	for i, all := range [][]Observed{{a, b, c}, {a, c, b}, {c, b, a}} {
		var r Recording
		for i := range all {
			r.Add(&events.Event{ID: all[i].ID, Data: &all[i].RequestPrefix})
		}
		var ids []string
		for _, o := range r.Conversations(100)[0].Requests {
			ids = append(ids, o.ID)
		}
		if i == 0 {
			want = ids
		}
		if d := cmp.Diff(want, ids); d != "" {
			t.Errorf("order of arrival %d (-want +got):\n%s", i, d)
		}
	}
}

func TestTimeIsNamedWhereMessagesCantHaveLostAll(t *testing.T) {
	const big = 100_000
	changed := func(o *Observed) { o.Messages[5] = "X" }
	for _, tt := range []struct {
		name string
		reqs []Observed
		want string
	}{
		{"a lost marker in messages", []Observed{req(1, 0, 0, big, marker("messages", 0)), req(20, 3700, 0, big, marker("messages", 38))}, "cold_start ttl_expired+breakpoints_changed"},
		{"before the cache expired", []Observed{req(1, 0, 0, big, marker("messages", 0)), req(20, 9, 0, big, marker("messages", 38))}, "cold_start breakpoints_changed"},
		{"a part was read", []Observed{req(1, 0, 0, big, marker("messages", 0)), req(20, 3700, 500, big, marker("messages", 38))},
			"cold_start breakpoints_changed+ttl_expired"},
		{"history rewritten", []Observed{req(10, 0, 0, big), req(11, 3700, 0, big, changed)}, "cold_start ttl_expired+messages_changed"},
		{"history compacted", []Observed{req(9, 0, 0, big), req(10, 3700, 0, 4000, messages("SUMMARY"))}, "cold_start ttl_expired+compaction"},
		{"the system changed too", []Observed{req(10, 0, 0, big), req(11, 3700, 0, big, changed, system("t"))}, "cold_start system_changed+messages_changed+ttl_expired"},
		{"a marker of the system was lost", []Observed{req(10, 0, 0, big, marker("system", 0)), req(11, 3700, 0, big)}, "cold_start breakpoints_changed+ttl_expired"},
		{"tools were not recorded", []Observed{req(10, 0, 0, big), req(11, 3700, 0, big, changed, func(o *Observed) { o.ToolsKnown, o.Tools = false, nil })},
			"cold_start messages_changed+ttl_expired"},
		{"there is nothing before the messages", []Observed{
			req(10, 0, 0, big, system(), func(o *Observed) { o.Tools = nil }), req(11, 3700, 0, big, changed, system(), func(o *Observed) { o.Tools = nil }),
		}, "cold_start messages_changed+ttl_expired"},
		{"the system changed behind tools with a marker of their own", []Observed{req(1, 0, 0, big, marker("tools", 1)), req(2, 3700, 0, big, marker("tools", 1), system("t"))},
			"cold_start ttl_expired+system_changed"},
		{"without one", []Observed{req(1, 0, 0, big), req(2, 3700, 0, big, system("t"))}, "cold_start system_changed+ttl_expired"},
	} {
		if got := verdictsOf(Judge(tt.reqs, DefaultSettings())); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
