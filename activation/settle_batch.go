package activation

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/progress"
)

var (
	//go:embed settle_calls.sql
	settleCallsText string
	//go:embed settle_stored.sql
	settleStoredSQL string
	//go:embed settle_resolved.sql
	settleResolvedSQL string
)

// settling judges the calls of one slice, a batch of conversations after the other.
type settling struct {
	*Settler
	set *Settings
	// at is where lanes were before the slice.
	at map[string]uint64
	// failed is why an agent's rosters could not be read.
	failed error

	calls []callRow
}

// fresh judges the calls of a stretch of a lane.
func (s *settling) fresh(ctx context.Context, l *progress.Lane, from, upTo uint64) error {
	return s.judge(ctx, withCallColumns(settleCallsText), s.set.Bridges, l.Name, from, upTo)
}

// judge reads calls, a conversation after the other, and judges them.
func (s *settling) judge(ctx context.Context, query string, args ...any) error {
	var row callRow
	err := s.q.Each(ctx, query, args, &row, func() error {
		if n := len(s.calls); n >= batchCalls && s.calls[n-1].Conversation != row.Conversation || n >= 10*batchCalls {
			if err := s.flush(ctx); err != nil {
				return err
			}
		}
		s.calls = append(s.calls, row)
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("read calls to look up: %w", err)
	}
	return s.flush(ctx)
}

// flush judges what was read and keeps what came of it.
func (s *settling) flush(ctx context.Context) error {
	if len(s.calls) == 0 {
		return nil
	}
	b := &callBatch{s: s, calls: s.calls}
	err := b.run(ctx)
	clear(s.calls)
	s.calls = s.calls[:0]
	return err
}

// callBatch is the calls of some conversations and what they are judged by.
type callBatch struct {
	s       *settling
	calls   []callRow
	replays map[string]*Replay
	agents  map[agentID]*RosterLine
	judged  []Judgment
}

func (b *callBatch) run(ctx context.Context) error {
	if err := b.read(ctx); err != nil {
		return err
	}
	b.judged = make([]Judgment, len(b.calls))
	doubted := map[string]bool{}
	for i := range b.calls {
		if b.judgeOne(i).Doubted {
			doubted[b.calls[i].Conversation] = true
		}
	}
	if len(doubted) > 0 {
		if err := b.readRequests(ctx, slices.Sorted(maps.Keys(doubted))); err != nil {
			return err
		}
		for i := range b.calls {
			if b.judged[i].Doubted {
				b.judgeOne(i)
			}
		}
	}
	return b.save(ctx)
}

func (b *callBatch) judgeOne(i int) *Judgment {
	row := &b.calls[i]
	c := row.call()
	b.judged[i] = b.replays[row.Conversation].Judge(&c, b.agents[row.agent()])
	return &b.judged[i]
}

// storedCall is what is stored of one call's judgment.
type storedCall struct {
	Event        string    `ch:"event"`
	Conversation string    `ch:"conversation"`
	Content      uint64    `ch:"stored_content"`
	Judged       time.Time `ch:"judged"`
	Stored       time.Time `ch:"stored"`
}

// save keeps which calls were looked up, and of those in doubt, now or before, what is not stored as it is.
func (b *callBatch) save(ctx context.Context) error {
	stored, err := b.stored(ctx)
	if err != nil {
		return err
	}
	now := b.s.now().UTC().Truncate(time.Microsecond)
	var rows []events.JudgedCall
	var looked []events.LookedUpCall
	taken := map[string]bool{}
	for i := range b.calls {
		c, j := &b.calls[i], &b.judged[i]
		old, was := stored[[2]string{c.Conversation, c.Event}]
		if known := j.Resolution.Resolution != ""; known || was || j.Doubted {
			looked = append(looked, c.lookedUp(known, now))
		}
		if !was && !j.Doubted || taken[c.Event] {
			continue
		}
		taken[c.Event] = true
		rows = append(rows, c.judged(j, now, old, was))
	}
	if rows, err = b.changed(ctx, rows, stored); err != nil {
		return err
	}
	if err := b.s.keep.SaveJudgedCalls(ctx, rows); err != nil {
		return fmt.Errorf("keep what became of names: %w", err)
	}
	if err := b.s.keep.SaveLookedUpCalls(ctx, looked); err != nil {
		return fmt.Errorf("keep which names were looked up: %w", err)
	}
	return nil
}

// changed returns the rows that are not stored as they are. A call that came with a resolution, too, is judged no more.
func (b *callBatch) changed(ctx context.Context, rows []events.JudgedCall, stored map[[2]string]storedCall) ([]events.JudgedCall, error) {
	resolved, err := b.resolved(ctx, rows)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(rows, func(r events.JudgedCall) bool {
		old, was := stored[[2]string{r.Conversation, r.ID}]
		return resolved[r.ID] && !was || was && old.Content == r.Content
	}), nil
}

// resolved takes the judgments back on calls that came with a resolution, too, and returns those calls.
func (b *callBatch) resolved(ctx context.Context, rows []events.JudgedCall) (map[string]bool, error) {
	found := map[string]bool{}
	if len(rows) == 0 {
		return found, nil
	}
	var ids []string
	lo, hi := rows[0].Time, rows[0].Time
	for i := range rows {
		r := &rows[i]
		ids = append(ids, r.ID)
		if r.Time.Before(lo) {
			lo = r.Time
		}
		if r.Time.After(hi) {
			hi = r.Time
		}
	}
	var row struct {
		Event string `ch:"event"`
	}
	err := b.s.q.Each(ctx, settleResolvedSQL, []any{lo.UnixMicro(), hi.UnixMicro(), ids}, &row, func() error {
		found[row.Event] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find calls that came with a resolution: %w", err)
	}
	for i := range rows {
		if r := &rows[i]; found[r.ID] {
			r.Resolution, r.ResolutionHow, r.ResolvedName, r.Bridge, r.BridgedName = "", "", "", "", ""
			r.Content = callContent(r)
		}
	}
	return found, nil
}

// stored returns what is stored of the calls, by conversation and id.
func (b *callBatch) stored(ctx context.Context) (map[[2]string]storedCall, error) {
	lo, hi := b.calls[0].At.UnixMicro(), b.calls[0].At.UnixMicro()
	for i := range b.calls {
		at := b.calls[i].At.UnixMicro()
		lo, hi = min(lo, at), max(hi, at)
	}
	all := map[[2]string]storedCall{}
	var row storedCall
	err := b.s.q.Each(ctx, settleStoredSQL, []any{b.conversations(), lo, hi}, &row, func() error {
		all[[2]string{row.Conversation, row.Event}] = row
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what became of names: %w", err)
	}
	return all, nil
}

// conversations returns those of the calls, each once.
func (b *callBatch) conversations() []string { return slices.Sorted(maps.Keys(b.replays)) }
