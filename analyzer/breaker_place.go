package analyzer

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// endOf is the last place of a stream.
func endOf(info *jetstream.StreamInfo) drift.Place {
	return drift.Place{Epoch: stream.EpochOf(info), Seq: info.State.LastSeq}
}

// reaches reports whether the stream has come as far as a place that was stored before. One that it has not is of a stream restored, or
// made up.
func (b *Breaker) reaches(ctx context.Context, p drift.Place) (bool, error) {
	found, err := b.js.Stream(ctx, b.cfg.Stream)
	if err != nil {
		return false, fmt.Errorf("find stream %s: %w", b.cfg.Stream, err)
	}
	return p.Compare(endOf(found.CachedInfo())) <= 0, nil
}

// ahead returns the switches that are behind what the stream was last seen to end with. Most are only newer than that look; those that the
// next look does not reach either, see [Breaker.mend].
func (b *Breaker) ahead() map[drift.SwitchKey]*drift.Switch {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := map[drift.SwitchKey]*drift.Switch{}
	for k, s := range b.core.Switches {
		if s.Place().Compare(b.end) > 0 {
			all[k] = s
		}
	}
	return all
}

// mend makes calls count from the stream's end on for each of the switches, known before the stream was asked for its end, whose place the
// stream has not come to: they would never count else.
func (b *Breaker) mend(ctx context.Context, all map[drift.SwitchKey]*drift.Switch, end drift.Place) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end = end
	for k, s := range all {
		if s.Place().Compare(end) <= 0 || b.core.Switch(k) != s {
			continue
		}
		if err := b.mendOne(ctx, k, s.Place(), end); err != nil {
			return fmt.Errorf("mend the place of switch %s: %w", k, err)
		}
	}
	return nil
}

func (b *Breaker) mendOne(ctx context.Context, k drift.SwitchKey, wrong, end drift.Place) error {
	key, err := keyOfSwitch(k)
	if err != nil {
		return err
	}
	var is *drift.Switch
	_, err = b.switches.Change(ctx, key, func(old []byte) ([]byte, error) {
		is = b.readSwitch(key, old)
		if is == nil || is.Place() != wrong {
			return nil, nil
		}
		is.Epoch, is.Seq = end.Epoch, end.Seq
		return is.Encode()
	})
	if err != nil {
		return err
	}
	if is != nil && is.Place() == (drift.Place{}) { // made without one: by hand
		is.Epoch, is.Seq = end.Epoch, end.Seq
	}
	b.core.SetSwitch(k, is)
	b.log.Warn("a switch was of a place that the stream does not have: its tool's calls count from now on", slog.String("tool", k.String()),
		slog.String("epoch", wrong.Epoch), slog.Uint64("seq", wrong.Seq), slog.Uint64("last_seq", end.Seq))
	return nil
}
