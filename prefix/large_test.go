package prefix

import (
	_ "embed"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

var (
	//go:embed testdata/large_verdicts.sql
	largeVerdictsSQL string
	//go:embed testdata/large_requests.sql
	largeRequestsSQL string
)

const (
	// largeSeed makes the same requests every time.
	largeSeed = 1
	// largeBatch is how many rows one insert makes.
	largeBatch = 250_000
	// largeRequests is how many requests are judged.
	largeRequests = 100_000
)

// BenchmarkLarge reports on a day of 1 and 10 million requests, of which some verdicts were given twice, and says how long each query took, by
// the clock and of processor time (medians, in milliseconds; the engine's and the client's), and how many times as much it takes with ten
// times the requests. Other load on the machine blurs the processor time less. It is for make bench-large: making the rows takes minutes.
func BenchmarkLarge(b *testing.B) {
	storetest.SkipUnlessLarge(b)
	var medians [2]map[string]storetest.Took
	for i, millions := range []int{1, 10} {
		b.Run(fmt.Sprintf("%dM", millions), func(b *testing.B) {
			db, scatter := openLarge(b, millions*1_000_000)
			q := storetest.NewStopwatch(db, queries())
			analyzeLarge(b, q, db, millions*1_000_000) // warms the caches
			q.Reset()
			for b.Loop() {
				q.Time("all", func() error { analyzeLarge(b, q, db, millions*1_000_000); return nil })
			}
			b.ReportMetric(0, "ns/op")
			scatter()
			q.Time("all-scattered", func() error {
				analyzeLarge(b, storetest.NewStopwatch(db, queries()), db, millions*1_000_000)
				return nil
			})
			medians[i] = q.Medians()
			for name, t := range medians[i] {
				b.ReportMetric(storetest.Milliseconds(t.Clock), name+"-ms")
				b.ReportMetric(storetest.Milliseconds(t.CPU), name+"-cpu-ms")
			}
		})
	}
	fmt.Print(storetest.Growth(medians[0], medians[1]))
}

// BenchmarkLargeSettle judges stored requests and keeps the verdicts, then looks again with nothing new, and again after a hundred new ones.
func BenchmarkLargeSettle(b *testing.B) {
	storetest.SkipUnlessLarge(b)
	addr, database := enginetest.Database(b)
	db := storetest.Open(b, addr, database)
	insert := func(from, count int) {
		enginetest.Exec(b, addr, large(largeRequestsSQL, database, largeRequests, from, count, 0, "1"))
	}
	for from := 0; from < largeRequests; from += 100_000 {
		insert(from, 100_000)
	}
	q := storetest.NewStopwatch(db, queries())
	q.Plain = true
	s := NewSettler(q, db)
	settle := func() {
		if _, err := s.Settle(b.Context(), DefaultSettings()); err != nil {
			b.Fatal(err)
		}
	}
	for i, name := range []string{"judge all", "nothing new", "100 new"} {
		if i == 2 {
			insert(largeRequests, 100)
		}
		q.Reset()
		q.Time("all", func() error { settle(); return nil })
		t := q.Medians()["all"]
		fmt.Printf("settle, %s: %.0f ms (processor %.0f)\n", name, storetest.Milliseconds(t.Clock), storetest.Milliseconds(t.CPU))
		if i == 0 {
			fmt.Printf("settle: %.0f requests a second by the clock, %.0f a second of processor time\n",
				largeRequests/t.Clock.Seconds(), largeRequests/t.CPU.Seconds())
		}
	}
	var row struct {
		N uint64 `ch:"n"`
	}
	if err := db.Each(b.Context(), "SELECT count() AS n FROM request_verdicts FINAL", nil, &row, func() error { return nil }); err != nil || row.N != largeRequests+100 {
		b.Fatalf("%d verdicts, %v", row.N, err)
	}
	b.ReportMetric(0, "ns/op")
}

// openLarge returns a store with so many verdicts, once the engine has merged them; a tenth of those of the last two hours were given again in
// small inserts. Scatter gives some over all the day again.
func openLarge(b *testing.B, total int) (db *store.DB, scatter func()) {
	b.Helper()
	addr, database := enginetest.Database(b)
	db = storetest.Open(b, addr, database)
	insert := func(from, count, again int, where string) {
		const notable = "(said NOT IN ('ok', 'cold_start', 'no_usage') OR tools OR system OR place = 60 AND who % 10 = 0)"
		enginetest.Exec(b, addr, large(largeVerdictsSQL, database, total, from, count, again, where))
		second := strings.Replace(largeVerdictsSQL, "INTO request_verdicts", "INTO notable_verdicts", 1)
		enginetest.Exec(b, addr, large(second, database, total, from, count, again, where+" AND "+notable))
	}
	for from := 0; from < total; from += largeBatch {
		insert(from, min(largeBatch, total-from), 0, "true")
	}
	storetest.WaitForMerges(b, db)
	for i := range 10 {
		insert(total-total/12, total/12, i+1, fmt.Sprintf("h %% 100 = %d", i))
	}
	return db, func() { insert(0, total, 11, "h % 5000 = 11") }
}

// large is a generator with its parameters filled in.
func large(query, database string, total, from, count, again int, where string) string {
	end := storetest.LargeDayEnd().Format(time.DateTime)
	return strings.NewReplacer(
		"INSERT INTO ", "INSERT INTO "+database+".",
		"{seed:UInt64}", fmt.Sprintf("toUInt64(%d)", largeSeed), "{total:UInt64}", fmt.Sprintf("toUInt64(%d)", total),
		"{end:DateTime64(6)}", "'"+end+"'", "{again:UInt64}", fmt.Sprint(again), "{where:String}", where,
		"{from:UInt64}", fmt.Sprint(from), "{count:UInt64}", fmt.Sprint(count),
	).Replace(query)
}

// analyzeLarge looks at the generated day as the analyzer does.
func analyzeLarge(b *testing.B, q Querier, keep VerdictKeeper, total int) {
	b.Helper()
	end := storetest.LargeDayEnd()
	r, found, err := NewSettler(q, keep).Analyze(b.Context(), finding.Window{From: end.AddDate(0, 0, -1), To: end}, DefaultSettings())
	if err != nil {
		b.Fatal(err)
	}
	if r.Requests != int64(total) || len(r.Conversations) != 1000 || len(r.Agents) != 20 || len(r.Days) != 1 || len(r.Savings) == 0 || len(found) == 0 {
		b.Fatalf("%d requests, %d conversations, agents %d, days %d, savings %d, findings %d", r.Requests, len(r.Conversations), len(r.Agents),
			len(r.Days), len(r.Savings), len(found))
	}
}

// queries has the text of each query by its file's name.
func queries() map[string]string {
	names := map[string]string{}
	files, _ := os.ReadDir(".")
	for _, f := range files {
		if name, isSQL := strings.CutSuffix(f.Name(), ".sql"); isSQL {
			text, _ := os.ReadFile(f.Name())
			names[name] = string(text)
		}
	}
	return names
}
