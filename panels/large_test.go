package panels_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/embedded"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store/storetest"
)

const (
	// largeSeed makes the same events every time.
	largeSeed = 1
	// largeCalls and largeRequests are how many calls and requests there are.
	largeCalls, largeRequests = 10_000_000, 10_000_000
	// largeBatch is how many rows one insert makes.
	largeBatch = 500_000
	// largeLimit is what no panel may take, in milliseconds.
	largeLimit = 1000
)

// BenchmarkLarge asks each panel of a day of 10 million calls and 10 million requests, and writes what each took into docs/panels.md: medians in
// milliseconds, by the clock and of processor time on all cores, the engine's and the client's. Other load on the machine blurs the processor
// time less. It is for make bench-large: making the events takes minutes and 4 GB of disk.
func BenchmarkLarge(b *testing.B) {
	storetest.SkipUnlessLarge(b)
	s := openLarge(b)
	queries := map[string]string{}
	for _, v := range panels.Views() {
		for _, p := range v.Panels {
			queries[p.ID] = p.SQL
		}
		for _, variable := range v.Variables {
			queries["$"+variable.Name] = variable.SQL
		}
	}
	ids := slices.Sorted(maps.Keys(queries))
	for _, id := range ids {
		ask(b, s, queries[id], s.whole) // warms the caches
	}
	watch := storetest.NewStopwatch(s.db, nil)
	for b.Loop() {
		for _, id := range ids {
			_ = watch.Time(id, func() error { ask(b, s, queries[id], s.whole); return nil })
		}
	}
	medians := watch.Medians()
	for _, id := range ids {
		t := medians[id]
		fmt.Printf("%-32s %7.0f ms, processor %7.0f ms\n", id, storetest.Milliseconds(t.Clock), storetest.Milliseconds(t.CPU))
		if storetest.Milliseconds(t.Clock) > largeLimit {
			fmt.Printf("%s takes more than a second\n", id)
		}
	}
	writeTimes(b, medians)
}

// openLarge returns a store with the generated day, once the engine has merged it. Half of the calls are of the generator of package drift, half
// of that of activation; a part of the verdicts was given twice.
func openLarge(b *testing.B) sample {
	b.Helper()
	addr, database := largeDatabase(b)
	db := storetest.Open(b, addr, database)
	s := sample{db: db, whole: panels.Scope{From: storetest.LargeDayEnd().AddDate(0, 0, -1), To: storetest.LargeDayEnd()}}
	if number(ask(b, s, "SELECT count() AS n FROM request_prefixes", s.whole)[0]["n"]) < largeRequests {
		fillLarge(b, addr, database)
		storetest.WaitForMerges(b, db)
	}
	s.whole.Conversation = fmt.Sprint(ask(b, s, "SELECT conversation_id AS id FROM notable_verdicts WHERE verdict = 'tools_changed' LIMIT 1", s.whole)[0]["id"])
	return s
}

// largeDatabase is where the events go: a database of the test's own, or one in the folder TOOLTRAIL_LARGE_DIR that stays, so that panels can be
// tried again on the same day without making it anew.
func largeDatabase(b *testing.B) (addr, database string) {
	b.Helper()
	dir := os.Getenv("TOOLTRAIL_LARGE_DIR")
	if dir == "" {
		return enginetest.Database(b)
	}
	cfg := embedded.DefaultEngineConfig(dir)
	cfg.Listen = "127.0.0.1:0"
	engine, err := embedded.OpenEngine(cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = engine.Close(context.Background()) })
	enginetest.Exec(b, engine.Addr(), "CREATE DATABASE IF NOT EXISTS panels_large")
	return engine.Addr(), "panels_large"
}

// fillLarge makes the events, two inserts at a time.
func fillLarge(b *testing.B, addr, database string) {
	b.Helper()
	var wg sync.WaitGroup
	turns := make(chan struct{}, 2)
	insert := func(file string, total, from, count int, again, where string) {
		query := largeInsert(b, file, database, total, from, count, again, where)
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			enginetest.Exec(b, addr, query)
		})
	}
	for from := 0; from < largeCalls/2; from += largeBatch {
		insert("../drift/testdata/large.sql", largeCalls/2, from, largeBatch, "0", "true")
		insert("../activation/testdata/large.sql", largeCalls/2, from, largeBatch, "0", "true")
	}
	insert("../activation/testdata/large_activations.sql", largeCalls/20, 0, largeCalls/20, "0", "true")
	insert("../activation/testdata/large_rosters.sql", largeCalls, 0, 0, "0", "true")
	for from := 0; from < largeRequests; from += largeBatch {
		insert("../prefix/testdata/large_verdicts.sql", largeRequests, from, largeBatch, "0", "true")
	}
	wg.Wait()
	insert("../prefix/testdata/large_verdicts.sql", largeRequests, largeRequests-largeRequests/12, largeRequests/12, "1", "h % 100 = 7")
	wg.Wait()
	for hour := range 24 {
		for _, query := range []string{largeNotable, largePrefixes} {
			enginetest.Exec(b, addr, strings.NewReplacer("{db}", database, "{hour}", fmt.Sprint(hour)).Replace(query))
		}
	}
}

// What follows from the verdicts, an hour at a time, since their rows are wide: those that have more to tell, and the requests, without digests,
// which no panel reads.
const (
	largeNotable = "INSERT INTO {db}.notable_verdicts SELECT * FROM {db}.request_verdicts WHERE toHour(time) = {hour} AND" +
		" (verdict NOT IN ('ok', 'cold_start', 'no_usage') OR notEmpty(secondary) OR notEmpty(`flux.kind`)) SETTINGS max_threads = 1"
	largePrefixes = "INSERT INTO {db}.request_prefixes (lane, seq, ingested_at, part_day, id, time, agent_name, agent_version, environment, team," +
		" conversation_id, provider_name, request_model, start_time) SELECT '1/tooltrail.v1.0.request_prefix', rowNumberInAllBlocks() + 1, ingested_at," +
		" toDate('1970-01-01'), id, time, agent_name, agent_version, environment, team, conversation_id, provider_name, request_model, start_time" +
		" FROM {db}.request_verdicts FINAL WHERE toHour(time) = {hour} SETTINGS max_threads = 1"
)

// largeInsert is a generator with its parameters filled in.
func largeInsert(b *testing.B, file, database string, total, from, count int, again, where string) string {
	b.Helper()
	query, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	end := storetest.LargeDayEnd().Format(time.DateTime)
	return strings.NewReplacer(
		"INSERT INTO ", "INSERT INTO "+database+".",
		"{seed:UInt64}", fmt.Sprintf("toUInt64(%d)", largeSeed), "{total:UInt64}", fmt.Sprintf("toUInt64(%d)", total),
		"{lane:String}", "'1/tooltrail.v1.0.tool_call'", "{end:DateTime64(3)}", "toDateTime64('"+end+"', 3, 'UTC')",
		"{end:DateTime64(6)}", "toDateTime64('"+end+"', 6, 'UTC')", "{again:UInt64}", "toUInt64("+again+")", "{where:String}", where,
		"{from:UInt64}", fmt.Sprint(from), "{count:UInt64}", fmt.Sprint(count),
	).Replace(string(query))
}
