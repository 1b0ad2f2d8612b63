package embedded

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"strings"
)

// ServeHTTP is ClickHouse's HTTP interface.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/ping", "/replicas_status":
		_, _ = io.WriteString(w, "Ok.\n")
		return
	case "/":
	default:
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodPost && r.URL.RawQuery == "" {
		_, _ = io.WriteString(w, "Ok.\n")
		return
	}
	if err := e.admit(r); err != nil {
		writeError(w, err)
		return
	}
	e.answer(w, r)
}

// admit checks who asks. Without a password anything on this machine may ask,
// but not a web page in a browser on it, whose origin or host name gives it away.
func (e *Engine) admit(r *http.Request) error {
	user, password := credentials(r)
	if !same(user, e.cfg.User) || !same(password, e.cfg.Password) {
		return newException(codeAuthFailed, "AUTHENTICATION_FAILED", user+": Authentication failed: password is incorrect, or there is no user with such name")
	}
	if e.cfg.Password == "" && (r.Header.Get("Origin") != "" || !isLoopback(hostOf(r.Host))) {
		return newException(codeAuthFailed, "AUTHENTICATION_FAILED", "requests of web pages are refused unless a password is set")
	}
	return nil
}

func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

func credentials(r *http.Request) (user, password string) {
	values := r.URL.Query()
	user, password = r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
	if u, p, ok := r.BasicAuth(); ok {
		user, password = u, p
	}
	return cmp.Or(user, values.Get("user"), "default"), cmp.Or(password, values.Get("password"))
}

func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

func (e *Engine) answer(w http.ResponseWriter, r *http.Request) {
	q, err := e.readRequest(r)
	if err != nil {
		writeError(w, err)
		return
	}
	out := newReply(w, q, e)
	if q.revision != "" && isHello(q.query) {
		out.finish(e.hello(out, q))
		return
	}
	out.finish(e.run(out, q, r))
}

// run reads the statement and runs it on a connection of its own.
func (e *Engine) run(out *reply, q *request, r *http.Request) error {
	idle := newIdleBody(out.http, e.cfg.ClientIdle)
	text, st, rest, err := readStatement(q, e.cfg.MaxQueryBytes, idle)
	if err != nil {
		return err
	}
	if st.file {
		return newException(codeNotImplemented, "NOT_IMPLEMENTED", "INTO OUTFILE and FROM INFILE are the command-line client's and not served here")
	}
	if q.revision != "" && isHello(text) {
		return e.hello(out, q)
	}
	if err := e.enter(r.Context()); err != nil {
		return err
	}
	defer e.leave()
	c, err := e.connectFor(q)
	if err != nil {
		return err
	}
	defer c.close()
	if st.insert {
		return e.insert(out, c, q, st, rest)
	}
	idle.done()
	return e.read(r.Context(), out, c, q, st, text)
}

// enter waits for a slot.
func (e *Engine) enter(ctx context.Context) error {
	select {
	case e.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return newException(codeTooManyQueries, "TOO_MANY_SIMULTANEOUS_QUERIES", "request ended while it waited for its turn")
	}
}

func (e *Engine) leave() { <-e.slots }

func (e *Engine) connectFor(q *request) (*conn, error) {
	c, err := e.connect(q.settings)
	if err != nil {
		return nil, newException(codeBadArguments, "BAD_ARGUMENTS", "the engine refused the settings given in the URL: "+settingNames(q.settings))
	}
	if q.database != "" && q.database != "default" {
		if _, err := c.exec("USE "+quoteName(q.database), "Null", nil); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

func settingNames(settings []setting) string {
	var names []string
	for _, s := range settings {
		if s.Name != "log_comment" {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, ", ")
}

func quoteName(name string) string {
	return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(name) + "`"
}
