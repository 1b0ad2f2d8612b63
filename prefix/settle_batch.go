package prefix

import (
	"cmp"
	"context"
	_ "embed" // for the queries
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

var (
	//go:embed settle_requests.sql
	settleRequestsText string
	settleRequestsSQL  = withColumns(settleRequestsText)

	//go:embed settle_run.sql
	settleRunText string
	settleRunSQL  = withColumns(settleRunText)

	//go:embed settle_bounds.sql
	settleBoundsSQL string

	//go:embed settle_counts.sql
	settleCountsSQL string

	//go:embed settle_stored.sql
	settleStoredSQL string
)

// settling judges the requests of one slice, a batch of conversations after the other.
type settling struct {
	q        Querier
	keep     VerdictKeeper
	now      func() time.Time
	settings Settings
	servers  []Happening

	rows []events.RequestVerdict
}

// judge judges conversations around the minutes in which something of them is new.
func (s *settling) judge(ctx context.Context, found map[string][]int64) error {
	var batch []string
	n := uint64(0)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := s.whole(ctx, batch)
		batch, n = batch[:0], 0
		return err
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(found)), batchConversations) {
		counts, err := s.count(ctx, ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			switch size := counts[id]; {
			case id == "" || size > uint64(s.settings.MaxConversationRequests):
				err = s.long(ctx, id, found[id])
			case size > 0:
				batch, n = append(batch, id), n+size
				if n >= batchRequests || len(batch) == batchConversations {
					err = flush()
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return flush()
}

// count returns how many requests each conversation has.
func (s *settling) count(ctx context.Context, ids []string) (map[string]uint64, error) {
	counts := map[string]uint64{}
	var row struct {
		Conversation string `ch:"conversation"`
		N            uint64 `ch:"n"`
	}
	named := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == "" })
	if len(named) == 0 {
		return counts, nil
	}
	err := s.q.Each(ctx, settleCountsSQL, []any{named}, &row, func() error {
		counts[row.Conversation] = row.N
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count requests of conversations: %w", err)
	}
	return counts, nil
}

// whole judges all requests of some conversations.
func (s *settling) whole(ctx context.Context, ids []string) error {
	happened, err := readHappenings(ctx, s.q, ids)
	if err != nil {
		return err
	}
	var g *group
	end := func() {
		if g != nil {
			g.end(0, true)
		}
	}
	var row requestRow
	of := ""
	err = s.q.Each(ctx, settleRequestsSQL, []any{ids}, &row, func() error {
		if g == nil || of != row.Conversation {
			end()
			of = row.Conversation
			g = s.group(of, happened[of])
		}
		g.take(&row)
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("read requests to judge: %w", err)
	}
	end()
	return s.save(ctx)
}

// group starts a conversation.
func (s *settling) group(id string, happened []Happening) *group {
	most := s.settings.MaxConversationRequests
	if id == "" {
		most = s.settings.MaxGroup
	}
	return &group{
		settings: s.settings, half: max(most/2, 1), happened: happened, servers: s.servers,
		emit: func(r *events.RequestVerdict) { s.rows = append(s.rows, *r) },
	}
}

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

// storedVerdict is what is stored of one request's verdict.
type storedVerdict struct {
	Event        string    `ch:"event"`
	Conversation string    `ch:"conversation"`
	Content      uint64    `ch:"stored_content"`
	At           time.Time `ch:"at"`
}

// save keeps the rows that are not stored as they are.
func (s *settling) save(ctx context.Context) error {
	if len(s.rows) == 0 {
		return nil
	}
	stored, err := s.stored(ctx)
	if err != nil {
		return err
	}
	now := s.now().UTC().Truncate(time.Microsecond)
	fresh := s.rows[:0]
	for i := range s.rows {
		r := &s.rows[i]
		r.JudgedAt, r.Content = now, contentOf(r)
		if old, ok := stored[[2]string{r.Conversation, r.ID}]; ok {
			if old.Content == r.Content {
				continue
			}
			r.Again = true
			if !r.JudgedAt.After(old.At) {
				r.JudgedAt = old.At.Add(time.Microsecond)
			}
		}
		fresh = append(fresh, *r)
	}
	if err := s.keep.SaveRequestVerdicts(ctx, fresh); err != nil {
		return fmt.Errorf("keep verdicts: %w", err)
	}
	clear(s.rows)
	s.rows = s.rows[:0]
	return nil
}

// stored returns what is stored of the verdicts that are to be saved, by conversation and id.
func (s *settling) stored(ctx context.Context) (map[[2]string]storedVerdict, error) {
	ids := map[string]bool{}
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range s.rows {
		ids[s.rows[i].Conversation] = true
		at := s.rows[i].Time.UnixMicro()
		lo, hi = min(lo, at), max(hi, at)
	}
	all := make(map[[2]string]storedVerdict, len(s.rows))
	var row storedVerdict
	args := []any{slices.SortedFunc(maps.Keys(ids), cmp.Compare[string]), lo, hi}
	err := s.q.Each(ctx, settleStoredSQL, args, &row, func() error {
		all[[2]string{row.Conversation, row.Event}] = row
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read verdicts that are stored: %w", err)
	}
	return all, nil
}
