package prefix

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

var t0 = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// opt changes a request of a test.
type opt func(*Observed)

// req is a request of claude-sonnet-4-5 that begins at a second and takes two, with a message for each of its number, that read
// and wrote so much.
func req(number int, second float64, read, write int64, opts ...opt) Observed {
	var o Observed
	o.ID, o.ConversationID, o.Turn = fmt.Sprint("r", number), "c", int64(number)
	o.ProviderName, o.RequestModel, o.Status = "anthropic", "claude-sonnet-4-5", events.StatusOK
	o.StartTime = t0.Add(time.Duration(second * float64(time.Second)))
	o.EndTime = o.StartTime.Add(2 * time.Second)
	o.MessagesKnown, o.ToolsKnown, o.SystemKnown = true, true, true
	for i := range 2*number - 1 {
		o.Messages = append(o.Messages, fmt.Sprint("m", i))
	}
	o.Tools, o.System = toolsOf("A:1,B:2"), []string{"s"}
	o.UncachedInputTokens, o.OutputTokens = events.Tokens(3), events.Tokens(10)
	o.CacheReadInputTokens, o.CacheWrite5mInputTokens = events.Tokens(read), events.Tokens(write)
	for _, f := range opts {
		f(&o)
	}
	return o
}

// toolsOf makes tools of NAME:DIGEST,NAME:DIGEST.
func toolsOf(list string) []events.PrefixTool {
	var tools []events.PrefixTool
	for _, t := range strings.Split(list, ",") {
		name, digest, _ := strings.Cut(t, ":")
		tools = append(tools, events.PrefixTool{Name: name, Digest: digest})
	}
	return tools
}

func tools(list string) opt  { return func(o *Observed) { o.Tools = toolsOf(list) } }
func system(s ...string) opt { return func(o *Observed) { o.System = s } }
func model(m string) opt     { return func(o *Observed) { o.RequestModel = m } }
func messages(m string) opt  { return func(o *Observed) { o.Messages = strings.Fields(m) } }
func param(name, value string) opt {
	return func(o *Observed) { o.Params = append(o.Params, events.Param{Name: name, Digest: value}) }
}
func marker(part string, index int64) opt {
	return func(o *Observed) { o.Breakpoints = append(o.Breakpoints, events.Breakpoint{Part: part, Index: index}) }
}

func answering(seconds float64) opt {
	return func(o *Observed) { o.EndTime = o.StartTime.Add(time.Duration(seconds * float64(time.Second))) }
}

func noUsage(o *Observed) {
	o.UncachedInputTokens, o.CacheReadInputTokens, o.OutputTokens = events.Tokens(0), events.Tokens(0), events.Tokens(0)
	o.CacheWrite5mInputTokens = events.Tokens(0)
	o.Status = events.StatusAborted
}

func notReported(o *Observed) {
	o.UncachedInputTokens, o.CacheReadInputTokens, o.OutputTokens = events.Count{}, events.Count{}, events.Count{}
	o.CacheWrite5mInputTokens, o.CacheWrite1hInputTokens = events.Count{}, events.Count{}
}

// openAI makes the request one of a provider that reports what it read and not what it wrote.
func openAI(prompt, read int64) opt {
	return func(o *Observed) {
		o.ProviderName, o.RequestModel = "openai", "gpt-5.1"
		o.UncachedInputTokens, o.CacheReadInputTokens = events.Tokens(prompt-read), events.Tokens(read)
		o.CacheWrite5mInputTokens = events.Count{}
	}
}

