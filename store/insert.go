package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

// inputs keeps buffers for the next batch.
var inputs = sync.Pool{New: func() any { return new(input) }}

// Insert stores rows of one kind, read from one lane, as one block under a deduplication token, and returns when they are there. A
// token ends in @X or @X#N, where X is the lane's position that the batch continues from ([DB.Position]). Where the lane has moved on from X,
// or a block of this token is stored, Insert stores nothing and returns nil: after every Insert the caller reads the
// position again. Errors are [*Error]; after one that is not permanent the rows may be stored or not.
func (db *DB) Insert(ctx context.Context, lane, token string, rows []events.Row) error {
	insert, err := db.Prepare(rows)
	if err != nil {
		return err
	}
	return insert(ctx, lane, token)
}

// Prepare does the part of Insert that needs neither lane nor token, so that one batch can be encoded while another is on its way,
// and returns the rest, to be called once at most. The rows must not change before that. A permanent [*Error] is a row that can't be stored.
func (db *DB) Prepare(rows []events.Row) (insert func(ctx context.Context, lane, token string) error, err error) {
	if len(rows) == 0 {
		return func(context.Context, string, string) error { return nil }, nil
	}
	t, err := tableOf(rows[0].Event.Kind())
	if err != nil {
		return nil, err
	}
	if !db.http {
		return func(ctx context.Context, lane, token string) error { return db.insertNative(ctx, t, lane, token, rows) }, nil
	}
	in := inputs.Get().(*input)
	defer inputs.Put(in)
	defer in.reset()
	if err := in.load(t, rows); err != nil {
		return nil, err
	}
	b := t.blocks.get(t)
	if err := b.prepare(in, compressions[db.cfg.Compression]); err != nil {
		return nil, permanent("insert into "+t.Name, err.Error())
	}
	return func(ctx context.Context, lane, token string) error { return db.insertHTTP(ctx, b, lane, token, rows) }, nil
}

// load takes a batch in, and refuses one that can't be stored.
func (in *input) load(t *Table, rows []events.Row) error {
	in.rows = rows
	for i := range rows {
		e := rows[i].Event
		if e.Kind() != t.Kind {
			return permanent("insert into "+t.Name, fmt.Sprintf("row %d is of another kind, %q", i, e.Kind()))
		}
		id, err := uuid.Parse(e.ID)
		if err != nil {
			return permanent("insert into "+t.Name, fmt.Sprintf("row %d: /id: not a UUID", i))
		}
		in.ids = append(in.ids, id)
		in.data = append(in.data, e.Data)
		in.contexts = append(in.contexts, e.Data.Common())
	}
	return nil
}

// insertHTTP sends a block of our own making, unless the lane has moved on. After an error the block is not used again, since the
// driver may still be reading it.
func (db *DB) insertHTTP(ctx context.Context, b *block, lane, token string, rows []events.Row) error {
	t := b.table
	day, lost, err := db.partition(ctx, t, lane, token)
	if err != nil {
		return err
	}
	if lost {
		t.blocks.put(b)
		return nil
	}
	in := inputs.Get().(*input)
	defer inputs.Put(in)
	defer in.reset()
	in.rows, in.place = rows, place{lane: lane, at: db.now(), day: day}
	body, err := b.body(in, compressions[db.cfg.Compression])
	if err != nil {
		return permanent("insert into "+t.Name, err.Error())
	}
	settings := db.writing(token)
	if db.cfg.Compression != "none" {
		settings["decompress"] = 1
	}
	ctx = clickhouse.Context(ctx, clickhouse.WithSettings(settings))
	if err := db.conn.InsertFormat(ctx, "Native", t.insert, body); err != nil {
		return wrap("insert into "+t.Name, err)
	}
	t.blocks.put(b)
	return nil
}

// insertNative sends a batch of the driver's, which the native protocol needs, unless the lane has moved on.
func (db *DB) insertNative(ctx context.Context, t *Table, lane, token string, rows []events.Row) error {
	day, lost, err := db.partition(ctx, t, lane, token)
	if err != nil || lost {
		return err
	}
	in := inputs.Get().(*input)
	defer inputs.Put(in)
	defer in.reset()
	if err := in.load(t, rows); err != nil {
		return err
	}
	in.place = place{lane: lane, at: db.now(), day: day}
	batch, err := db.conn.PrepareBatch(clickhouse.Context(ctx, clickhouse.WithSettings(db.writing(token))), t.insert)
	if err != nil {
		return wrap("insert into "+t.Name, err)
	}
	defer batch.Close()
	for i := range t.columns {
		if err := t.columns[i].put(batch.Column(i), in); err != nil {
			return permanent("insert into "+t.Name, "column "+t.columns[i].name+" does not take its values")
		}
	}
	return wrap("insert into "+t.Name, batch.Send())
}

// partition returns the day that names the partition of a batch, and whether the lane has moved on from where the batch starts.
func (db *DB) partition(ctx context.Context, t *Table, lane, token string) (day time.Time, lost bool, err error) {
	from, named := tokenPosition(token)
	m, known := db.lastMark(lane)
	if !known || named && m.seq != from {
		if m, err = db.readMark(ctx, t, lane); err != nil {
			return day, false, err
		}
	}
	if named && m.seq < from {
		return day, false, &Error{Op: "insert into " + t.Name, Reason: fmt.Sprintf("the token says position %d, the lane is at %d", from, m.seq)}
	}
	return m.day, named && m.seq > from, nil
}

// tokenPosition returns the X of a token that ends in @X or @X#N.
func tokenPosition(token string) (uint64, bool) {
	_, x, ok := cutLast(token, "@")
	if !ok {
		return 0, false
	}
	x, _, _ = strings.Cut(x, "#")
	n, err := strconv.ParseUint(x, 10, 64)
	return n, err == nil
}

// cutLast slices s around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// writing returns the settings of an insert. In a cluster a majority of replicas has the block before the answer comes, one insert
// after the other, which is what a sequentially consistent read of the position asks for.
func (db *DB) writing(token string) clickhouse.Settings {
	s := clickhouse.Settings{"insert_deduplicate": 1, "insert_deduplication_token": token, "async_insert": 0}
	if db.cfg.Cluster != "" {
		s["insert_quorum"], s["insert_quorum_parallel"], s["distributed_foreground_insert"] = "auto", 0, 1
	}
	return s
}

// reading returns ctx with the settings of a query.
func (db *DB) reading(ctx context.Context) context.Context {
	s := db.readSettings()
	if len(s) == 0 {
		return ctx
	}
	return clickhouse.Context(ctx, clickhouse.WithSettings(s))
}

// readSettings are those of every query: in a cluster a query sees what a majority of replicas has.
func (db *DB) readSettings() clickhouse.Settings {
	s := clickhouse.Settings{}
	if db.cfg.Cluster != "" {
		s["select_sequential_consistency"] = 1
	}
	return s
}
