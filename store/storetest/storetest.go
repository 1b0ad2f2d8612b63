// Package storetest gives tests a store with tables and puts events into it.
package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/store"
)

// Open returns the store in a database of the server at addr, HOST:PORT of its HTTP interface, with all tables. It is closed at the
// test's end.
func Open(t testing.TB, addr, database string) *store.DB {
	t.Helper()
	cfg := store.DefaultConfig()
	cfg.Address, cfg.Database = "http://"+addr, database
	db, err := store.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return db
}

// Insert stores events in their order, each kind in its lane. It is for an empty store: positions start at 1.
func Insert(t testing.TB, db *store.DB, all []*events.Event) {
	t.Helper()
	NewLanes(db).Insert(t, all...)
}

// Lanes stores events as they come, each kind in a lane of its own. It is not safe for use by several goroutines.
type Lanes struct {
	db   *store.DB
	seqs map[string]uint64
}

// NewLanes returns lanes of an empty store: positions start at 1.
func NewLanes(db *store.DB) *Lanes { return &Lanes{db: db, seqs: map[string]uint64{}} }

// Insert stores events in their order, a message each, behind those of their lanes.
func (l *Lanes) Insert(t testing.TB, all ...*events.Event) {
	t.Helper()
	rows := map[string][]events.Row{}
	for _, e := range all {
		lane := "1/" + events.Subject(0, e.Kind())
		rows[lane] = append(rows[lane], events.Row{Seq: l.seqs[lane] + uint64(len(rows[lane])) + 1, Event: e})
	}
	for lane, r := range rows {
		if err := l.db.Insert(context.Background(), lane, fmt.Sprintf("%s@%d", lane, l.seqs[lane]), r); err != nil {
			t.Fatal(err)
		}
		l.seqs[lane] += uint64(len(r))
	}
}