func TestEachRequestGetsTheFirstVerdictThatApplies(t *testing.T) {
	const big = 270_000
	for _, tt := range []struct {
		name string
		reqs []Observed
		want string // verdicts, with secondary reasons after +
		lost int64  // of the last request
	}{
		{"a tool is added", []Observed{req(1, 0, 0, big), req(2, 9, 0, big, tools("A:1,B:2,LSP:3"))}, "cold_start tools_changed", big},
		{"tools are reordered", []Observed{req(1, 0, 0, big, tools("A:1,B:2,C:3")), req(2, 9, 0, big, tools("A:1,C:3,B:2"))}, "cold_start tools_changed", big},
		{"a definition goes back and forth", []Observed{req(1, 0, 0, big, tools("X:aa")), req(2, 9, 0, big, tools("X:bb")), req(3, 18, 0, big, tools("X:aa"))},
			"cold_start tools_changed tools_changed", big},
		{"the system prompt changes", []Observed{req(1, 0, 0, big), req(2, 9, 0, big, system("t"))}, "cold_start system_changed", big},
		{"nothing differs and the cache had expired", []Observed{req(1, 0, 0, big), req(2, 402, 0, big)}, "cold_start ttl_expired", big},
		{"nothing differs and it had not", []Observed{req(1, 0, 0, big), req(2, 102, 0, big)}, "cold_start unattributed", big},
		{"a cache lives from the start of the request that wrote it", []Observed{req(1, 0, 0, big, answering(20)), req(2, 310, 0, big)}, "cold_start ttl_expired", big},
		{"and not shorter", []Observed{req(1, 0, 0, big, answering(20)), req(2, 300, 0, big)}, "cold_start unattributed", big},
		{"an answer may take longer than the cache lives", []Observed{req(1, 0, 0, big, answering(400)), req(2, 401, 0, big)}, "cold_start ttl_expired", big},
		{"where the provider does not say so, the gap is from end to start",
			[]Observed{req(1, 0, 0, 0, openAI(9000, 5120), answering(20)), req(2, 310, 0, 0, openAI(9000, 0))}, "cold_start unattributed", 8960},
		{"and longer is expired", []Observed{req(1, 0, 0, 0, openAI(9000, 5120), answering(20)), req(2, 321, 0, 0, openAI(9000, 0))}, "cold_start ttl_expired", 8960},
		{"a one-hour write lives an hour", []Observed{req(1, 0, 0, 0, func(o *Observed) { o.CacheWrite1hInputTokens = events.Tokens(big) }), req(2, 402, 0, big)},
			"cold_start unattributed", big},
		{"an early marker expires first", []Observed{req(1, 0, 0, big, func(o *Observed) {
			o.Breakpoints = []events.Breakpoint{{Part: "system", TTLSeconds: 3600}, {Part: "messages", Index: 0, TTLSeconds: 300}}
		}), req(2, 402, big/2, big/2, marker("system", 0), marker("messages", 2))}, "cold_start ttl_expired", big / 2},
		{"tools come before a long gap", []Observed{req(1, 0, 0, big), req(2, 402, 0, big, tools("A:1"), param("thinking", "x"))},
			"cold_start tools_changed+params_changed+ttl_expired", big},
		{"a changed prefix that was read all the same is a risk", []Observed{req(1, 0, 0, big), req(2, 402, big, 10, system("t"))}, "cold_start ok+system_changed", 0},
		{"95 % is no break", []Observed{req(1, 0, 0, 1000), req(2, 9, 950, 60)}, "cold_start ok", 0},
		{"less is one", []Observed{req(1, 0, 0, 10_000), req(2, 9, 9_499, 600)}, "cold_start unattributed", 501},
		{"usage is zero", []Observed{req(1, 0, 0, 0, noUsage), req(2, 9, 0, big), req(3, 18, 0, 0, noUsage), req(4, 27, big, 10)},
			"no_usage cold_start no_usage ok", 0},
		{"two first requests at once", []Observed{req(1, 0, 0, big), req(1, 1, 0, big, func(o *Observed) { o.Turn = 2 })}, "cold_start concurrent_cold_start", 0},
		{"two first requests of other messages at once", []Observed{req(1, 0, 0, big, messages("x")), req(2, 0, 0, big, messages("y"))},
			"cold_start concurrent_cold_start", 0},
		{"a run starts over", []Observed{req(1, 0, 0, big), req(2, 9, big, 10), req(3, 18, 0, big, messages("n0"))}, "cold_start ok cold_start", 0},
		{"a prompt below the minimum", []Observed{req(1, 0, 0, 0), req(2, 9, 0, 0)}, "cold_start below_minimum", 0},
		{"another model", []Observed{req(1, 0, 0, big), req(2, 9, 0, big, model("claude-haiku-4-5"))}, "cold_start model_changed", big},
		{"another provider's form of the same history", []Observed{req(2, 0, 0, big), req(3, 9, 0, big, messages("x0 x1 x2 x3 x4"), model("gpt-5"))},
			"cold_start model_changed", big},
		{"a parameter", []Observed{req(1, 0, 0, big, param("thinking", "off")), req(2, 9, 0, big, param("thinking", "high"))}, "cold_start params_changed", big},
		{"history rewritten in place", []Observed{req(3, 0, 0, big), req(4, 9, 1000, big, messages("m0 CHANGED m2 m3 m4 m5 m6"))}, "cold_start messages_changed", big - 1000},
		{"history compacted with its tail kept", []Observed{req(5, 0, 0, big), req(6, 9, 1000, 4000, messages("SUMMARY m7 m8 m9 m10"))}, "cold_start compaction", 4003},
		{"a long history replaced by a summary", []Observed{req(9, 0, 0, big), req(10, 9, 1000, 4000, messages("SUMMARY"))}, "cold_start compaction", 4003},
		{"an answer sent back otherwise than it came", []Observed{req(1, 0, 0, 2000), req(2, 9, 2000, 3000), req(3, 18, 2000, 3000, messages("m0 OTHER m2"))},
			"cold_start ok messages_changed", 3000},
		{"usage that adds up several turns", []Observed{req(1, 0, 20_000, 600), req(2, 9, 14_700, 300)}, "cold_start ok", 0},
		{"a break that says nothing of the rest of its usage", []Observed{req(1, 0, big, 0), req(2, 9, 0, 0, tools("A:1,B:2,C:3"))}, "cold_start tools_changed", big},
		{"a small prompt of another model", []Observed{req(1, 0, 0, 0), req(2, 9, 0, 0, model("claude-haiku-4-5"), tools("A:1"))},
			"cold_start model_changed+tools_changed", 0},
		{"a branch goes back to where it left", []Observed{req(1, 0, 0, 1000), req(2, 9, 1000, 2000), req(3, 18, 3000, 500), req(4, 27, 3000, 70, messages("m0 m1 m2 b3 b4"))},
			"cold_start ok ok ok", 0},
		{"a lost marker", []Observed{req(1, 0, 0, big, marker("messages", 0)), req(2, 9, 0, 0, func(o *Observed) { o.UncachedInputTokens = events.Tokens(big) })}, "cold_start breakpoints_changed", big},
		{"a marker beyond the lookback", []Observed{req(1, 0, 0, big, marker("messages", 0)), req(13, 9, 0, big, marker("messages", 24))}, "cold_start breakpoints_changed", big},
		{"a marker that moves on", []Observed{req(1, 0, 0, big, marker("messages", 0)), req(2, 9, 0, big, marker("messages", 2))}, "cold_start unattributed", big},
		{"a marker that moves back in the system", []Observed{req(1, 0, 0, big, marker("system", 1)), req(2, 9, 10, big, marker("system", 0))}, "cold_start breakpoints_changed", big - 10},
		{"no writes reported, not yet seen to cache", []Observed{req(1, 0, 0, 0, openAI(9000, 0)), req(2, 9, 0, 0, openAI(9500, 0))}, "cold_start ok", 0},
		{"no writes reported, seen to cache", []Observed{req(1, 0, 0, 0, openAI(9000, 0)), req(2, 9, 0, 0, openAI(9500, 8960)), req(3, 18, 0, 0, openAI(9900, 0), tools("A:1"))},
			"cold_start ok tools_changed", 9472},
	} {
		t.Run(tt.name, func(t *testing.T) {
			judged := Judge(tt.reqs, DefaultSettings())
			if got := verdictsOf(judged); got != tt.want {
				t.Errorf("verdicts %q, want %q", got, tt.want)
			}
			if last := judged[len(judged)-1]; last.TokensLost != events.Tokens(tt.lost) {
				t.Errorf("lost %+v, want %d", last.TokensLost, tt.lost)
			}
		})
	}
}

