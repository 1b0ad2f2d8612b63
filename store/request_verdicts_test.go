package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

func aVerdict(at time.Time) events.RequestVerdict {
	tokens, usd := uint64(1234), 0.5
	return events.RequestVerdict{
		ID: uuid.NewString(), Conversation: "c", JudgedAt: at, Content: 1 << 63, Time: at, StartTime: at,
		IngestedAt: time.Now().UTC().Truncate(time.Millisecond),
		AgentName:  "a", AgentVersion: "1", Environment: "prod", Team: "t", ProviderName: "anthropic", RequestModel: "m",
		Request: 2, Compared: uuid.NewString(), Verdict: "tools_changed", Secondary: []string{"ttl_expired"}, Cause: "activation",
		CauseNames: []string{"LSP"}, ToolNames: []string{"LSP"}, ToolKinds: []string{"added"}, ToolIndexes: []int64{3}, ToolMiddle: []bool{true},
		ToolRhythms: []string{"once"}, Params: []string{"thinking"}, SystemBlock: -1, SystemRhythm: "volatile", Message: -1, GapSeconds: 1.5,
		ClockBackwards: true, PromptTokens: &tokens, TokensLost: &tokens, LostUSD: &usd, Diagnosis: "tools", DiagnosisVerdict: "tools_changed",
		Agreement: "agrees", FluxKinds: []string{"flapping"}, FluxParts: []string{"tools"}, FluxNames: []string{"LSP"}, FluxRequests: []int64{3},
		FluxChanges: []int64{2}, FluxValues: []int64{2}, Unseen: []string{"tools", "system"},
		FluxCouldRead: []int64{1234}, FluxCouldReadUSD: []*float64{&usd},
	}
}

// verdicts returns the rows that count, by time.
func verdicts(t *testing.T, db *DB) []events.RequestVerdict {
	t.Helper()
	var all []events.RequestVerdict
	var row events.RequestVerdict
	err := db.Each(t.Context(), "SELECT * REPLACE (toString(id) AS id) FROM request_verdicts FINAL ORDER BY time, id", nil, &row, func() error {
		all = append(all, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAVerdictComesBackAsItWasSavedAndTheLastOneCounts(t *testing.T) {
	db := open(t)
	first := aVerdict(noon)
	later := first
	later.JudgedAt, later.Verdict, later.TokensLost, later.Secondary = noon.Add(time.Second), "ok", nil, []string{}
	other := aVerdict(noon.Add(time.Minute))
	other.Conversation = "d'\"\\\x00\n\u202e"
	other.FluxCouldReadUSD = []*float64{nil}
	for _, rows := range [][]events.RequestVerdict{{first, other}, {later}, {first}, {later, other}} {
		if err := db.SaveRequestVerdicts(t.Context(), rows); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]events.RequestVerdict{later, other}, verdicts(t, db)); diff != "" {
		t.Errorf("(-saved +read):\n%s", diff)
	}
}

func TestVerdictsOnRequestsOfManyDaysAreSavedInSeveralInserts(t *testing.T) {
	db := open(t)
	var rows []events.RequestVerdict
	for i := range 2*maxVerdictDays + 10 {
		r := aVerdict(noon)
		r.IngestedAt = r.IngestedAt.AddDate(0, 0, -i)
		rows = append(rows, r)
	}
	if err := db.SaveRequestVerdicts(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if got := verdicts(t, db); len(got) < 80 { // those beyond the retention may be gone
		t.Errorf("%d rows", len(got))
	}
}

func TestNotableVerdictsAreInATableOfTheirOwnToo(t *testing.T) {
	db := open(t)
	broke, plain := aVerdict(noon), events.RequestVerdict{ID: uuid.NewString(), Verdict: "ok", SystemBlock: -1, Message: -1, JudgedAt: noon, Time: noon, IngestedAt: time.Now()}
	mended := broke
	mended.JudgedAt, mended.Verdict, mended.Again = noon.Add(time.Second), "ok", true
	for _, rows := range [][]events.RequestVerdict{{broke, plain}, {mended}} {
		if err := db.SaveRequestVerdicts(t.Context(), rows); err != nil {
			t.Fatal(err)
		}
	}
	var row struct {
		ID      string `ch:"name"`
		Verdict string `ch:"said"`
	}
	n := 0
	err := db.Each(t.Context(), "SELECT toString(id) AS name, toString(verdict) AS said FROM notable_verdicts FINAL", nil, &row, func() error { n++; return nil })
	if err != nil || n != 1 || row.ID != broke.ID || row.Verdict != "ok" {
		t.Errorf("%d rows, %+v, %v", n, row, err)
	}
}

func TestTheLatestNoteOfProgressCounts(t *testing.T) {
	db := open(t)
	clock := noon
	db.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	for i, at := range []uint64{3, 1 << 63, 7} {
		if err := db.SaveProgress(t.Context(), "prefix", uint64(i), map[string]uint64{"1/a": at, "1/b": 1}); err != nil {
			t.Fatal(err)
		}
	}
	var row struct {
		Rules uint64 `ch:"rules"`
		Seq   uint64 `ch:"seq"`
	}
	n := 0
	err := db.Each(t.Context(), "SELECT rules, seq FROM detector_progress FINAL WHERE lane = ?", []any{"1/a"}, &row, func() error { n++; return nil })
	if err != nil || n != 1 || row.Rules != 2 || row.Seq != 7 {
		t.Errorf("%d rows, %+v, %v", n, row, err)
	}
}
