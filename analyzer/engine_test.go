package analyzer_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

func openStore(t *testing.T) *store.DB {
	t.Helper()
	addr, database := enginetest.Database(t)
	return storetest.Open(t, addr, database)
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// insert stores events of one kind, a minute apart.
func insert(t *testing.T, db *store.DB, all ...events.Data) {
	t.Helper()
	rows := make([]events.Row, len(all))
	for i, d := range all {
		rows[i] = events.Row{Seq: uint64(i + 1), Event: &events.Event{
			ID: uuid.NewString(), Source: "test", Time: noon.Add(time.Duration(i) * time.Minute), Data: d,
		}}
	}
	lane := "1/" + events.Subject(0, all[0].Kind())
	if err := db.Insert(t.Context(), lane, lane+"@0", rows); err != nil {
		t.Fatal(err)
	}
}

func call(conversation string, o events.Outcome) *events.ToolCall {
	return &events.ToolCall{
		Context: events.Context{ConversationID: conversation}, ToolName: "get_order", Server: "shop", Outcome: o,
		DriftClass: events.DriftSilentDefault, DefaultedArguments: []string{"quantity"},
	}
}

func newAnalyzer(t *testing.T, db *store.DB) (*analyzer.Analyzer, *metrics.Analyzer) {
	t.Helper()
	m := metrics.NewAnalyzer(prometheus.NewPedanticRegistry())
	a, err := analyzer.New(analyzer.DefaultConfig(), db, db, nil, m, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return a, m
}

func TestAReportCountsWhatTheWindowHolds(t *testing.T) {
	db := openStore(t)
	insert(t, db, call("a", events.OutcomeOK), call("a", events.OutcomeOK), call("b", events.OutcomeExecutionError), call("", events.OutcomeRefused))
	insert(t, db, &events.ClientHeartbeat{ClientID: "c", ClientVersion: "1"})
	insert(t, db, &events.DeadLetter{Subject: "s", Reason: "no", Payload: []byte("x")})
	a, m := newAnalyzer(t, db)
	for _, c := range []struct {
		name          string
		window        finding.Window
		calls         map[string]int64
		conversations int64
		letters       int64
	}{
		{"all of time", finding.Window{}, map[string]int64{"ok": 2, "execution_error": 1, "refused": 1, "validation_error": 0}, 2, 1},
		{
			"from inclusive, to exclusive", finding.Window{From: noon.Add(time.Minute), To: noon.Add(2 * time.Minute)},
			map[string]int64{"ok": 1, "execution_error": 0, "refused": 0, "validation_error": 0}, 1, 0,
		},
		{
			"open to the past", finding.Window{To: noon},
			map[string]int64{"ok": 0, "execution_error": 0, "refused": 0, "validation_error": 0}, 0, 0,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := a.Once(t.Context(), c.window)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.calls, r.Calls.ByOutcome); diff != "" {
				t.Error(diff)
			}
			if r.Conversations != c.conversations || r.DeadLetters != c.letters {
				t.Errorf("%d conversations and %d dead letters, want %d and %d", r.Conversations, r.DeadLetters, c.conversations, c.letters)
			}
			for outcome, n := range c.calls {
				if got := testutil.ToFloat64(m.Calls.WithLabelValues(outcome)); got != float64(n) {
					t.Errorf("metric of %s is %v, want %d", outcome, got, n)
				}
			}
		})
	}
}

func TestTheSpanLeavesHeartbeatsOut(t *testing.T) {
	db := openStore(t)
	insert(t, db, call("a", events.OutcomeOK), call("a", events.OutcomeOK))
	insert(t, db, &events.ClientHeartbeat{}, &events.ClientHeartbeat{}, &events.ClientHeartbeat{})
	a, _ := newAnalyzer(t, db)
	r, err := a.Once(t.Context(), finding.Window{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.FirstEvent.Equal(noon) || !r.LastEvent.Equal(noon.Add(time.Minute)) {
		t.Errorf("from %v to %v", r.FirstEvent, r.LastEvent)
	}
}

func TestTheSameFactIsOneFindingWithFirstAndLastSeen(t *testing.T) {
	db := openStore(t)
	insert(t, db, call("a", events.OutcomeOK))
	a, m := newAnalyzer(t, db)
	first, err := a.Once(t.Context(), finding.Window{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := a.Once(t.Context(), finding.Window{})
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Findings) == 0 {
		t.Fatal("a silent default is a finding from the first one")
	}
	kept, err := db.Findings(context.Background(), store.FindingFilter{})
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) != len(first.Findings) || len(again.Findings) != len(first.Findings) {
		t.Errorf("%d kept of %d and %d", len(kept), len(first.Findings), len(again.Findings))
	}
	f := again.Findings[0]
	if !f.FirstSeen.Equal(first.Findings[0].FirstSeen.Truncate(time.Microsecond)) || !f.LastSeen.After(f.FirstSeen) || f.State != finding.Open {
		t.Errorf("first seen %v, last %v, %s", f.FirstSeen, f.LastSeen, f.State)
	}
	if n := testutil.CollectAndCount(m.FindingsNew); n == 0 {
		t.Error("new findings are not counted")
	}
}
