package page_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/docs"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/page"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// stored is a store as the page reads it.
type stored struct{ db *store.DB }

func (s stored) Rows(ctx context.Context, query string) (page.Answer, error) {
	r, err := s.db.Rows(ctx, query)
	return page.Answer{Columns: r.Columns, Rows: r.Values}, err
}

func (s stored) Find(ctx context.Context, f page.Filter) ([]finding.Finding, error) {
	g := store.FindingFilter{
		State: f.State, MinSeverity: f.Severity, Detector: f.Detector, Owner: f.Owner, Agent: f.Agent, Environment: f.Environment, Team: f.Team,
		Tool: f.Tool, Server: f.Server, Limit: f.Limit,
	}
	if f.Fingerprint != "" {
		g.Fingerprints = []string{f.Fingerprint}
	}
	return s.db.Findings(ctx, g)
}

func (s stored) History(ctx context.Context, fingerprint string) ([]finding.Action, error) {
	all, err := s.db.FindingHistory(ctx, []string{fingerprint})
	return all[fingerprint], err
}

func (s stored) Act(ctx context.Context, fingerprint string, a finding.Action) error {
	_, err := s.db.ActOnFindings(ctx, []string{fingerprint}, a)
	return err
}

func (s stored) sources() page.Sources { return page.Sources{Database: s, Findings: s, Actor: s} }

// sample is the recorded sample in a store, judged and analyzed.
type sample struct {
	stored
	report analyzer.Report
	whole  panels.Scope
}

// shared is the sample that all tests read: it takes seconds to judge.
var shared struct {
	sync.Once
	sample sample
	err    error
}

func openSample(t testing.TB) sample {
	t.Helper()
	addr := enginetest.Start(t)
	shared.Do(func() {
		enginetest.Exec(t, addr, "CREATE DATABASE page_sample")
		cfg := store.DefaultConfig()
		cfg.Address, cfg.Database = "http://"+addr, "page_sample"
		shared.sample, shared.err = analyze(t, cfg, readSample(t))
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.sample
}

// analyze stores events, judges and analyzes them.
func analyze(t testing.TB, cfg store.Config, all []*events.Event) (sample, error) {
	ctx := context.Background()
	db, err := store.Open(ctx, cfg)
	if err != nil {
		return sample{}, err
	}
	if err := db.Migrate(ctx); err != nil {
		return sample{}, err
	}
	storetest.Insert(t, db, all)
	if _, err := prefix.NewSettler(db, db).Settle(ctx, prefix.DefaultSettings()); err != nil {
		return sample{}, err
	}
	a, err := analyzer.New(analyzer.DefaultConfig(), db, db, nil, metrics.NewAnalyzer(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	if err != nil {
		return sample{}, err
	}
	report, err := a.Once(ctx, finding.Window{})
	return sample{stored{db}, report, panels.Scope{From: report.FirstEvent, To: report.LastEvent.Add(time.Second)}}, err
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

// hostile are names that a tool, an agent or a server may have.
var hostile = []string{
	"<script>alert(1)</script>", "javascript:alert(1)", `"><img src=x onerror=alert(1)>`, "'; DROP TABLE tool_calls; --", "</script><script>alert(2)</script>",
	"refund\u202etxt.exe\u202c", "zero\u200bwidth", "a\x00b\nc", "{{.Secret}}", "../../etc/passwd", strings.Repeat("long name ", 20_000), "ünïcode ☃ 日本語", "#?&=%",
}

// hostileEvents are drifted calls of tools with hostile names, of agents, models and servers with such names too.
func hostileEvents(at time.Time) []*events.Event {
	var all []*events.Event
	for i, name := range hostile {
		for j := range 30 {
			all = append(all, &events.Event{
				ID: uuid.NewString(), Source: "test", Time: at.Add(time.Duration(i*60+j) * time.Second),
				Data: &events.ToolCall{
					Context: events.Context{AgentName: name, ConversationID: name, RequestModel: name}, ToolName: name, Server: name,
					Outcome: events.OutcomeValidationError,
				},
			})
		}
	}
	return all
}

// browser is a client of a page on a test server.
type browser struct {
	t      testing.TB
	url    string
	client *http.Client
}

// serve serves the page as cfg says; its clock stands at now.
func serve(t testing.TB, from page.Sources, change func(*page.Config)) browser {
	t.Helper()
	cfg := page.DefaultConfig()
	cfg.By, cfg.Version, cfg.Runbooks = "tester", "test", docs.Runbooks()
	cfg.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	if change != nil {
		change(&cfg)
	}
	s, err := page.New(cfg, from)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(srv.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return browser{t, srv.URL, &http.Client{Jar: jar}}
}

// get returns what the page answers.
func (b browser) get(path string) (int, string, http.Header) {
	b.t.Helper()
	return b.do(http.MethodGet, path, "", nil)
}

func (b browser) do(method, path, body string, change func(*http.Request)) (int, string, http.Header) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(r)
	}
	answer, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Header
}
