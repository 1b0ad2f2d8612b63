package storetest

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/store"
)

// SkipUnlessLarge skips a benchmark that takes minutes, unless TOOLTRAIL_LARGE is 1, as in make bench-large.
func SkipUnlessLarge(b *testing.B) {
	b.Helper()
	if os.Getenv("TOOLTRAIL_LARGE") != "1" {
		b.Skip("takes minutes; make bench-large runs it")
	}
}

// LargeDayEnd is when a generated day ends: the last midnight but one, so that retention keeps it.
func LargeDayEnd() time.Time { return time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1) }

// InBatches inserts so many rows, a batch at a time, two batches at once.
func InBatches(total, batch int, insert func(from, count int)) {
	var wg sync.WaitGroup
	turns := make(chan struct{}, 2)
	for from := 0; from < total; from += batch {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			insert(from, min(batch, total-from))
		})
	}
	wg.Wait()
}

// TimeLargeDays analyzes a day of 1 and 10 million rows, once to warm the caches and then for the benchmark's loop, and says how long each query
// took, by the clock and of processor time (medians, in milliseconds; the engine's and the client's), and how many times as much it takes with
// ten times the rows. Other load on the machine blurs the processor time less.
func TimeLargeDays(b *testing.B, queries map[string]string, open func(*testing.B, int) *store.DB, analyze func(*testing.B, *Stopwatch)) {
	b.Helper()
	SkipUnlessLarge(b)
	var medians [2]map[string]Took
	for i, millions := range []int{1, 10} {
		b.Run(fmt.Sprintf("%dM", millions), func(b *testing.B) {
			q := NewStopwatch(open(b, millions*1_000_000), queries)
			analyze(b, q)
			q.Reset()
			for b.Loop() {
				analyze(b, q)
			}
			b.ReportMetric(0, "ns/op")
			medians[i] = q.Medians()
			for name, t := range medians[i] {
				b.ReportMetric(Milliseconds(t.Clock), name+"-ms")
			}
		})
	}
	fmt.Print(Growth(medians[0], medians[1]))
}
