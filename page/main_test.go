package page_test

import (
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

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cli"
	"github.com/tooltrail/tooltrail/docs"
	"github.com/tooltrail/tooltrail/e2e/sampletest"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/page"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// sample is the recorded sample in a store, judged and analyzed.
type sample struct {
	db     *store.DB
	report analyzer.Report
	whole  panels.Scope
}

func (s sample) sources() page.Sources { return cli.PageSources(s.db) }

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
		shared.sample, shared.err = analyze(t, cfg, sampletest.Read(t))
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.sample
}

// analyze stores events, judges and analyzes them.
func analyze(t testing.TB, cfg store.Config, all []*events.Event) (sample, error) {
	db, report, err := sampletest.Analyze(t, cfg, analyzer.DefaultConfig(), all)
	return sample{db, report, panels.Scope{From: report.FirstEvent, To: report.LastEvent.Add(time.Second)}}, err
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
