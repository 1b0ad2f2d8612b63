package store

import (
	"context"
	"reflect"
)

// Rows is the answer to a query whose columns are not known beforehand.
type Rows struct {
	// Columns and Types name the columns and their ClickHouse types.
	Columns, Types []string
	// Values has a row a row: what the driver makes of each type, nil for NULL.
	Values [][]any
}

// Rows runs a query and returns all of its answer, so the query must have a limit.
func (db *DB) Rows(ctx context.Context, query string) (Rows, error) {
	rows, err := db.conn.Query(db.reading(ctx), query)
	if err != nil {
		return Rows{}, wrap("run query", err)
	}
	defer rows.Close()
	all := Rows{Columns: rows.Columns(), Values: [][]any{}}
	types := rows.ColumnTypes()
	for _, t := range types {
		all.Types = append(all.Types, t.DatabaseTypeName())
	}
	for rows.Next() {
		into := make([]any, len(types))
		for i, t := range types {
			into[i] = reflect.New(t.ScanType()).Interface()
		}
		if err := rows.Scan(into...); err != nil {
			return Rows{}, permanent("read row", scanReason(err))
		}
		all.Values = append(all.Values, settled(into))
	}
	return all, wrap("read rows", rows.Err())
}

// settled is what pointers point to; nil pointers in them are nil.
func settled(pointers []any) []any {
	out := make([]any, len(pointers))
	for i, p := range pointers {
		v := reflect.ValueOf(p).Elem()
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				continue
			}
			v = v.Elem()
		}
		out[i] = v.Interface()
	}
	return out
}
