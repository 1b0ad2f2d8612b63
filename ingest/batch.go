package ingest

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

// batch is what one insert stores: the events of consecutive whole messages of a lane.
type batch struct {
	rows []events.Row
	// ids are the rows' event ids, in the same order.
	ids []uuid.UUID
	// dead are lines of these messages that go to the dead-letter stream first.
	dead []deadLetter

	messages   int
	bytes      int
	cost       int64
	duplicates int
	// history holds the sequences of messages of long ago; nil where there are none.
	history map[uint64]bool
	// delivered and last are the consumer's and the stream's sequence of the last message.
	delivered, last uint64
	// oldest is when the first message was put into the stream; began is when it came here.
	oldest, began time.Time
	// prepared inserts the rows, where the sink has prepared them; once.
	prepared func(ctx context.Context, lane, token string) error
	// hurry is set when the memory is needed elsewhere.
	hurry bool
}

// high is the position that the lane has once the batch is stored.
func (b *batch) high() uint64 { return b.rows[len(b.rows)-1].Seq }

// full reports that nothing more may be added.
func (b *batch) full(c Config) bool {
	return b.hurry || b.bytes >= c.MaxBytes || len(b.rows)+len(b.dead) >= c.MaxRows
}

// prepare lets the sink do beforehand what it can. An error is not looked at: the insert will meet it again.
func (b *batch) prepare(p Preparer) {
	if insert, err := p.Prepare(b.rows); err == nil {
		b.prepared = insert
	}
}

// begin notes that a message starts.
func (b *batch) begin(m message) {
	if b.messages == 0 {
		b.began, b.oldest = time.Now(), m.time
	}
	b.messages++
	b.bytes += len(m.data)
	b.delivered, b.last = m.delivered, m.seq
	if m.header.Get(events.HistoryHeader) != "" {
		if b.history == nil {
			b.history = map[uint64]bool{}
		}
		b.history[m.seq] = true
	}
}

// halves splits the rows between two messages, as near to the middle as it goes. It returns false when all rows are of one
// message. The halves share the batch's memory and hold rows only.
func (b *batch) halves() (left, right *batch, ok bool) {
	cut := len(b.rows) / 2
	for cut > 0 && b.rows[cut-1].Seq == b.rows[cut].Seq {
		cut--
	}
	if cut == 0 {
		cut = len(b.rows) / 2
		for cut < len(b.rows) && (cut == 0 || b.rows[cut-1].Seq == b.rows[cut].Seq) {
			cut++
		}
	}
	if cut == len(b.rows) {
		return nil, nil, false
	}
	left = &batch{rows: b.rows[:cut:cut], ids: b.ids[:cut:cut], history: b.history}
	return left, &batch{rows: b.rows[cut:], ids: b.ids[cut:], history: b.history}, true
}

// reset empties the batch and keeps its memory for the next one.
func (b *batch) reset() {
	clear(b.rows)
	clear(b.dead)
	*b = batch{rows: b.rows[:0], ids: b.ids[:0], dead: b.dead[:0]}
}
