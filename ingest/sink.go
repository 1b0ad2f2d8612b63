package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

// Sink stores events. Its methods are called from several goroutines at once, for one lane from one at a time.
type Sink interface {
	// Position returns the highest stored stream sequence of a lane, 0 when it has none.
	Position(ctx context.Context, lane string) (uint64, error)
	// RecentIDs returns the ids of the newest n stored events of a lane whose sequence is over above, newest first.
	RecentIDs(ctx context.Context, lane string, n int, above uint64) ([]uuid.UUID, error)
	// Insert stores rows of one kind as one block, all or none, under a deduplication token
	// that ends in @POSITION or @POSITION#TRY: a second block with the token of one that was stored is dropped without an
	// error. An error in whose chain is a [Refusal] says that these rows are at fault and trying again is no use.
	Insert(ctx context.Context, lane, token string, rows []events.Row) error
}

// Preparer is a [Sink] that can do the part of an insert that needs no position beforehand. A batch is prepared while the one before is on
// its way; the function that Prepare returns is then called once in place of Insert, and means the same.
type Preparer interface {
	Prepare(rows []events.Row) (insert func(ctx context.Context, lane, token string) error, err error)
}

// Refusal is in the chain of a [Sink]'s error for rows that it will never store, whatever the number of tries.
type Refusal interface {
	error
	// Permanent reports that the rows are at fault.
	Permanent() bool
}

// Enricher adds to an event what its sender did not say, between decoding and storing. It is called from several goroutines
// at once. A batch that is built again is enriched again.
type Enricher interface {
	Enrich(e *events.Event)
}

// UnstoredError is what [Ingester.Run] returns when it was stopped and the grace period did not suffice to store what had
// been fetched. The events are still in the stream.
type UnstoredError struct {
	// Events is the number of decoded events that were not seen to be stored.
	Events int
	// Cause is the last reason.
	Cause error
}

// Error gives the number and the reason.
func (e *UnstoredError) Error() string {
	return fmt.Sprintf("stop with %d events not stored: %v", e.Events, e.Cause)
}

// Unwrap returns the cause.
func (e *UnstoredError) Unwrap() error { return e.Cause }

// Reasons for which a lane gives its consumer up and starts again from the store's position.
var (
	errOvertaken  = errors.New("another ingester stored from the same position first")
	errSkipped    = errors.New("the consumer skipped a message")
	errStalled    = errors.New("the consumer delivered messages that never arrived")
	errRecreated  = errors.New("the stream was recreated")
	errBehind     = errors.New("the stream ends before the store's position: it was restored from an older state")
	errRefusesAll = errors.New("the store refuses row after row: the store is taken to be at fault, not the rows")
	errGraceOver  = errors.New("the grace period is over")
)

// refused reports that the sink will never take what it was given.
func refused(err error) bool {
	var r Refusal
	return errors.As(err, &r) && r.Permanent()
}
