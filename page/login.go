package page

import (
	"net/http"
	"strings"
)

// loginPage asks for the token.
type loginPage struct {
	frame
	CSRF, Next, Wrong string
}

func (s *Server) showLogin(w http.ResponseWriter, r *http.Request) {
	s.askToken(w, r, http.StatusOK, r.URL.Query().Get("next"), "")
}

func (s *Server) askToken(w http.ResponseWriter, r *http.Request, status int, next, wrong string) {
	f := s.newFrame("Log in", "", asked{last: defaultSpan})
	f.Nav = nil
	s.render(w, status, "login.html", loginPage{f, s.guard.formToken(w, r), next, wrong})
}

func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	switch {
	case s.cfg.Token == "":
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case !s.guard.isForm(r):
		s.askToken(w, r, http.StatusForbidden, r.PostFormValue("next"), "The form is too old. Try again.")
	case !s.guard.isToken(r.PostFormValue("token")):
		s.askToken(w, r, http.StatusUnauthorized, r.PostFormValue("next"), "That is not the token.")
	default:
		http.SetCookie(w, s.guard.newSession())
		http.Redirect(w, r, localPath(r.PostFormValue("next")), http.StatusSeeOther)
	}
}

// localPath returns an address on this server, "/" for one that a browser might take for another's.
func localPath(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}
