package page

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/panels"
)

// maxFindings is how many findings are listed at most.
const maxFindings = 500

// findingsPage is the list of findings.
type findingsPage struct {
	frame
	Fields  []field
	Table   *table
	More    bool
	Failed  string
	Narrows bool
}

// field is a field of the form that narrows the list; one with choices is chosen from.
type field struct {
	Name, Title, Value string
	Choices            []string
}

func (s *Server) showFindings(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p := findingsPage{frame: s.newFrame("Findings", "findings", asked{last: defaultSpan}), Fields: fieldsOf(q)}
	p.Question = "What has been found, who deals with it, and what became of it?"
	p.Narrows = slices.ContainsFunc(p.Fields, func(f field) bool { return f.Value != "" })
	ctx, cancel := s.within(r)
	defer cancel()
	all, err := s.from.Findings.Find(ctx, filterOf(q))
	if err != nil {
		s.cfg.Log.Error("findings were not read", slog.Any("error", err))
		p.Failed = "The database did not answer. Look at the log of tooltrail, and load the page again."
	}
	p.More = len(all) > maxFindings
	all = all[:min(len(all), maxFindings)]
	if len(all) > 0 {
		p.Table = findingTable(all, s.to, q)
	}
	s.render(w, http.StatusOK, "findings.html", p)
}

func fieldsOf(q url.Values) []field {
	all := []field{
		{Name: "state", Title: "State", Choices: []string{"open", "acknowledged", "muted", "resolved"}},
		{Name: "severity", Title: "At least", Choices: []string{"info", "warning", "critical"}},
		{Name: "detector", Title: "Kind", Choices: []string{"drift", "prefix", "activation"}},
		{Name: "tool", Title: "Tool"}, {Name: "server", Title: "Server"}, {Name: "agent", Title: "Agent"}, {Name: "environment", Title: "Environment"},
		{Name: "team", Title: "Team"}, {Name: "owner", Title: "Owner"},
	}
	for i := range all {
		all[i].Value = q.Get(all[i].Name)
	}
	return all
}

func filterOf(q url.Values) Filter {
	return Filter{
		State: finding.State(q.Get("state")), Severity: finding.Severity(cmp.Or(q.Get("severity"), "info")), Detector: q.Get("detector"),
		Owner: q.Get("owner"), Agent: q.Get("agent"), Environment: q.Get("environment"), Team: q.Get("team"), Tool: q.Get("tool"),
		Server: q.Get("server"), Limit: maxFindings + 1,
	}
}

// findingColumns are the columns of the list.
var findingColumns = []panels.Column{
	{Name: "severity", Title: "Severity", Unit: panels.Severity}, {Name: "alert", Title: "Alert"}, {Name: "state", Title: "State"}, {Name: "title", Title: "What is the case"},
	{Name: "action", Title: "What to do"}, {Name: "server", Title: "Server"}, {Name: "tool", Title: "Tool"}, {Name: "model", Title: "Model"},
	{Name: "agent", Title: "Agent"}, {Name: "owner", Title: "Owner"}, {Name: "began", Title: "Began", Unit: panels.Time},
	{Name: "last_seen", Title: "Last seen", Unit: panels.Time},
}

// findingTable lists findings; the title leads to each.
func findingTable(all []finding.Finding, to addresses, q url.Values) *table {
	rows := make([]record, len(all))
	for i := range all {
		f := &all[i]
		rows[i] = record{
			"severity": string(f.Severity), "alert": panels.Urgency(f.Rule, string(f.Severity)), "state": string(f.State), "title": f.Title, "action": f.Action, "server": f.Subject.Server, "tool": f.Subject.Tool,
			"model": f.Subject.Model, "agent": f.Subject.Agent, "owner": strings.Trim(f.Owner+" / "+f.Team, " /"), "began": beginning(f),
			"last_seen": f.LastSeen, "id": f.Fingerprint,
		}
	}
	order := readSorting(q.Get("sort"))
	if order.panel == "findings" {
		sortRows(rows, order)
	}
	t := &table{ID: "findings", Caption: "Findings"}
	for _, c := range findingColumns {
		t.Headers = append(t.Headers, findingHeader(c, order, to, q))
	}
	for _, row := range rows {
		var cells []cell
		for _, c := range findingColumns {
			made := newCell(panels.Panel{}, c, row[c.Name])
			if c.Name == "title" {
				made.Text, made.Rest = firstRunes(clean(text(row["title"]), maxShown), foldFrom*2), ""
				made.Href, made.Leads = to.finding(text(row["id"])), "This finding and what to do with it"
			}
			cells = append(cells, made)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func findingHeader(c panels.Column, order sorting, to addresses, q url.Values) header {
	h := header{Name: c.Name, Title: c.Title, Sort: "none"}
	next := sorting{panel: "findings", column: c.Name}
	if order.panel == "findings" && order.column == c.Name {
		h.Sort = map[bool]string{false: "ascending", true: "descending"}[order.down]
		next.down = !order.down
	}
	again := url.Values{}
	for name, values := range q {
		again[name] = values
	}
	again.Set("sort", next.String())
	h.Href = to.findings(again)
	return h
}

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
	Facts   []fact
	Numbers []fact
	Links   []navItem
	History []finding.Action
	Window  []cell
}

// fact is a name and a value.
type fact struct{ Name, Value, Href string }

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
	s.say(w, http.StatusNotFound, "Not found", "There is no such finding. All that there are, are under Findings.")
}

// find reads the finding that a request is about; nil where there is none.
func (s *Server) find(ctx context.Context, r *http.Request) (*finding.Finding, error) {
	name := r.PathValue("fingerprint")
	if len(name) > 64 || strings.ContainsFunc(name, func(r rune) bool { return !unicode.Is(unicode.ASCII_Hex_Digit, r) }) {
		return nil, nil
	}
	all, err := s.from.Findings.Find(ctx, Filter{Fingerprint: name, Severity: finding.Info, Limit: 1})
	if err != nil || len(all) == 0 {
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

func (s *Server) actOnFinding(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if s.from.Actor == nil {
		s.say(w, http.StatusForbidden, "Nothing can be changed here", "This page was started to read alone.")
		return
	}
	if err := r.ParseForm(); err != nil {
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
