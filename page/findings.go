package page

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

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
	if wrong := wrongChoice(p.Fields); wrong != "" {
		s.say(w, http.StatusBadRequest, "Can't be read", wrong)
		return
	}
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
		{Name: "rule", Title: "Rule"}, {Name: "tool", Title: "Tool"}, {Name: "server", Title: "Server"}, {Name: "agent", Title: "Agent"}, {Name: "environment", Title: "Environment"},
		{Name: "team", Title: "Team"}, {Name: "owner", Title: "Owner"},
	}
	for i := range all {
		all[i].Value = q.Get(all[i].Name)
	}
	return all
}

// wrongChoice says which value of the address is none of those to choose from; empty where all are.
func wrongChoice(fields []field) string {
	for _, f := range fields {
		if f.Value != "" && len(f.Choices) > 0 && !slices.Contains(f.Choices, f.Value) {
			return fmt.Sprintf("%s is %q, want one of %s.", f.Name, f.Value, strings.Join(f.Choices, ", "))
		}
	}
	return ""
}

func filterOf(q url.Values) Filter {
	return Filter{
		State: finding.State(q.Get("state")), Severity: finding.Severity(cmp.Or(q.Get("severity"), "info")), Detector: q.Get("detector"), Rule: q.Get("rule"),
		Owner: q.Get("owner"), Agent: q.Get("agent"), Environment: q.Get("environment"), Team: q.Get("team"), Tool: q.Get("tool"),
		Server: q.Get("server"), Limit: maxFindings + 1,
	}
}

// findingColumns are the columns of the list.
var findingColumns = []panels.Column{
	{Name: "severity", Title: "Severity", Unit: panels.Severity}, {Name: "alert", Title: "Alert"}, {Name: "state", Title: "State"},
	{Name: "title", Title: "What is the case"},
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
			"severity": string(f.Severity), "alert": panels.Urgency(f.Rule, string(f.Severity)), "state": string(f.State), "title": f.Title,
			"action": f.Action, "server": f.Subject.Server, "tool": f.Subject.Tool, "model": f.Subject.Model, "agent": f.Subject.Agent, "owner": strings.Trim(f.Owner+" / "+f.Team, " /"), "began": f.Began,
			"last_seen": f.LastSeen, "id": f.Fingerprint,
		}
	}
	order := readSorting(q.Get("sort"))
	if order.panel == "findings" {
		sortRows(rows, order)
	}
	t := &table{ID: "findings", Caption: "Findings"}
	columns := slices.DeleteFunc(slices.Clone(findingColumns), func(c panels.Column) bool { return saysNothing(c, rows) })
	for _, c := range columns {
		t.Headers = append(t.Headers, findingHeader(c, order, to, q))
	}
	for _, row := range rows {
		var cells []cell
		for _, c := range columns {
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
	again := maps.Clone(q)
	again.Set("sort", next.String())
	h.Href = to.findings(again)
	return h
}
