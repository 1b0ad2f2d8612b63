package page

import (
	"net/url"

	"github.com/tooltrail/tooltrail/panels"
)

// addresses makes the addresses of links; an empty one is no link.
type addresses interface {
	// view is where a view shows a scope.
	view(v panels.View, a asked) string
	// finding is where one finding is shown, findings where all are.
	finding(fingerprint string) string
	findings(q url.Values) string
	runbook(name string) string
	// sorted is the view of a with a table sorted; empty where only scripts sort.
	sorted(v panels.View, a asked, s sorting) string
}

// served are the addresses on a server.
type served struct{ runbooks map[string]bool }

func (served) view(v panels.View, a asked) string { return address("/"+v.ID, a.values(v)) }

func (served) finding(fingerprint string) string { return "/findings/" + url.PathEscape(fingerprint) }

func (served) findings(q url.Values) string { return address("/findings", q) }

func (s served) runbook(name string) string {
	if !s.runbooks[name] {
		return ""
	}
	return "/runbook/" + url.PathEscape(name)
}

func (served) sorted(v panels.View, a asked, s sorting) string {
	q := a.values(v)
	q.Set("sort", s.String())
	return address("/"+v.ID, q) + "#" + url.PathEscape(s.panel)
}

func address(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// linker makes addresses of the links of rows.
type linker struct {
	to   addresses
	from asked
}

// of returns where a row's link leads; empty where it leads nowhere.
func (l linker) of(link *panels.Link, row record) string {
	switch {
	case link == nil:
		return ""
	case link.Runbook != "":
		if name := text(row[link.Runbook]); name != "" {
			return l.to.runbook(name)
		}
		return ""
	}
	id := link.View
	if link.ViewFrom != "" {
		id = text(row[link.ViewFrom])
	}
	v, ok := panels.Find(id)
	if !ok {
		return ""
	}
	next, set := l.from, false
	next.sort = sorting{}
	for variable, column := range link.Set {
		value := text(row[column])
		if len(value) > maxValue {
			return ""
		}
		if value != "" {
			next.scope.Set(variable, value)
			set = true
		}
	}
	if len(link.Set) > 0 && !set {
		return ""
	}
	return l.to.view(v, next)
}

// record is a row by the names of its columns.
type record map[string]any

// records returns the rows of an answer.
func records(a Answer) []record {
	all := make([]record, len(a.Rows))
	for i, row := range a.Rows {
		all[i] = make(record, len(a.Columns))
		for j, c := range a.Columns {
			if j < len(row) {
				all[i][c] = row[j]
			}
		}
	}
	return all
}
