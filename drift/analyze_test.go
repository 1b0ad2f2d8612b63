package drift_test

import (
	"context"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// openStore returns an empty store on the test's own database.
func openStore(t *testing.T) *store.DB {
	t.Helper()
	addr, database := enginetest.Database(t)
	return storetest.Open(t, addr, database)
}

func event(i int, d events.Data) *events.Event {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Second)
	return &events.Event{ID: uuid.NewString(), Source: "test", Time: at, Data: d}
}

func analyze(t *testing.T, db *store.DB) (drift.Report, []finding.Finding) {
	t.Helper()
	r, found, err := drift.Analyze(t.Context(), db, finding.Window{}, drift.DefaultSettings(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, found
}

func TestRatiosRaiseFindingsStrictlyOverTheThresholds(t *testing.T) {
	for _, tt := range []struct {
		drifted int
		want    finding.Severity
	}{{49, ""}, {50, ""}, {51, finding.Warning}, {200, finding.Warning}, {201, finding.Critical}} {
		t.Run(strconv.Itoa(tt.drifted)+" of 1000", func(t *testing.T) {
			db := openStore(t)
			var all []*events.Event
			for i := range 1000 {
				c := &events.ToolCall{ToolName: "process_order", Outcome: events.OutcomeOK, DriftClass: events.DriftCurrent}
				if i < tt.drifted {
					c.DriftClass = events.DriftOldVersion
				}
				all = append(all, event(i, c))
			}
			storetest.Insert(t, db, all)
			r, found := analyze(t, db)
			if r.Calls != 1000 || r.Drifted != uint64(tt.drifted) || len(r.Tools) != 1 {
				t.Errorf("report %+v", r)
			}
			var got finding.Severity
			if len(found) > 0 {
				got = found[0].Severity
			}
			if got != tt.want {
				t.Errorf("severity %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOneSilentDefaultIsAFinding(t *testing.T) {
	db := openStore(t)
	var all []*events.Event
	for i := range 1000 {
		all = append(all, event(i, &events.ToolCall{ToolName: "process_order", Outcome: events.OutcomeOK, DriftClass: events.DriftCurrent}))
	}
	all[500].Data = &events.ToolCall{
		ToolName: "process_order", Outcome: events.OutcomeOK, DriftClass: events.DriftSilentDefault,
		UnknownArguments: []string{"amount"}, DefaultedArguments: []string{"quantity"},
	}
	storetest.Insert(t, db, all)
	_, found := analyze(t, db)
	if len(found) != 1 || found[0].Rule != drift.RuleSilentDefault || found[0].Severity != finding.Critical {
		t.Fatalf("findings %+v", found)
	}
	if want := "1 of 1000 calls of process_order gave amount, so that quantity took its default"; found[0].Title != want {
		t.Errorf("title %q, want %q", found[0].Title, want)
	}
}

func TestThreeValidationErrorsInARowAreAFinding(t *testing.T) {
	const e, x, ok = events.OutcomeValidationError, events.OutcomeExecutionError, events.OutcomeOK
	db := openStore(t)
	var all []*events.Event
	add := func(tool string, outcomes ...events.Outcome) {
		for _, o := range outcomes {
			all = append(all, event(len(all), &events.ToolCall{ToolName: tool, Outcome: o}))
		}
	}
	add("three", ok, e, e, e)
	add("reset by success", e, e, ok, e)
	add("reset by another failure", e, e, x, e, e)
	add("over", e, e, e, e, ok)
	for range 2 {
		add("a", e)
		add("b", e)
	}
	storetest.Insert(t, db, all)
	r, found := analyze(t, db)
	got := map[string]drift.ErrorRun{}
	for _, run := range r.ErrorRuns {
		got[run.Tool] = run
	}
	if len(got) != 2 || got["three"].Longest != 3 || got["three"].Latest != 3 || got["over"].Longest != 4 || got["over"].Latest != 0 {
		t.Errorf("runs %+v", r.ErrorRuns)
	}
	rules := 0
	for _, f := range found {
		if f.Rule == drift.RuleErrorsInRow {
			rules++
		}
	}
	if rules != 2 {
		t.Errorf("%d findings of runs, want 2", rules)
	}
}

func TestRetriesOfThreeTimesTheTokensAreAFinding(t *testing.T) {
	db := openStore(t)
	var all []*events.Event
	add := func(tool string, attempts ...int64) {
		for _, n := range attempts {
			c := &events.ToolCall{
				Context: events.Context{ConversationID: "c"}, ToolName: tool, Outcome: events.OutcomeOK, Attempt: n,
				InputTokens: events.Tokens(90), OutputTokens: events.Tokens(10),
			}
			all = append(all, event(len(all), c))
		}
	}
	add("thrice", 1, 1, 2, 3, 4, 1)
	add("twice", 1, 2, 3)
	storetest.Insert(t, db, all)
	r, found := analyze(t, db)
	if len(r.Retries) != 2 || r.Retries[0].Multiple != 3 || r.Retries[1].Multiple != 2 {
		t.Errorf("retries %+v", r.Retries)
	}
	if len(found) != 1 || found[0].Rule != drift.RuleRetries || found[0].Subject.Tool != "thrice" {
		t.Errorf("findings %+v", found)
	}
}

func TestAirlineTrajectoriesHaveOneCallWithUnknownNames(t *testing.T) {
	db := openStore(t)
	storetest.Insert(t, db, readFile(t, eventstest.SharedFile(t, "airline-trajectories.jsonl"), eventstest.SharedFile(t, "airline-tools.json")))
	r, found := analyze(t, db)
	if r.Calls != 621 || r.Drifted != 1 || r.Unjudged != 0 || len(found) != 0 {
		t.Errorf("%d calls, %d drifted, %d unjudged, findings %+v", r.Calls, r.Drifted, r.Unjudged, found)
	}
	if worst := r.ByTool[0]; worst.Tool != "update_reservation_flights" || worst.UnknownArgument != 1 || worst.ValidationError != 0 {
		t.Errorf("worst %+v", worst)
	}
}

// readFile returns the events of a file.
func readFile(t *testing.T, path, tools string) []*events.Event {
	t.Helper()
	r, err := capture.Open(path, capture.Options{ToolsFile: tools})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all []*events.Event
	_, err = r.Read(context.Background(), func(e *events.Event) error {
		all = append(all, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestToolHistoryAgreesWithACounterWrittenApart(t *testing.T) {
	path := eventstest.SharedFile(t, "mcp-tool-history.jsonl")
	db := openStore(t)
	storetest.Insert(t, db, readFile(t, path, ""))
	report, found := analyze(t, db)
	want := countHistory(t, path)
	if len(report.Definitions) != len(want) {
		t.Fatalf("%d pairs, want %d", len(report.Definitions), len(want))
	}
	severities, began := map[string]finding.Severity{}, map[string]time.Time{}
	for _, f := range found {
		if f.Rule == drift.RuleDefinitions {
			severities[f.Subject.Release], began[f.Subject.Release] = f.Severity, f.Began
		}
	}
	for i, d := range report.Definitions {
		got := pair{d.From, d.To, d.ToolsBefore, d.ToolsAfter, d.Added, d.Removed, d.DefinitionChanged, d.SchemaChanged}
		if got != want[i] {
			t.Errorf("have %+v, want %+v", got, want[i])
		}
		if at, ok := began[d.To]; ok && !at.Equal(d.At) {
			t.Errorf("%s: its finding began %v, want %v", d.To, at, d.At)
		}
		ratio := float64(want[i].schema+want[i].removed) / float64(want[i].before)
		if math.Abs(d.SchemaRatio-ratio) > 1e-12 {
			t.Errorf("%s: ratio %v, want %v", d.To, d.SchemaRatio, ratio)
		}
		t.Logf("%-8s %-8s %3d %3d +%d -%d w%d d%d s%d %.4f %s", d.From, d.To, d.ToolsBefore, d.ToolsAfter, d.Added, d.Removed,
			d.WireChanged, d.DefinitionChanged, d.SchemaChanged, d.SchemaRatio, severities[d.To])
	}
	if s, ok := severities["v0.14.0"]; ok {
		t.Errorf("v0.14.0, exactly 5 %%, is a finding of severity %s", s)
	}
	if severities["v0.31.0"] != finding.Critical {
		t.Errorf("v0.31.0 has severity %q", severities["v0.31.0"])
	}
}
