package prefix

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"slices"
	"sort"
	"time"
)

var (
	//go:embed settle_run.sql
	settleRunText string
	settleRunSQL  = withColumns(settleRunText)

	//go:embed settle_bounds.sql
	settleBoundsSQL string

	//go:embed settle_minutes.sql
	settleMinutesSQL string
)

const (
	// runGap is how far apart the minutes may be, in minutes, that are judged in one run.
	runGap = 10
	// minute is one, in microseconds.
	minute = int64(time.Minute / time.Microsecond)
)

// long judges a conversation that is too long to be judged whole, or requests of no conversation, around the minutes in which something is
// new. What is around several of them is read once.
func (s *settling) long(ctx context.Context, id string, minutes []int64) error {
	happened := map[string][]Happening{}
	if id != "" {
		var err error
		if happened, err = readHappenings(ctx, s.q, []string{id}); err != nil {
			return err
		}
	}
	half := s.group(id, nil).half
	all, err := s.runs(ctx, id, minutes, half)
	if err != nil {
		return err
	}
	for i := range all {
		if err := s.run(ctx, s.group(id, happened[id]), id, &all[i]); err != nil {
			return err
		}
	}
	return nil
}

// run is a stretch of a conversation that is judged in one go, in microseconds since 1970, both ends included.
type run struct {
	from, to int64
	// before is how many requests of the conversation came before it; 0 where there is no conversation.
	before int64
	// ahead and behind say that it has enough before what is new, and enough after it, so that the conversation may well go on there.
	ahead, behind bool
}

// runs finds what to read around minutes, with so many requests before and behind each.
func (s *settling) runs(ctx context.Context, id string, minutes []int64, half int) ([]run, error) {
	slices.Sort(minutes)
	from, to := minutes[0]*minute, minutes[len(minutes)-1]*minute+minute-1
	var b struct {
		First   *int64 `ch:"first"`
		Last    *int64 `ch:"last"`
		Earlier uint64 `ch:"earlier"`
	}
	if err := s.q.Each(ctx, settleBoundsSQL, []any{id, from, to, half, half}, &b, func() error { return nil }); err != nil {
		return nil, fmt.Errorf("find requests around new ones: %w", err)
	}
	if b.First != nil {
		from = min(from, *b.First)
	}
	if b.Last != nil {
		to = max(to, *b.Last)
	}
	c, err := s.crowd(ctx, id, from, to)
	if err != nil {
		return nil, err
	}
	all := c.around(minutes, half)
	earlier := int64(b.Earlier) - c.before[c.place(minutes[0])] // before all that was read
	for i := range all {
		r := &all[i]
		r.from, r.to = max(r.from, from), min(r.to, to)
		if r.before += earlier; id == "" {
			r.before = 0
		}
	}
	return all, nil
}

// crowd is how many requests started in which minutes: before has those before each of the minutes, and all of them at its end.
type crowd struct{ minutes, before []int64 }

func (s *settling) crowd(ctx context.Context, id string, from, to int64) (*crowd, error) {
	c := &crowd{before: []int64{0}}
	var row struct {
		Minute   int64  `ch:"minute"`
		Requests uint64 `ch:"requests"`
	}
	err := s.q.Each(ctx, settleMinutesSQL, []any{id, from, to}, &row, func() error {
		c.minutes, c.before = append(c.minutes, row.Minute), append(c.before, c.before[len(c.before)-1]+int64(row.Requests))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count requests around new ones: %w", err)
	}
	return c, nil
}

// place returns the place of the first minute that is not before another.
func (c *crowd) place(of int64) int {
	i, _ := slices.BinarySearch(c.minutes, of)
	return i
}

// around returns the runs that have so many requests before and behind each of some minutes in order; those that meet are one.
func (c *crowd) around(minutes []int64, half int) []run {
	var all []run
	end := 0 // of the run before, among the minutes of the crowd
	for len(minutes) > 0 {
		n := 1
		for n < len(minutes) && minutes[n]-minutes[n-1] <= runGap {
			n++
		}
		first, last := c.place(minutes[0]), c.place(minutes[n-1]+1)
		from := max(sort.Search(first+1, func(i int) bool { return c.before[i] > c.before[first]-int64(half) })-1, 0)
		to := last + sort.Search(len(c.minutes)-last, func(i int) bool { return c.before[last+i] >= c.before[last]+int64(half) })
		r := run{
			from: minutes[0] * minute, to: minutes[n-1]*minute + minute - 1, before: c.before[from],
			ahead: c.before[first]-c.before[from] >= int64(half), behind: c.before[to]-c.before[last] >= int64(half),
		}
		if from < first {
			r.from = c.minutes[from] * minute
		}
		if to > last {
			r.to = c.minutes[to-1]*minute + minute - 1
		}
		if k := len(all) - 1; k >= 0 && from <= end {
			all[k].to, all[k].behind = max(all[k].to, r.to), r.behind
		} else {
			all = append(all, r)
		}
		minutes, end = minutes[n:], to
	}
	return all
}

// run judges one.
func (s *settling) run(ctx context.Context, g *group, id string, r *run) error {
	g.before = r.before
	if r.ahead {
		g.done = g.half / 2
	}
	var row requestRow
	err := s.q.Each(ctx, settleRunSQL, []any{id, r.from, r.to}, &row, func() error {
		g.take(&row)
		if len(s.rows) >= 2*batchRequests {
			return s.save(ctx)
		}
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("read requests to judge: %w", err)
	}
	if r.behind {
		g.end(g.half/2, false)
	} else {
		g.end(0, true)
	}
	return s.save(ctx)
}
