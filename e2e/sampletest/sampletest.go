// Package sampletest gives tests the recorded sample, as it is and as an analyzer leaves it in a store. Tests run in a folder beside sample/.
package sampletest

import (
	"context"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// Read returns the events of the recorded sample in their order.
func Read(t testing.TB) []*events.Event {
	t.Helper()
	r, err := capture.Open("../sample/sample.ndjson.gz", capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []*events.Event
	if _, err := r.Read(context.Background(), func(e *events.Event) error { all = append(all, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// Analyze stores events in an empty database and looks at all of them once. The store is not closed: it lives as long as the engine, so that all
// tests of a package can share it.
func Analyze(t testing.TB, cfg store.Config, an analyzer.Config, all []*events.Event) (*store.DB, analyzer.Report, error) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, cfg)
	if err != nil {
		return nil, analyzer.Report{}, err
	}
	if err := db.Migrate(ctx); err != nil {
		return nil, analyzer.Report{}, err
	}
	storetest.Insert(t, db, all)
	a, err := analyzer.New(an, db, db, nil, metrics.NewAnalyzer(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, analyzer.Report{}, err
	}
	r, err := a.Once(ctx, finding.Window{})
	return db, r, err
}
