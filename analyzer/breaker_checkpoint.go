package analyzer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// checkpointKey is where the breaker's checkpoint is, in the bucket of its switches. It is no tool's.
const checkpointKey = "_checkpoint"

// checkpoint stores where the breaker is, unless it is there already, or another analyzer's is further on. One
// that is further on than the stream is no analyzer's.
func (b *Breaker) checkpoint(ctx context.Context) error {
	st, ok := b.snapshot()
	if !ok {
		return nil
	}
	data, left, err := st.Encode(MaxCheckpointBytes)
	if err != nil {
		return err
	}
	if left > 0 {
		b.log.Warn("the checkpoint is too large for all streaks; a restart would start the others anew", slog.Int("left_out", left))
	}
	ctx, cancel := context.WithTimeout(ctx, breakerAsk)
	defer cancel()
	_, err = b.switches.Change(ctx, checkpointKey, func(old []byte) ([]byte, error) {
		was, err := drift.DecodeBreakerState(old)
		if len(old) > 0 && err == nil {
			if ours, err := b.isNewer(ctx, st.Place, was.Place); err != nil || !ours {
				return nil, err
			}
		}
		b.metrics.CheckpointBytes.Set(float64(len(data)))
		return data, nil
	})
	if err != nil {
		return fmt.Errorf("store checkpoint: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = st.Place
	b.metrics.CheckpointTime.SetToCurrentTime()
	return nil
}

// isNewer reports whether a checkpoint at a place takes the place of the one that is stored.
func (b *Breaker) isNewer(ctx context.Context, ours, stored drift.Place) (bool, error) {
	switch order := stored.Compare(ours); {
	case order < 0:
		return true, nil
	case order == 0:
		return false, nil
	}
	there, err := b.reaches(ctx, stored)
	if err != nil || there {
		return false, err
	}
	b.log.Warn("replace a checkpoint that the stream has not come to", slog.String("epoch", stored.Epoch), slog.Uint64("seq", stored.Seq))
	return true, nil
}

// snapshot returns what a checkpoint has; false where the stored one is as new, or a message is half read.
func (b *Breaker) snapshot() (drift.BreakerState, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending != nil || !b.restored || b.core.Place().Epoch == "" {
		return drift.BreakerState{}, false
	}
	if b.core.Place() == b.kept {
		b.metrics.CheckpointTime.SetToCurrentTime()
		return drift.BreakerState{}, false
	}
	return b.core.State(), true
}

// restore goes on from the checkpoint, once.
func (b *Breaker) restore(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.restored {
		return nil
	}
	e, err := b.switches.Get(ctx, checkpointKey)
	switch {
	case errors.Is(err, stream.ErrNoKey):
		b.restored = true
		return nil
	case err != nil:
		return fmt.Errorf("read checkpoint: %w", err)
	}
	b.restored = true
	st, err := drift.DecodeBreakerState(e.Value)
	if err != nil {
		b.log.Error("start without the checkpoint: it can't be read", slog.Any("error", err))
		return nil
	}
	b.core.Restore(st)
	b.kept = st.Place
	return nil
}
