package prefix

import (
	"context"
	_ "embed" // for the queries
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// VerdictKeeper keeps what is judged. What it keeps is there for a [Querier] in the tables request_verdicts, notable_verdicts and
// detector_progress.
type VerdictKeeper interface {
	// SaveRequestVerdicts keeps rows; of one request the row with the latest JudgedAt counts.
	SaveRequestVerdicts(ctx context.Context, rows []events.RequestVerdict) error
	// SaveProgress keeps up to which stream sequence of each lane a detector has judged all, by the rules with this hash.
	SaveProgress(ctx context.Context, detector string, rules uint64, positions map[string]uint64) error
}

// Settler judges the requests that were stored since it looked last, and those around them, and keeps the verdicts. It may end at any
// point: what was not noted as judged is judged again, with the same verdicts. Several may run on one store. Make one with [NewSettler].
type Settler struct {
	q    Querier
	keep VerdictKeeper
	now  func() time.Time

	mu    sync.Mutex         // one run at a time
	rules uint64             // hash of the settings that at holds for
	at    map[string]uint64  // the sequence up to which each lane is judged; nil before the first look
	noted bool               // whether that is kept for lanes of which nothing was judged, too
	back  time.Duration      // how far back what was never judged is
	seen  map[[2]string]bool // definitions and rosters by which requests were judged again
}

// NewSettler returns a settler that has not looked yet.
func NewSettler(q Querier, keep VerdictKeeper) *Settler {
	return &Settler{q: q, keep: keep, now: time.Now}
}

// rulesVersion is to be raised with every change of the rules that gives other verdicts, so that what is stored is judged again.
const rulesVersion = 3

const (
	// sliceRequests is about how many requests a run takes on before it notes how far it is.
	sliceRequests = 100_000
	// batchRequests is about how many requests are read at once.
	batchRequests = 5_000
	// batchConversations is of how many conversations, at most, requests are read at once.
	batchConversations = 500
)

//go:embed settle_lanes.sql
var settleLanesSQL string

//go:embed settle_progress.sql
var settleProgressSQL string

//go:embed settle_old.sql
var settleOldSQL string

//go:embed settle_slice.sql
var settleSliceSQL string

//go:embed settle_changed.sql
var settleChangedSQL string

// rulesOf is a hash of all settings that verdicts follow from.
func rulesOf(s Settings) uint64 {
	h := fnv.New64a()
	s.Known = KnownTools{}
	s.WarnTokens, s.CriticalTokens, s.MaxConversations, s.MaxFindings, s.JudgeBack = 0, 0, 0, 0, 0 // what is said of verdicts
	_ = json.NewEncoder(h).Encode(struct {
		Version  int
		Settings Settings
	}{rulesVersion, s})
	return h.Sum64()
}

// lane is a lane of stored events, and how far it goes.
type lane struct {
	Table string `ch:"source"`
	Name  string `ch:"name"`
	Last  uint64 `ch:"last"`
}

// The tables that say something of tools, and requests themselves.
const (
	requestTable    = "request_prefixes"
	rosterTable     = "tool_rosters"
	definitionTable = "tool_definitions"
)

// in puts the lane's table into a query.
func (l *lane) in(query string) string {
	at := "time"
	if l.Table == requestTable {
		at = "start_time"
	}
	return strings.NewReplacer("{table}", l.Table, "{at}", at).Replace(query)
}

// Settle judges what is new. It returns what it was judged by, with what is known of tools.
func (s *Settler) Settle(ctx context.Context, set Settings) (Settings, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	set, err := s.settle(ctx, set)
	if err != nil {
		s.seen = nil // what was found by them may not be judged
	}
	return set, err
}

func (s *Settler) settle(ctx context.Context, set Settings) (Settings, error) {
	lanes, err := readLanes(ctx, s.q)
	if err != nil {
		return set, err
	}
	if set.Known, err = readKnown(ctx, s.q); err != nil { // after the lanes: nothing that they have is missing
		return set, err
	}
	if err := s.begin(ctx, lanes, set); err != nil {
		return set, err
	}
	servers, err := readServerHappenings(ctx, s.q)
	if err != nil {
		return set, err
	}
	for {
		found, next, err := s.slice(ctx, lanes)
		if err != nil {
			return set, err
		}
		if len(next) == 0 {
			return set, nil
		}
		r := settling{q: s.q, keep: s.keep, now: s.now, settings: set, servers: servers}
		if err := r.judge(ctx, found); err != nil {
			return set, err
		}
		maps.Copy(s.at, next)
		if err := s.note(ctx, next); err != nil {
			return set, err
		}
	}
}

// note keeps how far lanes are judged; the first time that of all lanes. Where it fails, the settler begins again from what is kept.
func (s *Settler) note(ctx context.Context, next map[string]uint64) error {
	if !s.noted {
		next = s.at
	}
	if err := s.keep.SaveProgress(ctx, detector, s.rules, next); err != nil {
		s.at = nil
		return fmt.Errorf("note how far requests are judged: %w", err)
	}
	s.noted = true
	return nil
}

func readLanes(ctx context.Context, q Querier) ([]lane, error) {
	var all []lane
	var row lane
	err := q.Each(ctx, settleLanesSQL, nil, &row, func() error {
		all = append(all, row)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read how far events are stored: %w", err)
	}
	return all, nil
}

// begin finds where to go on from: where this settler is, else what is noted, else so far back as the settings say. What is no request is no
// reason to judge anything the first time, since all requests are judged with it.
func (s *Settler) begin(ctx context.Context, lanes []lane, set Settings) error {
	rules := rulesOf(set)
	s.back = set.JudgeBack
	if s.at != nil && s.rules == rules {
		return nil
	}
	at, err := readProgress(ctx, s.q, rules)
	if err != nil {
		return err
	}
	noted := len(at) > 0
	for i := range lanes {
		l := &lanes[i]
		if _, known := at[l.Name]; known {
			continue
		}
		if at[l.Name] = l.Last; noted || l.Table == requestTable {
			if at[l.Name], err = oldest(ctx, s.q, l, set.JudgeBack); err != nil {
				return err
			}
		}
	}
	s.at, s.rules, s.noted = at, rules, noted
	return nil
}

// readProgress returns up to which sequence of each lane all is judged by these rules.
func readProgress(ctx context.Context, q Querier, rules uint64) (map[string]uint64, error) {
	at := map[string]uint64{}
	var row struct {
		Name  string `ch:"name"`
		Rules uint64 `ch:"by_rules"`
		Last  uint64 `ch:"last"`
	}
	err := q.Each(ctx, settleProgressSQL, []any{detector}, &row, func() error {
		if row.Rules == rules {
			at[row.Name] = row.Last
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read how far requests are judged: %w", err)
	}
	return at, nil
}

func oldest(ctx context.Context, q Querier, l *lane, back time.Duration) (uint64, error) {
	return lastOf(ctx, q, l, settleOldSQL, l.Name, l.Name, int64(back/time.Second))
}

// lastOf runs a query for a sequence of a lane.
func lastOf(ctx context.Context, q Querier, l *lane, query string, args ...any) (uint64, error) {
	var row struct {
		Last uint64 `ch:"last"`
	}
	err := q.Each(ctx, l.in(query), args, &row, func() error { return nil })
	if err != nil {
		return 0, fmt.Errorf("find events of %s: %w", l.Table, err)
	}
	return row.Last, nil
}

// slice returns which conversations the next events of all lanes tell of, with the minutes, and where the lanes are then.
func (s *Settler) slice(ctx context.Context, lanes []lane) (found map[string][]int64, next map[string]uint64, err error) {
	found, next = map[string][]int64{}, map[string]uint64{}
	late := newEvidence()
	for i := range lanes {
		l := &lanes[i]
		from := s.at[l.Name]
		if from >= l.Last {
			continue
		}
		upTo, err := lastOf(ctx, s.q, l, settleSliceSQL, l.Name, from, l.Last, sliceRequests)
		if err != nil {
			return nil, nil, err
		}
		if upTo <= from {
			upTo = l.Last // the rows are gone, or not to be seen
		}
		if err := l.changed(ctx, s.q, from, upTo, found); err != nil {
			return nil, nil, err
		}
		if err := s.gather(ctx, l, from, upTo, &late); err != nil {
			return nil, nil, err
		}
		next[l.Name] = upTo
	}
	return found, next, late.reopen(ctx, s.q, s.back, found)
}

// changed adds which conversations a stretch of the lane tells of.
func (l *lane) changed(ctx context.Context, q Querier, from, upTo uint64, found map[string][]int64) error {
	if l.Table == definitionTable {
		return nil // no conversation has a definition of its own
	}
	var row struct {
		Conversation string  `ch:"conversation"`
		Minutes      []int64 `ch:"minutes"`
	}
	err := q.Each(ctx, l.in(settleChangedSQL), []any{l.Name, from, upTo}, &row, func() error {
		if row.Conversation != "" || l.Table == requestTable {
			found[row.Conversation] = append(found[row.Conversation], row.Minutes...)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find conversations of %s: %w", l.Table, err)
	}
	return nil
}
