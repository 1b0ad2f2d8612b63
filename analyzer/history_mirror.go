package analyzer

import (
	"context"
	"errors"
	"log/slog"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// mirror saves the revisions of one bucket of one epoch.
type mirror struct {
	*History
	bucket RevisionSource
	epoch  string
	// stored are revisions that are stored already.
	stored  map[uint64]bool
	waiting chan stream.Entry
	moved   func()
}

// take hands a revision on, and waits while the store is slower than the bucket.
func (m *mirror) take(ctx context.Context, e stream.Entry) error {
	if ownKey(e.Key) || m.stored[e.Revision] {
		return nil
	}
	select {
	case m.waiting <- e:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// run saves batch after batch until ctx ends.
func (m *mirror) run(ctx context.Context) error {
	for {
		select {
		case e := <-m.waiting:
			if err := m.batch(ctx, e); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// batch saves a revision and those that wait behind it. Before that it makes sure that they are of this epoch: a bucket that is deleted
// and made anew looks the same to who reads it for a while.
func (m *mirror) batch(ctx context.Context, first stream.Entry) error {
	changes := m.collect(first)
	now, err := m.bucket.Epoch(ctx)
	if err != nil {
		return err
	}
	if now != m.epoch {
		return stream.ErrReplaced
	}
	if err := m.save(ctx, changes); err != nil {
		return err
	}
	m.moved()
	return nil
}

// collect returns the changes that are here by now, up to the limits of a batch.
func (m *mirror) collect(first stream.Entry) []events.ToolChange {
	changes, size := []events.ToolChange{changeOf(m.bucket.Name(), m.epoch, &first)}, len(first.Value)
	for len(changes) < maxBatchChanges && size < maxBatchBytes {
		select {
		case e := <-m.waiting:
			changes = append(changes, changeOf(m.bucket.Name(), m.epoch, &e))
			size += len(e.Value)
		default:
			return changes
		}
	}
	return changes
}

// save saves changes, for as long as it takes the store to be there. Where the store refuses them for good, each is tried alone.
func (m *mirror) save(ctx context.Context, changes []events.ToolChange) error {
	pauses := newPauses()
	for {
		err := m.saveOnce(ctx, changes)
		switch {
		case err == nil:
			m.metrics.HistoryChanges.WithLabelValues(m.bucket.Name()).Add(float64(len(changes)))
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case isPermanent(err) && len(changes) == 1:
			m.giveUp(&changes[0], err)
			return nil
		case isPermanent(err):
			return m.each(ctx, changes)
		}
		m.metrics.HistoryErrors.WithLabelValues(m.bucket.Name()).Inc()
		d := pauses.NextBackOff()
		m.log.Warn("save tool changes again", slog.String("bucket", m.bucket.Name()), slog.Any("error", err), slog.Duration("retry_in", d))
		sleep(ctx, d)
	}
}

func (m *mirror) saveOnce(ctx context.Context, changes []events.ToolChange) error {
	ctx, cancel := context.WithTimeout(ctx, historyTimeout)
	defer cancel()
	return m.keep.SaveToolChanges(ctx, changes)
}

func (m *mirror) each(ctx context.Context, changes []events.ToolChange) error {
	for i := range changes {
		if err := m.save(ctx, changes[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// giveUp goes on behind a change that the store will never take, so that it does not hold up the others.
func (m *mirror) giveUp(c *events.ToolChange, err error) {
	m.metrics.HistoryErrors.WithLabelValues(m.bucket.Name()).Inc()
	m.log.Error("leave a tool change out of the history", slog.String("bucket", c.Bucket), slog.String("key", c.Key),
		slog.Uint64("revision", c.Revision), slog.Any("error", err))
}

// isPermanent reports that trying again is no use.
func isPermanent(err error) bool {
	var p interface{ Permanent() bool }
	return errors.As(err, &p) && p.Permanent()
}
