package store_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/store"
)

var changes = regexp.MustCompile(`^\s*(CREATE|ALTER|DROP)\b`)

// readOnlyFront stands before the engine and refuses all that makes or changes tables, as ClickHouse does where a user may not.
func readOnlyFront(t *testing.T, addr string) string {
	t.Helper()
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: addr})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || changes.Match(body) || changes.MatchString(r.URL.Query().Get("query")) {
			w.Header().Set("X-ClickHouse-Exception-Code", "497")
			http.Error(w, "Code: 497. DB::Exception: tester: Not enough privileges. (ACCESS_DENIED)", http.StatusForbidden)
			return
		}
		r.Body, r.Host = io.NopCloser(bytes.NewReader(body)), addr
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

func TestWhoMayNotChangeTablesStartsWhereTheyAreUpToDate(t *testing.T) {
	addr, database := enginetest.Database(t)
	cfg := store.DefaultConfig()
	cfg.Address, cfg.Database = readOnlyFront(t, addr), database
	db, err := store.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "ACCESS_DENIED") && !strings.Contains(err.Error(), "497") && !strings.Contains(err.Error(), "rivileges") {
		t.Errorf("without tables: %v, want that it may not make them", err)
	}

	may := cfg
	may.Address = "http://" + addr
	maker, err := store.Open(t.Context(), may)
	if err != nil {
		t.Fatal(err)
	}
	defer maker.Close()
	if err := maker.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Migrate(t.Context()); err != nil {
		t.Errorf("with all tables: %v", err)
	}
}
