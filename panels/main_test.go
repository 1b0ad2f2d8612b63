package panels_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// sample is the recorded sample in a store, judged and analyzed.
type sample struct {
	db     *store.DB
	report analyzer.Report
	// whole is a scope of all of it.
	whole panels.Scope
}

// openSample stores the recorded sample as the analyzer leaves it.
func openSample(t testing.TB) sample {
	t.Helper()
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	storetest.Insert(t, db, readSample(t))
	a, err := analyzer.New(analyzer.DefaultConfig(), db, db, nil, metrics.NewAnalyzer(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prefix.NewSettler(db, db).Settle(t.Context(), prefix.DefaultSettings()); err != nil {
		t.Fatal(err)
	}
	report, err := a.Once(t.Context(), finding.Window{})
	if err != nil {
		t.Fatal(err)
	}
	return sample{db, report, panels.Scope{From: report.FirstEvent, To: report.LastEvent.Add(time.Microsecond)}}
}

// scopeOf is all of the sample, and for the view of a conversation the dearest one.
func (s sample) scopeOf(v panels.View) panels.Scope {
	scope := s.whole
	if v.ID == panels.Conversation {
		scope.Conversation = s.report.Prefix.Conversations[0].ID
	}
	return scope
}

func readSample(t testing.TB) []*events.Event {
	t.Helper()
	r, err := capture.Open("../sample/sample.ndjson.gz", capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []*events.Event
	if _, err := r.Read(t.Context(), func(e *events.Event) error { all = append(all, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}
