package activation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// What broke rules is read from the calls in one pass, and what was judged later by its hours, so that FINAL merges the rows of the window alone.
func TestCallsThatBrokeRulesAreReadOnceAndJudgmentsOfTheWindowAlone(t *testing.T) {
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	const days, each = 10, 20
	var rows []events.JudgedCall
	for i := range days * each {
		at := storetest.LargeDayEnd().AddDate(0, 0, -i/each).Add(-time.Duration(i%each+1) * time.Hour)
		rows = append(rows, events.JudgedCall{ID: uuid.NewString(), Conversation: "c", JudgedAt: at, Time: at, IngestedAt: at, Resolution: "guessed"})
	}
	if err := db.SaveJudgedCalls(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	storetest.Insert(t, db, []*events.Event{{
		ID: uuid.NewString(), Source: "a", Time: storetest.LargeDayEnd().Add(-time.Hour),
		Data: &events.ToolCall{ToolName: "x", Resolution: events.ResolvedUnknown, Outcome: events.OutcomeOK},
	}})
	w := finding.Window{From: storetest.LargeDayEnd().AddDate(0, 0, -1), To: storetest.LargeDayEnd()}
	for name, query := range map[string]string{"rules": rulesSQL, "rule_parts": rulePartsSQL} {
		var plan struct {
			Line string `ch:"explain"`
		}
		reads := map[string]int{}
		if err := db.Each(t.Context(), "EXPLAIN "+query, w.Args(10), &plan, func() error {
			for _, table := range []string{"tool_calls", "judged_calls"} {
				if strings.Contains(plan.Line, "."+table+")") {
					reads[table]++
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		var estimate struct {
			Table string `ch:"table"`
			Rows  uint64 `ch:"rows"`
		}
		if err := db.Each(t.Context(), fmt.Sprintf("SELECT table, rows FROM (EXPLAIN ESTIMATE %s)", query), w.Args(10), &estimate, func() error {
			if estimate.Table == "judged_calls" && estimate.Rows > 3*each {
				t.Errorf("%s reads %d rows of judged_calls, of %d", name, estimate.Rows, len(rows))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if reads["judged_calls"] != 1 || reads["tool_calls"] != 1 {
			t.Errorf("%s reads %v", name, reads)
		}
	}
}