// verdictsOf writes verdicts in a row, each with its secondary reasons after a plus.
func verdictsOf(judged []Judged) string {
	var all []string
	for _, j := range judged {
		s := string(j.Verdict)
		for _, r := range j.Secondary {
			s += "+" + string(r)
		}
		all = append(all, s)
	}
	return strings.Join(all, " ")
}

func TestOneLargeBreakAmongManyHitsIsFound(t *testing.T) {
	reqs := []Observed{req(1, 0, 0, 300_000)}
	for i := 2; i <= 100; i++ {
		reqs = append(reqs, req(i, float64(9*i), 300_000, 0))
	}
	reqs = append(reqs, req(101, 1000, 0, 300_000, tools("A:1")))
	r := NewReport()
	c := r.add(reqs, Judge(reqs, DefaultSettings()), make([]bool, len(reqs)))
	if r.Verdicts[OK].Count != 99 || len(c.Breaks) != 1 || *c.Breaks[0].TokensLost != 300_000 {
		t.Fatalf("%d hits, breaks %+v", r.Verdicts[OK].Count, c.Breaks)
	}
	f := facts{settings: DefaultSettings()}
	f.add(&c)
	if got := f.findings(); len(got) != 1 || got[0].Severity != "warning" || got[0].Numbers["tokens_lost"] != 300_000 {
		t.Errorf("findings %+v", got)
	}
}

