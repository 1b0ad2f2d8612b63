package prefix

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// anyRequests draws a conversation in which anything may happen.
func anyRequests(t *rapid.T) []Observed {
	count := rapid.Custom(func(t *rapid.T) events.Count {
		return events.Count{N: rapid.Int64Range(0, 20_000).Draw(t, "n"), Known: rapid.Bool().Draw(t, "known")}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Observed {
		var o Observed
		o.Turn = rapid.Int64Range(0, 3).Draw(t, "turn")
		o.ProviderName = rapid.SampledFrom([]string{"anthropic", "openai", "x"}).Draw(t, "provider")
		o.RequestModel = rapid.SampledFrom([]string{"claude-sonnet-4-5", "gpt-5", "?"}).Draw(t, "model")
		o.Status = rapid.SampledFrom([]events.RequestStatus{events.StatusOK, events.StatusAborted}).Draw(t, "status")
		o.StartTime = t0.Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "start")) * time.Second)
		if rapid.Bool().Draw(t, "ended") {
			o.EndTime = o.StartTime.Add(time.Duration(rapid.IntRange(-5, 30).Draw(t, "took")) * time.Second)
		}
		o.UncachedInputTokens, o.CacheReadInputTokens = count.Draw(t, "uncached"), count.Draw(t, "read")
		o.CacheWrite5mInputTokens, o.CacheWrite1hInputTokens = count.Draw(t, "5m"), count.Draw(t, "1h")
		o.OutputTokens = count.Draw(t, "output")
		o.MessagesKnown = rapid.Bool().Draw(t, "messages known")
		o.Messages = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 5).Draw(t, "messages")
		o.ToolsKnown, o.SystemKnown = rapid.Bool().Draw(t, "tools known"), rapid.Bool().Draw(t, "system known")
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 3), 0, 4).Draw(t, "tools") {
			o.Tools = append(o.Tools, events.PrefixTool{Name: fmt.Sprint("t", n), Digest: fmt.Sprint(n % 2)})
		}
		o.System = rapid.SliceOfN(rapid.SampledFrom([]string{"s", "t"}), 0, 2).Draw(t, "system")
		for _, part := range rapid.SliceOfN(rapid.SampledFrom(partNames[:]), 0, 3).Draw(t, "markers") {
			o.Breakpoints = append(o.Breakpoints, events.Breakpoint{Part: part, Index: rapid.Int64Range(0, 30).Draw(t, "index")})
		}
		return o
	}), 0, 12).Draw(t, "requests")
}

func TestWhateverHappensTheVerdictsKeepTheirOrderAndNothingIsNegative(t *testing.T) {
	all := Verdicts()
	rapid.Check(t, func(t *rapid.T) {
		reqs := anyRequests(t)
		before := fmt.Sprint(reqs)
		for i, j := range Judge(reqs, DefaultSettings()) {
			at := slices.Index(all, j.Verdict)
			if j.Verdict == TTLExpired { // which content may follow
				at = slices.Index(all, OK)
			}
			for _, s := range j.Secondary {
				next := slices.Index(all, s)
				if next <= at || !s.Break() {
					t.Fatalf("request %d: %s after %s", i, s, all[at])
				}
				at = next
			}
			if j.TokensLost.N < 0 || j.LostUSD.USD < 0 || j.CostUSD.USD < 0 || j.Gap < 0 {
				t.Fatalf("request %d: something is negative: %+v", i, j)
			}
			if !j.Verdict.Break() && j.TokensLost != events.Tokens(0) {
				t.Fatalf("request %d: %s lost %+v", i, j.Verdict, j.TokensLost)
			}
			if j.Verdict.Break() && !j.TokensLost.Known && j.LostUSD.Known {
				t.Fatalf("request %d: dollars without tokens", i)
			}
			if (j.Verdict == ColdStart || j.Verdict == NoUsage) != (j.Compared < 0) && j.Verdict != ConcurrentColdStart {
				t.Fatalf("request %d: %s compared with %d", i, j.Verdict, j.Compared)
			}
		}
		if fmt.Sprint(reqs) != before {
			t.Fatal("Judge changed its input")
		}
	})
}

