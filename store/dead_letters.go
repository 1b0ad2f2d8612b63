package store

import (
	"context"
	_ "embed" // for the query
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

// DeadLetter is a stored [events.DeadLetter], which [DB.Insert] takes as it takes events.
type DeadLetter struct {
	// Lane, Seq and Pos are its place in the stream of dead letters.
	Lane string `ch:"lane"`
	Seq  uint64 `ch:"seq"`
	Pos  uint32 `ch:"pos"`
	// IngestedAt is when it was stored.
	IngestedAt time.Time `ch:"ingested_at"`
	// ID is derived from its place in the event stream.
	ID uuid.UUID `ch:"id"`
	// Time is when it was refused.
	Time time.Time `ch:"time"`
	// Subject, StreamSeq and StreamPos are where it was in the event stream.
	Subject   string `ch:"subject"`
	StreamSeq uint64 `ch:"stream_seq"`
	StreamPos uint64 `ch:"stream_pos"`
	// Reason says what was wrong, Path where, as a JSON pointer.
	Reason string `ch:"reason"`
	Path   string `ch:"path"`
	// Payload is the bytes as they came.
	Payload string `ch:"payload"`
}

// DeadLetterFilter chooses dead letters; an empty field lets all pass.
type DeadLetterFilter struct {
	// Window is a span of when they were refused.
	Window finding.Window
	// ID, Subject and Reason must be equal.
	ID, Subject, Reason string
	// Limit is how many to return at most, the newest first; 0 is 1,000.
	Limit int
}

//go:embed queries/dead_letters.sql
var deadLettersSQL string

type letter = events.DeadLetter

var deadLetters = newTable("dead_letters", events.KindDeadLetter,
	timeColumn(),
	text("subject", func(l *letter) string { return l.Subject }),
	unsigned("stream_seq", func(l *letter) uint64 { return l.StreamSeq }),
	unsigned("stream_pos", func(l *letter) uint64 { return uint64(l.StreamPos) }),
	text("reason", func(l *letter) string { return l.Reason }),
	text("path", func(l *letter) string { return l.Path }),
	text("payload", func(l *letter) string { return string(l.Payload) }),
)

// DeadLetters returns the dead letters that f chooses, the newest first.
func (db *DB) DeadLetters(ctx context.Context, f DeadLetterFilter) ([]DeadLetter, error) {
	var out []DeadLetter
	var row DeadLetter
	err := db.Each(ctx, deadLettersSQL, []any{
		f.Subject, f.Subject, f.Reason, f.Reason, f.ID, f.ID,
		bound(f.Window.From), f.Window.To.IsZero(), bound(f.Window.To), limit(f.Limit),
	}, &row, func() error {
		out = append(out, row)
		return nil
	})
	return out, err
}

// bound returns a time as queries compare it with a column of times.
func bound(t time.Time) string {
	if t.IsZero() {
		t = earliest
	}
	return storable(t).UTC().Format("2006-01-02 15:04:05.000000")
}

// limit returns n, or what is returned at most where nothing was said.
func limit(n int) int {
	if n <= 0 {
		return 1000
	}
	return n
}
