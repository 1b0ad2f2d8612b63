package store

import (
	"context"
	"fmt"
	"reflect"
)

// Each runs a query and calls fn for each row that it returns, as the rows come in. Before each call it fills row, a pointer to a struct whose
// fields have ch:"column" tags, with that row's values and nothing of the row before. Arguments replace the query's ? in order.
// Give times as microseconds since 1970 and turn them with fromUnixTimestamp64Micro: the driver cuts a time.Time to the second.
// An error of fn ends the query and is returned as it is.
func (db *DB) Each(ctx context.Context, query string, args []any, row any, fn func() error) error {
	return db.each(db.reading(ctx), query, args, row, fn)
}

// each is [DB.Each] with the settings of ctx.
func (db *DB) each(ctx context.Context, query string, args []any, row any, fn func() error) error {
	v := reflect.ValueOf(row)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return permanent("run query", fmt.Sprintf("row is a %T, want a pointer to a struct", row))
	}
	rows, err := db.conn.Query(ctx, query, args...)
	if err != nil {
		return wrap("run query", err)
	}
	defer rows.Close()
	for rows.Next() {
		v.Elem().SetZero()
		if err := rows.ScanStruct(row); err != nil {
			return permanent("read row", scanReason(err))
		}
		if err := fn(); err != nil {
			return err
		}
	}
	return wrap("read rows", rows.Err())
}