func TestAHandOverToAnotherProviderIsBlamedOnTheModelAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reqs := anyRequests(t)
		for i, j := range Judge(reqs, DefaultSettings()) {
			if j.Compared < 0 || reqs[j.Compared].ProviderName == reqs[i].ProviderName {
				continue
			}
			for _, s := range j.Secondary {
				if s != ModelChanged && s != TTLExpired {
					t.Fatalf("request %d: %s beside %s", i, s, j.Verdict)
				}
			}
			if len(j.Tools)+len(j.Params) > 0 || j.System >= 0 || j.Message >= 0 {
				t.Fatalf("request %d: %+v", i, j)
			}
			if j.Verdict == BelowMinimum || j.Verdict == OK && reqs[i].CacheReadInputTokens.N == 0 {
				t.Fatalf("request %d: %s with another provider", i, j.Verdict)
			}
		}
	})
}

func TestTheRhythmOfAChangeIsTheFluxOfItsPart(t *testing.T) {
	s := DefaultSettings()
	rapid.Check(t, func(t *rapid.T) {
		reqs := anyRequests(t)
		judged := Judge(reqs, s)
		kinds := map[part]map[Rhythm]bool{}
		for _, f := range findFlux(reqs, judged, 1) {
			p := part{f.Part, f.Name}
			if kinds[p] == nil {
				kinds[p] = map[Rhythm]bool{}
			}
			kinds[p][f.Kind] = true
		}
		for i, j := range judged {
			for _, c := range j.Tools {
				p := part{partNames[partTools], c.Name}
				if c.Kind == ToolReordered {
					p = part{of: partOrder}
				}
				if c.Rhythm == "" || c.Rhythm == Flapping && !kinds[p][Flapping] {
					t.Fatalf("request %d: %+v, flux %v", i, c, kinds[p])
				}
			}
			if (j.System >= 0) != (j.SystemRhythm != "") {
				t.Fatalf("request %d: system %d %q", i, j.System, j.SystemRhythm)
			}
		}
	})
}

func TestTheOrderOfArrivalDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reqs := anyRequests(t)
		for i := range reqs {
			reqs[i].Turn = int64(i + 1)
		}
		place := rapid.Permutation(indexes(len(reqs))).Draw(t, "order")
		mixed := make([]Observed, len(reqs))
		for to, from := range place {
			mixed[to] = reqs[from]
		}
		want, got := Judge(reqs, DefaultSettings()), Judge(mixed, DefaultSettings())
		for to, from := range place {
			if got[to].Verdict != want[from].Verdict || got[to].TokensLost != want[from].TokensLost {
				t.Fatalf("request %d: %s, want %s", from, got[to].Verdict, want[from].Verdict)
			}
		}
	})
}

func TestWithoutUsageOnlyChangesOfContentAreBreaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reqs := anyRequests(t)
		for i := range reqs {
			notReported(&reqs[i])
		}
		for i, j := range Judge(reqs, DefaultSettings()) {
			if j.Verdict.Break() && !j.Verdict.ofContent() || j.LostUSD.Known || j.CostUSD.Known || j.Verdict == BelowMinimum {
				t.Fatalf("request %d: %+v", i, j)
			}
		}
	})
}

func TestSharedMemoryChangesNoVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reqs := anyRequests(t)
		shared := slices.Clone(reqs)
		var ts trails
		for i := range shared {
			shared[i].share(&ts)
		}
		if d := cmp.Diff(Judge(reqs, DefaultSettings()), Judge(shared, DefaultSettings())); d != "" {
			t.Fatalf("verdicts differ:\n%s", d)
		}
	})
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
