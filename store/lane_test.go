package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

const testLane = "1764000000000000000/tooltrail.v1.0.tool_call"

// calls returns n tool calls from stream sequence from on, two in a message.
func calls(from uint64, n int) []events.Row {
	rows := make([]events.Row, n)
	for i := range rows {
		rows[i] = events.Row{Seq: from + uint64(i/2), Pos: uint32(i % 2), Event: &events.Event{
			ID: uuid.Must(uuid.NewV7()).String(), Source: "test", Time: time.UnixMicro(1_764_000_000_000_000),
			Data: &events.ToolCall{ToolName: "search", Server: "web", Outcome: events.OutcomeOK},
		}}
	}
	return rows
}

func token(lane string, x uint64) string { return fmt.Sprintf("%s@%d", lane, x) }

// countRows returns how many rows a query over tool_calls counts.
func countRows(t *testing.T, db *DB, where string, args ...any) uint64 {
	t.Helper()
	var row struct {
		N uint64 `ch:"n"`
	}
	err := db.Each(t.Context(), "SELECT count() AS n FROM "+where, args, &row, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return row.N
}

func mustInsert(t *testing.T, db *DB, lane, token string, rows []events.Row) {
	t.Helper()
	if err := db.Insert(t.Context(), lane, token, rows); err != nil {
		t.Fatal(err)
	}
}

func mustBeAt(t *testing.T, db *DB, lane string, want uint64) {
	t.Helper()
	got, err := db.Position(t.Context(), lane)
	if err != nil || got != want {
		t.Fatalf("position %d, %v, want %d", got, err, want)
	}
}

func TestPositionIsTheHighestStoredSequenceOfALane(t *testing.T) {
	db := open(t)
	other := strings.Replace(testLane, ".0.", ".1.", 1)
	mustBeAt(t, db, testLane, 0)
	mustInsert(t, db, testLane, token(testLane, 0), calls(1, 10))
	mustBeAt(t, db, testLane, 5)
	mustBeAt(t, db, other, 0)
	mustInsert(t, db, other, token(other, 0), calls(100, 2))
	mustInsert(t, db, testLane, token(testLane, 5), calls(7, 3))
	mustBeAt(t, db, testLane, 8)
	mustBeAt(t, db, other, 100)
}

func TestRecentIDsAreTheNewestOfALane(t *testing.T) {
	db := open(t)
	rows := calls(1, 20)
	mustInsert(t, db, testLane, token(testLane, 0), rows[:8])
	mustInsert(t, db, testLane, token(testLane, 4), rows[8:])
	for _, c := range []struct {
		n     int
		above uint64
		want  int
	}{{100, 0, 20}, {5, 0, 5}, {100, 8, 4}, {100, 10, 0}} {
		got, err := db.RecentIDs(t.Context(), testLane, c.n, c.above)
		if err != nil || len(got) != c.want {
			t.Fatalf("the newest %d over %d: %d ids, %v, want %d", c.n, c.above, len(got), err, c.want)
		}
		for i, id := range got {
			if want := rows[len(rows)-1-i].Event.ID; id.String() != want {
				t.Errorf("id %d is %s, want %s", i, id, want)
			}
		}
	}
}

func TestABlockSentTwiceIsStoredOnce(t *testing.T) {
	db := open(t)
	rows := calls(1, 10)
	writer := open2(t, db)
	mustBeAt(t, writer, testLane, 0)
	mustInsert(t, db, testLane, token(testLane, 0), rows)
	mustInsert(t, writer, testLane, token(testLane, 0), rows) // it has not read the position since
	if n := countRows(t, db, "tool_calls"); n != 10 {
		t.Errorf("%d rows, want 10", n)
	}
}

func TestOtherRowsUnderTheSameTokenAreDropped(t *testing.T) {
	db := open(t)
	writer := open2(t, db)
	mustBeAt(t, writer, testLane, 0)
	mustInsert(t, db, testLane, token(testLane, 0), calls(1, 10))
	mustInsert(t, writer, testLane, token(testLane, 0), calls(1, 30))
	mustBeAt(t, writer, testLane, 5)
}

// today is when the day began; rows of long ago would be past their retention.
func today() time.Time { return time.Now().UTC().Truncate(24 * time.Hour) }

func TestTheTokenHoldsOverMidnight(t *testing.T) {
	db := open(t)
	writer := open2(t, db)
	evening := today().Add(-time.Second)
	db.now = func() time.Time { return evening }
	writer.now = func() time.Time { return evening.Add(2 * time.Second) }
	for x := uint64(0); x < 20; x += 5 {
		mustBeAt(t, writer, testLane, x)
		mustInsert(t, db, testLane, token(testLane, x), calls(x+1, 10))
		mustInsert(t, writer, testLane, token(testLane, x), calls(x+1, 8))
		mustBeAt(t, db, testLane, x+5)
	}
	if n := countRows(t, db, "tool_calls"); n != 40 {
		t.Errorf("%d rows, want 40", n)
	}
}

func TestABatchGoesIntoThePartitionOfTheBatchBeforeIt(t *testing.T) {
	db := open(t)
	day := today().AddDate(0, 0, -3)
	for i, want := range []string{"1970-01-01", day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)} {
		db.now = func() time.Time { return day.AddDate(0, 0, i) }
		x := uint64(i) * 5
		mustBeAt(t, db, testLane, x)
		mustInsert(t, db, testLane, token(testLane, x), calls(x+1, 10))
		if n := countRows(t, db, "tool_calls WHERE part_day = ?", want); n != 10 {
			t.Errorf("batch %d: %d rows in the partition %s, want 10", i, n, want)
		}
	}
}

