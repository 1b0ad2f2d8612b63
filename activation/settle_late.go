package activation

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/progress"
)

const (
	// lateConversations is the calls of how many conversations are looked for at once.
	lateConversations = 10_000
	// lateCalls is how many of the latest calls of an agent, at most, are judged again since a roster of it came late.
	lateCalls = 100_000
)

var (
	//go:embed settle_changed.sql
	settleChangedSQL string
	//go:embed settle_changed_agents.sql
	settleChangedAgentsSQL string
	//go:embed settle_copies.sql
	settleCopiesSQL string
	//go:embed settle_calls_again.sql
	settleAgainText string
	//go:embed settle_calls_of_agent.sql
	settleOfAgentText string
)

// lateNames is what a stretch of lanes tells of: conversations, and when agents sent rosters that are of none.
type lateNames struct {
	// conversations have the time, in microseconds since 1970, of the earliest event that speaks of each.
	conversations map[string]int64
	agents        map[agentID]map[int64]bool
}

// agentID is an agent that sends rosters which are of no conversation.
type agentID struct{ name, version, environment string }

func newLateNames() *lateNames {
	return &lateNames{conversations: map[string]int64{}, agents: map[agentID]map[int64]bool{}}
}

// gather adds what a stretch of a lane tells of.
func (e *lateNames) gather(ctx context.Context, q Querier, l *progress.Lane, from, upTo uint64) error {
	query := settleChangedSQL
	if l.Table == callTable {
		query = settleCopiesSQL
	}
	var row struct {
		Conversation string `ch:"conversation"`
		Earliest     int64  `ch:"earliest"`
	}
	err := q.Each(ctx, laneQuery(l, query), []any{l.Name, from, upTo}, &row, func() error {
		if at, known := e.conversations[row.Conversation]; !known || row.Earliest < at {
			e.conversations[row.Conversation] = row.Earliest
		}
		return nil
	})
	if err == nil && l.Table == rosterTable {
		err = e.gatherAgents(ctx, q, l, from, upTo)
	}
	if err != nil {
		return fmt.Errorf("find what %s tell of: %w", l.Table, err)
	}
	return nil
}

func (e *lateNames) gatherAgents(ctx context.Context, q Querier, l *progress.Lane, from, upTo uint64) error {
	var row struct {
		Agent   string `ch:"agent"`
		Version string `ch:"version"`
		Env     string `ch:"env"`
		At      int64  `ch:"at"`
	}
	return q.Each(ctx, settleChangedAgentsSQL, []any{l.Name, from, upTo}, &row, func() error {
		id := agentID{row.Agent, row.Version, row.Env}
		if e.agents[id] == nil {
			e.agents[id] = map[int64]bool{}
		}
		e.agents[id][row.At] = true
		return nil
	})
}

// since returns from when on calls of conversations are judged again, in microseconds since 1970. What an event tells is of calls of its message, or
// later ones. So one more event of a long conversation has only its latest calls judged again: as a rule those of [longestMessage].
func (e *lateNames) since(conversations []string) []int64 {
	all := make([]int64, len(conversations))
	for i, id := range conversations {
		all[i] = e.conversations[id] - longestMessage.Microseconds()
	}
	return all
}

// again judges calls again that were judged before.
func (s *settling) again(ctx context.Context, e *lateNames) error {
	seqs, lanes := positions(s.at)
	back := int64(s.set.JudgeBack / time.Second)
	query := withCallColumns(settleAgainText)
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(e.conversations)), lateConversations) {
		if err := s.judge(ctx, query, s.set.Bridges, ids, ids, e.since(ids), seqs, lanes, back); err != nil {
			return err
		}
	}
	query = withCallColumns(settleOfAgentText)
	for id, times := range e.agents {
		for _, span := range s.spans(ctx, id, times) {
			if err := s.judge(ctx, query, s.set.Bridges, id.name, id.version, id.environment, span[0], span[1], seqs, lanes, back, lateCalls); err != nil {
				return err
			}
		}
	}
	return s.failed
}

// spans returns for how long each of an agent's rosters, told by their times, was in force, where it was another than the one before.
func (s *settling) spans(ctx context.Context, id agentID, times map[int64]bool) [][2]int64 {
	lines, err := s.agentLines(ctx, []string{id.name})
	if err != nil {
		s.failed = err
		return nil
	}
	line := lines[id]
	if line == nil {
		return nil
	}
	line.sort()
	var all [][2]int64
	for i := range line.all {
		r := &line.all[i]
		if !times[r.At.UnixMicro()] || i > 0 && line.all[i-1].Content == r.Content && line.all[i-1].Digest == r.Digest {
			continue
		}
		span := [2]int64{r.At.UnixMicro(), math.MaxInt64}
		for j := i + 1; j < len(line.all); j++ {
			if next := &line.all[j]; next.Content != r.Content || next.Digest != r.Digest {
				span[1] = next.At.UnixMicro()
				break
			}
		}
		if span[1] == math.MaxInt64 {
			span[1] = latestTime
		}
		all = append(all, span)
	}
	return all
}

// latestTime is behind all stored events, in microseconds since 1970: the year 2200.
var latestTime = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
