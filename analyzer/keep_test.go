package analyzer_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

// world is a store into which events come by and by, and an analyzer that publishes to it.
type world struct {
	*store.DB
	t         *testing.T
	at        map[events.Kind]uint64
	a         *analyzer.Analyzer
	m         *metrics.Analyzer
	file      string
	published []finding.Finding
}

func newWorld(t *testing.T, settings string) *world {
	t.Helper()
	w := &world{DB: openStore(t), t: t, at: map[events.Kind]uint64{}, m: metrics.NewAnalyzer(prometheus.NewPedanticRegistry()), file: filepath.Join(t.TempDir(), "settings.yaml")}
	w.set(settings)
	log := slog.New(slog.DiscardHandler)
	file, err := analyzer.OpenSettings(w.file, analyzer.DefaultConfig(), nil, w.m, log)
	if err != nil {
		t.Fatal(err)
	}
	if w.a, err = analyzer.New(file.Current(), w.DB, w.DB, w, w.m, log); err != nil {
		t.Fatal(err)
	}
	w.a.FollowSettings(file)
	return w
}

func (w *world) set(settings string) {
	w.t.Helper()
	if err := os.WriteFile(w.file, []byte(settings), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// Publish takes what the analyzer tells others.
func (w *world) Publish(_ context.Context, _ string, data []byte) error {
	var f finding.Finding
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	w.published = append(w.published, f)
	return nil
}

// put stores events of one kind at a time, a second apart.
func (w *world) put(at time.Time, all ...events.Data) {
	w.t.Helper()
	kind := all[0].Kind()
	lane := "1/" + events.Subject(0, kind)
	var rows []events.Row
	for i, d := range all {
		rows = append(rows, events.Row{Seq: w.at[kind] + uint64(i) + 1, Event: &events.Event{ //nolint:gosec // small
			ID: uuid.NewString(), Source: "test", Time: at.Add(time.Duration(i) * time.Second), Data: d,
		}})
	}
	if err := w.Insert(w.t.Context(), lane, fmt.Sprintf("%s@%d", lane, w.at[kind]), rows); err != nil {
		w.t.Fatal(err)
	}
	w.at[kind] += uint64(len(all))
}

// run looks once over a window that ends now and returns the findings of a rule that are about a tool.
func (w *world) run(back time.Duration, rule, tool string) finding.Finding {
	w.t.Helper()
	now := time.Now().UTC()
	window := finding.Window{From: now.Add(-back), To: now}
	if back == 0 {
		window = finding.Window{}
	}
	r, err := w.a.Once(w.t.Context(), window)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Rule == rule && f.Subject.Tool == tool {
			return f
		}
	}
	w.t.Fatalf("no finding %s of %s in %d", rule, tool, len(r.Findings))
	return finding.Finding{}
}

func silent(agent, version string) *events.ToolCall {
	return &events.ToolCall{
		Context:  events.Context{ConversationID: "c-" + agent, AgentName: agent, AgentVersion: version, Environment: "prod", Team: "desk-team", RequestModel: "m1"},
		ToolName: "order", Server: "shop", Outcome: events.OutcomeOK, DriftClass: events.DriftSilentDefault, DefaultedArguments: []string{"quantity"}, UsedVersion: "v1",
	}
}

func fine(agent, version string) *events.ToolCall {
	c := silent(agent, version)
	c.DriftClass, c.DefaultedArguments = events.DriftCurrent, nil
	return c
}

func TestAResolvedFindingOpensAgainOnlyWhenTheFactHappensAgain(t *testing.T) {
	w := newWorld(t, "")
	w.put(time.Now().Add(-time.Hour), silent("desk", "1"), silent("desk", "1"))
	f := w.run(24*time.Hour, "silent_default", "order")
	if f.State != finding.Open || len(w.published) == 0 {
		t.Fatalf("%+v, %d published", f.Life(), len(w.published))
	}
	told := len(w.published)
	act := func(a finding.Action) {
		t.Helper()
		a.By, a.Why = "lea", "mended"
		if was, err := w.ActOnFindings(t.Context(), []string{f.Fingerprint}, a); err != nil || len(was) != 1 {
			t.Fatal(was, err)
		}
	}
	gauge := func() float64 { return testutil.ToFloat64(w.m.Findings.WithLabelValues("drift", "critical")) }
	alerting := gauge()
	act(finding.Action{Act: finding.Resolve})
	if f = w.run(24*time.Hour, "silent_default", "order"); f.State != finding.Resolved || len(w.published) != told || gauge() != alerting-1 {
		t.Fatalf("seen, but of before: %+v, %d published, gauge %v", f.Life(), len(w.published), gauge())
	}
	w.put(time.Now(), silent("desk", "1"))
	if f = w.run(24*time.Hour, "silent_default", "order"); f.State != finding.Open || f.Reopened != 1 || len(w.published) != told+1 || gauge() != alerting {
		t.Fatalf("happened again: %+v, %d published, gauge %v", f.Life(), len(w.published), gauge())
	}
	if p := w.published[told]; p.Fingerprint != f.Fingerprint || p.Reopened != 1 || p.StateWhy != finding.WhyAgain {
		t.Errorf("published %+v", p.Life())
	}
	act(finding.Action{Act: finding.Mute, Until: time.Now().Add(time.Hour)})
	w.put(time.Now(), silent("desk", "1"))
	if f = w.run(24*time.Hour, "silent_default", "order"); f.State != finding.Muted || len(w.published) != told+1 || gauge() != alerting-1 {
		t.Errorf("muted: %+v, %d published, gauge %v", f.Life(), len(w.published), gauge())
	}
}

func TestARatioCountsAsReturnedWhenAllItIsTakenOverIsAfterItWasResolved(t *testing.T) {
	w := newWorld(t, "drift:\n  min_calls: 2\n  windows: []\n")
	w.put(time.Now().Add(-time.Minute), silent("desk", "1"), silent("desk", "1"), silent("desk", "1"))
	f := w.run(time.Hour, "drift_ratio", "order")
	if _, err := w.ActOnFindings(t.Context(), []string{f.Fingerprint}, finding.Action{Act: finding.Resolve, By: "lea", Why: "w"}); err != nil {
		t.Fatal(err)
	}
	w.put(time.Now(), silent("desk", "1"))
	if f = w.run(time.Hour, "drift_ratio", "order"); f.State != finding.Resolved {
		t.Errorf("a ratio over calls of before: %+v", f.Life())
	}
	w.put(time.Now(), silent("desk", "1"))
	if f = w.run(500*time.Millisecond, "drift_ratio", "order"); f.State != finding.Open || f.Reopened != 1 {
		t.Errorf("a ratio over calls of after: %+v", f.Life())
	}
}

// TestALoopAndAChangedSchemaReturnWithTheirNextTime: they have a time of their own, and need not wait until the window is past the old one.
func TestALoopAndAChangedSchemaReturnWithTheirNextTime(t *testing.T) {
	w := newWorld(t, "")
	loop := func(conversation string) (calls []events.Data) {
		for range 4 {
			c := fine("desk", "1")
			c.ConversationID, c.Outcome, c.ArgumentsDigest = conversation, events.OutcomeExecutionError, strings.Repeat("ab", 8)
			calls = append(calls, c)
		}
		return calls
	}
	definition := func(field string) *events.ToolDefinition {
		raw := `{"name":"pay","inputSchema":{"type":"object","properties":{"` + field + `":{"type":"string"}},"required":["` + field + `"]}}`
		digests, err := events.Digester{}.Tool([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		return &events.ToolDefinition{
			ToolName: "pay", Server: "bank", Release: "1.0.0", Definition: jsontext.Value(raw),
			WireDigest: digests.Wire, DefinitionDigest: digests.Definition, SchemaDigest: digests.Schema,
		}
	}
	w.put(time.Now().Add(-2*time.Minute), loop("c1")...)
	w.put(time.Now().Add(-2*time.Minute), definition("a"), definition("b"))
	looped, changed := w.run(time.Hour, "loop", "order"), w.run(time.Hour, "rug_pull", "")
	if looped.State != finding.Open || changed.State != finding.Open {
		t.Fatalf("%+v, %+v", looped.Life(), changed.Life())
	}
	if _, err := w.ActOnFindings(t.Context(), []string{looped.Fingerprint, changed.Fingerprint}, finding.Action{Act: finding.Resolve, By: "lea", Why: "w"}); err != nil {
		t.Fatal(err)
	}
	if f := w.run(time.Hour, "loop", "order"); f.State != finding.Resolved {
		t.Errorf("the same loop: %+v", f.Life())
	}
	if f := w.run(time.Hour, "rug_pull", ""); f.State != finding.Resolved {
		t.Errorf("the same change: %+v", f.Life())
	}
	for _, c := range loop("c2") {
		w.put(time.Now(), c)
	}
	w.put(time.Now(), definition("c"))
	if f := w.run(time.Hour, "loop", "order"); f.State != finding.Open || f.Reopened != 1 {
		t.Errorf("another loop: %+v", f.Life())
	}
	if f := w.run(time.Hour, "rug_pull", ""); f.State != finding.Open || f.Reopened != 1 {
		t.Errorf("another change: %+v", f.Life())
	}
}

func TestAFindingSaysWhereItsEventsWereAndWhoseItIs(t *testing.T) {
	w := newWorld(t, "owners:\n  tools:\n    shop/*:\n      owner: lea\n  agents:\n    mail:\n      team: mailers\n")
	w.put(noon, silent("desk", "1"))
	f := w.run(0, "silent_default", "order")
	want := finding.Places{Agents: []string{"desk"}, Environments: []string{"prod"}, Teams: []string{"desk-team"}}
	if diff := cmp.Diff(want, f.Seen); diff != "" || f.Owner != "lea" || f.Team != "desk-team" || f.Environment != "prod" || !f.Began.Equal(noon) || !f.LastEvent.Equal(noon) {
		t.Errorf("%s%q %q %q %v %v", diff, f.Owner, f.Team, f.Environment, f.Began, f.LastEvent)
	}
	mail := silent("mail", "1")
	mail.Environment = "test"
	w.put(noon.Add(time.Hour), mail)
	f = w.run(0, "silent_default", "order")
	if len(f.Seen.Agents) != 2 || f.Environment != "" || f.Team != "desk-team" || !f.LastEvent.Equal(noon.Add(time.Hour)) {
		t.Errorf("%+v", f)
	}
	for _, filter := range []store.FindingFilter{{Agent: "mail"}, {Environment: "test"}, {Team: "desk-team"}, {Owner: "lea"}} {
		filter.Rule = "silent_default"
		if all, err := w.Findings(t.Context(), filter); err != nil || len(all) != 1 || !all[0].Began.Equal(noon) {
			t.Errorf("%+v: %+v, %v", filter, all, err)
		}
	}
}

func TestAFindingSaysWhereNamesThatTheAnalyzerLookedUpWere(t *testing.T) {
	w := newWorld(t, "activation:\n  judge_after: 0s\n")
	of := func(agent string) events.Context {
		return events.Context{ConversationID: "c-" + agent, AgentName: agent, AgentVersion: "3", Environment: "prod", Team: "desk-team", RequestModel: "m1"}
	}
	roster := func(agent string) *events.ToolRoster {
		return &events.ToolRoster{Context: of(agent), RosterDigest: "r", Tools: []events.RosterTool{{Name: "web_search", DefinitionDigest: "d"}}}
	}
	guess := func(agent string, r events.Resolution) *events.ToolCall {
		return &events.ToolCall{Context: of(agent), ToolName: "webSearch", Outcome: events.OutcomeExecutionError, Resolution: r}
	}
	w.put(noon, roster("desk"))
	w.put(noon.Add(time.Minute), guess("desk", ""))
	w.put(noon.Add(2*time.Minute), guess("mail", events.ResolvedGuessed))
	f := w.run(0, "guessed", "webSearch")
	want := finding.Places{Agents: []string{"desk", "mail"}, Environments: []string{"prod"}, Teams: []string{"desk-team"}}
	if diff := cmp.Diff(want, f.Seen); diff != "" || !f.Began.Equal(noon.Add(time.Minute)) || !f.LastEvent.Equal(noon.Add(2*time.Minute)) {
		t.Errorf("%s%v %v", diff, f.Began, f.LastEvent)
	}
}

// changesOf runs once and returns what a finding says of its start.
func (w *world) changesOf(rule, tool string) []string {
	w.t.Helper()
	f := w.run(0, rule, tool)
	var out []string
	for _, c := range f.Changes {
		out = append(out, c.Text)
	}
	stored, err := w.Findings(w.t.Context(), store.FindingFilter{Fingerprints: []string{f.Fingerprint}})
	if err != nil || len(stored) != 1 {
		w.t.Fatal(stored, err)
	}
	if diff := cmp.Diff(f.Changes, stored[0].Changes); diff != "" {
		w.t.Errorf("(-said +stored):\n%s", diff)
	}
	return out
}

func TestAFindingSaysWhatChangedAroundItsStart(t *testing.T) {
	minutes := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
	definition := func(digest string) *events.ToolDefinition {
		return &events.ToolDefinition{Server: "shop", ToolName: "order", Definition: []byte(`{"name":"` + digest + `"}`), DefinitionDigest: digest}
	}
	release := func(version string) *events.ToolRoster {
		return &events.ToolRoster{Server: "shop", Release: version, RosterDigest: version, Reason: events.RosterUnknown}
	}
	for _, c := range []struct {
		name string
		put  func(w *world)
		want []string
	}{
		{"an agent's version", func(w *world) { w.put(minutes(-4), fine("desk", "12")) }, []string{"began 4 minutes after agent version 12 of desk was first seen"}},
		{"another agent's version", func(w *world) { w.put(minutes(-600), fine("mail", "11")); w.put(minutes(-4), fine("mail", "12")) }, nil},
		{"a model", func(w *world) {
			other := fine("desk", "12")
			other.RequestModel = "m0"
			w.put(minutes(-660), other)
			w.put(minutes(-2), fine("desk", "12"))
		}, []string{
			"began 2 minutes after agent version 12 of desk was first seen",
			"began 2 minutes after model m1 was first used by desk",
		}[1:]},
		{"a definition of the tool", func(w *world) { w.put(minutes(-700), definition("a")); w.put(minutes(-3), definition("b")) }, []string{"began 3 minutes after another definition of shop/order was first seen"}},
		{"the first definition is no change", func(w *world) { w.put(minutes(-3), definition("b")) }, nil},
		{"a release of the server", func(w *world) { w.put(minutes(-700), release("1.3")); w.put(minutes(-90), release("1.4")) }, []string{"began 1 hour after release 1.4 of shop was first seen"}},
		{"a list of the agent", func(w *world) {
			roster := func(digest string) *events.ToolRoster {
				return &events.ToolRoster{Context: events.Context{AgentName: "desk"}, RosterDigest: digest, Reason: events.RosterPermission}
			}
			w.put(minutes(-30), roster("a"), roster("b"), roster("a"))
		}, []string{"began 29 minutes after the tools of desk changed (permission)"}},
		{"the registry and a switch", func(w *world) {
			changes := []events.ToolChange{
				{Bucket: stream.RegistryBucket, Epoch: "1", Key: "k", Revision: 1, At: minutes(-5), Server: "shop", Tool: "order", Action: "activate", Version: "v2", ChangedBy: "lea"},
				{Bucket: stream.BreakerBucket, Epoch: "1", Key: "k", Revision: 1, At: minutes(-4), Server: "shop", Tool: "order", Action: "enabled", ChangedBy: "tim"},
				{Bucket: stream.RegistryBucket, Epoch: "1", Key: "j", Revision: 2, At: minutes(-1), Server: "crm", Tool: "order", Action: "activate", Version: "v9"},
			}
			if err := w.SaveToolChanges(t.Context(), changes); err != nil {
				t.Fatal(err)
			}
		}, []string{"began 4 minutes after shop/order was enabled by tim", "began 5 minutes after v2 of shop/order was activated by lea"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "")
			old := fine("desk", "11")
			if c.name == "a model" {
				old = fine("desk", "12")
				old.RequestModel = "m0"
			}
			w.put(minutes(-720), old)
			c.put(w)
			first := silent("desk", "11")
			if c.name == "an agent's version" || c.name == "a model" {
				first = silent("desk", "12")
			}
			w.put(noon, first)
			if diff := cmp.Diff(c.want, w.changesOf("silent_default", "order")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			w.put(minutes(10), silent("desk", "13"))
			if diff := cmp.Diff(c.want, keptChanges(t, w)); diff != "" {
				t.Errorf("a later run (-want +got):\n%s", diff)
			}
		})
	}
}

// keptChanges runs again and returns what is stored of the start.
func keptChanges(t *testing.T, w *world) []string {
	t.Helper()
	f := w.run(0, "silent_default", "order")
	all, err := w.Findings(t.Context(), store.FindingFilter{Fingerprints: []string{f.Fingerprint}})
	if err != nil || len(all) != 1 || !all[0].Began.Equal(noon) {
		t.Fatal(all, err)
	}
	var out []string
	for _, c := range all[0].Changes {
		out = append(out, c.Text)
	}
	return out
}

func TestAFindingThatOtherSettingsRaiseSaysSo(t *testing.T) {
	w := newWorld(t, "drift:\n  windows: []\n  warn_ratio: 0.9\n  critical_ratio: 0.9\n  min_calls: 1\n")
	w.put(noon, silent("desk", "1"), fine("desk", "1"))
	w.run(0, "silent_default", "order")
	w.set("drift:\n  windows: []\n  warn_ratio: 0.1\n  critical_ratio: 0.9\n  min_calls: 1\n")
	if diff := cmp.Diff([]string{"first seen by the first run after the settings were changed, though it happened before"}, w.changesOf("drift_ratio", "order")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
