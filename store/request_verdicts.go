package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

const (
	// maxVerdictRows is how many verdicts one insert has at most.
	maxVerdictRows = 50_000
	// maxVerdictDays is on how many days the requests of one insert were stored at most: ClickHouse refuses an insert into over 100
	// partitions.
	maxVerdictDays = 50
)

const verdictColumns = " (id, conversation_id, judged_at, content, time, ingested_at, start_time, " +
	"agent_name, agent_version, environment, team, provider_name, request_model, request, compared_id, verdict, secondary, cause, cause_names, " +
	"`tools.name`, `tools.kind`, `tools.index`, `tools.middle`, `tools.rhythm`, params, system_block, system_rhythm, message, gap_seconds, " +
	"clock_backwards, prompt_tokens, read_tokens, expected_read_tokens, tokens_lost, lost_usd, cost_usd, stated_cost_usd, provider_diagnosis, " +
	"diagnosis_verdict, agreement, unseen, `flux.kind`, `flux.part`, `flux.name`, `flux.requests`, `flux.changes`, `flux.values`, " +
	"`flux.could_read`, `flux.could_read_usd`)"

// SaveRequestVerdicts stores what became of requests. Of one request, told by its id and conversation, the row with the latest JudgedAt
// counts, whatever else is stored of it; to save a row twice changes nothing. Where it fails, some of the rows may be stored. Rows that are
// notable go to the table notable_verdicts first, so that none is in request_verdicts alone.
func (db *DB) SaveRequestVerdicts(ctx context.Context, rows []events.RequestVerdict) error {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b events.RequestVerdict) int { return a.IngestedAt.Compare(b.IngestedAt) })
	for len(rows) > 0 {
		n := verdictBatch(rows)
		notable := slices.DeleteFunc(slices.Clone(rows[:n]), func(r events.RequestVerdict) bool { return !r.Notable() })
		if err := db.writeVerdicts(ctx, "notable_verdicts", notable); err != nil {
			return err
		}
		if err := db.writeVerdicts(ctx, "request_verdicts", rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// verdictBatch returns how many rows, in order of when their requests were stored, one insert takes.
func verdictBatch(rows []events.RequestVerdict) int {
	days, last := 0, time.Time{}
	for i := range min(len(rows), maxVerdictRows) {
		if day := rows[i].IngestedAt.UTC().Truncate(24 * time.Hour); i == 0 || !day.Equal(last) {
			days, last = days+1, day
		}
		if days > maxVerdictDays {
			return i
		}
	}
	return min(len(rows), maxVerdictRows)
}

func (db *DB) writeVerdicts(ctx context.Context, table string, rows []events.RequestVerdict) error {
	return db.writeBlock(ctx, "save "+table, "INSERT INTO "+table+verdictColumns, len(rows), func(i int) any {
		r := &rows[i]
		r.JudgedAt, r.Time, r.IngestedAt, r.StartTime = storable(r.JudgedAt), storable(r.Time), storable(r.IngestedAt), storable(r.StartTime)
		return r
	})
}

// SaveProgress notes up to which stream sequence of each lane a detector, by the rules with this hash, has judged all. The latest note on
// a lane counts.
func (db *DB) SaveProgress(ctx context.Context, detector string, rules uint64, positions map[string]uint64) error {
	now, lanes := db.now(), slices.Sorted(maps.Keys(positions))
	return db.writeBlock(ctx, "save progress", "INSERT INTO detector_progress (detector, lane, rules, seq, noted_at)", len(lanes), func(i int) any {
		return &progressRow{detector, lanes[i], rules, positions[lanes[i]], now}
	})
}

// progressRow is a row of detector_progress.
type progressRow struct {
	Detector string    `ch:"detector"`
	Lane     string    `ch:"lane"`
	Rules    uint64    `ch:"rules"`
	Seq      uint64    `ch:"seq"`
	NotedAt  time.Time `ch:"noted_at"`
}
