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
		ID: uuid.NewString(), Conversation: "c", JudgedAt: at, Content: 1 << 63, Time: at, IngestedAt: at, StartTime: at,
		AgentName: "a", AgentVersion: "1", Environment: "prod", Team: "t", ProviderName: "anthropic", RequestModel: "m",
		Request: 2, Compared: uuid.NewString(), Verdict: "tools_changed", Secondary: []string{"ttl_expired"}, Cause: "activation",
		CauseNames: []string{"LSP"}, ToolNames: []string{"LSP"}, ToolKinds: []string{"added"}, ToolIndexes: []int64{3}, ToolMiddle: []bool{true},
		ToolRhythms: []string{"once"}, Params: []string{"thinking"}, SystemBlock: -1, SystemRhythm: "volatile", Message: -1, GapSeconds: 1.5,
		ClockBackwards: true, PromptTokens: &tokens, TokensLost: &tokens, LostUSD: &usd, Diagnosis: "tools", DiagnosisVerdict: "tools_changed",
		Agreement: "agrees", FluxKinds: []string{"flapping"}, FluxParts: []string{"tools"}, FluxNames: []string{"LSP"}, FluxRequests: []int64{3},
		FluxChanges: []int64{2}, FluxValues: []int64{2},
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
	other.Conversation = "d'\"\\\x00\n‮"
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
		rows = append(rows, aVerdict(time.Now().UTC().AddDate(0, 0, -i)))
	}
	if err := db.SaveRequestVerdicts(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	if got := verdicts(t, db); len(got) < 80 { // those beyond the retention may be gone
		t.Errorf("%d rows", len(got))
	}
}

func TestTheLatestNoteOfProgressCounts(t *testing.T) {
	db := open(t)
	clock := noon
	db.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	for _, to := range []time.Time{noon, noon.Add(time.Hour), noon.Add(time.Minute)} {
		if err := db.SaveProgress(t.Context(), "prefix", 1<<63+1, to); err != nil {
			t.Fatal(err)
		}
	}
	var row struct {
		Rules uint64    `ch:"rules"`
		To    time.Time `ch:"seen_to"`
	}
	n := 0
	err := db.Each(t.Context(), "SELECT rules, seen_to FROM detector_progress FINAL WHERE detector = ?", []any{"prefix"}, &row, func() error { n++; return nil })
	if err != nil || n != 1 || row.Rules != 1<<63+1 || !row.To.Equal(noon.Add(time.Minute)) {
		t.Errorf("%d rows, %+v, %v", n, row, err)
	}
}
