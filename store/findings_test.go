package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func aFinding(tool string, s finding.Severity) finding.Finding {
	f := finding.Finding{
		Detector: "drift", Rule: "drift_ratio", Severity: s, Subject: finding.Subject{Server: "web", Tool: tool, Model: "m", Agent: "a", Conversation: "c", Release: "r"},
		Window:  finding.Window{From: noon.Add(-time.Hour), To: noon},
		Numbers: map[string]float64{"ratio": 0.25, "calls": 40}, Title: "It drifts.", Action: "Pin it.", Example: `{"a":1}`,
		FirstSeen: noon, LastSeen: noon, State: finding.Open, Runbook: "docs/alerts/x.md",
		Owner: "lea", Team: "commerce", Environment: "prod", Seen: finding.Places{Agents: []string{"a", "b"}, Environments: []string{"prod"}},
		Began: noon.Add(-time.Hour), LastEvent: noon.Add(-time.Minute),
		Changes: []finding.Change{{Kind: finding.ChangedAgent, At: noon.Add(-2 * time.Hour), Seconds: 3600, Agent: "a", Version: "12", Text: "began 1 hour after agent version 12 of a was first seen"}},
	}
	f.Sign()
	return f
}

func save(t *testing.T, db *DB, fs ...finding.Finding) {
	t.Helper()
	if err := db.SaveFindings(t.Context(), fs); err != nil {
		t.Fatal(err)
	}
}

