package activation

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

var (
	//go:embed testdata/large.sql
	largeSQL string
	//go:embed testdata/large_activations.sql
	largeActivationsSQL string
	//go:embed testdata/large_rosters.sql
	largeRostersSQL string
)

const (
	// largeSeed makes the same calls every time.
	largeSeed = 1
	// largeBatch is how many calls one insert makes.
	largeBatch = 1_000_000
	// largeMemory is what a query may take, in bytes: a quarter of what the engine allows.
	largeMemory = 256 << 20
)

// largeEnd is when the generated day ends: the last midnight but one, so that retention keeps it.
func largeEnd() time.Time { return time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1) }

// BenchmarkLarge analyzes a day of 1 and 10 million calls with the activations of their conversations, and says how long each query took, by the clock and of processor time (medians, in
// milliseconds; the engine's and the client's), and how many times as much it takes with ten times the calls. Other load on the machine blurs
// the processor time less. It is for make bench-large: making the calls takes minutes.
func BenchmarkLarge(b *testing.B) {
	if os.Getenv("TOOLTRAIL_LARGE") != "1" {
		b.Skip("takes minutes; make bench-large runs it")
	}
	var medians [2]map[string]took
	for i, millions := range []int{1, 10} {
		b.Run(fmt.Sprintf("%dM", millions), func(b *testing.B) {
			db := openLarge(b, millions*1_000_000)
			q := &stopwatch{q: db, all: map[string][]took{}}
			analyzeLarge(b, q) // warms the caches
			clear(q.all)
			for b.Loop() {
				analyzeLarge(b, q)
			}
			b.ReportMetric(0, "ns/op")
			medians[i] = q.medians()
			for name, t := range medians[i] {
				b.ReportMetric(ms(t.clock), name+"-ms")
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(medians[1])) {
		small, large := medians[0][name], medians[1][name]
		fmt.Printf("%-16s 1M %7.1f ms (processor %7.1f), 10M %7.1f ms (processor %7.1f): %4.1f times the clock's, %4.1f times the processor's\n", name,
			ms(small.clock), ms(small.cpu), ms(large.clock), ms(large.cpu), ratio(large.clock, small.clock), ratio(large.cpu, small.cpu))
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, time.Microsecond)) }

// openLarge returns a store with so many calls, once the engine has merged them.
func openLarge(b *testing.B, calls int) *store.DB {
	b.Helper()
	addr, database := enginetest.Database(b)
	db := storetest.Open(b, addr, database)
	var wg sync.WaitGroup
	turns := make(chan struct{}, 2)
	for from := 0; from < calls; from += largeBatch {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			enginetest.Exec(b, addr, largeInsert(largeSQL, database, calls, min(largeBatch, calls-from), from))
		})
	}
	wg.Wait()
	enginetest.Exec(b, addr, largeInsert(largeActivationsSQL, database, calls/20, calls/20, 0))
	enginetest.Exec(b, addr, largeInsert(largeRostersSQL, database, calls, 0, 0))
	waitForMerges(b, db)
	return db
}

func waitForMerges(b *testing.B, db *store.DB) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var row struct {
		N uint64 `ch:"n"`
	}
	for row.N = 1; row.N > 0; {
		select {
		case <-ctx.Done():
			b.Fatal("the engine is still merging")
		case <-tick.C:
		}
		if err := db.Each(ctx, "SELECT count() AS n FROM system.merges", nil, &row, func() error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// largeInsert is a file of testdata with its parameters filled in.
func largeInsert(query, database string, calls, count, from int) string {
	end := largeEnd().Format(time.DateTime)
	return strings.NewReplacer(
		"INSERT INTO ", "INSERT INTO "+database+".",
		"{seed:UInt64}", fmt.Sprintf("toUInt64(%d)", largeSeed), "{total:UInt64}", fmt.Sprintf("toUInt64(%d)", calls),
		"{lane:String}", "'1/tooltrail.v1.0.tool_call'", "{end:DateTime64(3)}", "toDateTime64('"+end+"', 3, 'UTC')",
		"{end:DateTime64(6)}", "toDateTime64('"+end+"', 6, 'UTC')",
		"{from:UInt64}", fmt.Sprint(from), "{count:UInt64}", fmt.Sprint(count),
	).Replace(query)
}

// analyzeLarge looks at the generated day as the analyzer does.
func analyzeLarge(b *testing.B, q Querier) {
	b.Helper()
	end := largeEnd()
	r, _, err := Analyze(b.Context(), q, finding.Window{From: end.AddDate(0, 0, -1), To: end}, DefaultSettings(), nil)
	if err != nil {
		b.Fatal(err)
	}
	if r.Calls < 900_000 || r.Rules[RuleLoop].Count == 0 || r.Rules[RuleMadeUpID].Count == 0 || len(r.Loads) < 200 || len(r.Pays) != 5 {
		b.Fatalf("%d calls, %d loops, %d loads, %d comparisons", r.Calls, r.Rules[RuleLoop].Count, len(r.Loads), len(r.Pays))
	}
}

// took is what a query took.
type took struct{ clock, cpu time.Duration }

// stopwatch times queries by the name of their file, under a limit of memory.
type stopwatch struct {
	q   Querier
	all map[string][]took
}

// Each runs one query.
func (s *stopwatch) Each(ctx context.Context, query string, args []any, row any, fn func() error) error {
	start, used := time.Now(), cpuTime()
	err := s.q.Each(ctx, fmt.Sprintf("SELECT * FROM (\n%s\n) SETTINGS max_memory_usage = %d", query, largeMemory), args, row, fn)
	name := queryName(query)
	s.all[name] = append(s.all[name], took{time.Since(start), cpuTime() - used})
	return err
}

// cpuTime is the processor time that this process, with the engine in it, has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// medians is how long each query took.
func (s *stopwatch) medians() map[string]took {
	out := map[string]took{}
	for name, all := range s.all {
		var clock, cpu []time.Duration
		for _, t := range all {
			clock, cpu = append(clock, t.clock), append(cpu, t.cpu)
		}
		slices.Sort(clock)
		slices.Sort(cpu)
		out[name] = took{clock[len(clock)/2], cpu[len(cpu)/2]}
	}
	return out
}

func queryName(query string) string {
	for name, q := range map[string]string{
		"counts": countsSQL, "rules": rulesSQL, "rule_parts": rulePartsSQL, "made_up": madeUpSQL, "loops": loopsSQL, "loads": loadsSQL,
		"activation_parts": activationPartsSQL, "refusals": refusalsSQL, "roster_flags": rosterFlagsSQL, "removed": removedCallsSQL,
		"denied": deniedSQL, "pays_rosters": paysRostersSQL, "pays_loads": paysLoadsSQL, "pays_requests": paysRequestsSQL,
	} {
		if q == query {
			return name
		}
	}
	return "other"
}
