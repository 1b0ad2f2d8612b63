package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// openStore returns the real store, in a database of the test's own.
func openStore(t testing.TB) *store.DB {
	t.Helper()
	addr, database := enginetest.Database(t)
	return storetest.Open(t, addr, database)
}

type counts struct {
	Rows uint64 `ch:"rows"`
	IDs  uint64 `ch:"ids"`
}

func countCalls(t testing.TB, db *store.DB) counts {
	t.Helper()
	var c, last counts
	if err := db.Each(context.Background(), "SELECT count() AS rows, uniqExact(id) AS ids FROM tool_calls", nil, &c, func() error { last = c; return nil }); err != nil {
		t.Fatal(err)
	}
	return last
}

// rough is the real store over a bad line: of the inserts some are cancelled early, some lose their answer, some never arrive.
type rough struct {
	*store.DB
	broken, tries atomic.Int64
}

func (r *rough) Insert(ctx context.Context, lane, token string, rows []events.Row) error {
	r.tries.Add(1)
	switch rand.N(6) {
	case 0:
		r.broken.Add(1)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, rand.N(15*time.Millisecond))
		defer cancel()
	case 1:
		r.broken.Add(1)
		_ = r.DB.Insert(ctx, lane, token, rows)
		return context.DeadlineExceeded
	case 2:
		r.broken.Add(1)
		return errAway
	}
	return r.DB.Insert(ctx, lane, token, rows)
}

func TestEachEventIsInTheRealStoreOnce(t *testing.T) {
	db := openStore(t)
	js := startBroker(t).connect()
	makeStreams(t, js)
	const n = 4000
	sinks := []*rough{{DB: db}, {DB: db}}
	go func() {
		for i := range n / 200 {
			publishCalls(t, js, i*200, (i+1)*200, 1+i%7)
			if i%5 == 0 {
				publishCalls(t, js, i*200, i*200+50, 3) // a publisher that tries again under other message ids
			}
		}
	}()
	for round := 0; countCalls(t, db).Rows < n; round++ {
		var both []*running
		for i, sink := range sinks {
			cfg := quick()
			cfg.MaxRows, cfg.Grace = 100+150*i+17*round, 0
			both = append(both, run(t, js, sink, cfg))
		}
		until := sinks[0].tries.Load() + sinks[1].tries.Load() + 1 + rand.N(int64(12))
		eventually(t, "some inserts, then both are stopped without grace", func() bool {
			return sinks[0].tries.Load()+sinks[1].tries.Load() >= until || countCalls(t, db).Rows >= n
		})
		for _, r := range both {
			_ = r.stop()
		}
	}
	r := run(t, js, db, quick())
	eventually(t, "settled", func() bool { return r.value(t, r.metrics.LagMessages.WithLabelValues("0", "tool_call")) == 0 })
	if got := countCalls(t, db); got.Rows != n || got.IDs != n {
		t.Errorf("%d rows with %d ids, want %d", got.Rows, got.IDs, n)
	}
	t.Logf("%d inserts were broken", sinks[0].broken.Load()+sinks[1].broken.Load())
}

func TestDeadLettersAreInTheRealStore(t *testing.T) {
	db := openStore(t)
	js := startBroker(t).connect()
	makeStreams(t, js)
	run(t, js, db, quick())
	publish(t, js, lines([]byte("\xff not even text"), call(0)))
	var letters []store.DeadLetter
	eventually(t, "a dead letter", func() bool {
		var err error
		if letters, err = db.DeadLetters(t.Context(), store.DeadLetterFilter{}); err != nil {
			t.Fatal(err)
		}
		return len(letters) == 1
	})
	if l := letters[0]; l.Subject != callSubject || l.StreamSeq != 1 || l.StreamPos != 0 || l.Payload != "\xff not even text" {
		t.Errorf("%+v", l)
	}
	eventually(t, "the good one", func() bool { return countCalls(t, db).Rows == 1 })
}

// The real store keeps what a Sink promises, which all rests on.
func TestTheRealStoreIsASink(t *testing.T) {
	var db ingest.Sink = openStore(t)
	ctx := t.Context()
	lane := "1/" + callSubject
	row := func(seq uint64) events.Row {
		e, err := events.Decode(call(int(seq)))
		if err != nil {
			t.Fatal(err)
		}
		return events.Row{Seq: seq, Event: e}
	}
	insert := func(from uint64, rows ...events.Row) error {
		return db.Insert(ctx, lane, fmt.Sprintf("%s@%d", lane, from), rows)
	}
	if err := insert(0, row(1), row(2)); err != nil {
		t.Fatal(err)
	}
	if err := insert(0, row(1), row(2), row(3)); err != nil {
		t.Fatalf("the second from the same position must be dropped without an error: %v", err)
	}
	if p, err := db.Position(ctx, lane); err != nil || p != 2 {
		t.Fatalf("position %d, %v", p, err)
	}
	if err := insert(2, row(5)); err != nil {
		t.Fatal(err)
	}
	ids, err := db.RecentIDs(ctx, lane, 2, 1)
	if err != nil || len(ids) != 2 || ids[0] != callID(5) || ids[1] != callID(2) {
		t.Errorf("recent ids %v, %v", ids, err)
	}
	bad := row(6)
	bad.Event.ID = "no uuid"
	var refusal ingest.Refusal
	if err := insert(5, bad); !errors.As(err, &refusal) || !refusal.Permanent() {
		t.Errorf("a row that can't be stored: %v", err)
	}
}
