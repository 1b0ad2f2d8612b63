package activation

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
)

// BenchmarkLarge times what is asked of a day of 1 and 10 million calls with the activations of their conversations (see [storetest.TimeLargeDays]). It is for make bench-large: making the
// calls takes minutes.
func BenchmarkLarge(b *testing.B) { storetest.TimeLargeDays(b, queries(), openLarge, analyzeLarge) }

// openLarge returns a store with so many calls, once the engine has merged them.
func openLarge(b *testing.B, calls int) *store.DB {
	b.Helper()
	addr, database := enginetest.Database(b)
	db := storetest.Open(b, addr, database)
	storetest.InBatches(calls, largeBatch, func(from, count int) {
		enginetest.Exec(b, addr, largeInsert(largeSQL, database, calls, count, from))
	})
	enginetest.Exec(b, addr, largeInsert(largeActivationsSQL, database, calls/20, calls/20, 0))
	enginetest.Exec(b, addr, largeInsert(largeRostersSQL, database, calls, 0, 0))
	storetest.WaitForMerges(b, db)
	return db
}

// largeInsert is a file of testdata with its parameters filled in.
func largeInsert(query, database string, calls, count, from int) string {
	end := storetest.LargeDayEnd().Format(time.DateTime)
	return strings.NewReplacer(
		"INSERT INTO ", "INSERT INTO "+database+".",
		"{seed:UInt64}", fmt.Sprintf("toUInt64(%d)", largeSeed), "{total:UInt64}", fmt.Sprintf("toUInt64(%d)", calls),
		"{lane:String}", "'1/tooltrail.v1.0.tool_call'", "{end:DateTime64(3)}", "toDateTime64('"+end+"', 3, 'UTC')",
		"{end:DateTime64(6)}", "toDateTime64('"+end+"', 6, 'UTC')",
		"{from:UInt64}", fmt.Sprint(from), "{count:UInt64}", fmt.Sprint(count),
	).Replace(query)
}

// analyzeLarge looks at the generated day as the analyzer does.
func analyzeLarge(b *testing.B, q *storetest.Stopwatch) {
	b.Helper()
	end := storetest.LargeDayEnd()
	r, _, err := Analyze(b.Context(), q, finding.Window{From: end.AddDate(0, 0, -1), To: end}, DefaultSettings(), nil)
	if err != nil {
		b.Fatal(err)
	}
	if r.Calls < 900_000 || r.Rules[RuleLoop].Count == 0 || r.Rules[RuleMadeUpID].Count == 0 || len(r.Loads) < 200 || len(r.Pays) != 5 {
		b.Fatalf("%d calls, %d loops, %d loads, %d comparisons", r.Calls, r.Rules[RuleLoop].Count, len(r.Loads), len(r.Pays))
	}
}

// queries has the text of each query by its file's name.
func queries() map[string]string {
	return map[string]string{
		"counts": countsSQL, "rules": rulesSQL, "rule_parts": rulePartsSQL, "made_up": madeUpSQL, "loops": loopsSQL, "loads": loadsSQL,
		"activation_parts": activationPartsSQL, "refusals": refusalsSQL, "roster_flags": rosterFlagsSQL, "removed": removedCallsSQL, "removed_parts": removedPartsSQL,
		"denied": deniedSQL, "pays_rosters": paysRostersSQL, "pays_loads": paysLoadsSQL, "pays_requests": paysRequestsSQL,
	}
}
