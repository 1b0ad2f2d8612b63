package panels_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestRecordingsAreNotLate(t *testing.T) {
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	now := time.Now().UTC()
	lanes := storetest.NewLanes(db)
	call := func(ago time.Duration) *events.Event {
		return &events.Event{ID: uuid.NewString(), Source: "test", Time: now.Add(-ago), Data: &events.ToolCall{ToolName: "x", Outcome: events.OutcomeOK}}
	}
	s := sample{db: db, whole: panels.Scope{From: now.AddDate(0, -1, 0), To: now.Add(time.Hour)}}
	lag := func() any { return run(t, s, find(t, "pipeline_totals"), s.whole)[0]["lag"] }
	lanes.Insert(t, call(48*time.Hour))
	if got := lag(); got != nil {
		t.Errorf("a recording was stored within %v", got)
	}
	if rows := run(t, s, find(t, "pipeline_lag_over_time"), s.whole); len(rows) != 1 || rows[0]["most"] != nil || rows[0]["half"] != nil {
		t.Errorf("a recording is late over time: %v", rows)
	}
	lanes.Insert(t, call(time.Hour))
	if got := number(lag()); got < 3600 || got > 2*3600 {
		t.Errorf("an event of an hour ago was stored within %v seconds", got)
	}
	rows := run(t, s, find(t, "pipeline_lag_over_time"), s.whole)
	if got := number(rows[len(rows)-1]["most"]); got < 3600 || got > 2*3600 {
		t.Errorf("over time an event of an hour ago was stored within %v seconds", got)
	}
}

func TestOfCallsThatNobodyJudgedThereIsNoDriftRatio(t *testing.T) {
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	storetest.Insert(t, db, []*events.Event{{ID: uuid.NewString(), Source: "test", Time: at, Data: &events.ToolCall{ToolName: "x", Outcome: events.OutcomeOK}}})
	s := sample{db: db, whole: panels.Scope{From: at.Add(-time.Hour), To: at.Add(time.Hour)}}
	for _, id := range []string{
		"drift_ratio", "drift_tools", "drift_models", "drift_over_time", "drift_models_over_time", "overview_calls", "overview_agents", "overview_ratio_over_time",
	} {
		rows := run(t, s, find(t, id), s.whole)
		if len(rows) != 1 || rows[0]["ratio"] != nil {
			t.Errorf("%s: %v", id, rows)
		}
	}
}
