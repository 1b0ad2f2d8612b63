package page

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tooltrail/tooltrail/panels"
)

// Server serves the page; see [Server.Handler].
type Server struct {
	cfg       Config
	from      Sources
	guard     *guard
	templates *template.Template
	to        served
	turns     chan struct{} // one for each page that is being made
}

// New makes a page of sources. It opens no port and asks nothing; the error is that of [Config.Validate], or of a source that is missing.
func New(cfg Config, from Sources) (*Server, error) {
	if err := errors.Join(cfg.Validate(), from.validate()); err != nil {
		return nil, err
	}
	t, err := parse()
	if err != nil {
		return nil, err
	}
	return &Server{cfg: cfg, from: from, guard: newGuard(cfg), templates: t, to: served{runbookNames(cfg.Runbooks)}, turns: make(chan struct{}, cfg.Pages)}, nil
}

// Handler answers requests for the page, after it has checked who asks.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, address("/"+panels.Overview, r.URL.Query()), http.StatusSeeOther)
	})
	mux.HandleFunc("GET /{view}", s.inTurn(s.showView))
	mux.HandleFunc("GET /findings", s.inTurn(s.showFindings))
	mux.HandleFunc("GET /findings/{fingerprint}", s.inTurn(s.showFinding))
	mux.HandleFunc("POST /findings/{fingerprint}", s.actOnFinding)
	mux.HandleFunc("GET /runbook", s.showRunbooks)
	mux.HandleFunc("GET /runbook/{name}", s.inTurn(s.showRunbook))
	mux.HandleFunc("GET /assets/{name}", serveAsset)
	mux.HandleFunc("GET /login", s.showLogin)
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return s.guard.wrap(mux)
}

// frame is what all pages have around them.
type frame struct {
	Title, Question, View, Version string
	Nav                            []navItem
	// File says that it is one file, without a server.
	File, LoggedIn bool
	Styles         []string
	Scripts        []string
}

// navItem is a link of the navigation.
type navItem struct {
	Title, Href string
	Current     bool
}

// newFrame makes what is around a page; links keep what a has of scope where the view that they lead to knows it.
func (s *Server) newFrame(title, current string, a asked) frame {
	f := frame{
		Title: title, View: current, Version: s.cfg.Version, LoggedIn: s.cfg.Token != "",
		Styles: []string{assetPath("uplot.css"), assetPath("page.css")}, Scripts: []string{assetPath("uplot.js"), assetPath("page.js")},
	}
	a.sort = sorting{}
	for _, v := range panels.Views() {
		f.Nav = append(f.Nav, navItem{v.Title, s.to.view(v, a), v.ID == current})
	}
	f.Nav = append(f.Nav, navItem{"Findings", s.to.findings(findingsQuery(a)), current == "findings"})
	return f
}

// findingsQuery is what findings can be narrowed by of a scope.
func findingsQuery(a asked) url.Values {
	q := url.Values{}
	for _, name := range []string{"agent", "environment", "team"} {
		if value, _ := a.scope.Get(name); value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// render writes a page, of which nothing is sent before all of it is made.
func (s *Server) render(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := s.templates.ExecuteTemplate(&b, name, data); err != nil {
		s.cfg.Log.Error("page was not rendered", slog.String("template", name), slog.Any("error", err))
		http.Error(w, "The page could not be made; the log of tooltrail says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

// message is a page that says one thing.
type message struct {
	frame
	Text string
}

// say answers with one sentence.
func (s *Server) say(w http.ResponseWriter, status int, title, text string) {
	f := s.newFrame(title, "", asked{last: defaultSpan})
	s.render(w, status, "message.html", message{f, clean(text, maxShown)})
}

// inTurn makes a page when it is its turn, and none of which nobody waits any more.
func (s *Server) inTurn(show http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := s.within(r)
		defer cancel()
		select {
		case s.turns <- struct{}{}:
			defer func() { <-s.turns }()
			show(w, r.WithContext(ctx))
		case <-ctx.Done():
			w.Header().Set("Retry-After", strconv.Itoa(max(int(s.cfg.Timeout.Seconds()), 1)))
			s.say(w, http.StatusServiceUnavailable, "Too many at once", "Others look at pages that take long. Load the page again in a while.")
		}
	}
}

// within returns a context that ends when a page has taken too long.
func (s *Server) within(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Context(), s.cfg.Timeout)
}

// runbookNames lists the runbooks that there are.
func runbookNames(files fs.FS) map[string]bool {
	names := map[string]bool{}
	if files == nil {
		return names
	}
	found, _ := fs.Glob(files, "*.md") // the pattern is right
	for _, f := range found {
		if f != "README.md" {
			names[strings.TrimSuffix(f, ".md")] = true
		}
	}
	return names
}
