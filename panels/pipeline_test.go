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
	lanes.Insert(t, call(time.Hour))
	if got := number(lag()); got < 3600 || got > 2*3600 {
		t.Errorf("an event of an hour ago was stored within %v seconds", got)
	}
}
