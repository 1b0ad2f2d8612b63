package prefix

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"slices"
	"time"
)

var (
	//go:embed settle_run.sql
	settleRunText string
	settleRunSQL  = withColumns(settleRunText)

	//go:embed settle_bounds.sql
	settleBoundsSQL string
)

// runGap is how far apart the minutes may be, in minutes, that are judged in one run.
const runGap = 10

// long judges a conversation that is too long to be judged whole, or requests of no conversation, around the minutes in which something is
// new.
func (s *settling) long(ctx context.Context, id string, minutes []int64) error {
	happened := map[string][]Happening{}
	if id != "" {
		var err error
		if happened, err = readHappenings(ctx, s.q, []string{id}); err != nil {
			return err
		}
	}
	slices.Sort(minutes)
	for len(minutes) > 0 {
		n := 1
		for n < len(minutes) && minutes[n]-minutes[n-1] <= runGap {
			n++
		}
		if err := s.run(ctx, s.group(id, happened[id]), id, minutes[0], minutes[n-1]); err != nil {
			return err
		}
		minutes = minutes[n:]
	}
	return nil
}

// run judges the requests of a span of minutes, and some before and behind it.
func (s *settling) run(ctx context.Context, g *group, id string, first, last int64) error {
	const minute = int64(time.Minute / time.Microsecond)
	from, to := first*minute, last*minute+minute-1
	var b struct {
		First   *int64 `ch:"first"`
		Last    *int64 `ch:"last"`
		Earlier uint64 `ch:"earlier"`
	}
	if err := s.q.Each(ctx, settleBoundsSQL, []any{id, from, to, g.half, g.half}, &b, func() error { return nil }); err != nil {
		return fmt.Errorf("find requests around new ones: %w", err)
	}
	lo, hi := from, to
	if b.First != nil {
		lo = min(lo, *b.First)
	}
	if b.Last != nil {
		hi = max(hi, *b.Last)
	}
	r := spanned{group: g, from: from, to: to, earlier: int64(b.Earlier), most: 2 * batchRequests, settling: s}
	var row requestRow
	err := s.q.Each(ctx, settleRunSQL, []any{id, lo, hi}, &row, func() error { return r.take(ctx, &row) })
	if err != nil {
		return fmt.Errorf("read requests to judge: %w", err)
	}
	r.end()
	return s.save(ctx)
}

// spanned is a span of a conversation on its way through a group.
type spanned struct {
	*group
	from, to int64
	earlier  int64
	most     int
	settling *settling

	ahead, behind int
	started       bool
}

// take adds a request and saves what has come together.
func (r *spanned) take(ctx context.Context, row *requestRow) error {
	switch at := row.Started.UnixMicro(); {
	case at < r.from:
		r.ahead++
	case at > r.to:
		r.behind++
	}
	if !r.started && row.Started.UnixMicro() >= r.from {
		r.start()
	}
	r.group.take(row)
	if len(r.settling.rows) >= r.most {
		return r.settling.save(ctx)
	}
	return ctx.Err()
}

// start says, once all that came before the span is there, how much of it needs no verdict.
func (r *spanned) start() {
	r.started = true
	r.before += max(r.earlier-int64(r.ahead), 0)
	if r.ahead >= r.half {
		r.done = max(r.done, min(r.half/2, len(r.reqs)))
	}
}

func (r *spanned) end() {
	if !r.started {
		r.start()
	}
	if r.behind >= r.half {
		r.group.end(r.half/2, false)
		return
	}
	r.group.end(0, true)
}
