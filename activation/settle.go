package activation

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/progress"
)

// CallKeeper keeps what became of names. What it keeps is there for a [Querier] in the tables judged_calls, looked_up_calls and
// detector_progress.
type CallKeeper interface {
	// SaveJudgedCalls keeps rows; of one call the row with the latest JudgedAt counts.
	SaveJudgedCalls(ctx context.Context, rows []events.JudgedCall) error
	// SaveLookedUpCalls keeps which calls were looked up; of one call the row with the latest JudgedAt counts.
	SaveLookedUpCalls(ctx context.Context, rows []events.LookedUpCall) error
	progress.Keeper
}

// Settler looks the names of calls up that came without a resolution, once what they are judged by had time to come, and again when something
// of it comes late; see [Replay] for how. It may end at any point: what was not noted as judged is judged again, with the same outcome. Several
// may run on one store. Make one with [NewSettler].
type Settler struct {
	q    Querier
	keep CallKeeper
	now  func() time.Time

	mu       sync.Mutex // one run at a time
	progress *progress.Progress
	rosters  *RosterCache
}

// NewSettler returns a settler that has not looked yet.
func NewSettler(q Querier, keep CallKeeper) *Settler {
	return &Settler{q: q, keep: keep, now: time.Now, progress: progress.New(q, keep, progressName)}
}

const (
	// progressName is the name under which it is noted how far names are looked up.
	progressName = "activation_names"
	// settleVersion is to be raised with every change of the rules that gives other resolutions, so that what is stored is judged again.
	settleVersion = 4
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
	requestTable    = progress.Requests
)

// laneQuery puts a lane's table into a query, and which of its rows matter.
func laneQuery(l *progress.Lane, query string) string {
	only := ""
	switch l.Table {
	case callTable:
		only = "AND resolution = '' AND conversation_id != ''"
	case rosterTable:
		only = "AND server = ''"
	case requestTable: // requests speak of calls that are in doubt alone
		only = "AND conversation_id GLOBAL IN (SELECT conversation_id FROM judged_calls)"
	}
	return l.In(strings.ReplaceAll(query, "{only}", only))
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
	lanes, err := progress.Lanes(ctx, s.q, callTable, activationTable, rosterTable, requestTable)
	if err != nil {
		return err
	}
	anew, err := s.progress.Begin(ctx, lanes, settleRules(&set), callTable, set.JudgeBack)
	if err != nil {
		return err
	}
	if anew {
		s.rosters = NewRosterCache(set, settleTools)
	}
	if err := s.ripe(ctx, lanes, &set); err != nil {
		return err
	}
	for {
		more, err := s.slice(ctx, lanes, &set)
		if err != nil {
			s.progress.Forget()
			return err
		}
		if !more {
			return nil
		}
	}
}
