package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// testConfig names a database of this test's own on the real engine, or on the server that TOOLTRAIL_CLICKHOUSE names.
func testConfig(t testing.TB) Config {
	t.Helper()
	cfg := DefaultConfig()
	cfg.Address = os.Getenv("TOOLTRAIL_CLICKHOUSE")
	if cfg.Address == "" {
		cfg.Address = "http://" + enginetest.Start(t)
	}
	cfg.Database = "test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	return cfg
}

// open returns a migrated database that ends with the test.
func open(t testing.TB) *DB {
	t.Helper()
	db := connect(t, testConfig(t))
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.conn.Exec(context.Background(), "DROP DATABASE `"+db.cfg.Database+"`"); err != nil {
			t.Error(err)
		}
	})
	return db
}

// open2 returns another process's view of the same database.
func open2(t testing.TB, db *DB) *DB {
	t.Helper()
	return connect(t, db.cfg)
}

func connect(t testing.TB, cfg Config) *DB {
	t.Helper()
	db, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestMigrateRunsTwiceAndInSeveralProcessesAtOnce(t *testing.T) {
	db := connect(t, testConfig(t))
	var wg sync.WaitGroup
	for range 3 {
		other := open2(t, db)
		wg.Go(func() {
			if err := other.Migrate(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	todo, err := db.pending(t.Context())
	if err != nil || len(todo) != 0 {
		t.Errorf("%d migrations left, %v, want none", len(todo), err)
	}
}

func TestMigrateAppliesAChangedRetention(t *testing.T) {
	db := open(t)
	for _, c := range []struct {
		days int
		want string
	}{{30, "toDateTime(ingested_at) + toIntervalDay(30)"}, {0, ""}, {7, "toDateTime(ingested_at) + toIntervalDay(7)"}} {
		db.cfg.RetentionDays = c.days
		if err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, table := range Tables() {
			if got, err := db.retention(t.Context(), table.Name); err != nil || got != c.want {
				t.Errorf("%s with %d days: %q, %v, want %q", table.Name, c.days, got, err, c.want)
			}
		}
	}
}

func TestTheTablesHaveTheColumnsThatInsertsFill(t *testing.T) {
	db := open(t)
	var row struct {
		Name string `ch:"name"`
	}
	for _, table := range Tables() {
		var got []string
		err := db.Each(t.Context(), "SELECT name FROM system.columns WHERE database = ? AND table = ? AND default_kind = '' ORDER BY position",
			[]any{db.cfg.Database, table.Name}, &row, func() error {
				got = append(got, row.Name)
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(table.Columns(), got); diff != "" {
			t.Errorf("%s (-filled +has):\n%s", table.Name, diff)
		}
	}
}

func TestEveryFieldOfEveryKindComesBackAsItWas(t *testing.T) {
	db := open(t)
	for i, sample := range samples() {
		t.Run(string(sample.Kind()), func(t *testing.T) {
			lane := fmt.Sprintf("%d/tooltrail.v1.0.%s", i, sample.Kind())
			if sample.Kind() == events.KindDeadLetter {
				lane = fmt.Sprintf("%d/%s", i, events.DeadLetterSubject)
			}
			rows := generated(sample)
			mustInsert(t, db, lane, token(lane, 0), rows)
			compare(t, db, lane, rows)
		})
	}
}

// bare returns an event of e's kind with no field set.
func bare(e *events.Event) *events.Event {
	return &events.Event{ID: uuid.NewString(), Data: reflect.New(reflect.TypeOf(e.Data).Elem()).Interface().(events.Data)}
}

// compare reads rows back and compares every column.
func compare(t *testing.T, db *DB, lane string, rows []events.Row) {
	t.Helper()
	table, err := tableOf(rows[0].Event.Kind())
	if err != nil {
		t.Fatal(err)
	}
	got := readBack(t, db, table, lane, rows[0].Seq)
	if len(got) != len(rows) {
		t.Fatalf("%d rows came back, want %d", len(got), len(rows))
	}
	for i, r := range rows {
		want := flatten(r.Event)
		want["lane"], want["seq"], want["pos"] = lane, int64(r.Seq), int64(r.Pos) //nolint:gosec // small
		for k, v := range want {
			if v != nil {
				want[k] = plain(reflect.ValueOf(v))
			}
		}
		delete(got[i], "ingested_at")
		delete(got[i], "part_day")
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Fatalf("row %d (-inserted +read):\n%s", i, diff)
		}
	}
}

func readBack(t *testing.T, db *DB, table *Table, lane string, from uint64) []map[string]any {
	t.Helper()
	rows, err := db.conn.Query(t.Context(), "SELECT * FROM "+table.Name+" WHERE lane = ? AND seq >= ? ORDER BY seq, pos", lane, from)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []map[string]any
	for rows.Next() {
		values := make([]any, len(rows.Columns()))
		for i, c := range rows.ColumnTypes() {
			values[i] = reflect.New(c.ScanType()).Interface()
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		m := map[string]any{}
		for i, name := range rows.Columns() {
			m[name] = plain(reflect.ValueOf(values[i]).Elem())
		}
		out = append(out, m)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAllRowsOfABatchHaveOneTimeOfIngestion(t *testing.T) {
	db := open(t)
	mustInsert(t, db, testLane, token(testLane, 0), calls(1, 1000))
	if n := countRows(t, db, "(SELECT DISTINCT ingested_at, part_day FROM tool_calls)"); n != 1 {
		t.Errorf("%d times, want 1", n)
	}
}

func TestEachFillsAFreshRowAndStopsAtAnError(t *testing.T) {
	db := open(t)
	var row struct {
		N    uint64   `ch:"n"`
		List []string `ch:"list"`
		Some *int64   `ch:"some"`
	}
	const query = "SELECT number AS n, arrayMap(i -> toString(i), range(number)) AS list, if(number = 1, 5::Nullable(Int64), NULL) AS some FROM numbers(?) ORDER BY n"
	var lists [][]string
	err := db.Each(t.Context(), query, []any{3}, &row, func() error {
		if (row.Some != nil) != (row.N == 1) {
			t.Errorf("row %d: some is %v", row.N, row.Some)
		}
		lists = append(lists, row.List)
		return nil
	})
	if diff := cmp.Diff([][]string{{}, {"0"}, {"0", "1"}}, lists); err != nil || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
	stop, n := errors.New("stop"), 0
	err = db.Each(t.Context(), query, []any{3}, &row, func() error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("%v after %d rows, want the function's own error after 1", err, n)
	}
}

func TestErrorsSayWhetherTheyMayPassAndQuoteNoValues(t *testing.T) {
	db := open(t)
	const secret = "s3cret-value"
	rows := calls(1, 1)
	rows[0].Event.Data.(*events.ToolCall).ToolName = secret
	noID := calls(1, 1)
	noID[0].Event.ID = secret
	mixed := append(calls(1, 1), events.Row{Seq: 2, Event: bare(&events.Event{Data: &events.Activation{}})})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	var row struct{}
	none := func() error { return nil }
	for name, c := range map[string]struct {
		err       error
		permanent bool
	}{
		"not a UUID":    {db.Insert(t.Context(), testLane, token(testLane, 0), noID), true},
		"two kinds":     {db.Insert(t.Context(), testLane, token(testLane, 0), mixed), true},
		"cancelled":     {db.Insert(cancelled, testLane, token(testLane, 0), rows), false},
		"syntax":        {db.Each(t.Context(), "SELEC '"+secret+"'", nil, &row, none), true},
		"cast":          {db.Each(t.Context(), "SELECT toUInt8('"+secret+"')", nil, &row, none), true},
		"missing table": {db.Each(t.Context(), "SELECT '"+secret+"' FROM nowhere", nil, &row, none), false},
		"missing field": {db.Each(t.Context(), "SELECT '"+secret+"' AS x", nil, &row, none), true},
		"no lane":       {firstErr(db.Position(t.Context(), "nothing")), true},
	} {
		t.Run(name, func(t *testing.T) {
			e := asError(t, c.err)
			if e.Permanent() != c.permanent {
				t.Errorf("%v: permanent is %v, want %v", e, e.Permanent(), c.permanent)
			}
			if strings.Contains(e.Error(), secret) {
				t.Errorf("%v quotes a value", e)
			}
		})
	}
	if err := db.Insert(cancelled, testLane, token(testLane, 0), rows); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want one that is context.Canceled", err)
	}
}

func firstErr(_ uint64, err error) error { return err }

func TestAServerThatIsAwayIsAnErrorThatMayPass(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Address, cfg.DialTimeout = "http://127.0.0.1:1", time.Second
	_, err := Open(t.Context(), cfg)
	if e := asError(t, err); e.Permanent() {
		t.Errorf("%v is permanent", e)
	}
	cfg.Address = "clickhouse://127.0.0.1:1"
	_, err = Open(t.Context(), cfg)
	if e := asError(t, err); e.Permanent() {
		t.Errorf("%v is permanent", e)
	}
}

func TestNoRowsAreNoInsert(t *testing.T) {
	if err := new(DB).Insert(t.Context(), testLane, token(testLane, 0), nil); err != nil {
		t.Error(err)
	}
}
