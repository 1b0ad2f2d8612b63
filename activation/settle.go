package activation

import (
	"context"
	_ "embed" // for the queries
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// CallKeeper keeps what became of names. What it keeps is there for a [Querier] in the tables judged_calls, looked_up_calls and
// detector_progress.
type CallKeeper interface {
	// SaveJudgedCalls keeps rows; of one call the row with the latest JudgedAt counts.
	SaveJudgedCalls(ctx context.Context, rows []events.JudgedCall) error
	// SaveLookedUpCalls keeps which calls were looked up; of one call the row with the latest JudgedAt counts.
	SaveLookedUpCalls(ctx context.Context, rows []events.LookedUpCall) error
	// SaveProgress keeps up to which stream sequence of each lane a detector has judged all, by the rules with this hash.
	SaveProgress(ctx context.Context, detector string, rules uint64, positions map[string]uint64) error
}

// Settler looks the names of calls up that came without a resolution, once what they are judged by had time to come, and again when something
// of it comes late; see [Replay] for how. It may end at any point: what was not noted as judged is judged again, with the same outcome. Several
// may run on one store. Make one with [NewSettler].
type Settler struct {
	q    Querier
	keep CallKeeper
	now  func() time.Time

	mu      sync.Mutex        // one run at a time
	rules   uint64            // hash of the settings that at holds for
	at      map[string]uint64 // the sequence up to which each lane is judged; nil before the first look
	noted   bool              // whether that is kept for lanes of which nothing was judged, too
	rosters *RosterCache
}

// NewSettler returns a settler that has not looked yet.
func NewSettler(q Querier, keep CallKeeper) *Settler {
	return &Settler{q: q, keep: keep, now: time.Now}
}

const (
	// progressName is the name under which it is noted how far names are looked up.
	progressName = "activation_names"
	// settleVersion is to be raised with every change of the rules that gives other resolutions, so that what is stored is judged again.
	settleVersion = 3
	// sliceCalls is about how many calls a run takes on before it notes how far it is.
	sliceCalls = 100_000
	// batchCalls is about how many calls are judged at once.
	batchCalls = 20_000
	// settleTools is how many tools the rosters have that a settler holds at once; a tool takes about half a kilobyte.
	settleTools = 200_000
)

// The tables that calls are judged by, and that of calls.
const (
	callTable       = "tool_calls"
	activationTable = "activations"
	rosterTable     = "tool_rosters"
	requestTable    = "request_prefixes"
)

var (
	//go:embed settle_lanes.sql
	settleLanesSQL string
	//go:embed settle_progress.sql
	settleProgressSQL string
	//go:embed settle_old.sql
	settleOldSQL string
)

// settleLane is a lane of stored events, and how far it is to be looked at.
type settleLane struct {
	Table string `ch:"source"`
	Name  string `ch:"name"`
	Last  uint64 `ch:"last"`
}

// in puts the lane's table into a query, and which of its rows matter.
func (l *settleLane) in(query string) string {
	only, at := "", "time"
	switch l.Table {
	case callTable:
		only = "AND resolution = '' AND conversation_id != ''"
	case rosterTable:
		only = "AND server = ''"
	case requestTable: // requests speak of calls that are in doubt alone
		only, at = "AND conversation_id GLOBAL IN (SELECT conversation_id FROM judged_calls)", "start_time"
	}
	return strings.NewReplacer("{table}", l.Table, "{only}", only, "{at}", at).Replace(query)
}

// settleRules is a hash of all settings that resolutions follow from.
func settleRules(s *Settings) uint64 {
	h := fnv.New64a()
	_ = json.NewEncoder(h).Encode(struct {
		Version, NearEdits int
		Bridges            []string
	}{settleVersion, s.NearEdits, s.Bridges})
	return h.Sum64()
}

// Settle looks up what is new, and what something new tells of.
func (s *Settler) Settle(ctx context.Context, set Settings) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	set = set.orDefault()
	lanes, err := s.lanes(ctx)
	if err != nil {
		return err
	}
	if err := s.begin(ctx, lanes, &set); err != nil {
		return err
	}
	if err := s.ripe(ctx, lanes, &set); err != nil {
		return err
	}
	for {
		more, err := s.slice(ctx, lanes, &set)
		if err != nil {
			s.at = nil // begin again from what is kept
			return err
		}
		if !more {
			return nil
		}
	}
}

func (s *Settler) lanes(ctx context.Context) ([]settleLane, error) {
	var all []settleLane
	var row settleLane
	err := s.q.Each(ctx, settleLanesSQL, nil, &row, func() error {
		all = append(all, row)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read how far events are stored: %w", err)
	}
	return all, nil
}

// begin finds where to go on from: where this settler is, else what is noted, else so far back as the settings say. What is no call is no
// reason to judge anything the first time, since all calls are judged with it.
func (s *Settler) begin(ctx context.Context, lanes []settleLane, set *Settings) error {
	rules := settleRules(set)
	if s.at == nil || s.rules != rules {
		at, err := s.progress(ctx, rules)
		if err != nil {
			return err
		}
		s.at, s.rules, s.noted = at, rules, len(at) > 0
		s.rosters = NewRosterCache(*set, settleTools)
	}
	for i := range lanes {
		l := &lanes[i]
		if _, known := s.at[l.Name]; known {
			continue
		}
		last := l.Last
		if s.noted || l.Table == callTable {
			var err error
			if last, err = s.lastOf(ctx, l, settleOldSQL, l.Name, l.Name, int64(set.JudgeBack/time.Second)); err != nil {
				return err
			}
		}
		s.at[l.Name] = last
	}
	return nil
}

// progress returns up to which sequence of each lane all is judged by these rules.
func (s *Settler) progress(ctx context.Context, rules uint64) (map[string]uint64, error) {
	at := map[string]uint64{}
	var row struct {
		Name  string `ch:"name"`
		Rules uint64 `ch:"by_rules"`
		Last  uint64 `ch:"last"`
	}
	err := s.q.Each(ctx, settleProgressSQL, []any{progressName}, &row, func() error {
		if row.Rules == rules {
			at[row.Name] = row.Last
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read how far names are looked up: %w", err)
	}
	return at, nil
}

// lastOf runs a query for a sequence of a lane.
func (s *Settler) lastOf(ctx context.Context, l *settleLane, query string, args ...any) (uint64, error) {
	var row struct {
		Last uint64 `ch:"last"`
	}
	if err := s.q.Each(ctx, l.in(query), args, &row, func() error { return nil }); err != nil {
		return 0, fmt.Errorf("find events of %s: %w", l.Table, err)
	}
	return row.Last, nil
}
