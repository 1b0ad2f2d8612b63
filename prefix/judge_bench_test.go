package prefix

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// The seed and shapes of what is judged in the benchmarks.
const (
	benchSeed  = 20260301
	benchTurns = 60
	benchTools = 40
	benchAdded = 500
)

// longConversation is a conversation as agents have them: tools that are loaded now and then, pauses longer than the cache lives, a
// clock in the system prompt for a while, a compaction, and a sub-agent that takes turns with it.
func longConversation(r *rand.Rand, turns int) ([]Observed, []Happening) {
	var reqs []Observed
	var happenings []Happening
	var list []events.PrefixTool
	for i := range benchTools {
		list = append(list, events.PrefixTool{Name: fmt.Sprint("tool_", i), Digest: randomDigest(r)})
	}
	history, sub := []string{randomDigest(r)}, []string{randomDigest(r)}
	system, at, left := []string{randomDigest(r), randomDigest(r)}, t0, int64(8000)
	for turn := range turns {
		at = at.Add(time.Duration(5+r.IntN(40)) * time.Second)
		if r.IntN(30) == 0 {
			at = at.Add(10 * time.Minute)
		}
		o := req(1, 0, left, 700)
		if r.IntN(15) == 0 {
			name := fmt.Sprint("tool_", benchTools+turn)
			list = append(list[:len(list):len(list)], events.PrefixTool{Name: name, Digest: randomDigest(r)})
			happenings = append(happenings, Happening{Kind: HappenedActivation, Turn: int64(turn), Time: at.Add(-time.Second), Tools: []string{name}})
			o.CacheReadInputTokens, o.CacheWrite5mInputTokens = events.Tokens(0), events.Tokens(left)
		}
		if turn > turns/2 && turn < turns/2+5 {
			system = []string{system[0], randomDigest(r)}
		}
		mine := &history
		if turn%5 == 4 {
			mine = &sub
		}
		*mine = append(*mine, randomDigest(r), randomDigest(r))
		if turn == 2*turns/3 {
			history = []string{randomDigest(r)}
		}
		o.Turn, o.StartTime, o.EndTime = int64(turn+1), at, at.Add(4*time.Second)
		o.Tools, o.System, o.Messages = list, system, (*mine)[:len(*mine):len(*mine)]
		left += 700
		reqs = append(reqs, o)
	}
	return reqs, happenings
}

func randomDigest(r *rand.Rand) string { return fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()) }

// manyChains is one conversation id under which n requests of so many chains take turns.
func manyChains(r *rand.Rand, n, chains int) []Observed {
	tools := toolsOf("A:1,B:2,C:3")
	histories := make([]Messages, chains)
	var reqs []Observed
	for i := range n {
		h := &histories[i%chains]
		h.Append(randomDigest(r))
		h.Append(randomDigest(r))
		o := req(1, float64(3*i), 5000, 500)
		o.Turn, o.Tools, o.Messages = int64(i+1), tools, h.List()
		reqs = append(reqs, o)
	}
	return reqs
}

func BenchmarkJudge(b *testing.B) {
	b.Run("conversations", func(b *testing.B) {
		r := rand.New(rand.NewPCG(benchSeed, 0))
		reqs, happenings := longConversation(r, benchTurns)
		settings := DefaultSettings()
		b.ReportAllocs()
		for b.Loop() {
			Judge(reqs, settings, happenings...)
		}
		b.ReportMetric(float64(b.N*len(reqs))/b.Elapsed().Seconds(), "verdicts/s")
	})
	for _, n := range []int{1_000, 10_000} {
		for _, chains := range []int{1, 10, n / 10, n} {
			b.Run(fmt.Sprintf("%d requests of %d chains", n, chains), func(b *testing.B) {
				reqs := manyChains(rand.New(rand.NewPCG(benchSeed, 1)), n, chains)
				settings := DefaultSettings()
				for b.Loop() {
					Judge(reqs, settings)
				}
				b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "verdicts/s")
			})
		}
		b.Run(fmt.Sprintf("%d requests that each add a tool", n), func(b *testing.B) {
			reqs := manyChains(rand.New(rand.NewPCG(benchSeed, 2)), n, 1)
			list := toolsOf("A:1")
			for i := range reqs {
				if i < benchAdded {
					list = append(list, events.PrefixTool{Name: fmt.Sprint("tool_", i), Digest: "d"})
				}
				reqs[i].Tools = list[:len(list):len(list)]
			}
			settings := DefaultSettings()
			for b.Loop() {
				Judge(reqs, settings)
			}
			b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "verdicts/s")
		})
	}
}
