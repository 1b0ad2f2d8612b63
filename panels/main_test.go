package panels_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/e2e/sampletest"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store"
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
		shared.sample, shared.err = analyzeSample(t, cfg, sampletest.Read(t))
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
	s, err := analyzeSample(t, cfg, unresolved(sampletest.Read(t)))
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

// analyzeSample stores events and analyzes them, findings and all.
func analyzeSample(t testing.TB, cfg store.Config, all []*events.Event) (sample, error) {
	an := analyzer.DefaultConfig()
	an.Activation.JudgeAfter = 0
	db, report, err := sampletest.Analyze(t, cfg, an, all)
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
