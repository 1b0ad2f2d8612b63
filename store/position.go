package store

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

var (
	//go:embed queries/position.sql
	positionSQL string
	//go:embed queries/recent_ids.sql
	recentIDsSQL string
)

// mark is how far a lane is stored: the highest sequence, and the day on which the newest batch came.
type mark struct {
	seq uint64
	day time.Time
}

// Position returns the highest stored stream sequence of a lane, EPOCH/SUBJECT, and 0 when it has none.
func (db *DB) Position(ctx context.Context, lane string) (uint64, error) {
	t, err := tableOfLane(lane)
	if err != nil {
		return 0, err
	}
	m, err := db.readMark(ctx, t, lane)
	return m.seq, err
}

// RecentIDs returns the ids of the newest n stored events of a lane whose stream sequence is over above, the newest first.
func (db *DB) RecentIDs(ctx context.Context, lane string, n int, above uint64) ([]uuid.UUID, error) {
	t, err := tableOfLane(lane)
	if err != nil {
		return nil, err
	}
	rows, err := db.conn.Query(db.reading(ctx), on(t.Name, recentIDsSQL), lane, above, n)
	if err != nil {
		return nil, wrap("read recent ids", err)
	}
	defer rows.Close()
	var ids []uuid.UUID
	for rows.Next() {
		var id uuid.UUID
		if err := rows.Scan(&id); err != nil {
			return nil, wrap("read recent ids", err)
		}
		ids = append(ids, id)
	}
	return ids, wrap("read recent ids", rows.Err())
}

// readMark asks the store how far a lane is, and remembers it for the next insert.
func (db *DB) readMark(ctx context.Context, t *Table, lane string) (mark, error) {
	var row struct {
		Seq uint64    `ch:"seq"`
		At  time.Time `ch:"at"`
	}
	m := mark{day: time.Unix(0, 0).UTC()}
	err := db.Each(ctx, on(t.Name, positionSQL), []any{lane}, &row, func() error {
		m = mark{row.Seq, row.At.UTC().Truncate(24 * time.Hour)}
		return nil
	})
	if err != nil {
		return mark{}, fmt.Errorf("read position: %w", err)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	db.marks[lane] = m
	return m, nil
}

// lastMark returns what readMark last said of a lane.
func (db *DB) lastMark(lane string) (mark, bool) {
	db.mu.Lock()
	defer db.mu.Unlock()
	m, ok := db.marks[lane]
	return m, ok
}

// on puts a table's name into a query.
func on(table, query string) string { return strings.ReplaceAll(query, "{table}", table) }

// tableOfLane returns the table that a lane, EPOCH/SUBJECT, is stored in.
func tableOfLane(lane string) (*Table, error) {
	_, subject, ok := strings.Cut(lane, "/")
	if !ok {
		return nil, permanent("find table", fmt.Sprintf("lane %q: want EPOCH/SUBJECT", lane))
	}
	if subject == events.DeadLetterSubject {
		return deadLetters, nil
	}
	_, kind, err := events.ParseSubject(subject)
	if err != nil {
		return nil, permanent("find table", err.Error())
	}
	return tableOf(kind)
}
