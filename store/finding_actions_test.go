package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/finding"
)

func doAct(t *testing.T, db *DB, by string, a finding.Act, fingerprints ...string) {
	t.Helper()
	action := finding.Action{Act: a, By: by, Why: "because"}
	if a == finding.Mute {
		action.Until = time.Now().Add(time.Hour)
	}
	was, err := db.ActOnFindings(t.Context(), fingerprints, action)
	if err != nil || len(was) != len(fingerprints) {
		t.Fatal(len(was), err)
	}
}

// one returns the only finding that there is.
func one(t *testing.T, db *DB) finding.Finding {
	t.Helper()
	all := stored(t, db, FindingFilter{})
	if len(all) != 1 {
		t.Fatalf("%d findings", len(all))
	}
	return all[0]
}

func TestAResolvedFactThatHappensAgainIsOpenAgain(t *testing.T) {
	db := open(t)
	now := time.Now().UTC().Truncate(time.Microsecond)
	f := aFinding("search", finding.Warning)
	f.LastSeen, f.LastEvent = now, now.Add(-time.Minute)
	save(t, db, f)
	for round := range 3 {
		doAct(t, db, "lea", finding.Resolve, f.Fingerprint)
		if got := one(t, db); got.State != finding.Resolved || got.Reopened != round || got.StateBy != "lea" || got.StateWhy != "because" {
			t.Fatalf("round %d: %+v", round, got.Life())
		}
		f.LastSeen = time.Now().UTC().Truncate(time.Microsecond) // the analyzer looks at the same events again
		save(t, db, f)
		if got := one(t, db); got.State != finding.Resolved {
			t.Fatalf("round %d, seen but not happened: %+v", round, got.Life())
		}
		f.LastSeen = time.Now().UTC().Truncate(time.Microsecond)
		f.LastEvent = f.LastSeen
		save(t, db, f)
		save(t, db, f)
		if got := one(t, db); got.State != finding.Open || got.Reopened != round+1 || got.StateBy != finding.ByAnalyzer {
			t.Fatalf("round %d, happened again: %+v", round, got.Life())
		}
	}
	history, err := db.FindingHistory(t.Context(), []string{f.Fingerprint})
	if err != nil {
		t.Fatal(err)
	}
	var acts []string
	for _, a := range history[f.Fingerprint] {
		acts = append(acts, string(a.Act)+" "+a.By)
	}
	want := []string{"resolve lea", "reopen analyzer", "resolve lea", "reopen analyzer", "resolve lea", "reopen analyzer"}
	if diff := cmp.Diff(want, acts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnActionIsDatedAfterTheOneBeforeWhateverTheClocks(t *testing.T) {
	db := open(t)
	f := aFinding("search", finding.Warning)
	save(t, db, f)
	doAct(t, db, "lea", finding.Acknowledge, f.Fingerprint)
	db.now = func() time.Time { return time.Now().Add(-time.Hour) }
	doAct(t, db, "tim", finding.Resolve, f.Fingerprint)
	if got := one(t, db); got.State != finding.Resolved || got.StateBy != "tim" {
		t.Errorf("%+v", got.Life())
	}
}

func TestOnlyFindingsThatThereAreCanBeActedOn(t *testing.T) {
	db := open(t)
	f := aFinding("search", finding.Warning)
	save(t, db, f)
	was, err := db.ActOnFindings(t.Context(), []string{"none", f.Fingerprint}, finding.Action{Act: finding.Resolve, By: "lea", Why: "x"})
	if err != nil || len(was) != 1 || was[0].State != finding.Open {
		t.Errorf("%+v, %v", was, err)
	}
	if was, err := db.ActOnFindings(t.Context(), nil, finding.Action{}); err != nil || was != nil {
		t.Errorf("nothing: %+v, %v", was, err)
	}
}

// TestTheViewAgreesWithTheStateMachine draws histories and sightings, stores them as they are, and holds what the view says against
// [finding.LifeOf].
func TestTheViewAgreesWithTheStateMachine(t *testing.T) {
	db := open(t)
	r := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // a test's draw
	now := time.Now().UTC().Truncate(time.Second)
	severities := []finding.Severity{finding.Info, finding.Warning, finding.Critical}
	want := map[string]finding.Life{}
	var fs []finding.Finding
	var rows []findingAction
	for i := range 400 {
		f := aFinding(fmt.Sprintf("tool%d", i), severities[r.IntN(3)])
		f.LastSeen = now.Add(time.Hour)
		f.LastEvent = now.Add(time.Duration(r.IntN(40)-45) * time.Minute)
		fs = append(fs, f)
		var history []finding.Action
		for range r.IntN(7) {
			a := finding.Action{
				At: now.Add(time.Duration(r.IntN(40)-45) * time.Minute), Act: []finding.Act{finding.Acknowledge, finding.Mute, finding.Resolve, finding.Reopen}[r.IntN(4)],
				Severity: severities[r.IntN(3)], By: "lea", Why: "w",
			}
			if a.Act == finding.Mute {
				a.Until = a.At.Add(time.Duration(1+r.IntN(90)) * time.Minute)
				if a.Until.Sub(now).Abs() < 5*time.Minute { // the view has a clock of its own
					a.Until = a.Until.Add(10 * time.Minute)
				}
			}
			row := newFindingAction(f.Fingerprint, a)
			a.ID = row.ID
			rows, history = append(rows, row), append(history, a)
		}
		want[f.Fingerprint] = finding.LifeOf(history, f.Sighting(), now.Add(30*time.Second))
	}
	if err := db.writeActions(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	save(t, db, fs...)
	got := map[string]finding.Life{}
	for _, f := range stored(t, db, FindingFilter{}) {
		got[f.Fingerprint] = f.Life()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-machine +view):\n%s", diff)
	}
}

// TestNothingIsLostWherePeopleAndAnalyzersActAtOnce has two people and two analyzers work on the same findings at the same time.
func TestNothingIsLostWherePeopleAndAnalyzersActAtOnce(t *testing.T) {
	db := open(t)
	var fs []finding.Finding
	var names []string
	for i := range 8 {
		f := aFinding(fmt.Sprintf("tool%d", i), finding.Warning)
		fs, names = append(fs, f), append(names, f.Fingerprint)
	}
	save(t, db, fs...)
	const rounds = 12
	var all sync.WaitGroup
	run := func(fn func(round int) error) {
		all.Go(func() {
			for round := range rounds {
				if err := fn(round); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, by := range []string{"lea", "tim"} {
		run(func(round int) error {
			a := finding.Action{Act: []finding.Act{finding.Acknowledge, finding.Resolve}[round%2], By: by, Why: fmt.Sprint(round)}
			_, err := db.ActOnFindings(context.Background(), names, a)
			return err
		})
	}
	for analyzer := range 2 {
		run(func(round int) error {
			seen := make([]finding.Finding, len(fs))
			copy(seen, fs)
			for i := range seen {
				seen[i].LastSeen = time.Now().UTC()
				seen[i].FirstSeen = noon.Add(time.Duration(round+analyzer) * time.Minute)
			}
			return db.SaveFindings(context.Background(), seen)
		})
	}
	all.Wait()
	history, err := db.FindingHistory(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range stored(t, db, FindingFilter{}) {
		count := map[string]int{}
		for _, a := range history[f.Fingerprint] {
			count[a.By+" "+a.Why]++
		}
		for round := range rounds {
			for _, by := range []string{"lea", "tim"} {
				if n := count[fmt.Sprintf("%s %d", by, round)]; n != 1 {
					t.Errorf("%s of round %d is there %d times", by, round, n)
				}
			}
		}
		if want := finding.LifeOf(history[f.Fingerprint], f.Sighting(), time.Now()); f.State != finding.Resolved || cmp.Diff(want, f.Life()) != "" {
			t.Errorf("%+v, by its history %+v", f.Life(), want)
		}
		if !f.FirstSeen.Equal(noon) {
			t.Errorf("first seen %s", f.FirstSeen)
		}
	}
}
