package store

import (
	"context"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tooltrail/tooltrail/events"
)

const (
	// maxVerdictRows is how many verdicts one insert has at most.
	maxVerdictRows = 50_000
	// maxVerdictDays is on how many days the requests of one insert were stored at most: ClickHouse refuses an insert into over 100
	// partitions.
	maxVerdictDays = 50
)

const insertVerdictsSQL = "INSERT INTO request_verdicts (id, conversation_id, judged_at, content, time, ingested_at, start_time, " +
	"agent_name, agent_version, environment, team, provider_name, request_model, request, compared_id, verdict, secondary, cause, cause_names, " +
	"`tools.name`, `tools.kind`, `tools.index`, `tools.middle`, `tools.rhythm`, params, system_block, system_rhythm, message, gap_seconds, " +
	"clock_backwards, prompt_tokens, read_tokens, expected_read_tokens, tokens_lost, lost_usd, cost_usd, stated_cost_usd, provider_diagnosis, " +
	"diagnosis_verdict, agreement, `flux.kind`, `flux.part`, `flux.name`, `flux.requests`, `flux.changes`, `flux.values`)"

// SaveRequestVerdicts stores what became of requests. Of one request, told by its id and conversation, the row with the latest JudgedAt
// counts, whatever else is stored of it; to save a row twice changes nothing. Where it fails, some of the rows may be stored.
func (db *DB) SaveRequestVerdicts(ctx context.Context, rows []events.RequestVerdict) error {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b events.RequestVerdict) int { return a.IngestedAt.Compare(b.IngestedAt) })
	for len(rows) > 0 {
		n := verdictBatch(rows)
		if err := db.writeVerdicts(ctx, rows[:n]); err != nil {
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

func (db *DB) writeVerdicts(ctx context.Context, rows []events.RequestVerdict) error {
	s := db.writing("")
	delete(s, "insert_deduplication_token")
	batch, err := db.conn.PrepareBatch(clickhouse.Context(ctx, clickhouse.WithSettings(s)), insertVerdictsSQL)
	if err != nil {
		return wrap("save request verdicts", err)
	}
	defer batch.Close()
	for i := range rows {
		r := &rows[i]
		r.JudgedAt, r.Time, r.IngestedAt, r.StartTime = storable(r.JudgedAt), storable(r.Time), storable(r.IngestedAt), storable(r.StartTime)
		if err := batch.AppendStruct(r); err != nil {
			return permanent("save request verdicts", "a field does not fit its column")
		}
	}
	return wrap("save request verdicts", batch.Send())
}

// SaveProgress notes that a detector, by the rules with this hash, has judged all that was stored before a time. The latest note counts.
func (db *DB) SaveProgress(ctx context.Context, detector string, rules uint64, seenTo time.Time) error {
	s := db.writing("")
	delete(s, "insert_deduplication_token")
	const insert = "INSERT INTO detector_progress (detector, rules, seen_to, noted_at) SELECT ?, ?, fromUnixTimestamp64Milli(toInt64(?), 'UTC'), fromUnixTimestamp64Micro(toInt64(?), 'UTC')"
	err := db.conn.Exec(clickhouse.Context(ctx, clickhouse.WithSettings(s)), insert, detector, rules, storable(seenTo).UnixMilli(), db.now().UnixMicro())
	return wrap("save progress of "+detector, err)
}
