package deploy_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// front stands before the engine as ClickHouse itself would: HTTPS with the certificate of make secrets, the users of users.xml with their
// passwords, and to each what he is granted. The engine in this process is one user; so a query runs as a view whose definer is who asks,
// with his rights, and any other statement is held against the engine's list of grants.
type front struct {
	ch      *clickHouse
	addr    string
	secrets string
	views   atomic.Int64
	forward http.Handler

	mu     sync.Mutex
	denied map[string]bool
}

// startFront serves it.
func startFront(t *testing.T, ch *clickHouse, secrets string) (*front, string) {
	t.Helper()
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: ch.addr})
	forward.ErrorLog = log.New(io.Discard, "", 0) // a query that was cancelled
	f := &front{ch: ch, addr: ch.addr, secrets: secrets, forward: forward, denied: map[string]bool{}}
	srv := httptest.NewUnstartedServer(f)
	pair, err := tls.LoadX509KeyPair(filepath.Join(secrets, "clickhouse.crt"), filepath.Join(secrets, "clickhouse.key"))
	if err != nil {
		t.Fatal(err)
	}
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	ch.must("CREATE DATABASE IF NOT EXISTS probe")
	return f, srv.URL
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password := r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
	if u, p, ok := r.BasicAuth(); ok {
		user, password = u, p
	}
	want, err := os.ReadFile(filepath.Join(f.secrets, "clickhouse_"+strings.TrimPrefix(user, "tooltrail_")))
	if err != nil || password != string(want) {
		http.Error(w, "Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)", http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, name := range []string{"Authorization", "X-ClickHouse-User", "X-ClickHouse-Key"} {
		r.Header.Del(name)
	}
	if body, err = f.permit(user, r.URL.Query(), body); err != nil {
		f.deny(user, err)
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	r.Body, r.Host, r.ContentLength = io.NopCloser(bytes.NewReader(body)), f.addr, int64(len(body))
	f.forward.ServeHTTP(w, r)
}

var (
	inserts = regexp.MustCompile("^\\s*INSERT INTO (?:`?tooltrail`?\\.)?`?(\\w+)`?")
	tells   = regexp.MustCompile("^\\s*DESCRIBE TABLE (?:`?tooltrail`?\\.)?`?(\\w+)`?")
	changes = regexp.MustCompile(`^\s*(CREATE|ALTER|DROP|BACKUP|RESTORE)\b(?: OR REPLACE)?(?: (DATABASE|TABLE|VIEW))?`)
)

// permit returns the body to forward for a statement of a user, who may run it.
func (f *front) permit(user string, values url.Values, body []byte) ([]byte, error) {
	sql := values.Get("query")
	if sql == "" {
		sql = string(body)
	}
	switch {
	case !strings.Contains(sql, "FROM") && !changes.MatchString(sql) && !inserts.MatchString(sql) && !tells.MatchString(sql):
		return body, nil // asks of no table
	case inserts.MatchString(sql):
		return body, f.ch.granted(user, "access_type = 'INSERT'", inserts.FindStringSubmatch(sql)[1])
	case tells.MatchString(sql):
		return body, f.ch.granted(user, "access_type IN ('INSERT', 'SELECT')", tells.FindStringSubmatch(sql)[1])
	case changes.MatchString(sql):
		m := changes.FindStringSubmatch(sql)
		right := strings.TrimSpace(m[1] + " " + m[2])
		if m[1] != "CREATE" && m[1] != "DROP" {
			right = m[1]
		}
		return body, f.ch.granted(user, "access_type = '"+right+"'", "")
	}
	view := fmt.Sprintf("probe.front%d", f.views.Add(1))
	_, err := f.ch.ask("CREATE VIEW "+view+" DEFINER = "+user+" SQL SECURITY DEFINER AS "+sql, values.Get("database"))
	if err == nil {
		_, err = f.ch.ask("SELECT * FROM " + view + " LIMIT 0 FORMAT Null") // so that what is denied is known here
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %.300s", err, sql)
	}
	return []byte("SELECT * FROM " + view), nil
}

// granted returns an error as the engine's where a user has no such right on a table, or on the database.
func (c *clickHouse) granted(user, right, table string) error {
	out, err := c.ask("SELECT count() FROM system.grants WHERE user_name = '" + user + "' AND database = 'tooltrail' AND NOT is_partial_revoke AND (table IS NULL OR table = '" +
		table + "') AND " + right)
	if err == nil && strings.TrimSpace(out) == "0" {
		return fmt.Errorf("Code: 497. DB::Exception: %s: Not enough privileges: %s on %s. (ACCESS_DENIED)", user, right, table)
	}
	return err
}

// deny remembers what a user was denied.
func (f *front) deny(user string, err error) {
	if !strings.Contains(err.Error(), "ACCESS_DENIED") {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.denied[fmt.Sprintf("%s: %v", user, err)] = true
}

// refusals are what was denied since it was asked last.
func (f *front) refusals() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Sorted(maps.Keys(f.denied))
	clear(f.denied)
	return all
}
