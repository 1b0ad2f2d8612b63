package store

import (
	"context"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// writeBlock inserts n rows in one block; row returns one, a pointer to a struct with ch tags. It is for tables of which the latest row counts: a
// block that is sent again is stored again, and changes nothing.
func (db *DB) writeBlock(ctx context.Context, op, insert string, n int, row func(i int) any) error {
	if n == 0 {
		return nil
	}
	s := db.writing("")
	delete(s, "insert_deduplication_token")
	batch, err := db.conn.PrepareBatch(clickhouse.Context(ctx, clickhouse.WithSettings(s)), insert)
	if err != nil {
		return wrap(op, err)
	}
	defer batch.Close()
	for i := range n {
		if err := batch.AppendStruct(row(i)); err != nil {
			return permanent(op, "a field does not fit its column")
		}
	}
	return wrap(op, batch.Send())
}
