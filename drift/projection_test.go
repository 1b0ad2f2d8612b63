package drift

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestWhatIsKeptReadyAnswersTheQueriesItIsFor(t *testing.T) {
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var all []*events.Event
	for i := range 30_000 {
		all = append(all, &events.Event{ID: uuid.NewString(), Source: "test", Time: now.Add(-time.Duration(i) * time.Second), Data: &events.ToolCall{
			Server: "s", ToolName: "t", UsedVersion: "v1", Outcome: events.OutcomeOK,
		}}, &events.Event{ID: uuid.NewString(), Source: "test", Time: now, Data: &events.ToolDefinition{
			Server: "s", ToolName: "t", Release: "v1", DefinitionDigest: "d", SchemaDigest: "s", WireDigest: "w", Definition: []byte(`{}`),
		}})
	}
	storetest.Insert(t, db, all)
	for name, q := range map[string]struct {
		sql  string
		args []any
	}{
		"versions":         {versionsSQL, []any{now.AddDate(0, 0, -7).Unix(), now.Add(time.Hour).Unix()}},
		"stored days":      {storedDaysSQL, []any{now.Add(time.Hour).Unix()}},
		"definitions seen": {definitionsSeenSQL, []any{now.Add(time.Hour).UnixMicro()}},
	} {
		t.Run(name, func(t *testing.T) {
			var row struct {
				Calls uint64 `ch:"n"`
			}
			sql := "SELECT count() AS n FROM (" + q.sql + ") SETTINGS force_optimize_projection = 1"
			err := db.Each(t.Context(), sql, q.args, &row, func() error { return nil })
			if err != nil || row.Calls == 0 {
				t.Errorf("%d rows, %v", row.Calls, err)
			}
		})
	}
}
