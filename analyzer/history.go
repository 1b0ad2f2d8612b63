package analyzer

import (
	"context"
	_ "embed" // for the query
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

// ChangeKeeper keeps changes of tools: one given twice is kept once. What it keeps is there for a [Querier] in the table tool_changes.
type ChangeKeeper interface {
	SaveToolChanges(ctx context.Context, changes []events.ToolChange) error
}

// RevisionSource is a bucket that gives its revisions in order; see [stream.Bucket].
type RevisionSource interface {
	Name() string
	Epoch(ctx context.Context) (string, error)
	Revisions(ctx context.Context, epoch string, from uint64, fn func(stream.Entry) error) error
}

// History keeps every revision of the buckets of the registry and the breaker, which themselves forget all but the last 64 of a key.
// Make one with [NewHistory].
type History struct {
	buckets []RevisionSource
	q       Querier
	keep    ChangeKeeper
	metrics *metrics.Analyzer
	log     *slog.Logger
}

// NewHistory returns a history that starts nothing.
func NewHistory(buckets []RevisionSource, q Querier, keep ChangeKeeper, m *metrics.Analyzer, log *slog.Logger) *History {
	return &History{buckets: buckets, q: q, keep: keep, metrics: m, log: log}
}

const (
	// maxBatchChanges is how many changes are saved at once at most. After a restart as many are read again, see stored.
	maxBatchChanges = 256
	// maxBatchBytes is about how many bytes of documents are saved at once.
	maxBatchBytes = 8 << 20
	// waitingChanges is how many changes wait for a batch; the bucket holds back the rest.
	waitingChanges = 16
	// historyRetryMin and historyRetryMax are the first and the longest wait before something is tried again. Tries never end.
	historyRetryMin, historyRetryMax = 200 * time.Millisecond, 15 * time.Second
	// historyTimeout ends one try to save, and one look at what is stored.
	historyTimeout = 30 * time.Second
)

// Run keeps what the buckets have and each change as it comes, in their order, until ctx ends, which is not an error. NATS and the
// store may be away for any time: it goes on from the last revision that is stored.
func (h *History) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	for _, b := range h.buckets {
		parts.Go(func() { h.follow(ctx, b) })
	}
	parts.Wait()
	return nil
}

// follow mirrors one bucket, and starts again whenever that ends.
func (h *History) follow(ctx context.Context, b RevisionSource) {
	pauses := newPauses()
	for ctx.Err() == nil {
		err := h.mirror(ctx, b, pauses.Reset)
		if ctx.Err() != nil {
			return
		}
		h.metrics.HistoryErrors.WithLabelValues(b.Name()).Inc()
		d := pauses.NextBackOff()
		h.log.Warn("follow bucket again", slog.String("bucket", b.Name()), slog.Any("error", err), slog.Duration("retry_in", d))
		sleep(ctx, d)
	}
}

// mirror saves the revisions of a bucket as it is now; moved is called for each batch that was saved.
func (h *History) mirror(ctx context.Context, b RevisionSource, moved func()) error {
	epoch, err := b.Epoch(ctx)
	if err != nil {
		return err
	}
	from, stored, err := h.stored(ctx, b.Name(), epoch)
	if err != nil {
		return fmt.Errorf("look for stored changes: %w", err)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	m := &mirror{History: h, bucket: b, epoch: epoch, stored: stored, waiting: make(chan stream.Entry, waitingChanges), moved: moved}
	var saving sync.WaitGroup
	saving.Go(func() { stop(m.run(ctx)) })
	err = b.Revisions(ctx, epoch, from, func(e stream.Entry) error { return m.take(ctx, e) })
	if err == nil {
		err = context.Cause(ctx)
	}
	stop(err)
	saving.Wait()
	return err
}

//go:embed history_stored.sql
var historyStoredSQL string

// stored returns the revision to go on from, and which revisions from there on are stored already. A batch that is cut short, by a
// cluster that took a part of it, lies within the newest stored revisions, as many as a batch has: from the lowest of those on, all are
// looked at again.
func (h *History) stored(ctx context.Context, bucket, epoch string) (from uint64, stored map[uint64]bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, historyTimeout)
	defer cancel()
	stored = map[uint64]bool{}
	var row struct {
		Revision uint64 `ch:"revision"`
	}
	err = h.q.Each(ctx, historyStoredSQL, []any{bucket, epoch, maxBatchChanges}, &row, func() error {
		from, stored[row.Revision] = row.Revision, true // the newest first
		return nil
	})
	if len(stored) < maxBatchChanges {
		from = 1
	}
	return from, stored, err
}

func newPauses() *backoff.ExponentialBackOff {
	p := backoff.NewExponentialBackOff()
	p.InitialInterval, p.MaxInterval, p.Multiplier = historyRetryMin, historyRetryMax, 2
	p.Reset()
	return p
}

// sleep returns after d, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
