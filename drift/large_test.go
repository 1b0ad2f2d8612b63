package drift

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

//go:embed testdata/large.sql
var largeSQL string

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

// BenchmarkLarge analyzes a day of 1 and 10 million calls and says how long each query took, by the clock and of processor time (medians, in
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
			enginetest.Exec(b, addr, largeInsert(database, calls, from))
		})
	}
	wg.Wait()
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

// largeInsert is testdata/large.sql with its parameters filled in.
func largeInsert(database string, calls, from int) string {
	end := largeEnd().Format(time.DateTime)
	return strings.NewReplacer(
		"INSERT INTO tool_calls", "INSERT INTO "+database+".tool_calls",
		"{seed:UInt64}", fmt.Sprintf("toUInt64(%d)", largeSeed), "{total:UInt64}", fmt.Sprintf("toUInt64(%d)", calls),
		"{lane:String}", "'1/tooltrail.v1.0.tool_call'", "{end:DateTime64(3)}", "toDateTime64('"+end+"', 3, 'UTC')",
		"{end:DateTime64(6)}", "toDateTime64('"+end+"', 6, 'UTC')",
		"{from:UInt64}", fmt.Sprint(from), "{count:UInt64}", fmt.Sprint(min(largeBatch, calls-from)),
	).Replace(largeSQL)
}

// analyzeLarge looks at the generated day as the analyzer does.
func analyzeLarge(b *testing.B, q Querier) {
	b.Helper()
	end := largeEnd()
	r, _, err := Analyze(b.Context(), q, finding.Window{From: end.AddDate(0, 0, -1), To: end}, DefaultSettings(), largeRegistry(end))
	if err != nil {
		b.Fatal(err)
	}
	if w := r.Windows[2]; w.Calls < 900_000 || len(w.ByTool) != 200 || r.Canaries[0].CanaryCalls.Calls == 0 || len(r.Sunsets) != 199 {
		b.Fatalf("%d calls of %d tools, canaries %+v, %d sunsets", w.Calls, len(w.ByTool), r.Canaries, len(r.Sunsets))
	}
}

// largeDocuments are the documents of the generated tools: v1 replaced by v2 long ago, and one canary.
type largeDocuments map[Key]*Document

func (l largeDocuments) Keys() []Key {
	var keys []Key
	for i := range len(l) {
		keys = append(keys, largeTool(i))
	}
	return keys
}

func (l largeDocuments) Document(k Key) *Document { return l[k] }

func largeTool(i int) Key { return Key{fmt.Sprintf("server-%d", i%8), fmt.Sprintf("tool_%03d", i)} }

func largeRegistry(end time.Time) largeDocuments {
	since := end.AddDate(0, 0, -100)
	docs := largeDocuments{}
	for i := range 200 {
		k := largeTool(i)
		d := &Document{Server: k.Server, Tool: k.Tool, Versions: []VersionEntry{
			{Version: "v1", State: StateLegacy, Since: since}, {Version: "v2", State: StateActive, Since: since},
		}}
		if i == 7 {
			d.Versions[0].State, d.Versions[1].State = StateActive, StateCanary
			d.Canary = &Canary{Version: "v2", Share: 0.1, HashKey: "k", StartedAt: end.AddDate(0, 0, -1)}
		}
		docs[k] = d
	}
	return docs
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
		"calls": callsSQL, "retries": retriesSQL, "runs": runsSQL, "silent": silentSQL, "newest": newestSQL, "rosters": rostersSQL,
		"canary": canarySQL, "versions": versionsSQL, "stored_days": storedDaysSQL, "definitions_seen": definitionsSeenSQL,
	} {
		if q == query {
			return name
		}
	}
	return "other"
}
