package prefix

import (
	"context"
	_ "embed" // for the queries
	"encoding/json"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/progress"
)

// VerdictKeeper keeps what is judged. What it keeps is there for a [Querier] in the tables request_verdicts, notable_verdicts and
// detector_progress.
type VerdictKeeper interface {
	// SaveRequestVerdicts keeps rows; of one request the row with the latest JudgedAt counts.
	SaveRequestVerdicts(ctx context.Context, rows []events.RequestVerdict) error
	progress.Keeper
}

// Settler judges the requests that were stored since it looked last, and those around them, and keeps the verdicts. It may end at any
// point: what was not noted as judged is judged again, with the same verdicts. Several may run on one store. Make one with [NewSettler].
type Settler struct {
	q    Querier
	keep VerdictKeeper
	now  func() time.Time

	mu       sync.Mutex // one run at a time
	progress *progress.Progress
	back     time.Duration      // how far back what was never judged is
	seen     map[[2]string]bool // definitions and rosters by which requests were judged again
}

// NewSettler returns a settler that has not looked yet.
func NewSettler(q Querier, keep VerdictKeeper) *Settler {
	return &Settler{q: q, keep: keep, now: time.Now, progress: progress.New(q, keep, detector)}
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

// The tables that say something of tools, and requests themselves.
const (
	requestTable    = progress.Requests
	rosterTable     = "tool_rosters"
	definitionTable = "tool_definitions"
	activationTable = "activations"
)

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
	lanes, err := progress.Lanes(ctx, s.q, requestTable, activationTable, rosterTable, definitionTable)
	if err != nil {
		return set, err
	}
	if set.Known, err = readKnown(ctx, s.q); err != nil { // after the lanes: nothing that they have is missing
		return set, err
	}
	s.back = set.JudgeBack
	if _, err := s.progress.Begin(ctx, lanes, rulesOf(set), requestTable, set.JudgeBack); err != nil {
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
		if err := s.progress.Note(ctx, next); err != nil {
			return set, err
		}
	}
}

// slice returns which conversations the next events of all lanes tell of, with the minutes, and where the lanes are then.
func (s *Settler) slice(ctx context.Context, lanes []progress.Lane) (found map[string][]int64, next map[string]uint64, err error) {
	found, next = map[string][]int64{}, map[string]uint64{}
	late := newEvidence()
	for i := range lanes {
		l := &lanes[i]
		from := s.progress.At(l)
		if from >= l.Last {
			continue
		}
		upTo, err := l.Find(ctx, s.q, settleSliceSQL, l.Name, from, l.Last, sliceRequests)
		if err != nil {
			return nil, nil, err
		}
		if upTo <= from {
			upTo = l.Last // the rows are gone, or not to be seen
		}
		if err := tells(ctx, s.q, l, from, upTo, found); err != nil {
			return nil, nil, err
		}
		if err := s.gather(ctx, l, from, upTo, &late); err != nil {
			return nil, nil, err
		}
		next[l.Name] = upTo
	}
	return found, next, late.reopen(ctx, s.q, s.back, found)
}

// tells adds which conversations a stretch of a lane tells of.
func tells(ctx context.Context, q Querier, l *progress.Lane, from, upTo uint64, found map[string][]int64) error {
	if l.Table == definitionTable {
		return nil // no conversation has a definition of its own
	}
	var row struct {
		Conversation string  `ch:"conversation"`
		Minutes      []int64 `ch:"minutes"`
	}
	err := q.Each(ctx, l.In(settleChangedSQL), []any{l.Name, from, upTo}, &row, func() error {
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
