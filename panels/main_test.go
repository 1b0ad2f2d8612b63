package panels_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
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
	events []*events.Event
	report analyzer.Report
	// whole is a scope of all of it.
	whole panels.Scope
}

// shared is the sample that all tests read: it takes seconds to judge.
var shared struct {
	sync.Once
	sample sample
	err    error
}

// openSample returns the recorded sample as the analyzer leaves it. Tests only read it.
func openSample(t testing.TB) sample {
	t.Helper()
	addr := enginetest.Start(t)
	shared.Do(func() {
		enginetest.Exec(t, addr, "CREATE DATABASE panels_sample")
		cfg := store.DefaultConfig()
		cfg.Address, cfg.Database = "http://"+addr, "panels_sample"
		shared.sample, shared.err = analyzeSample(t, cfg, readSample(t))
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.sample
}

// openUnresolved returns the sample as it would be had its agents looked no names up, so that the analyzer does.
func openUnresolved(t *testing.T) sample {
	t.Helper()
	cfg := store.DefaultConfig()
	addr, database := enginetest.Database(t)
	cfg.Address, cfg.Database = "http://"+addr, database
	s, err := analyzeSample(t, cfg, unresolved(readSample(t)))
	if err != nil {
		t.Fatal(err)
	}
	if s.report.Activation.Judged < 1000 {
		t.Fatalf("%d names were looked up", s.report.Activation.Judged)
	}
	return s
}

// unresolved takes out of events what was made of names, and puts before them a list of all tools for each agent, by which they can be looked up.
func unresolved(all []*events.Event) []*events.Event {
	var tools []events.RosterTool
	known, agents := map[string]bool{}, map[events.Context]bool{}
	first := all[0].Time
	for _, e := range all {
		if e.Time.Before(first) {
			first = e.Time
		}
		c, ok := e.Data.(*events.ToolCall)
		if !ok || c.Bridge != "" {
			continue
		}
		if c.Resolution == events.ResolvedOK && !known[c.ToolName] {
			known[c.ToolName] = true
			digest := events.Digester{}.Full([]byte(c.ToolName))
			tools = append(tools, events.RosterTool{Name: c.ToolName, Server: c.Server, WireDigest: digest, DefinitionDigest: digest, SchemaDigest: digest})
		}
		agents[events.Context{AgentName: c.AgentName, AgentVersion: c.AgentVersion, Environment: c.Environment, Team: c.Team}] = true
		c.Resolution, c.ResolutionHow, c.ResolvedName = "", "", ""
	}
	var lists []*events.Event
	for agent := range agents {
		lists = append(lists, &events.Event{ID: uuid.NewString(), Source: "test", Time: first.Add(-time.Second), Data: &events.ToolRoster{
			Context: agent, RosterDigest: events.Digester{}.Full([]byte("all")), Reason: events.RosterUnknown, Tools: tools,
		}})
	}
	return append(lists, all...)
}

// analyzeSample stores events, judges its requests and analyzes it, findings and all. The store lives as long as the engine.
func analyzeSample(t testing.TB, cfg store.Config, all []*events.Event) (sample, error) {
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
	now := analyzer.DefaultConfig()
	now.Activation.JudgeAfter = 0
	a, err := analyzer.New(now, db, db, nil, metrics.NewAnalyzer(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	if err != nil {
		return sample{}, err
	}
	report, err := a.Once(ctx, finding.Window{})
	// The report's span leaves heartbeats out: one comes after the last of the other events.
	return sample{db, all, report, panels.Scope{From: report.FirstEvent, To: report.LastEvent.Add(24 * time.Hour)}}, err
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
