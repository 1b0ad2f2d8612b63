// Package progress knows how far stored events were judged. A detector that judges each event once goes along their lanes: the partitions of the
// stream, in each of which the ingester stores events of a kind in the order of their stream sequence. How far it came it keeps in the table
// detector_progress, with a hash of its rules, so that another process goes on there, and other rules judge anew.
package progress

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"strings"
)

// Querier runs queries on the store; store.DB is one.
type Querier interface {
	// Each runs a query and calls then for each row, read into row.
	Each(ctx context.Context, query string, args []any, row any, then func() error) error
}

// Requests is the table of requests, whose time is called start_time.
const Requests = "request_prefixes"

// Lane is a lane of stored events.
type Lane struct {
	// Table has the events.
	Table string `ch:"source"`
	// Name is that of the lane, with its kind of events.
	Name string `ch:"name"`
	// Last is the stream sequence up to which the lane is stored, or up to which it is to be judged.
	Last uint64 `ch:"last"`
}

var (
	//go:embed lanes.sql
	lanesSQL string
	//go:embed kept.sql
	keptSQL string
	//go:embed old.sql
	oldSQL string
)

// In puts the lane's table into a query, for {table}, and the name of its column of time, for {at}.
func (l *Lane) In(query string) string {
	at := "time"
	if l.Table == Requests {
		at = "start_time"
	}
	return strings.NewReplacer("{table}", l.Table, "{at}", at).Replace(query)
}

// Find runs a query for a sequence of the lane, which is its column last; 0 where there is no row.
func (l *Lane) Find(ctx context.Context, q Querier, query string, args ...any) (uint64, error) {
	var row struct {
		Last uint64 `ch:"last"`
	}
	if err := q.Each(ctx, l.In(query), args, &row, func() error { return nil }); err != nil {
		return 0, fmt.Errorf("find events of %s: %w", l.Table, err)
	}
	return row.Last, nil
}

// Lanes returns the lanes of tables, and how far they are stored now.
func Lanes(ctx context.Context, q Querier, tables ...string) ([]Lane, error) {
	parts := make([]string, len(tables))
	for i, table := range tables {
		parts[i] = strings.ReplaceAll(lanesSQL, "{table}", table)
	}
	var all []Lane
	var row Lane
	err := q.Each(ctx, strings.Join(parts, "UNION ALL\n"), nil, &row, func() error {
		all = append(all, row)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read how far events are stored: %w", err)
	}
	return all, nil
}
