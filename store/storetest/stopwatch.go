package storetest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/store"
)

// QueryMemory is what a query of a large day may take, in bytes: a quarter of what the engine allows.
const QueryMemory = 256 << 20

// mergesEnd is how long [WaitForMerges] waits at most.
const mergesEnd = 10 * time.Minute

// Querier runs queries as [store.DB.Each] does.
type Querier interface {
	Each(ctx context.Context, query string, args []any, row any, fn func() error) error
}

// Took is what a query took, by the clock and of processor time.
type Took struct{ Clock, CPU time.Duration }

// Stopwatch times queries by the name of their file, for benchmarks. It is not safe for use by several goroutines.
type Stopwatch struct {
	// Plain runs queries as they are; otherwise each is under the limit of [QueryMemory].
	Plain bool

	q     Querier
	names map[string]string
	all   map[string][]Took
}

// NewStopwatch times the queries of q. queries has each query's text by its name. One whose text is not there, since it was filled in, has
// the name of the first that begins with the same line, and else "other".
func NewStopwatch(q Querier, queries map[string]string) *Stopwatch {
	s := &Stopwatch{q: q, names: map[string]string{}, all: map[string][]Took{}}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(queries))) {
		query := queries[name]
		s.names[query], s.names[firstLine(query)] = name, name
	}
	return s
}

func firstLine(query string) string {
	line, _, _ := strings.Cut(query, "\n")
	return line
}

// name is the name of a query.
func (s *Stopwatch) name(query string) string {
	return cmp.Or(s.names[query], s.names[firstLine(query)], "other")
}

// Each runs one query.
func (s *Stopwatch) Each(ctx context.Context, query string, args []any, row any, fn func() error) error {
	name := s.name(query)
	if !s.Plain {
		query = fmt.Sprintf("SELECT * FROM (\n%s\n) SETTINGS max_memory_usage = %d", query, QueryMemory)
	}
	return s.Time(name, func() error { return s.q.Each(ctx, query, args, row, fn) })
}

// Time times what do does under a name.
func (s *Stopwatch) Time(name string, do func() error) error {
	start, used := time.Now(), CPUTime()
	err := do()
	s.all[name] = append(s.all[name], Took{time.Since(start), CPUTime() - used})
	return err
}

// Reset forgets what was timed.
func (s *Stopwatch) Reset() { clear(s.all) }

// Medians is how long each query took.
func (s *Stopwatch) Medians() map[string]Took {
	out := map[string]Took{}
	for name, all := range s.all {
		var clock, cpu []time.Duration
		for _, t := range all {
			clock, cpu = append(clock, t.Clock), append(cpu, t.CPU)
		}
		slices.Sort(clock)
		slices.Sort(cpu)
		out[name] = Took{clock[len(clock)/2], cpu[len(cpu)/2]}
	}
	return out
}

// CPUTime is the processor time that this process, with the engine in it, has used.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Growth says, a line a query, what it took with a million rows and with ten, and how many times as much that is.
func Growth(small, large map[string]Took) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(large)) {
		s, l := small[name], large[name]
		fmt.Fprintf(&b, "%-20s 1M %7.1f ms (processor %7.1f), 10M %7.1f ms (processor %7.1f): %4.1f times the clock's, %4.1f times the processor's\n",
			name, Milliseconds(s.Clock), Milliseconds(s.CPU), Milliseconds(l.Clock), Milliseconds(l.CPU), ratio(l.Clock, s.Clock), ratio(l.CPU, s.CPU))
	}
	return b.String()
}

// Milliseconds is d with three places.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, time.Microsecond)) }

// WaitForMerges returns once the engine merges no parts, and fails the benchmark after ten minutes.
func WaitForMerges(t testing.TB, db *store.DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), mergesEnd)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var row struct {
		N uint64 `ch:"n"`
	}
	for row.N = 1; row.N > 0; {
		select {
		case <-ctx.Done():
			t.Fatal("the engine is still merging")
		case <-tick.C:
		}
		if err := db.Each(ctx, "SELECT count() AS n FROM system.merges", nil, &row, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
}