func stored(t *testing.T, db *DB, f FindingFilter) []finding.Finding {
	t.Helper()
	got, err := db.Findings(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAFindingComesBackAsItWasSaved(t *testing.T) {
	db := open(t)
	want := aFinding("search", finding.Warning)
	save(t, db, want)
	if diff := cmp.Diff([]finding.Finding{want}, stored(t, db, FindingFilter{})); diff != "" {
		t.Errorf("(-saved +read):\n%s", diff)
	}
}

func TestTheSameFactIsOneFindingThatKeepsItsStartAndState(t *testing.T) {
	db := open(t)
	f := aFinding("search", finding.Warning)
	save(t, db, f)
	db.now = func() time.Time { return noon }
	muted := time.Now().AddDate(0, 0, 7).Truncate(time.Second).UTC()
	if ok, err := db.SetFindingState(t.Context(), f.Fingerprint, finding.Muted, muted); !ok || err != nil {
		t.Fatal(ok, err)
	}
	later := f
	later.FirstSeen, later.LastSeen, later.Severity = noon.Add(time.Hour), noon.Add(time.Hour), finding.Critical
	later.Numbers = map[string]float64{"ratio": 0.5}
	later.Began = noon // it began before the window of this run
	save(t, db, later)
	want := later
	want.FirstSeen, want.State, want.MutedUntil = noon, finding.Muted, muted
	want.StateSince, want.StateBy, want.StateWhy = noon, finding.ByBreaker, "the tool's switch says so"
	want.Began = f.Began
	if diff := cmp.Diff([]finding.Finding{want}, stored(t, db, FindingFilter{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFindingTwiceInOneCallIsOne(t *testing.T) {
	db := open(t)
	first, second := aFinding("search", finding.Info), aFinding("search", finding.Info)
	second.FirstSeen, second.LastSeen = noon.Add(time.Minute), noon.Add(time.Minute)
	save(t, db, first, second)
	got := stored(t, db, FindingFilter{})
	if len(got) != 1 || !got[0].FirstSeen.Equal(noon) || !got[0].LastSeen.Equal(noon.Add(time.Minute)) {
		t.Errorf("%+v, want one from noon to a minute after", got)
	}
}

func TestAFindingWithoutTimesWasSeenNowAndIsOpen(t *testing.T) {
	db := open(t)
	db.now = func() time.Time { return noon }
	f := finding.Finding{Detector: "prefix", Rule: "r", Severity: finding.Info}
	f.Sign()
	save(t, db, f)
	got := stored(t, db, FindingFilter{})
	if len(got) != 1 || !got[0].FirstSeen.Equal(noon) || !got[0].LastSeen.Equal(noon) || got[0].State != finding.Open || !got[0].Window.From.IsZero() {
		t.Errorf("%+v, want one open finding of noon", got)
	}
}

func TestFindingsAreFilteredAndTheWorstComeFirst(t *testing.T) {
	db := open(t)
	info, critical, warning := aFinding("a", finding.Info), aFinding("b", finding.Critical), aFinding("c", finding.Warning)
	warning.LastSeen = noon.Add(time.Hour)
	save(t, db, info, critical, warning)
	for name, c := range map[string]struct {
		f    FindingFilter
		want []string
	}{
		"all":                {FindingFilter{}, []string{"b", "c", "a"}},
		"severity":           {FindingFilter{MinSeverity: finding.Warning}, []string{"b", "c"}},
		"since":              {FindingFilter{SeenSince: noon.Add(time.Minute)}, []string{"c"}},
		"limit":              {FindingFilter{Limit: 1}, []string{"b"}},
		"prefix":             {FindingFilter{Prefix: info.Fingerprint[:8]}, []string{"a"}},
		"agent":              {FindingFilter{Agent: "b", Tool: "c"}, []string{"c"}},
		"no agent":           {FindingFilter{Agent: "none"}, nil},
		"environment":        {FindingFilter{Environment: "prod", Limit: 1}, []string{"b"}},
		"team":               {FindingFilter{Team: "commerce", Owner: "lea", Server: "web", Tool: "a"}, []string{"a"}},
		"severity and limit": {FindingFilter{MinSeverity: finding.Warning, Limit: 2}, []string{"b", "c"}},
		"fingerprint":        {FindingFilter{Fingerprints: []string{info.Fingerprint, critical.Fingerprint}}, []string{"b", "a"}},
		"detector":           {FindingFilter{Detector: "prefix"}, nil},
		"rule":               {FindingFilter{Rule: "drift_ratio", State: finding.Open}, []string{"b", "c", "a"}},
		"state":              {FindingFilter{State: finding.Resolved}, nil},
	} {
		var got []string
		for _, f := range stored(t, db, c.f) {
			got = append(got, f.Subject.Tool)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTheStateOfNoFindingCanNotBeSet(t *testing.T) {
	db := open(t)
	if ok, err := db.SetFindingState(t.Context(), "none", finding.Muted, noon); ok || err != nil {
		t.Errorf("%v, %v, want false and no error", ok, err)
	}
}

func TestDeadLettersAreFilteredAndTheNewestComeFirst(t *testing.T) {
	db := open(t)
	lane := "1764000000000000000/" + events.DeadLetterSubject
	var rows []events.Row
	for i, reason := range []string{"wrong type", "not JSON", "wrong type"} {
		e := bare(&events.Event{Data: &events.DeadLetter{}})
		e.Time = noon.Add(time.Duration(i) * time.Hour)
		*e.Data.(*events.DeadLetter) = events.DeadLetter{Subject: "tooltrail.v1.0.tool_call", StreamSeq: uint64(i), StreamPos: 3, Reason: reason, Path: "/data", Payload: []byte("{\xff")} //nolint:gosec // small
		rows = append(rows, events.Row{Seq: uint64(i + 1), Event: e})                                                                                                                      //nolint:gosec // small
	}
	mustInsert(t, db, lane, token(lane, 0), rows)
	for name, c := range map[string]struct {
		f    DeadLetterFilter
		want []uint64
	}{
		"all":     {DeadLetterFilter{}, []uint64{3, 2, 1}},
		"limit":   {DeadLetterFilter{Limit: 2}, []uint64{3, 2}},
		"reason":  {DeadLetterFilter{Reason: "wrong type"}, []uint64{3, 1}},
		"subject": {DeadLetterFilter{Subject: "tooltrail.v1.0.activation"}, nil},
		"id":      {DeadLetterFilter{ID: rows[1].Event.ID}, []uint64{2}},
		"window":  {DeadLetterFilter{Window: finding.Window{From: noon, To: noon.Add(2 * time.Hour)}}, []uint64{2, 1}},
	} {
		got, err := db.DeadLetters(t.Context(), c.f)
		if err != nil {
			t.Fatal(err)
		}
		var seqs []uint64
		for _, l := range got {
			seqs = append(seqs, l.Seq)
			if l.Payload != "{\xff" || l.StreamPos != 3 || l.Lane != lane || l.Path != "/data" {
				t.Errorf("%s: %+v is not what was stored", name, l)
			}
		}
		if diff := cmp.Diff(c.want, seqs); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
