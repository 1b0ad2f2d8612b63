package store

import (
	"bytes"
	"context"
	"testing"
	"time"

	chproto "github.com/ClickHouse/ch-go/proto"
	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"github.com/tooltrail/tooltrail/events"
)

func TestCompressedBlocksArriveWhole(t *testing.T) {
	for _, method := range []string{"lz4", "zstd"} {
		t.Run(method, func(t *testing.T) {
			plain := open(t)
			cfg := plain.cfg
			cfg.Compression = method
			db := connect(t, cfg)
			mustInsert(t, db, testLane, token(testLane, 0), calls(1, 20_000))
			mustBeAt(t, db, testLane, 10_000)
			if n := countRows(t, db, "tool_calls"); n != 20_000 {
				t.Errorf("%d rows, want 20,000", n)
			}
		})
	}
}

func TestAnInsertAfterACancelledOneIsWhole(t *testing.T) {
	db := open(t)
	rows := calls(1, 40_000)
	var x uint64
	for i := range 20 {
		mustBeAt(t, db, testLane, x)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*3*time.Millisecond)
		_ = db.Insert(ctx, testLane, token(testLane, x), rows[2*x:2*x+1000])
		cancel()
		mustBeStoredUpTo(t, db, &x)
		mustInsert(t, db, testLane, token(testLane, x), rows[2*x:2*x+500])
		mustBeStoredUpTo(t, db, &x)
	}
	if n := countRows(t, db, "tool_calls"); n != 2*x {
		t.Errorf("%d rows, want %d", n, 2*x)
	}
	if n := countRows(t, db, "(SELECT DISTINCT id FROM tool_calls)"); n != 2*x {
		t.Errorf("%d different events, want %d", n, 2*x)
	}
}

// mustBeStoredUpTo moves x to the lane's position.
func mustBeStoredUpTo(t *testing.T, db *DB, x *uint64) {
	t.Helper()
	var err error
	if *x, err = db.Position(t.Context(), testLane); err != nil {
		t.Fatal(err)
	}
}

// TestTheDriversOwnColumnsTakeWhatInsertsPut stands for the native protocol, where the server says the columns' types: the driver's
// columns of just these types are filled, and the engine reads what they encode.
func TestTheDriversOwnColumnsTakeWhatInsertsPut(t *testing.T) {
	db := open(t)
	for _, sample := range samples() {
		t.Run(string(sample.Kind()), func(t *testing.T) {
			table, err := tableOf(sample.Kind())
			if err != nil {
				t.Fatal(err)
			}
			rows := generated(sample)
			sendByDriver(t, db, table, rows)
			compare(t, db, "driver", rows)
		})
	}
}

// sendByDriver inserts rows with the columns that the driver makes for the table's own types.
func sendByDriver(t *testing.T, db *DB, table *Table, rows []events.Row) {
	t.Helper()
	in := new(input)
	if err := in.load(table, rows); err != nil {
		t.Fatal(err)
	}
	in.place = place{lane: "driver", at: db.now(), day: db.now()}
	types := columnTypes(t, db, table)
	block := proto.Block{ServerContext: &chcolumn.ServerContext{}}
	for i, c := range table.columns {
		if err := block.AddColumn(c.name, chcolumn.Type(types[c.name])); err != nil {
			t.Fatal(err)
		}
		if err := c.put(appender{block.Columns[i]}, in); err != nil {
			t.Fatalf("%s %s: %v", c.name, types[c.name], err)
		}
	}
	var buf chproto.Buffer
	if err := block.Encode(&buf, 0); err != nil {
		t.Fatal(err)
	}
	if err := db.conn.InsertFormat(t.Context(), "Native", table.insert, bytes.NewReader(buf.Buf)); err != nil {
		t.Fatal(err)
	}
}

func columnTypes(t *testing.T, db *DB, table *Table) map[string]string {
	t.Helper()
	var row struct {
		Name string `ch:"name"`
		Type string `ch:"type"`
	}
	types := map[string]string{}
	err := db.Each(t.Context(), "SELECT name, type FROM system.columns WHERE database = ? AND table = ?",
		[]any{db.cfg.Database, table.Name}, &row, func() error {
			types[row.Name] = row.Type
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return types
}

// appender makes a column of the driver's take values as one of its batches does.
type appender struct{ chcolumn.Interface }

func (a appender) Append(v any) error {
	_, err := a.Interface.Append(v)
	return err
}
