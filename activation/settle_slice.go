package activation

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"maps"
	"slices"

	"github.com/tooltrail/tooltrail/progress"
)

var (
	//go:embed settle_ripe.sql
	settleRipeSQL string
	//go:embed settle_slice.sql
	settleSliceSQL string
)

// ripe leaves calls for later that were stored so recently that what they are judged by may be still on its way.
func (s *Settler) ripe(ctx context.Context, lanes []progress.Lane, set *Settings) error {
	if set.JudgeAfter == 0 {
		return nil
	}
	upTo := s.now().Add(-set.JudgeAfter).UnixMilli()
	for i := range lanes {
		l := &lanes[i]
		if l.Table != callTable || s.progress.At(l) >= l.Last {
			continue
		}
		var err error
		if l.Last, err = l.Find(ctx, s.q, settleRipeSQL, l.Name, s.progress.At(l), upTo); err != nil {
			return err
		}
	}
	return nil
}

// slice judges the calls of the next stretch of all lanes, and those of before that the stretch tells of. It reports whether there was one.
func (s *Settler) slice(ctx context.Context, lanes []progress.Lane, set *Settings) (bool, error) {
	next, late := map[string]uint64{}, newLateNames()
	r := &settling{Settler: s, set: set, at: s.progress.All()}
	var calls []*progress.Lane
	for i := range lanes {
		l := &lanes[i]
		from := s.progress.At(l)
		if from >= l.Last {
			continue
		}
		upTo, err := s.stretch(ctx, l, from)
		if err != nil {
			return false, err
		}
		next[l.Name] = upTo
		if err := late.gather(ctx, s.q, l, from, upTo); err != nil {
			return false, err
		}
		if l.Table == callTable {
			calls = append(calls, l)
		}
	}
	if len(next) == 0 {
		return false, nil
	}
	for _, l := range calls {
		if err := r.fresh(ctx, l, s.progress.At(l), next[l.Name]); err != nil {
			return false, err
		}
	}
	if err := r.again(ctx, late); err != nil {
		return false, err
	}
	return true, s.progress.Note(ctx, next)
}

// stretch returns up to where the next so many rows of a lane go that matter.
func (s *Settler) stretch(ctx context.Context, l *progress.Lane, from uint64) (uint64, error) {
	var row struct {
		Last uint64 `ch:"last"`
		N    uint64 `ch:"n"`
	}
	if err := s.q.Each(ctx, laneQuery(l, settleSliceSQL), []any{l.Name, from, l.Last, sliceCalls}, &row, func() error { return nil }); err != nil {
		return 0, fmt.Errorf("find events of %s: %w", l.Table, err)
	}
	if row.N < sliceCalls {
		return l.Last, nil
	}
	return row.Last, nil
}

// positions are the sequences that lanes were judged up to, as queries take them: names, and behind a zero their sequences.
func positions(at map[string]uint64) (seqs []uint64, names []string) {
	names = slices.Sorted(maps.Keys(at))
	seqs = []uint64{0}
	for _, name := range names {
		seqs = append(seqs, at[name])
	}
	return seqs, names
}
