package prefix_test

import (
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// sameBothWays compares what is judged in one go with what a settler kept.
func sameBothWays(t *testing.T, all []*events.Event, w finding.Window) prefix.Report {
	t.Helper()
	db := openStore(t)
	storetest.Insert(t, db, all)
	want, wantFound, err := prefix.Analyze(t.Context(), db, w, prefix.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	got, found, err := prefix.NewSettler(db, db).Analyze(t.Context(), w, prefix.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	ignore := cmpopts.IgnoreFields(prefix.Report{}, "Savings", "SavingsOmitted", "Agents", "AgentsOmitted", "Days", "Diagnoses", "ToolArrays")
	if d := gocmp.Diff(want, got, ignore, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("report (-judged in one go +kept):\n%s", d)
	}
	found = slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Rule == "tools_array_changed" })
	if d := gocmp.Diff(wantFound, found, cmpopts.EquateApprox(0, 1e-9)); d != "" {
		t.Errorf("findings (-judged in one go +kept):\n%s", d)
	}
	return got
}

func TestWhatIsKeptIsWhatIsJudgedInOneGo(t *testing.T) {
	all, _ := readSample(t)
	sameBothWays(t, all, finding.Window{})
}

func TestASharedSessionIsKeptAsItIsJudged(t *testing.T) {
	all := readFile(t, eventstest.SharedFile(t, "agent-session-large-session.jsonl"))
	var r prefix.Report
	t.Run("all of it", func(t *testing.T) { r = sameBothWays(t, all, finding.Window{}) })
	if len(r.Days) == 0 || len(r.Agents) == 0 || len(r.Savings) == 0 {
		t.Errorf("days %v, agents %v, savings %v", r.Days, r.Agents, r.Savings)
	}
	var w finding.Window
	for _, e := range all[len(all)/2:] {
		if _, ok := e.Data.(*events.RequestPrefix); ok {
			w = finding.Window{From: e.Time, To: e.Time.Add(2 * time.Hour)}
			break
		}
	}
	t.Run("two hours of it", func(t *testing.T) { sameBothWays(t, all, w) })
}
