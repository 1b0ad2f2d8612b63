// Package storetest gives tests a store with tables and puts events into it.
package storetest

import (
	"context"
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
	rows := map[events.Kind][]events.Row{}
	for i, e := range all {
		rows[e.Kind()] = append(rows[e.Kind()], events.Row{Seq: uint64(i + 1), Event: e})
	}
	for kind, r := range rows {
		lane := "1/" + events.Subject(0, kind)
		if err := db.Insert(context.Background(), lane, lane+"@0", r); err != nil {
			t.Fatal(err)
		}
	}
}
