package analyzer_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

// flaky is the real store, which is away at times, and refuses what holds a word.
type flaky struct {
	*store.DB
	away   atomic.Bool
	refuse string
	saved  atomic.Int64
}

var errAway = errors.New("the store is away")

// refusal is an error that no further try mends.
type refusal struct{ error }

func (refusal) Permanent() bool { return true }

func (f *flaky) SaveToolChanges(ctx context.Context, changes []events.ToolChange) error {
	if f.away.Load() {
		return errAway
	}
	for i := range changes {
		if f.refuse != "" && strings.Contains(changes[i].Document, f.refuse) {
			return refusal{errors.New("it does not fit")}
		}
	}
	f.saved.Add(int64(len(changes)))
	return f.DB.SaveToolChanges(ctx, changes)
}

func newHistory(js jetstream.JetStream, db *flaky) (*analyzer.History, *metrics.Analyzer) {
	m := metrics.NewAnalyzer(prometheus.NewPedanticRegistry())
	buckets := []analyzer.RevisionSource{stream.NewBucket(js, stream.RegistryBucket), stream.NewBucket(js, stream.BreakerBucket)}
	return analyzer.NewHistory(buckets, db, db, m, slog.New(slog.DiscardHandler)), m
}

func storedChanges(t *testing.T, db *flaky) []events.ToolChange {
	t.Helper()
	all, err := db.ToolChanges(t.Context(), store.ToolChangeFilter{Documents: true, Limit: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(all)
	return all
}

func TestTheHistoryKeepsEveryRevisionOfBothBuckets(t *testing.T) {
	db, js := &flaky{DB: openStore(t)}, startNATS(t).connect()
	order := drift.Key{Server: "shop.example", Tool: "order"}
	v1, v2 := document(order, "v1", "register"), document(order, "v2", "activate")
	put(t, js, stream.RegistryBucket, v1, order.Server, order.Tool)
	h, m := newHistory(js, db)
	start(t, h.Run)
	put(t, js, stream.RegistryBucket, v2, order.Server, order.Tool)
	off := `{"server":"shop.example","tool":"order","agent":"support","state":"disabled","by":"breaker","reason":"3 validation errors in a row","version":"v2"}`
	put(t, js, stream.BreakerBucket, off, order.Server, order.Tool, "support")
	put(t, js, stream.BreakerBucket, `{}`, "_checkpoint")
	put(t, js, stream.BreakerBucket, "not JSON", "", "own")
	kv, err := js.KeyValue(t.Context(), stream.RegistryBucket)
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "shop=2eexample.order"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all is stored", func() bool { return len(storedChanges(t, db)) >= 5 })
	want := []events.ToolChange{
		{Server: order.Server, Tool: "order", Action: "register", Version: "v1", ChangedBy: "ada", Reason: "it works", Document: v1, Revision: 1},
		{Server: order.Server, Tool: "order", Action: "activate", Version: "v2", ChangedBy: "ada", Reason: "it works", Document: v2, Revision: 2},
		{Server: order.Server, Tool: "order", Agent: "support", Action: "disabled", Version: "v2", ChangedBy: "breaker", Reason: "3 validation errors in a row", Document: off, Revision: 1},
		{Tool: "own", Action: events.ToolChangeUnreadable, Document: "not JSON", Revision: 3},
		{Server: order.Server, Tool: "order", Action: events.ToolChangeDeleted, Revision: 3},
	}
	if diff := cmp.Diff(want, storedChanges(t, db), cmpopts.IgnoreFields(events.ToolChange{}, "Bucket", "Epoch", "Key", "At")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	eventually(t, "all is counted", func() bool {
		return testutil.ToFloat64(m.HistoryChanges.WithLabelValues(stream.RegistryBucket)) == 3 &&
			testutil.ToFloat64(m.HistoryChanges.WithLabelValues(stream.BreakerBucket)) == 2
	})
}

func TestTheHistoryGoesOnWhereItWasLeft(t *testing.T) {
	db, js := &flaky{DB: openStore(t)}, startNATS(t).connect()
	n := 0
	change := func(times int) {
		for range times {
			n++
			put(t, js, stream.RegistryBucket, document(drift.Key{Server: "s", Tool: "t"}, fmt.Sprint("v", n), "register"), "s", fmt.Sprint("t", n%20))
		}
	}
	for _, more := range []int{300, 1, 0, 40} {
		change(more)
		h, _ := newHistory(js, db)
		stop := start(t, h.Run)
		eventually(t, "all is stored", func() bool { return len(storedChanges(t, db)) == n })
		stop()
	}
	if saved := db.saved.Load(); saved != int64(n) {
		t.Errorf("%d changes were saved, want each of %d once", saved, n)
	}
	for i, c := range storedChanges(t, db) {
		if c.Revision != uint64(i+1) || c.Version != fmt.Sprint("v", i+1) {
			t.Fatalf("change %d is revision %d, version %s", i, c.Revision, c.Version)
		}
	}
}

func TestTheHistoryWaitsForAStoreThatIsAway(t *testing.T) {
	db, js := &flaky{DB: openStore(t)}, startNATS(t).connect()
	db.away.Store(true)
	h, m := newHistory(js, db)
	start(t, h.Run)
	for i := range 60 {
		put(t, js, stream.RegistryBucket, document(drift.Key{Tool: "t"}, fmt.Sprint("v", i), "register"), "", "t")
	}
	eventually(t, "tries are counted", func() bool { return testutil.ToFloat64(m.HistoryErrors.WithLabelValues(stream.RegistryBucket)) > 1 })
	db.away.Store(false)
	eventually(t, "all is stored", func() bool { return len(storedChanges(t, db)) == 60 })
}

func TestTwoHistoriesKeepEachChangeOnce(t *testing.T) {
	db, js := &flaky{DB: openStore(t)}, startNATS(t).connect()
	var counted []*metrics.Analyzer
	for range 2 {
		h, m := newHistory(js, db)
		start(t, h.Run)
		counted = append(counted, m)
	}
	for i := range 50 {
		put(t, js, stream.BreakerBucket, `{"tool":"t","state":"disabled","by":"b","reason":"r"}`, "", fmt.Sprint("t", i))
	}
	eventually(t, "all is stored", func() bool { return len(storedChanges(t, db)) >= 50 })
	eventually(t, "both are through", func() bool {
		done := 0.0
		for _, m := range counted {
			done += testutil.ToFloat64(m.HistoryChanges.WithLabelValues(stream.BreakerBucket))
		}
		return int64(done) == db.saved.Load()
	})
	if got := len(storedChanges(t, db)); got != 50 {
		t.Errorf("%d changes, want 50", got)
	}
}

func TestAChangeThatTheStoreRefusesDoesNotHoldUpTheOthers(t *testing.T) {
	db, js := &flaky{DB: openStore(t), refuse: "poison"}, startNATS(t).connect()
	for i := range 10 {
		put(t, js, stream.RegistryBucket, document(drift.Key{Tool: "t"}, []string{"v", "poison"}[i/9], "register"), "", fmt.Sprint("t", i))
	}
	put(t, js, stream.RegistryBucket, document(drift.Key{Tool: "t"}, "v", "register"), "", "last")
	h, m := newHistory(js, db)
	start(t, h.Run)
	eventually(t, "the others are stored", func() bool { return len(storedChanges(t, db)) == 10 })
	if got := testutil.ToFloat64(m.HistoryErrors.WithLabelValues(stream.RegistryBucket)); got != 1 {
		t.Errorf("%v errors are counted, want 1", got)
	}
}

func TestTheHistoryGoesOnWhenTheBucketOrTheServerWasAway(t *testing.T) {
	db, nats := &flaky{DB: openStore(t)}, startNATS(t)
	js := nats.connect()
	h, _ := newHistory(js, db)
	start(t, h.Run)
	value := document(drift.Key{Tool: "t"}, "v1", "register")
	put(t, js, stream.RegistryBucket, value, "", "t")
	eventually(t, "the first is stored", func() bool { return len(storedChanges(t, db)) == 1 })
	if err := js.DeleteKeyValue(t.Context(), stream.RegistryBucket); err != nil {
		t.Fatal(err)
	}
	nats.connect() // makes it anew
	put(t, js, stream.RegistryBucket, value, "", "t")
	eventually(t, "the same revision of the new bucket is stored", func() bool { return len(storedChanges(t, db)) == 2 })
	nats.stop()
	nats.start()
	put(t, nats.connect(), stream.RegistryBucket, value, "", "t")
	eventually(t, "what came after a restart is stored", func() bool { return len(storedChanges(t, db)) == 3 })
}
