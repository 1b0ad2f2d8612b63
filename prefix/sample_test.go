package prefix_test

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// injected is the part of the sample's list of troubles that this package finds.
type injected struct {
	Verdicts    map[prefix.Verdict]int64        `json:"verdicts"`
	ToolChanges map[prefix.ToolChangeKind]int64 `json:"tool_changes"`
	Others      map[string]int64                `json:"others"`
}

// readSample returns the events of the recorded sample and what was put into it.
func readSample(t *testing.T) ([]*events.Event, injected) {
	t.Helper()
	var want injected
	raw, err := os.ReadFile("../sample/injected.json")
	if err == nil {
		err = json.Unmarshal(raw, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	return readFile(t, "../sample/sample.ndjson.gz"), want
}

func readFile(t *testing.T, path string) []*events.Event {
	t.Helper()
	r, err := capture.Open(path, capture.Options{})
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

// openStore returns an empty database on the real engine.
func openStore(t *testing.T) *store.DB {
	t.Helper()
	addr, database := enginetest.Database(t)
	return storetest.Open(t, addr, database)
}

func analyze(t *testing.T, all []*events.Event, w finding.Window) (prefix.Report, []finding.Finding) {
	t.Helper()
	db := openStore(t)
	storetest.Insert(t, db, all)
	report, found, err := prefix.Analyze(t.Context(), db, w, prefix.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return report, found
}

func TestTheSampleGivesWhatWasPutIntoIt(t *testing.T) {
	all, want := readSample(t)
	report, found := analyze(t, all, finding.Window{})
	verdicts, kinds := map[prefix.Verdict]int64{}, map[prefix.ToolChangeKind]int64{}
	for v, total := range report.Verdicts {
		verdicts[v] = total.Count
	}
	flux := map[string]int{}
	for _, c := range report.Conversations {
		for _, b := range c.Breaks {
			for _, tool := range b.Tools {
				kinds[tool.Kind]++
			}
		}
		for _, f := range c.Flux {
			flux[string(f.Kind)+" "+f.Part]++
		}
	}
	if d := gocmp.Diff(want.Verdicts, verdicts); d != "" {
		t.Errorf("verdicts (-want +got):\n%s", d)
	}
	if d := gocmp.Diff(want.ToolChanges, kinds); d != "" {
		t.Errorf("tool changes (-want +got):\n%s", d)
	}
	if report.ClockBackwards != want.Others["clock_backwards"] {
		t.Errorf("%d clocks backwards, want %d", report.ClockBackwards, want.Others["clock_backwards"])
	}
	if d := gocmp.Diff(map[string]int{"flapping tools": 1, "volatile system": 1}, flux); d != "" {
		t.Errorf("flux (-want +got):\n%s", d)
	}
	if r := report.Rosters; len(r) != 1 || int64(r[0].Changes) != want.Others["roster_flips"]-1 || r[0].Values != 2 {
		t.Errorf("rosters %+v", r)
	}
	if len(found) == 0 || found[0].Fingerprint == "" || found[0].Action == "" {
		t.Errorf("findings %+v", found)
	}
	t.Logf("lost %d tokens, $%.2f; cost $%.2f; %d findings; first: %s", report.TokensLost, *report.LostUSD, *report.CostUSD, len(found), found[0].Title)
}

func TestAWindowCountsItsOwnRequestsWithPredecessorsFromBefore(t *testing.T) {
	all, _ := readSample(t)
	var reqs []*events.RequestPrefix
	for _, e := range all {
		if r, ok := e.Data.(*events.RequestPrefix); ok && (len(reqs) == 0 || reqs[0].ConversationID == r.ConversationID) {
			reqs = append(reqs, r)
		}
	}
	var w finding.Window
	for _, e := range all {
		if e.Data == events.Data(reqs[1]) {
			w = finding.Window{From: e.Time, To: e.Time.Add(time.Microsecond)}
		}
	}
	report, _ := analyze(t, all, w)
	if report.Requests != 1 || report.Verdicts[prefix.ColdStart] != nil {
		t.Errorf("%d requests, verdicts %v: want 1 and no cold start", report.Requests, report.Verdicts)
	}
}

func TestTheSharedPiSessionComesOutOfTheStoreAsKnown(t *testing.T) {
	all := readFile(t, eventstest.SharedFile(t, "agent-session-large-session.jsonl"))
	report, found := analyze(t, all, finding.Window{})
	if report.Requests != 453 || len(report.Conversations) != 1 || report.ClockBackwards != 1 || report.Unpriced != 0 {
		t.Fatalf("report %+v", report)
	}
	for v, want := range map[prefix.Verdict]prefix.Total{
		prefix.NoUsage: {Count: 14}, prefix.TTLExpired: {Count: 4, TokensLost: 279_336},
		prefix.ParamsChanged: {Count: 4, TokensLost: 467_348}, prefix.Unattributed: {Count: 29, TokensLost: 3_373_076},
	} {
		if got := report.Verdicts[v]; got == nil || got.Count != want.Count || got.TokensLost != want.TokensLost || got.CostUSD == nil {
			t.Errorf("%s: %+v, want %+v", v, got, want)
		}
	}
	if c := report.StatedCostUSD; c == nil || math.Abs(*c-30.33) > 0.005 || math.Abs(*report.CostUSD-*c) > 0.005 {
		t.Errorf("stated %v, ours %v; want $30.33 both", c, report.CostUSD)
	}
	worst := slices.MaxFunc(report.Conversations[0].Breaks, func(a, b prefix.Break) int { return cmp.Compare(*a.TokensLost, *b.TokensLost) })
	if worst.Request != 416 || *worst.TokensLost != 162_834 || math.Abs(*worst.CostUSD-0.5618) > 0.00005 {
		t.Errorf("dearest break %+v", worst)
	}
	for _, f := range found {
		t.Logf("%s %s: %s %s", f.Severity, f.Rule, f.Title, f.Action)
	}
}