func TestABatchThatTheLaneHasPassedIsLeftOut(t *testing.T) {
	db := open(t)
	mustInsert(t, db, testLane, token(testLane, 0), calls(1, 10))
	mustBeAt(t, db, testLane, 5)
	mustInsert(t, db, testLane, token(testLane, 0)+"#1", calls(1, 10))
	if n := countRows(t, db, "tool_calls"); n != 10 {
		t.Errorf("%d rows, want 10", n)
	}
	err := db.Insert(t.Context(), testLane, token(testLane, 9), calls(10, 2))
	if e := asError(t, err); e.Permanent() {
		t.Errorf("%v is permanent, want one that may pass", e)
	}
}

func TestAnotherTryUnderANumberedTokenIsStored(t *testing.T) {
	db := open(t)
	lost := token(testLane, 0)
	if err := db.conn.Exec(t.Context(), "INSERT INTO tool_calls (lane, seq) SETTINGS insert_deduplication_token = '"+lost+"' SELECT 'other', 1"); err != nil {
		t.Fatal(err)
	}
	mustInsert(t, db, testLane, lost, calls(1, 10))
	mustBeAt(t, db, testLane, 0)
	mustInsert(t, db, testLane, lost+"#1", calls(1, 10))
	mustBeAt(t, db, testLane, 5)
}

func TestALargeBatchIsOnePart(t *testing.T) {
	db := open(t)
	mustInsert(t, db, testLane, token(testLane, 0), calls(1, 20_000))
	parts := "system.parts WHERE database = ? AND table = ? AND active"
	if n := countRows(t, db, parts, db.cfg.Database, db.ddl.Local("tool_calls")); n != 1 {
		t.Errorf("%d parts, want 1", n)
	}
	if n := countRows(t, db, "tool_calls"); n != 20_000 {
		t.Errorf("%d rows, want 20,000", n)
	}
}

// TestOfTwoWritersOneWinsEachStep lets writers race along one stream with batches of their own choosing. Nothing but the token holds them apart.
func TestOfTwoWritersOneWinsEachStep(t *testing.T) {
	const messages = 400
	db := open(t)
	stream := calls(1, 2*messages)
	var wg sync.WaitGroup
	for w := range 3 {
		writer := open2(t, db)
		wg.Go(func() {
			if err := drain(t.Context(), writer, stream, rand.New(rand.NewPCG(1, uint64(w)))); err != nil { //nolint:gosec // a test
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := countRows(t, db, "tool_calls"); n != 2*messages {
		t.Errorf("%d rows, want %d", n, 2*messages)
	}
	if n := countRows(t, db, "(SELECT DISTINCT seq, pos FROM tool_calls)"); n != 2*messages {
		t.Errorf("%d different rows, want %d", n, 2*messages)
	}
}

// drain inserts what is left of a stream until all of it is stored.
func drain(ctx context.Context, db *DB, stream []events.Row, r *rand.Rand) error {
	for {
		x, err := db.Position(ctx, testLane)
		if err != nil || int(2*x) >= len(stream) { //nolint:gosec // small
			return err
		}
		rest := stream[2*x:]
		rest = rest[:min(len(rest), 2*(1+r.IntN(20)))]
		if err := db.Insert(ctx, testLane, token(testLane, x), rest); err != nil {
			return err
		}
	}
}

func asError(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is not an *Error", err)
	}
	return e
}
