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
// time less. It is for make bench-large: making the events takes minutes and 4 GB of disk. Each panel is a benchmark of its own, to be chosen
// by -bench '^BenchmarkLarge$/^PANEL$'.
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
	watch := storetest.NewStopwatch(s.db, nil)
	for _, id := range slices.Sorted(maps.Keys(queries)) {
		b.Run(id, func(b *testing.B) {
			ask(b, s, queries[id], s.whole) // warms the caches
			for b.Loop() {
				_ = watch.Time(id, func() error { ask(b, s, queries[id], s.whole); return nil })
			}
			t := watch.Medians()[id]
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(storetest.Milliseconds(t.Clock), "ms")
			b.ReportMetric(storetest.Milliseconds(t.CPU), "processor-ms")
		})
	}
	medians := watch.Medians()
	for id, t := range medians {
		if storetest.Milliseconds(t.Clock) > largeLimit {
			fmt.Printf("%s takes more than a second: %.0f ms, processor %.0f ms\n", id, storetest.Milliseconds(t.Clock), storetest.Milliseconds(t.CPU))
		}
	}
	writeTimes(b, medians)
}

// openLarge returns a store with the generated day, once the engine has merged it. Half of the calls are of the generator of package activation, half
// of that of drift, whose names only the analyzer looked up; a part of the verdicts was given twice.
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
		for _, query := range []string{largeNotable, largePrefixes, largeLookedUp, largeJudged} {
			enginetest.Exec(b, addr, strings.NewReplacer("{db}", database, "{hour}", fmt.Sprint(hour)).Replace(query))
		}
	}
}

// What follows from the verdicts and calls, an hour at a time, since their rows are wide: verdicts that have more to tell, the requests, without
// digests, which no panel reads, and what the analyzer looked up, of which one in a hundred names was wrong.
const (
	largeNotable = "INSERT INTO {db}.notable_verdicts SELECT * FROM {db}.request_verdicts WHERE toHour(time) = {hour} AND" +
		" (verdict NOT IN ('ok', 'cold_start', 'no_usage') OR notEmpty(secondary) OR notEmpty(`flux.kind`)) SETTINGS max_threads = 1"
	largePrefixes = "INSERT INTO {db}.request_prefixes (lane, seq, ingested_at, part_day, id, time, agent_name, agent_version, environment, team," +
		" conversation_id, provider_name, request_model, start_time) SELECT '1/tooltrail.v1.0.request_prefix', rowNumberInAllBlocks() + 1, ingested_at," +
		" toDate('1970-01-01'), id, time, agent_name, agent_version, environment, team, conversation_id, provider_name, request_model, start_time" +
		" FROM {db}.request_verdicts FINAL WHERE toHour(time) = {hour} SETTINGS max_threads = 1"
	largeLookedUp = "INSERT INTO {db}.looked_up_calls (lane, seq, pos, judged_at, time, ingested_at, agent_name, environment, team, known)" +
		" SELECT lane, seq, pos, ingested_at, time, ingested_at, agent_name, environment, team, true FROM {db}.tool_calls" +
		" WHERE resolution = '' AND toHour(time) = {hour} SETTINGS max_threads = 1"
	largeJudged = "INSERT INTO {db}.judged_calls (id, conversation_id, judged_at, time, ingested_at, agent_name, agent_version, environment, team," +
		" provider_name, request_model, tool_name, server, resolution, input_tokens, output_tokens) SELECT id, conversation_id, ingested_at, time," +
		" ingested_at, agent_name, agent_version, environment, team, provider_name, request_model, tool_name, server," +
		" if(seq % 200 = 0, 'unknown', 'not_activated'), input_tokens, output_tokens FROM {db}.tool_calls" +
		" WHERE resolution = '' AND toHour(time) = {hour} AND seq % 100 = 0 SETTINGS max_threads = 1"
)

// largeInsert is a generator with its parameters filled in.
func largeInsert(b *testing.B, file, database string, total, from, count int, again, where string) string {
	b.Helper()
	query, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	end := storetest.LargeDayEnd().Format(time.DateTime)
	lane := "0"
	if strings.Contains(file, "drift") {
		lane = "1"
	}
	return strings.NewReplacer(
		"name, ''), 'ok',", "name, ''), '',", // drift's calls come without a resolution
		"INSERT INTO ", "INSERT INTO "+database+".",
		"{seed:UInt64}", fmt.Sprintf("toUInt64(%d)", largeSeed), "{total:UInt64}", fmt.Sprintf("toUInt64(%d)", total),
		"{lane:String}", "'1/tooltrail.v1."+lane+".tool_call'", "{end:DateTime64(3)}", "toDateTime64('"+end+"', 3, 'UTC')",
		"{end:DateTime64(6)}", "toDateTime64('"+end+"', 6, 'UTC')", "{again:UInt64}", "toUInt64("+again+")", "{where:String}", where,
		"{from:UInt64}", fmt.Sprint(from), "{count:UInt64}", fmt.Sprint(count),
	).Replace(string(query))
}
