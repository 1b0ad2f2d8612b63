package page

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/panels"
)

// beginning is when a finding began, as far as that is known: else when it was first seen.
func beginning(f *finding.Finding) time.Time {
	if f.Began.IsZero() {
		return f.FirstSeen
	}
	return f.Began
}

// findingPage is one finding.
type findingPage struct {
	frame
	findingData
	CSRF, By string
	CanAct   bool
	Problem  string
	Acts     []actForm
}

// findingData is what is shown of a finding, in a file too.
type findingData struct {
	F       *finding.Finding
	Level   panels.Level
	Times   []moment
	Facts   []fact
	Numbers []fact
	Links   []navItem
	History []finding.Action
}

// fact is a name and a value.
type fact struct{ Name, Value string }

// moment is when something happened.
type moment struct {
	Name string
	At   cell
}

// actForm is a form that changes where the finding is.
type actForm struct {
	Act, Title, Help string
	Mutes            bool
}

func (s *Server) showFinding(w http.ResponseWriter, r *http.Request) {
	s.findingWith(w, r, http.StatusOK, "")
}

func (s *Server) findingWith(w http.ResponseWriter, r *http.Request, status int, problem string) {
	ctx, cancel := s.within(r)
	defer cancel()
	f, err := s.find(ctx, r)
	if err != nil || f == nil {
		s.sayNoFinding(w, err)
		return
	}
	if r.Method == http.MethodGet && r.PathValue("fingerprint") != f.Fingerprint {
		http.Redirect(w, r, s.to.finding(f.Fingerprint), http.StatusSeeOther)
		return
	}
	history, err := s.from.Findings.History(ctx, f.Fingerprint)
	if err != nil {
		s.sayNoFinding(w, err)
		return
	}
	p := findingPage{
		frame: s.newFrame("Finding", "findings", asked{last: defaultSpan}), findingData: newFindingData(f, history, s.to),
		CSRF: s.guard.formToken(w, r), By: s.cfg.By, CanAct: s.from.Actor != nil, Problem: problem, Acts: actsOn(f.Life()),
	}
	s.render(w, status, "finding_page.html", p)
}

func (s *Server) sayNoFinding(w http.ResponseWriter, err error) {
	if err != nil {
		s.cfg.Log.Error("finding was not read", slog.Any("error", err))
		s.say(w, http.StatusServiceUnavailable, "The database did not answer", "Look at the log of tooltrail, and load the page again.")
		return
	}
	s.say(w, http.StatusNotFound, "Not found", "There is no such finding, or several begin with these digits. All that there are, are under Findings.")
}

// minDigits is how many of the first digits of a fingerprint an address has at least.
const minDigits = 4

// find reads the finding that a request is about; nil where there is none, or where several begin with the digits that it names.
func (s *Server) find(ctx context.Context, r *http.Request) (*finding.Finding, error) {
	name := r.PathValue("fingerprint")
	if len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.Is(unicode.ASCII_Hex_Digit, r) }) {
		return nil, nil
	}
	if len(name) < minDigits {
		return nil, nil
	}
	all, err := s.from.Findings.Find(ctx, Filter{Fingerprint: strings.ToLower(name), Severity: finding.Info, Limit: 2})
	if err != nil || len(all) != 1 {
		return nil, err
	}
	return &all[0], nil
}

// actsOn lists what makes sense to do to a finding.
func actsOn(l finding.Life) []actForm {
	var all []actForm
	for _, a := range []actForm{
		{Act: string(finding.Acknowledge), Title: "Acknowledge", Help: "Somebody deals with it. It is open again when it gets worse."},
		{Act: string(finding.Mute), Title: "Mute", Help: "It alerts nobody until then.", Mutes: true},
		{Act: string(finding.Resolve), Title: "Resolve", Help: "It is dealt with. It is open again when it happens again."},
		{Act: string(finding.Reopen), Title: "Reopen", Help: "It waits for somebody again, whatever was done about it."},
	} {
		if l.Refuse(finding.Act(a.Act)) == "" {
			all = append(all, a)
		}
	}
	return all
}

// maxLine is how long a reason and a name can be, in bytes.
const maxLine = 500

// actOnFinding reads the form before it is its turn: who sends it slowly keeps nobody waiting.
func (s *Server) actOnFinding(w http.ResponseWriter, r *http.Request) {
	if s.from.Actor == nil {
		s.say(w, http.StatusForbidden, "Nothing can be changed here", "This page was started to read alone.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	s.inTurn(func(w http.ResponseWriter, r *http.Request) { s.doAct(w, r, err) })(w, r)
}

// doAct does what a form says that was read, or was not.
func (s *Server) doAct(w http.ResponseWriter, r *http.Request, unread error) {
	if unread != nil {
		s.findingWith(w, r, http.StatusRequestEntityTooLarge, fmt.Sprintf("The form is too long, or no form. Nothing was changed; it has at most %d bytes.", maxForm))
		return
	}
	if !s.guard.isForm(r) {
		s.findingWith(w, r, http.StatusForbidden, "The form is too old. Nothing was changed; try again.")
		return
	}
	ctx, cancel := s.within(r)
	defer cancel()
	f, err := s.find(ctx, r)
	if err != nil || f == nil {
		s.sayNoFinding(w, err)
		return
	}
	a, err := s.action(r)
	if err == nil {
		if why := f.Life().Refuse(a.Act); why != "" {
			err = fmt.Errorf("nothing was changed: %s", why)
		}
	}
	if err != nil {
		s.findingWith(w, r, http.StatusBadRequest, err.Error())
		return
	}
	if err := s.from.Actor.Act(ctx, f.Fingerprint, a); err != nil {
		s.cfg.Log.Error("finding was not acted on, as far as is known", slog.Any("error", err))
		s.say(w, http.StatusServiceUnavailable, "The database did not say whether it was done", "Look at the finding's history before you do it again.")
		return
	}
	http.Redirect(w, r, s.to.finding(f.Fingerprint), http.StatusSeeOther)
}

// action reads what a form says is to be done.
func (s *Server) action(r *http.Request) (finding.Action, error) {
	now := s.cfg.Now().UTC()
	a := finding.Action{
		At: now, Act: finding.Act(r.PostFormValue("act")), By: cmp.Or(strings.TrimSpace(r.PostFormValue("by")), s.cfg.By),
		Why: strings.TrimSpace(r.PostFormValue("why")),
	}
	for _, line := range []string{a.By, a.Why} {
		if len(line) > maxLine || strings.ContainsFunc(line, unicode.IsControl) {
			return a, fmt.Errorf("who and why are one line each, of at most %d bytes", maxLine)
		}
	}
	if a.Act == finding.Mute {
		var err error
		if a.Until, err = muteEnd(r.PostFormValue, now); err != nil {
			return a, err
		}
	}
	return a, a.Validate()
}

// muteEnd reads when a mute ends. until_utc is what a script made of until, which is in the reader's zone; without scripts it is UTC.
func muteEnd(value func(string) string, now time.Time) (time.Time, error) {
	if until := cmp.Or(value("until_utc"), value("until")); until != "" {
		t, err := finding.ParseUntil(until)
		if err != nil {
			return t, fmt.Errorf("until %w", err)
		}
		return t, nil
	}
	days := map[string]int{"1": 1, "3": 3, "7": 7, "14": 14, "30": 30, "90": 90}[value("days")]
	return now.AddDate(0, 0, days).Truncate(time.Second), nil
}
