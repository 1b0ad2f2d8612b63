package page

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/panels"
)

// viewPage is a view as its template shows it.
type viewPage struct {
	frame
	// Spans, From and To are the time range; Moved says that it was moved to where events are.
	Spans    []spanLink
	From, To time.Time
	Chosen   bool
	Moved    bool
	Last     string
	Filters  []filter
	// Scope is what the view is narrowed to, each with where it is not.
	Scope    []chip
	Sections []section
}

// spanLink leads to another time range.
type spanLink struct {
	Title, Name, Href string
	Current           bool
}

// filter is a field to narrow the view by.
type filter struct {
	Name, Title, Value string
	Options            []string
}

// chip is one thing that the view is narrowed to.
type chip struct{ Title, Value, Without string }

func (s *Server) showView(w http.ResponseWriter, r *http.Request) {
	v, ok := panels.Find(r.PathValue("view"))
	if !ok {
		s.say(w, http.StatusNotFound, "Not found", "There is no such page. Choose one above.")
		return
	}
	q := r.URL.Query()
	a, err := readQuery(q, s.cfg.Now().UTC())
	if err != nil {
		s.say(w, http.StatusBadRequest, "This address is wrong", err.Error()+".")
		return
	}
	ctx, cancel := s.within(r)
	defer cancel()
	s.findEvents(ctx, &a, q.Has("last") || q.Has("from") || q.Has("to"))
	s.render(w, http.StatusOK, "view.html", s.viewPage(ctx, v, a))
}

func (s *Server) viewPage(ctx context.Context, v panels.View, a asked) viewPage {
	d := &drawing{from: s.from.Database, to: s.to, view: v, asked: a, parallel: s.cfg.Parallel, log: s.cfg.Log}
	p := viewPage{
		frame: s.newFrame(v.Title, v.ID, a), From: a.scope.From, To: a.scope.To, Chosen: a.last == "", Moved: a.moved, Last: a.last,
		Spans: d.spans(), Sections: d.sections(ctx), Scope: d.chips(),
	}
	p.Question = v.Question
	options := d.options(ctx)
	for _, variable := range v.Variables {
		value, _ := a.scope.Get(variable.Name)
		p.Filters = append(p.Filters, filter{variable.Name, variable.Title, value, options[variable.Name]})
	}
	return p
}

// spans links to the view over other time ranges.
func (d *drawing) spans() []spanLink {
	var all []spanLink
	for _, s := range spans {
		a := d.asked
		a.last, a.moved = s.Name, false
		q := a.values(d.view)
		q.Set("last", s.Name)
		all = append(all, spanLink{s.Title, s.Name, address("/"+d.view.ID, q), d.asked.last == s.Name})
	}
	return all
}

// chips are what the view is narrowed to.
func (d *drawing) chips() []chip {
	var all []chip
	for _, v := range d.view.Variables {
		value, _ := d.asked.scope.Get(v.Name)
		if value == "" {
			continue
		}
		a := d.asked
		a.scope.Set(v.Name, "")
		all = append(all, chip{v.Title, clean(value, foldFrom), d.to.view(d.view, a)})
	}
	return slices.Clip(all)
}
