package finding_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/finding"
)

var nine = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// at is a minute after nine.
func at(minute int) time.Time { return nine.Add(time.Duration(minute) * time.Minute) }

func act(minute int, a finding.Act) finding.Action {
	return finding.Action{ID: fmt.Sprintf("%04d", minute), At: at(minute), Act: a, Severity: finding.Warning, By: "lea", Why: "so"}
}

func mute(minute, until int) finding.Action {
	a := act(minute, finding.Mute)
	a.Until = at(until)
	return a
}

func TestWhereAFindingIs(t *testing.T) {
	type seen = finding.Sighting
	warning := func(event int) seen { return seen{Seen: at(90), Event: at(event), Severity: finding.Warning} }
	for _, c := range []struct {
		name    string
		history []finding.Action
		seen    seen
		now     int
		want    string
	}{
		{"nobody did anything", nil, warning(0), 90, "open 0"},
		{"acknowledged", []finding.Action{act(10, finding.Acknowledge)}, warning(80), 90, "acknowledged 0 lea"},
		{"acknowledged, and worse since", []finding.Action{act(10, finding.Acknowledge)}, seen{at(90), at(80), finding.Critical}, 90, "open 0 analyzer"},
		{"acknowledged, and milder since", []finding.Action{act(10, finding.Acknowledge)}, seen{at(90), at(80), finding.Info}, 90, "acknowledged 0 lea"},
		{"muted", []finding.Action{mute(10, 60)}, warning(50), 59, "muted 0 lea"},
		{"muted, and worse since", []finding.Action{mute(10, 60)}, seen{at(50), at(50), finding.Critical}, 59, "muted 0 lea"},
		{"the mute ends by itself", []finding.Action{mute(10, 60)}, warning(50), 60, "open 0 lea"},
		{"muted longer", []finding.Action{mute(10, 60), mute(20, 120)}, warning(50), 90, "muted 0 lea"},
		{"resolved", []finding.Action{act(10, finding.Resolve)}, warning(10), 90, "resolved 0 lea"},
		{"resolved, and it happened since", []finding.Action{act(10, finding.Resolve)}, warning(11), 90, "open 1 analyzer"},
		{"resolved, and seen since but it did not happen", []finding.Action{act(10, finding.Resolve)}, seen{at(90), at(9), finding.Warning}, 90, "resolved 0 lea"},
		{"resolved, and nobody knows when it happens", []finding.Action{act(10, finding.Resolve)}, seen{Seen: at(90), Severity: finding.Warning}, 90, "resolved 0 lea"},
		{"resolved twice", []finding.Action{act(10, finding.Resolve), act(20, finding.Reopen), act(30, finding.Resolve)}, warning(15), 90, "resolved 1 lea"},
		{"resolved twice, and it happened since", []finding.Action{act(10, finding.Resolve), act(20, finding.Reopen), act(30, finding.Resolve)}, warning(40), 90, "open 2 analyzer"},
		{"two saw that it happened again", []finding.Action{act(10, finding.Resolve), act(20, finding.Reopen), act(20, finding.Reopen)}, warning(20), 90, "open 1 lea"},
		{"unmuted", []finding.Action{mute(10, 60), act(20, finding.Reopen)}, warning(15), 30, "open 0 lea"},
		{"of two at once the later holds", []finding.Action{act(21, finding.Acknowledge), act(20, finding.Resolve)}, warning(5), 30, "acknowledged 0 lea"},
	} {
		l := finding.LifeOf(c.history, c.seen, at(c.now))
		if got := strings.TrimSpace(fmt.Sprintf("%s %d %s", l.State, l.Reopened, l.By)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestASightingOfAResolvedFactAddsAnEntryWhereItHappenedSince(t *testing.T) {
	resolved := act(10, finding.Resolve)
	for _, c := range []struct {
		name        string
		last        finding.Action
		before, now finding.Sighting
		want        int // the minute of the entry; 0 is none
	}{
		{"it happened", resolved, finding.Sighting{Seen: at(9)}, finding.Sighting{Seen: at(30), Event: at(20)}, 20},
		{"it happened before", resolved, finding.Sighting{Seen: at(9)}, finding.Sighting{Seen: at(30), Event: at(10)}, 0},
		{"it is still there", resolved, finding.Sighting{Seen: at(11)}, finding.Sighting{Seen: at(12)}, 0},
		{"it was away and is there again", resolved, finding.Sighting{Seen: at(11)}, finding.Sighting{Seen: at(72)}, 72},
		{"it was open", act(10, finding.Reopen), finding.Sighting{Seen: at(9)}, finding.Sighting{Seen: at(30), Event: at(20)}, 0},
		{"nobody did anything", finding.Action{}, finding.Sighting{Seen: at(9)}, finding.Sighting{Seen: at(30), Event: at(20)}, 0},
	} {
		a, ok := finding.Reopening(c.last, c.before, c.now)
		if ok != (c.want > 0) || ok && (!a.At.Equal(at(c.want)) || a.Act != finding.Reopen) {
			t.Errorf("%s: %+v, %v", c.name, a, ok)
		}
	}
}

func TestAnActionIsRefusedWhereItMakesNoSense(t *testing.T) {
	for _, c := range []struct {
		state finding.State
		act   finding.Act
		fine  bool
	}{
		{finding.Open, finding.Acknowledge, true}, {finding.Open, finding.Mute, true}, {finding.Open, finding.Resolve, true}, {finding.Open, finding.Reopen, false},
		{finding.Acknowledged, finding.Acknowledge, false}, {finding.Acknowledged, finding.Mute, true}, {finding.Acknowledged, finding.Resolve, true}, {finding.Acknowledged, finding.Reopen, true},
		{finding.Muted, finding.Acknowledge, true}, {finding.Muted, finding.Mute, true}, {finding.Muted, finding.Resolve, true}, {finding.Muted, finding.Reopen, true},
		{finding.Resolved, finding.Acknowledge, false}, {finding.Resolved, finding.Mute, false}, {finding.Resolved, finding.Resolve, false}, {finding.Resolved, finding.Reopen, true},
	} {
		if got := (finding.Life{State: c.state}).Refuse(c.act); (got == "") != c.fine {
			t.Errorf("%s of %s: %q", c.act, c.state, got)
		}
	}
}

func TestWrongActionsAreRefusedWithTheReason(t *testing.T) {
	for want, a := range map[string]finding.Action{
		"want acknowledge":        act(1, "forget"),
		"who does it and why":     {Act: finding.Resolve, By: "lea", Why: " "},
		"only a mute":             {Act: finding.Resolve, By: "l", Why: "w", Until: at(5)},
		"in the future":           mute(10, 10),
		"at most 366 days":        mute(0, 60*24*367),
		"at most 2000 bytes each": {Act: finding.Resolve, By: "l", Why: strings.Repeat("x", 2001)},
	} {
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, a := range []finding.Action{mute(10, 11), act(1, finding.Reopen)} {
		if err := a.Validate(); err != nil {
			t.Error(err)
		}
	}
}

// machine is a finding as somebody would keep it who sees everything at once, step by step.
type machine struct {
	state    finding.State
	until    time.Time
	acked    finding.Severity
	reopened int
}

func (m *machine) tick(now time.Time) {
	if m.state == finding.Muted && !now.Before(m.until) {
		m.state = finding.Open
	}
}

func (m *machine) act(a finding.Action) {
	switch a.Act {
	case finding.Acknowledge:
		m.state, m.acked = finding.Acknowledged, a.Severity
	case finding.Mute:
		m.state, m.until = finding.Muted, a.Until
	case finding.Resolve:
		m.state = finding.Resolved
	case finding.Reopen:
		if m.state == finding.Resolved {
			m.reopened++
		}
		m.state = finding.Open
	}
}

// happen is the fact's next event.
func (m *machine) happen() {
	if m.state == finding.Resolved {
		m.state = finding.Open
		m.reopened++
	}
}

// TestAnySequenceOfSightingsAndActionsComesToWhatStepByStepGives draws what analyzers and people do, and holds the history against a machine
// that keeps a state. The history is shuffled, some entries are there twice, and an analyzer may be late to write that a fact came back.
func TestAnySequenceOfSightingsAndActionsComesToWhatStepByStepGives(t *testing.T) {
	severities := []finding.Severity{finding.Info, finding.Warning, finding.Critical}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test's draw
		m := machine{state: finding.Open}
		var history []finding.Action
		seen := finding.Sighting{Seen: nine, Event: nine, Severity: finding.Warning}
		for minute := 1; minute < 40; minute++ {
			m.tick(at(minute))
			switch r.IntN(4) {
			case 0:
				before := seen
				seen = finding.Sighting{Seen: at(minute), Event: at(minute), Severity: seen.Severity}
				if a, ok := finding.Reopening(latest(history), before, seen); ok && r.IntN(2) == 0 {
					a.ID = fmt.Sprint(minute)
					history = append(history, a)
				}
				m.happen()
			case 1:
				seen = finding.Sighting{Seen: at(minute), Event: seen.Event, Severity: seen.Severity} // looked at again, nothing happened
			default:
				a := act(minute, []finding.Act{finding.Acknowledge, finding.Mute, finding.Resolve, finding.Reopen}[r.IntN(4)])
				a.Severity = severities[r.IntN(3)]
				seen.Severity = a.Severity
				if a.Act == finding.Mute {
					a.Until = at(minute + 1 + r.IntN(10))
				}
				if again, ok := finding.Reopening(latest(history), seen, seen); ok { // who acts writes down first what was not
					history = append(history, again)
				}
				if history = append(history, a); r.IntN(3) == 0 && a.Act != finding.Reopen {
					history = append(history, a)
				}
				m.act(a)
			}
			shuffled := slices.Clone(history)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			l := finding.LifeOf(shuffled, seen, at(minute))
			if l.State != m.state || l.Reopened != m.reopened {
				t.Fatalf("seed %d, minute %d: %s reopened %d, step by step %s reopened %d\n%+v", seed, minute, l.State, l.Reopened, m.state, m.reopened, history)
			}
		}
	}
}

func latest(history []finding.Action) finding.Action {
	if len(history) == 0 {
		return finding.Action{}
	}
	return history[len(history)-1]
}

func TestOnlyOpenAndAcknowledgedFindingsAlert(t *testing.T) {
	var got []finding.State
	for _, s := range []finding.State{finding.Open, finding.Acknowledged, finding.Muted, finding.Resolved, ""} {
		if s.Alerts() {
			got = append(got, s)
		}
	}
	if diff := cmp.Diff([]finding.State{finding.Open, finding.Acknowledged, ""}, got); diff != "" {
		t.Error(diff)
	}
}

func ExampleLifeOf() {
	resolved := finding.Action{At: nine, Act: finding.Resolve, By: "lea", Why: "the prompt names the new field"}
	again := finding.Sighting{Seen: at(30), Event: at(29), Severity: finding.Warning}
	l := finding.LifeOf([]finding.Action{resolved}, again, at(30))
	fmt.Println(l.State, l.Reopened, l.Why)
	// Output: open 1 it happened again
}
