package activation

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store/storetest"
)

//go:embed testdata/large_unresolved.sql
var largeUnresolvedSQL string

// BenchmarkSettle looks up the names of a million calls (ten million where TOOLTRAIL_UNRESOLVED=10) of fifty thousand conversations, each with a
// roster of 60 tools and three loads, and then of a few more. It is for make bench-large.
func BenchmarkSettle(b *testing.B) {
	storetest.SkipUnlessLarge(b)
	millions := 1
	if _, err := fmt.Sscan(os.Getenv("TOOLTRAIL_UNRESOLVED"), &millions); err != nil {
		millions = 1
	}
	addr, database := enginetest.Database(b)
	db := storetest.Open(b, addr, database)
	calls := millions * 1_000_000
	for _, statement := range strings.Split(largeUnresolvedSQL, ";\n") {
		for from := 0; from < calls; from += largeBatch {
			enginetest.Exec(b, addr, strings.NewReplacer("INSERT INTO ", "INSERT INTO "+database+".", "{from:UInt64}", fmt.Sprint(from),
				"{count:UInt64}", fmt.Sprint(largeBatch)).Replace(statement))
		}
	}
	q := storetest.NewStopwatch(db, queries())
	s, set := NewSettler(db, db), DefaultSettings()
	set.JudgeAfter = 0
	run := func(what string, work func() error) {
		start, used := time.Now(), storetest.CPUTime()
		if err := work(); err != nil {
			b.Fatal(err)
		}
		fmt.Printf("%-24s %8.2f s, processor %8.2f s\n", what, time.Since(start).Seconds(), (storetest.CPUTime() - used).Seconds())
	}
	run("settle all", func() error { return s.Settle(b.Context(), set) })
	run("settle nothing", func() error { return s.Settle(b.Context(), set) })
	late := &events.Event{ID: "018f0000-0000-7000-8000-000000000001", Source: "x", Time: time.Unix(1_700_000_000, 0), Data: &events.Activation{
		Context: events.Context{ConversationID: "conversation-1"}, Via: ViaLate, Loaded: []string{"tool_3"},
	}}
	if err := db.Insert(b.Context(), "1/late", "1/late@0", []events.Row{{Seq: 1, Event: late}}); err != nil {
		b.Fatal(err)
	}
	run("settle a late load", func() error { return s.Settle(b.Context(), set) })
	var r Report
	for range 3 {
		run("analyze", func() (err error) {
			r, _, err = Analyze(context.Background(), q, finding.Window{}, set, nil)
			return err
		})
	}
	for name, t := range q.Medians() {
		fmt.Printf("%-24s %8.1f ms, processor %8.1f ms\n", name, storetest.Milliseconds(t.Clock), storetest.Milliseconds(t.CPU))
	}
	if guessed := r.Rules["guessed"].Count; r.Judged != uint64(calls) || guessed == 0 || r.Rules["not_activated"].Count < guessed {
		b.Errorf("%d judged, %d guessed", r.Judged, guessed)
	}
}

// ViaLate is what the late load came by.
const ViaLate = events.ViaToolSearch
