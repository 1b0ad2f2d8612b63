package alerts_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/alerts"
	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/drift"
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

// looked is the sample in a store, as an analyzer leaves it.
type looked struct {
	db       *store.DB
	analyzer *analyzer.Analyzer
	metrics  *prometheus.Registry
	began    time.Time
}

// lookAtSample stores the sample and looks at all of it, with the tools that it defines registered.
func lookAtSample(t *testing.T) looked {
	t.Helper()
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	r, err := capture.Open("../sample/sample.ndjson.gz", capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	known := drift.NewRegistry()
	var all []*events.Event
	_, err = r.Read(t.Context(), func(e *events.Event) error {
		if d, ok := e.Data.(*events.ToolDefinition); ok {
			_, _ = known.Register(d, "test", e.Time) // one that can't be used judges nothing
		}
		all = append(all, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	storetest.Insert(t, db, all)
	if _, err := prefix.NewSettler(db, db).Settle(t.Context(), prefix.DefaultSettings()); err != nil {
		t.Fatal(err)
	}
	reg := prometheus.NewRegistry()
	a, err := analyzer.New(analyzer.DefaultConfig(), db, db, nil, metrics.NewAnalyzer(reg), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	a.UseRegistry(analyzer.RegistryOf(known))
	l := looked{db, a, reg, all[0].Time}
	l.look(t)
	return l
}

func (l looked) look(t *testing.T) {
	t.Helper()
	if _, err := l.analyzer.Once(t.Context(), finding.Window{}); err != nil {
		t.Fatal(err)
	}
}

// over runs an alert's query and returns the labels of the rows over its limit. Labels must be text, and all else one number named value.
func (l looked) over(t *testing.T, a *alerts.Alert) (labels []string) {
	t.Helper()
	query, err := panels.Expand(a.SQL(), panels.Scope{From: l.began, To: time.Now().Add(time.Second)})
	if err != nil {
		t.Fatalf("%s: %v", a.Name, err)
	}
	rows, err := l.db.Rows(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v in\n%s", a.Name, err, query)
	}
	for i, typ := range rows.Types {
		if isValue := rows.Columns[i] == "value"; isValue != (typ == "Float64") || !isValue && typ != "String" {
			t.Errorf("%s: column %s is a %s; want text, and one Float64 named value", a.Name, rows.Columns[i], typ)
		}
	}
	for _, row := range rows.Values {
		var names []string
		value := -1.0
		for i, v := range row {
			switch v := v.(type) {
			case string:
				names = append(names, v)
			case float64:
				value = v
			default:
				t.Errorf("%s: %s is %v", a.Name, rows.Columns[i], v)
			}
		}
		if value > a.Over {
			labels = append(labels, strings.Join(names, " "))
		}
	}
	return labels
}

func TestTheDisksQueryNamesADiskAndItsShare(t *testing.T) {
	l := lookAtSample(t)
	a := find(t, "DiskFilling")
	a.Over = -1
	if got := l.over(t, &a); len(got) == 0 {
		t.Error("no disk")
	}
	if n, err := testutil.GatherAndCount(l.metrics, metrics.StoreDiskFree.Name(), metrics.StoreDiskSize.Name()); err != nil || n < 2 {
		t.Errorf("%d series on disks, error %v", n, err)
	}
}

func find(t *testing.T, name string) alerts.Alert {
	t.Helper()
	all := alerts.All(alerts.DefaultConfig())
	i := slices.IndexFunc(all, func(a alerts.Alert) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("there is no alert %s", name)
	}
	return all[i]
}
