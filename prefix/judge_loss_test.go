package prefix

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// sent makes a request whose usage says all of its prompt: so much neither read nor written.
func sent(uncached int64) opt {
	return func(o *Observed) { o.UncachedInputTokens = events.Tokens(uncached) }
}

func TestABreakLosesNoMoreThanWhatTheRequestProcessed(t *testing.T) {
	const big = 100_000
	unread := func(o *Observed) { o.UncachedInputTokens, o.CacheWrite5mInputTokens = events.Count{}, events.Count{} }
	for _, tt := range []struct {
		name string
		reqs []Observed
		want int64
	}{
		{"fifty tools become one", []Observed{req(1, 0, 0, big), req(2, 9, 0, 10_000, tools("A:1"))}, 10_003},
		{"of which a part is read", []Observed{req(1, 0, 0, big), req(2, 9, 4_000, 6_000, tools("A:1"))}, 6_003},
		{"the system prompt shrinks", []Observed{req(1, 0, 0, big), req(2, 9, 0, 10_000, system("small"))}, 10_003},
		{"nothing was cut", []Observed{req(1, 0, 270_000, 0), req(2, 9, 0, 270_000, tools("A:1,B:2,LSP:3"))}, 270_000},
		{"usage says what was read alone", []Observed{req(1, 0, 270_000, 0, unread), req(2, 9, 0, 0, unread, tools("A:1,B:2,LSP:3"))}, 270_000},
		{"usage has zeros for a prompt that got an answer", []Observed{req(1, 0, 270_000, 0), req(2, 9, 0, 0, sent(0), tools("A:1,B:2,LSP:3"))}, 270_000},
	} {
		judged := Judge(tt.reqs, DefaultSettings())
		if got := judged[1]; !got.Verdict.Break() || got.TokensLost != events.Tokens(tt.want) {
			t.Errorf("%s: %s lost %+v, want %d", tt.name, got.Verdict, got.TokensLost, tt.want)
		}
	}
}

func TestWhatWasNotWrittenAgainCostsPlainInput(t *testing.T) {
	judged := Judge([]Observed{req(1, 0, 0, 100_000), req(2, 9, 0, 1_000, sent(99_000))}, DefaultSettings())
	// 1,000 tokens written at 1.25 and 99,000 sent at 1, each for 0.1 to read, of $3 a million.
	if got, want := judged[1].LostUSD.USD, 3e-6*(1_000*1.15+99_000*0.9); math.Abs(got-want) > 1e-9 {
		t.Errorf("lost $%v, want $%v", got, want)
	}
}

func TestNoLossIsMoreThanThePromptAndItsCost(t *testing.T) {
	s := DefaultSettings()
	rapid.Check(t, func(t *rapid.T) {
		reqs := anyRequests(t)
		for i := range reqs { // all is recorded, and no prompt is too short to be told from one of which usage says a part
			reqs[i].ToolsKnown, reqs[i].SystemKnown = true, true
			reqs[i].UncachedInputTokens.N += 5000
		}
		for i, j := range Judge(reqs, s) {
			o := &reqs[i]
			known := o.UncachedInputTokens.Known
			if j.TokensLost.N < 0 || known && j.TokensLost.N > o.prompt()-o.CacheReadInputTokens.N {
				t.Fatalf("request %d: %s lost %d of a prompt of %d that read %d", i, j.Verdict, j.TokensLost.N, o.prompt(), o.CacheReadInputTokens.N)
			}
			p, _ := s.Prices.Find(o.ProviderName, o.RequestModel, o.StartTime)
			input := *o
			input.OutputTokens = events.Tokens(0)
			if cost := p.RequestUSD(&input); cost.Known && known && j.LostUSD.USD > cost.USD+1e-9 {
				t.Fatalf("request %d: lost $%v of an input for $%v", i, j.LostUSD.USD, cost.USD)
			}
		}
	})
}
