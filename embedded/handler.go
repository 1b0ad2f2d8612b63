package embedded

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"
)

// ServeHTTP is ClickHouse's HTTP interface.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/ping", "/replicas_status":
		io.WriteString(w, "Ok.\n")
		return
	case "/":
	default:
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodPost && r.URL.RawQuery == "" {
		io.WriteString(w, "Ok.\n")
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
	return firstOf(user, values.Get("user"), "default"), firstOf(password, values.Get("password"))
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
	idle := newIdleBody(out.http, e.cfg.BodyIdle)
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

// insert feeds the data to the engine and commits it; data that does not come
// whole is not stored.
func (e *Engine) insert(out *reply, c *conn, q *request, st statement, data io.Reader) error {
	ins, err := c.startInsert(st.head, firstOf(st.format, "Values"), q.params)
	if err != nil {
		return err
	}
	defer ins.close()
	if err := feed(ins, data); err != nil && !errors.Is(err, errInsertFailed) {
		ins.cancel()
		return newException(codeNetwork, "NETWORK_ERROR", "insert given up, its data did not come whole: "+err.Error())
	}
	rows, err := ins.commit()
	if err != nil {
		return err
	}
	out.wrote(rows)
	return nil
}

func feed(to io.Writer, data io.Reader) error {
	buf := make([]byte, 256<<10)
	_, err := io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{data}, buf)
	return err
}

// read runs a statement and sends its result as it comes. When the client goes
// away, or the engine is being closed, the statement is cancelled.
func (e *Engine) read(ctx context.Context, out *reply, c *conn, q *request, st statement, text string) error {
	stopped := e.killWhenDone(ctx, q.mark)
	defer stopped()
	out.format(firstOf(st.format, q.format))
	s, err := c.start(text, q.format, q.params, canStream(st, q))
	if err != nil {
		return err
	}
	defer s.close()
	for {
		if err := s.next(out); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// killWhenDone cancels the statement once ctx ends. It asks again until the
// returned function is called: the statement may not have been running yet.
func (e *Engine) killWhenDone(ctx context.Context, mark string) func() {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-end:
			return
		case <-ctx.Done():
		}
		again := time.NewTicker(200 * time.Millisecond)
		defer again.Stop()
		for {
			if err := e.admin.kill(mark); err != nil {
				e.log.Warn("cancel statement", slog.Any("error", err))
			}
			select {
			case <-end:
				return
			case <-again.C:
			}
		}
	}()
	return func() { close(end); <-ended }
}

// canStream tells whether a result can be fetched in parts. The engine writes
// formats with a frame around their rows, and results that have totals or
// extremes, correctly only as a whole.
func canStream(st statement, q *request) bool {
	if st.totals || truthy(valueOf(q.settings, "extremes")) {
		return false
	}
	format := strings.ToLower(firstOf(st.format, q.format))
	for _, prefix := range []string{"native", "tabseparated", "tsv", "csv", "rowbinary", "jsoneachrow", "jsoncompacteachrow", "values", "lineasstring", "rawblob"} {
		if strings.HasPrefix(format, prefix) {
			return true
		}
	}
	return false
}

func valueOf(settings []setting, name string) string {
	for _, s := range settings {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}