func TestToolChangesNameToolAndKind(t *testing.T) {
	known := KnownTools{
		Definitions: map[string]string{"1": "d1", "1x": "d1", "2": "d2", "2x": "d2x"},
		Deferred:    map[string]map[string]bool{"ra": {"D": false}, "rb": {"D": true}},
	}
	for _, tt := range []struct {
		name, before, after string
		want                []ToolChange
	}{
		{"appended", "A:1,B:2", "A:1,B:2,LSP:3", []ToolChange{{Name: "LSP", Kind: ToolAdded, Index: 2}}},
		{"inserted in the middle", "A:1,B:2", "A:1,AB:3,B:2", []ToolChange{{Name: "AB", Kind: ToolAdded, Index: 1, Middle: true}}},
		{"removed", "A:1,B:2", "B:2", []ToolChange{{Name: "A", Kind: ToolRemoved, Index: 0}}},
		{"reordered", "A:1,B:2,C:3", "A:1,C:3,B:2", []ToolChange{{Name: "C", Kind: ToolReordered, Index: 1}}},
		{"one moved far", "A:1,B:2,C:3,E:4", "E:4,A:1,B:2,C:3", []ToolChange{{Name: "E", Kind: ToolReordered, Index: 0}}},
		{"definition changed", "A:1,B:2", "A:1,B:2x", []ToolChange{{Name: "B", Kind: ToolSameName, Index: 1}}},
		{"only the bytes changed", "A:1,B:2", "A:1x,B:2", []ToolChange{{Name: "A", Kind: ToolSerialization, Index: 0}}},
		{"not known to be the same", "A:7,B:2", "A:8,B:2", []ToolChange{{Name: "A", Kind: ToolSameName, Index: 0}}},
		{"deferred from now on", "A:1,D:5", "A:1", []ToolChange{{Name: "D", Kind: ToolDeferFlip, Index: 1}}},
	} {
		a, b := req(1, 0, 0, 1, tools(tt.before)), req(2, 1, 0, 1, tools(tt.after))
		a.RosterDigest, b.RosterDigest = "ra", "rb"
		if d := cmp.Diff(tt.want, toolChanges(&a, &b, known)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestDigestsAloneDecideWhereUsageIsNotReported(t *testing.T) {
	judged := Judge([]Observed{
		req(1, 0, 0, 0, notReported), req(2, 9, 0, 0, notReported), req(3, 900, 0, 0, notReported), req(4, 909, 0, 0, notReported, tools("A:1")),
		req(5, 918, 0, 0, notReported, tools("A:1"), func(o *Observed) { o.Status = events.StatusError }),
	}, DefaultSettings())
	if got := verdictsOf(judged); got != "cold_start ok ok tools_changed no_usage" {
		t.Errorf("verdicts %s", got)
	}
	if b := judged[3]; b.TokensLost.Known || b.LostUSD.Known || b.CostUSD.Known {
		t.Errorf("cost of a break without usage is %+v, %+v: want not known", b.TokensLost, b.LostUSD)
	}
}

func TestWhatWasNotSeenIsNotBlamed(t *testing.T) {
	blind := func(o *Observed) { o.ToolsKnown, o.SystemKnown, o.Tools, o.System = false, false, nil, nil }
	judged := Judge([]Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000, blind), req(3, 18, 0, 5000)}, DefaultSettings())
	if got := verdictsOf(judged); got != "cold_start unattributed unattributed" {
		t.Errorf("verdicts %s", got)
	}
}

func TestABreakNamesWhatWasNotSeen(t *testing.T) {
	hidden := func(o *Observed) { o.ToolsKnown, o.Tools, o.SystemKnown, o.System = false, nil, false, nil }
	for _, tt := range []struct {
		name string
		reqs []Observed
		want string
	}{
		{"a recording without tools and system", []Observed{req(1, 0, 0, 9000, hidden), req(2, 9, 0, 9000, hidden)}, "unattributed [tools system]"},
		{"only one of both", []Observed{req(1, 0, 0, 9000), req(2, 9, 0, 9000, func(o *Observed) { o.MessagesKnown = false })}, "unattributed [messages]"},
		{"all was seen", []Observed{req(1, 0, 0, 9000), req(2, 9, 0, 9000)}, "unattributed []"},
		{"no break", []Observed{req(1, 0, 0, 9000, hidden), req(2, 9, 9000, 9, hidden)}, "ok []"},
	} {
		judged := Judge(tt.reqs, DefaultSettings())
		if got := fmt.Sprintf("%s %v", judged[1].Verdict, judged[1].Unseen); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestABreakOfNoTokensCostsNothingAtAnyPrice(t *testing.T) {
	judged := Judge([]Observed{req(1, 0, 0, 0), req(2, 9, 0, 0, openAI(300, 0), model("gpt-99"))}, DefaultSettings())
	if v := judged[1]; v.Verdict != ModelChanged || v.LostUSD != events.USD(0) {
		t.Errorf("%+v", v)
	}
}

func TestAClockThatRunsBackwardsCountsAsNoGap(t *testing.T) {
	judged := Judge([]Observed{req(1, 0, 0, 5000), req(2, 10, 5000, 10), req(3, 4, 0, 5000)}, DefaultSettings())
	if j := judged[2]; j.Verdict != Unattributed || j.Gap != 0 || !j.ClockBackwards || j.Compared != 1 {
		t.Errorf("judged %+v", j)
	}
}

func TestSubAgentsAndSideChainsAreComparedWithTheirOwn(t *testing.T) {
	judged := Judge([]Observed{
		req(1, 0, 0, 5000), req(2, 5, 0, 3000, messages("s0"), system("sub")), req(3, 9, 5000, 10, messages("m0 m1 m2")),
		req(4, 12, 3000, 10, messages("s0 s1 s2"), system("sub")), req(5, 15, 5010, 10, messages("m0 m1 m2 m3 m4")),
	}, DefaultSettings())
	if got := verdictsOf(judged); got != "cold_start cold_start ok ok ok" {
		t.Errorf("verdicts %s", got)
	}
	if judged[3].Compared != 1 || judged[4].Compared != 2 || judged[4].Root != 0 {
		t.Errorf("compared %+v", judged)
	}
}
