package prefix_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// world is a store that events come to one after the other.
type world struct {
	*store.DB
	t     *testing.T
	lanes *storetest.Lanes

	mu sync.Mutex
	// read counts the requests that were read to be judged, saved the verdicts that were kept.
	read, saved int
	// failAfter is how many calls to keep something succeed before all fail; negative is all.
	failAfter int
}

func newWorld(t *testing.T) *world {
	db := openStore(t)
	return &world{DB: db, t: t, lanes: storetest.NewLanes(db), failAfter: -1}
}

// come stores events in their order, each kind in its lane.
func (w *world) come(all ...*events.Event) { w.t.Helper(); w.lanes.Insert(w.t, all...) }

func (w *world) Each(ctx context.Context, query string, args []any, row any, fn func() error) error {
	counted := strings.Contains(query, "AS tool_digests_text")
	return w.DB.Each(ctx, query, args, row, func() error {
		if counted {
			w.mu.Lock()
			w.read++
			w.mu.Unlock()
		}
		return fn()
	})
}

var errKilled = errors.New("killed")

func (w *world) mayKeep() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failAfter == 0 {
		return errKilled
	}
	w.failAfter--
	return nil
}

func (w *world) SaveRequestVerdicts(ctx context.Context, rows []events.RequestVerdict) error {
	if err := w.mayKeep(); err != nil {
		return err
	}
	w.mu.Lock()
	w.saved += len(rows)
	w.mu.Unlock()
	return w.DB.SaveRequestVerdicts(ctx, rows)
}

func (w *world) SaveProgress(ctx context.Context, detector string, rules uint64, positions map[string]uint64) error {
	if err := w.mayKeep(); err != nil {
		return err
	}
	return w.DB.SaveProgress(ctx, detector, rules, positions)
}

// settled is what a settler says, held against what is judged in one go by the same settings but for another hash.
func (w *world) settled(s *prefix.Settler, set prefix.Settings, window finding.Window) prefix.Report {
	w.t.Helper()
	got, _, err := s.Analyze(w.t.Context(), window, set)
	if err != nil {
		w.t.Fatal(err)
	}
	set.Lookback++ // nobody has judged by this, so that all is judged anew
	want, _, err := prefix.Analyze(w.t.Context(), w, window, set)
	if err != nil {
		w.t.Fatal(err)
	}
	ignore := cmpopts.IgnoreFields(prefix.Report{}, "Savings", "SavingsOmitted", "Agents", "AgentsOmitted", "Days", "Diagnoses", "ToolArrays")
	if d := gocmp.Diff(want, got, ignore, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateEmpty()); d != "" {
		w.t.Errorf("report (-judged in one go +kept):\n%s", d)
	}
	return got
}

// count returns the result of a query for one number n.
func (w *world) count(query string) uint64 {
	w.t.Helper()
	var row struct {
		N uint64 `ch:"n"`
	}
	if err := w.DB.Each(w.t.Context(), query, nil, &row, func() error { return nil }); err != nil {
		w.t.Fatal(err)
	}
	return row.N
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// request is one of a conversation's: so many seconds after noon, with so many messages, tokens read and written, and tools by their digests.
func request(conversation string, second, messages int, read, written int64, tools ...string) *events.Event {
	r := &events.RequestPrefix{
		Context:    events.Context{AgentName: "agent", ConversationID: conversation, ProviderName: "anthropic", RequestModel: "claude-sonnet-4-5"},
		ToolsKnown: true, MessagesKnown: true, Status: events.StatusOK, StartTime: noon.Add(time.Duration(second) * time.Second),
	}
	r.EndTime = r.StartTime.Add(time.Second)
	for i := range messages {
		r.Messages = append(r.Messages, fmt.Sprintf("%032x", i))
	}
	for i, d := range tools {
		r.Tools = append(r.Tools, events.PrefixTool{Name: fmt.Sprint("tool_", i), Digest: d})
	}
	r.UncachedInputTokens, r.OutputTokens = events.Tokens(10), events.Tokens(5)
	r.CacheReadInputTokens, r.CacheWrite5mInputTokens = events.Tokens(read), events.Tokens(written)
	return &events.Event{ID: uuid.NewString(), Source: "test", Time: r.EndTime, Data: r}
}

func verdicts(r prefix.Report) map[prefix.Verdict]int64 {
	counts := map[prefix.Verdict]int64{}
	for v, total := range r.Verdicts {
		counts[v] = total.Count
	}
	return counts
}
