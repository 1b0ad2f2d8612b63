package analyzer

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
)

// memory is a Querier of kept findings, a Keeper and a Publisher.
type memory struct {
	JudgmentKeeper // not called: the detectors are those of the test

	kept      map[string]finding.Finding
	published []finding.Finding
	refuse    error
}

func newMemory() *memory { return &memory{kept: map[string]finding.Finding{}} }

func (m *memory) SaveFindings(_ context.Context, fs []finding.Finding) error {
	for _, f := range fs {
		m.kept[f.Fingerprint] = f
	}
	return nil
}

func (m *memory) Each(_ context.Context, _ string, args []any, row any, fn func() error) error {
	v := reflect.ValueOf(row).Elem()
	var names []string
	if len(args) == 1 { // else it is no question about findings that are kept
		names, _ = args[0].([]string)
	}
	for _, name := range names {
		f, ok := m.kept[name]
		if !ok {
			continue
		}
		v.FieldByName("Fingerprint").SetString(name)
		v.FieldByName("FirstSeen").Set(reflect.ValueOf(f.FirstSeen))
		v.FieldByName("State").SetString(string(f.State))
		if err := fn(); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Publish(_ context.Context, subject string, data []byte) error {
	if m.refuse != nil {
		return m.refuse
	}
	var f finding.Finding
	if err := json.Unmarshal(data, &f); err != nil || subject != events.FindingsSubject {
		return errors.New("not a finding")
	}
	m.published = append(m.published, f)
	return nil
}

func found(rule string, s finding.Severity, cost float64) finding.Finding {
	f := finding.Finding{Detector: "drift", Rule: rule, Severity: s, Title: rule, Numbers: map[string]float64{"cost_usd": cost}}
	f.Sign()
	return f
}

func always(name string, fs ...finding.Finding) detector {
	return detector{name, func(context.Context, Querier, *Report) ([]finding.Finding, error) { return fs, nil }}
}

func failing(name string) detector {
	return detector{name, func(context.Context, Querier, *Report) ([]finding.Finding, error) { return nil, errors.New("no table") }}
}

func newTest(t *testing.T, m *memory, ds ...detector) (*Analyzer, *prometheus.Registry) {
	t.Helper()
	reg := prometheus.NewPedanticRegistry()
	cfg := DefaultConfig()
	a, err := New(cfg, m, m, m, metrics.NewAnalyzer(reg), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	a.detectors = ds
	return a, reg
}

func rules(fs []finding.Finding) []string {
	var all []string
	for _, f := range fs {
		all = append(all, f.Rule)
	}
	return all
}

func TestOneFailingDetectorDoesNotStopTheOthers(t *testing.T) {
	m := newMemory()
	a, _ := newTest(t, m, failing("drift"), always("prefix", found("break", finding.Warning, 1)))
	r, err := a.Once(t.Context(), finding.Window{})
	if err == nil || !strings.Contains(err.Error(), "run detector drift: no table") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{"break"}, rules(r.Findings)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"drift: no table"}, r.Incomplete); diff != "" {
		t.Error(diff)
	}
	if got := testutil.ToFloat64(a.metrics.DetectorErrors.WithLabelValues("drift")); got != 1 {
		t.Errorf("detector errors %v", got)
	}
	if got := testutil.ToFloat64(a.metrics.LastSuccess.WithLabelValues("prefix")); got == 0 {
		t.Error("prefix has no last success")
	}
}

// TestADetectorThatNeverEndedWellIsSeen: its last success is the beginning of the first run, so that AnalyzerStale fires on it alone.
func TestADetectorThatNeverEndedWellIsSeen(t *testing.T) {
	a, _ := newTest(t, newMemory(), failing("drift"), always("prefix"))
	began := time.Unix(1_772_366_400, 0)
	now := began
	a.now = func() time.Time { return now }
	for range 3 {
		_, _ = a.Once(t.Context(), finding.Window{})
		now = now.Add(time.Minute)
	}
	for name, want := range map[string]time.Time{"drift": began, "prefix": began.Add(2 * time.Minute)} {
		if got := testutil.ToFloat64(a.metrics.LastSuccess.WithLabelValues(name)); got != float64(want.Unix()) {
			t.Errorf("%s: last success %v, want %v", name, got, want.Unix())
		}
	}
}

func TestTheWorstFindingComesFirst(t *testing.T) {
	m := newMemory()
	a, _ := newTest(t, m, always("x", found("mild", finding.Info, 99), found("cheap", finding.Critical, 1),
		found("dear", finding.Critical, 5), found("b", finding.Warning, 0), found("a", finding.Warning, 0)))
	r, err := a.Once(t.Context(), finding.Window{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"dear", "cheap", "a", "b", "mild"}, rules(r.Findings)); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyNewFindingsArePublished(t *testing.T) {
	m := newMemory()
	a, _ := newTest(t, m, always("x", found("one", finding.Warning, 0)))
	var reports []Report
	for range 3 {
		r, err := a.Once(t.Context(), finding.Window{})
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	if first, last := reports[0].Findings[0], reports[2].Findings[0]; !last.FirstSeen.Equal(first.FirstSeen) || !last.LastSeen.After(first.LastSeen) {
		t.Errorf("first seen %v then %v, last seen %v then %v", first.FirstSeen, last.FirstSeen, first.LastSeen, last.LastSeen)
	}
	if diff := cmp.Diff([]string{"one"}, rules(m.published)); diff != "" {
		t.Error(diff)
	}
	if got := testutil.ToFloat64(a.metrics.FindingsNew.WithLabelValues("drift", "warning")); got != 1 {
		t.Errorf("new findings %v", got)
	}
}

func TestAFindingThatCouldNotBePublishedIsPublishedByALaterRun(t *testing.T) {
	m := newMemory()
	m.refuse = errors.New("no servers")
	a, _ := newTest(t, m, always("x", found("one", finding.Warning, 0)))
	if _, err := a.Once(t.Context(), finding.Window{}); err == nil {
		t.Error("want the publisher's error")
	}
	m.refuse = nil
	if _, err := a.Once(t.Context(), finding.Window{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one"}, rules(m.published)); diff != "" {
		t.Error(diff)
	}
}

func TestRunLooksAtOnceAndThenEveryInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		var at []time.Duration
		var windows []finding.Window
		start := time.Now()
		a, _ := newTest(t, m, detector{"x", func(_ context.Context, _ Querier, r *Report) ([]finding.Finding, error) {
			at = append(at, time.Since(start))
			windows = append(windows, r.Window)
			return nil, nil
		}})
		ctx, cancel := context.WithTimeout(t.Context(), 150*time.Second)
		defer cancel()
		if err := a.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]time.Duration{0, time.Minute, 2 * time.Minute}, at); diff != "" {
			t.Error(diff)
		}
		if w := windows[0]; w.To.Sub(w.From) != 24*time.Hour || !w.To.Equal(start) {
			t.Errorf("window %v", w)
		}
		if got := testutil.ToFloat64(a.metrics.Runs.WithLabelValues("ok")); got != 3 {
			t.Errorf("runs %v", got)
		}
	})
}

func TestADetectorIsCutOffAtItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		a, _ := newTest(t, m, detector{"slow", func(ctx context.Context, _ Querier, _ *Report) ([]finding.Finding, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}, always("next", found("one", finding.Info, 0)))
		r, err := a.Once(t.Context(), finding.Window{})
		if !errors.Is(err, context.DeadlineExceeded) || len(r.Findings) != 1 {
			t.Errorf("error %v, %d findings", err, len(r.Findings))
		}
	})
}

func TestHealthFailsWhenNoRunSucceedsForThreeIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		a, reg := newTest(t, m, failing("drift"))
		ask := func(path string) int {
			w := httptest.NewRecorder()
			a.Handler(reg).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			return w.Code
		}
		if got := ask("/healthz"); got != http.StatusOK {
			t.Errorf("before the start: %d", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		if err := a.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if got := ask("/healthz"); got != http.StatusServiceUnavailable {
			t.Errorf("after twenty minutes of failures: %d", got)
		}
		if got := ask("/metrics"); got != http.StatusOK {
			t.Errorf("metrics: %d", got)
		}
	})
}

func TestSettingsThatCannotBeAreRefused(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Interval, cfg.Window, cfg.Timeout = 0, -1, -1
	_, err := New(cfg, nil, nil, nil, nil, nil)
	for _, want := range []string{"interval", "window", "timeout"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name the %s", err, want)
		}
	}
}
