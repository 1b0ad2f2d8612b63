package store

import (
	"context"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

const (
	judgedColumns = " (id, conversation_id, judged_at, content, time, ingested_at, source, agent_name, agent_version, environment, team, " +
		"provider_name, request_model, tool_name, server, resolved_name, bridge, bridged_name, resolution, resolution_how, input_tokens, output_tokens)"
	lookedUpColumns = " (lane, seq, pos, judged_at, time, ingested_at, agent_name, environment, team, known)"
)

// SaveJudgedCalls stores what became of the names of calls that were in doubt. Of one call, told by its id and conversation, the row with the
// latest JudgedAt counts; to save a row twice changes nothing. Where it fails, some of the rows may be stored.
func (db *DB) SaveJudgedCalls(ctx context.Context, rows []events.JudgedCall) error {
	return saveByDay(ctx, db, "judged_calls", judgedColumns, rows, func(r *events.JudgedCall) time.Time {
		r.JudgedAt, r.Time, r.IngestedAt = storable(r.JudgedAt), storable(r.Time), storable(r.IngestedAt)
		return r.IngestedAt
	})
}

// SaveLookedUpCalls stores of which calls the names were looked up. Of one call, told by its place, the row with the latest JudgedAt counts.
func (db *DB) SaveLookedUpCalls(ctx context.Context, rows []events.LookedUpCall) error {
	return saveByDay(ctx, db, "looked_up_calls", lookedUpColumns, rows, func(r *events.LookedUpCall) time.Time {
		r.JudgedAt, r.Time, r.IngestedAt = storable(r.JudgedAt), storable(r.Time), storable(r.IngestedAt)
		return r.IngestedAt
	})
}

// saveByDay inserts rows, of at most so many days at a time; ready makes a row storable and returns when its event was stored.
func saveByDay[R any](ctx context.Context, db *DB, table, columns string, rows []R, ready func(*R) time.Time) error {
	rows = slices.Clone(rows)
	for i := range rows {
		ready(&rows[i])
	}
	slices.SortStableFunc(rows, func(a, b R) int { return ready(&a).Compare(ready(&b)) })
	for len(rows) > 0 {
		n := daysBatch(rows, ready)
		some := rows[:n]
		if err := db.writeBlock(ctx, "save "+table, "INSERT INTO "+table+columns, n, func(i int) any { return &some[i] }); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// daysBatch returns how many rows, in order of when their events were stored, one insert takes.
func daysBatch[R any](rows []R, stored func(*R) time.Time) int {
	days, last := 0, time.Time{}
	for i := range min(len(rows), maxVerdictRows) {
		if day := stored(&rows[i]).UTC().Truncate(24 * time.Hour); i == 0 || !day.Equal(last) {
			days, last = days+1, day
		}
		if days > maxVerdictDays {
			return i
		}
	}
	return min(len(rows), maxVerdictRows)
}
