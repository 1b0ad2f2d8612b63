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

// storedVerdict is what is stored of one request's verdict.
type storedVerdict struct {
	Event        string    `ch:"event"`
	Conversation string    `ch:"conversation"`
	Content      uint64    `ch:"stored_content"`
	At           time.Time `ch:"at"`
	Ingested     time.Time `ch:"ingested"`
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
		old, ok := stored[[2]string{r.Conversation, r.ID}]
		if ok { // rows of one request stay on one day, whichever of its copies is read
			r.IngestedAt = old.Ingested
		}
		r.JudgedAt, r.Content = now, contentOf(r)
		if ok {
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
