package finding

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Act is what somebody does to a finding.
type Act string

// What can be done to a finding.
const (
	// Acknowledge says that somebody deals with it. It holds until the finding is worse than it was then.
	Acknowledge Act = "acknowledge"
	// Mute keeps it quiet until a time; then it is open again by itself.
	Mute Act = "mute"
	// Resolve says that it is dealt with. It holds until the fact happens again.
	Resolve Act = "resolve"
	// Reopen takes back whatever was done. It is also what is written down when a resolved fact happens again.
	Reopen Act = "reopen"
)

// Who did what nobody did by hand.
const (
	// ByAnalyzer opens findings whose fact happened again.
	ByAnalyzer = "analyzer"
	// ByBreaker resolves the findings of tools that are enabled again.
	ByBreaker = "breaker"
)

const (
	// MaxMute is the longest that a finding can be muted for: a year, so that what nobody wants to see is looked at again.
	MaxMute = 366 * 24 * time.Hour
	// Absence is for how long a resolved fact whose events are not known one by one must not have been seen to count as come back.
	Absence = time.Hour
	// maxWords is how long a name or a reason can be, in bytes.
	maxWords = 2000
)

// Action is one entry in a finding's history, which only grows.
type Action struct {
	// ID tells entries apart, and orders those of one time.
	ID  string    `json:"id,omitzero"`
	At  time.Time `json:"at"`
	Act Act       `json:"act"`
	// Until is when a mute ends.
	Until time.Time `json:"until,omitzero"`
	// Severity is what the finding had then.
	Severity Severity `json:"severity,omitzero"`
	By       string   `json:"by"`
	Why      string   `json:"why"`
}

// Validate reports what can't be of an action that is to be done now.
func (a Action) Validate() error {
	var errs []error
	if !slices.Contains([]Act{Acknowledge, Mute, Resolve, Reopen}, a.Act) {
		errs = append(errs, fmt.Errorf("act %q: want acknowledge, mute, resolve or reopen", a.Act))
	}
	if strings.TrimSpace(a.By) == "" || strings.TrimSpace(a.Why) == "" {
		errs = append(errs, errors.New("say who does it and why"))
	}
	for _, words := range []string{a.By, a.Why} {
		if !utf8.ValidString(words) || strings.ContainsFunc(words, hidden) {
			errs = append(errs, errors.New("who and why have no control characters, no invisible ones, and are UTF-8"))
			break
		}
	}
	if len(a.By) > maxWords || len(a.Why) > maxWords {
		errs = append(errs, fmt.Errorf("who and why have at most %d bytes each", maxWords))
	}
	switch {
	case a.Act != Mute && !a.Until.IsZero():
		errs = append(errs, fmt.Errorf("%s has no end: only a mute does", a.Act))
	case a.Act == Mute && !a.Until.After(a.At):
		errs = append(errs, errors.New("a mute ends in the future"))
	case a.Act == Mute && a.Until.Sub(a.At) > MaxMute:
		errs = append(errs, fmt.Errorf("a mute lasts at most %d days", MaxMute/(24*time.Hour)))
	}
	return errors.Join(errs...)
}

// hidden tells characters that are not seen, or turn a line round: a reader must not be misled by who did what.
func hidden(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }

// Sighting is how a fact stands.
type Sighting struct {
	// Seen is when the analyzer last saw it.
	Seen time.Time
	// Event is when it last happened; zero where its events are not known one by one.
	Event    time.Time
	Severity Severity
}

// Life is where a finding is, and how it came there.
type Life struct {
	State State `json:"state"`
	// Since is when it came into this state; zero for one that was open from the start.
	Since time.Time `json:"since,omitzero"`
	// Until is when a mute ends.
	Until time.Time `json:"until,omitzero"`
	By    string    `json:"by,omitzero"`
	Why   string    `json:"why,omitzero"`
	// Reopened is how often its fact happened again, or somebody opened it, after it was resolved.
	Reopened int `json:"reopened,omitzero"`
}

// LifeOf says where a finding is now by its history, in any order, and by how its fact stands. It is all there is to states: nothing else is
// stored of them, so that whatever people and analyzers do at one time is in the history, and of two actions the later one holds.
func LifeOf(history []Action, s Sighting, now time.Time) Life {
	h := slices.Clone(history)
	slices.SortFunc(h, order)
	reopened := 0
	for i := range h {
		if i > 0 && h[i-1].Act == Resolve && h[i].Act == Reopen {
			reopened++
		}
	}
	if len(h) == 0 {
		return Life{State: Open}
	}
	l := after(h[len(h)-1], s, now)
	l.Reopened += reopened
	return l
}

// after says where a finding is after its latest action.
func after(a Action, s Sighting, now time.Time) Life {
	l := Life{State: Open, Since: a.At, By: a.By, Why: a.Why}
	switch a.Act {
	case Acknowledge:
		l.State = Acknowledged
		if s.Severity.Rank() > a.Severity.Rank() {
			return Life{State: Open, Since: s.Seen, By: ByAnalyzer, Why: WhyWorse}
		}
	case Mute:
		l.State, l.Until = Muted, a.Until
		if !now.Before(a.Until) {
			return Life{State: Open, Since: a.Until, By: a.By, Why: WhyMuteEnded}
		}
	case Resolve:
		l.State = Resolved
		if s.Event.After(a.At) {
			return Life{State: Open, Since: s.Event, By: ByAnalyzer, Why: WhyAgain, Reopened: 1}
		}
	case Reopen:
	}
	return l
}

// Why a finding is open although somebody did something about it.
const (
	// WhyAgain is for a fact that happened after it was resolved.
	WhyAgain = "it happened again"
	// WhyWorse is for one that is worse than when it was acknowledged.
	WhyWorse = "it is worse than when it was acknowledged"
	// WhyMuteEnded is for one whose mute is over.
	WhyMuteEnded = "the mute ended"
)

// order sorts actions by time.
func order(a, b Action) int {
	return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID))
}

// Reopening returns the entry that a sighting adds to the history of a finding whose latest action is last, where that resolved it and the fact
// has happened since. Its time is that of the fact, so that whoever resolves it at the same time, and later than that, is right. The same entry
// twice counts once.
func Reopening(last Action, before, now Sighting) (Action, bool) {
	a := Action{Act: Reopen, Severity: now.Severity, By: ByAnalyzer, Why: WhyAgain}
	switch {
	case last.Act != Resolve:
		return a, false
	case !now.Event.IsZero():
		a.At = now.Event
	case now.Seen.Sub(before.Seen) > Absence:
		a.At = now.Seen
	default:
		return a, false
	}
	return a, a.At.After(last.At)
}

// Refuse says why an action would change nothing, or is not what is meant; empty where it makes sense.
func (l Life) Refuse(a Act) string {
	switch {
	case a == Reopen && l.State == Open:
		return "it is open"
	case a == Resolve && l.State == Resolved:
		return "it is resolved" + l.byWhom()
	case a == Acknowledge && l.State == Acknowledged:
		return "it is acknowledged" + l.byWhom()
	case l.State == Resolved && (a == Acknowledge || a == Mute):
		return "it is resolved" + l.byWhom() + "; it opens again by itself when it happens again, or with reopen"
	}
	return ""
}

func (l Life) byWhom() string {
	if l.By == "" {
		return ""
	}
	return " by " + l.By + " since " + l.Since.UTC().Format("2006-01-02 15:04")
}

// Alerts reports whether people are to be told of a finding in a state: those that are muted or resolved are quiet.
func (s State) Alerts() bool { return s != Muted && s != Resolved }
