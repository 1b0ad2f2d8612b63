package drift

import (
	_ "embed"
	"fmt"
	"strings"
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
)

// BenchmarkLarge times what is asked of a day of 1 and 10 million calls (see [storetest.TimeLargeDays]). It is for make bench-large: making the
// calls takes minutes.
func BenchmarkLarge(b *testing.B) { storetest.TimeLargeDays(b, queries(), openLarge, analyzeLarge) }

// openLarge returns a store with so many calls, once the engine has merged them.
func openLarge(b *testing.B, calls int) *store.DB {
	b.Helper()
	addr, database := enginetest.Database(b)
	db := storetest.Open(b, addr, database)
	storetest.InBatches(calls, largeBatch, func(from, count int) {
		enginetest.Exec(b, addr, largeInsert(database, calls, count, from))
	})
	storetest.WaitForMerges(b, db)
	return db
}

// largeInsert is testdata/large.sql with its parameters filled in.
func largeInsert(database string, calls, count, from int) string {
	end := storetest.LargeDayEnd().Format(time.DateTime)
	return strings.NewReplacer(
		"INSERT INTO tool_calls", "INSERT INTO "+database+".tool_calls",
		"{seed:UInt64}", fmt.Sprintf("toUInt64(%d)", largeSeed), "{total:UInt64}", fmt.Sprintf("toUInt64(%d)", calls),
		"{lane:String}", "'1/tooltrail.v1.0.tool_call'", "{end:DateTime64(3)}", "toDateTime64('"+end+"', 3, 'UTC')",
		"{end:DateTime64(6)}", "toDateTime64('"+end+"', 6, 'UTC')",
		"{from:UInt64}", fmt.Sprint(from), "{count:UInt64}", fmt.Sprint(count),
	).Replace(largeSQL)
}

// analyzeLarge looks at the generated day as the analyzer does.
func analyzeLarge(b *testing.B, q *storetest.Stopwatch) {
	b.Helper()
	end := storetest.LargeDayEnd()
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

// queries has the text of each query by its file's name.
func queries() map[string]string {
	return map[string]string{
		"calls": callsSQL, "retries": retriesSQL, "runs": runsSQL, "silent": silentSQL, "newest": newestSQL, "rosters": rostersSQL,
		"canary": canarySQL, "versions": versionsSQL, "stored_days": storedDaysSQL, "definitions_seen": definitionsSeenSQL,
	}
}
