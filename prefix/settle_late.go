package prefix

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/progress"
)

const (
	// lateRequests is how many of the latest requests, at most, are judged again since something that explains them came late.
	lateRequests = 100_000
	// lateSeen is how many definitions and rosters a settler remembers to have judged again by; after that many it begins anew.
	lateSeen = 1_000_000
	// longestRequest is how long a request takes at most whose change a server's list, told while it went on, may explain late.
	longestRequest = time.Hour
)

var (
	//go:embed settle_late_definitions.sql
	lateDefinitionsSQL string

	//go:embed settle_late_rosters.sql
	lateRostersSQL string

	//go:embed settle_late_lists.sql
	lateListsSQL string

	//go:embed settle_late_named.sql
	lateNamedSQL string

	//go:embed settle_late_changed.sql
	lateChangedSQL string
)

// evidence is what a stretch of lanes says that may explain requests of any conversation, and nothing said before.
type evidence struct {
	// tools are the names of tools with a definition, rosters are digests; minutes, since 1970, are when servers told of their lists.
	tools, rosters map[string]bool
	minutes        map[int64]bool
}

func newEvidence() evidence {
	return evidence{tools: map[string]bool{}, rosters: map[string]bool{}, minutes: map[int64]bool{}}
}

// gather adds what a stretch of a lane says.
func (s *Settler) gather(ctx context.Context, l *progress.Lane, from, upTo uint64, e *evidence) error {
	var query string
	switch l.Table {
	case definitionTable:
		query = lateDefinitionsSQL
	case rosterTable:
		query = lateRostersSQL
		if err := gatherLists(ctx, s.q, l, from, upTo, e); err != nil {
			return err
		}
	default:
		return nil
	}
	var row struct {
		Tool       string `ch:"tool"`
		Wire       string `ch:"wire"`
		Definition string `ch:"said"`
		Roster     string `ch:"roster"`
	}
	err := s.q.Each(ctx, query, []any{l.Name, from, upTo}, &row, func() error {
		if row.Wire != "" && row.Definition != "" && s.unseen(row.Wire, row.Definition) {
			e.tools[row.Tool] = true
		}
		if row.Roster != "" && (e.rosters[row.Roster] || s.unseen(row.Roster, "")) {
			e.rosters[row.Roster] = true
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find what %s say of tools: %w", l.Table, err)
	}
	return nil
}

func gatherLists(ctx context.Context, q Querier, l *progress.Lane, from, upTo uint64, e *evidence) error {
	var row struct {
		Minute int64 `ch:"minute"`
	}
	err := q.Each(ctx, lateListsSQL, []any{l.Name, from, upTo}, &row, func() error {
		e.minutes[row.Minute] = true
		return nil
	})
	if err != nil {
		return fmt.Errorf("find what servers told of their lists: %w", err)
	}
	return nil
}

// unseen reports whether requests were not yet judged again by something that was said, and remembers that they are.
func (s *Settler) unseen(what, said string) bool {
	key := [2]string{what, said}
	if s.seen[key] {
		return false
	}
	if s.seen == nil || len(s.seen) >= lateSeen {
		s.seen = map[[2]string]bool{}
	}
	s.seen[key] = true
	return true
}

// reopen adds the conversations, and the minutes, of requests with changed tools that the evidence may explain: of those stored no longer
// before the newest than is judged back.
func (e *evidence) reopen(ctx context.Context, q Querier, back time.Duration, found map[string][]int64) error {
	if len(e.tools)+len(e.rosters)+len(e.minutes) == 0 {
		return nil
	}
	var row struct {
		Conversation string  `ch:"conversation"`
		Minutes      []int64 `ch:"minutes"`
	}
	named, err := e.named(ctx, q, back)
	if err != nil || len(e.tools)+len(e.minutes)+len(named) == 0 {
		return err
	}
	args := []any{
		slices.Sorted(maps.Keys(e.tools)), slices.Sorted(maps.Keys(e.minutes)), happeningSlack.Microseconds(), longestRequest.Microseconds(),
		named, int64(back / time.Second), lateRequests,
	}
	err = q.Each(ctx, lateChangedSQL, args, &row, func() error {
		found[row.Conversation] = append(found[row.Conversation], row.Minutes...)
		return nil
	})
	if err != nil {
		return fmt.Errorf("find requests to judge again: %w", err)
	}
	return nil
}

// named returns the conversations that name the rosters.
func (e *evidence) named(ctx context.Context, q Querier, back time.Duration) ([]string, error) {
	if len(e.rosters) == 0 {
		return nil, nil
	}
	var all []string
	var row struct {
		Conversation string `ch:"conversation"`
	}
	args := []any{slices.Sorted(maps.Keys(e.rosters)), int64(back / time.Second), lateRequests}
	err := q.Each(ctx, lateNamedSQL, args, &row, func() error {
		all = append(all, row.Conversation)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find conversations that name rosters: %w", err)
	}
	return all, nil
}
