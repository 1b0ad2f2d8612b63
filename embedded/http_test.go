package embedded_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
)

// dial connects the ordinary client to the test's own database.
func dial(t *testing.T, method clickhouse.CompressionMethod) driver.Conn {
	t.Helper()
	addr, database := enginetest.Database(t)
	db, err := clickhouse.Open(&clickhouse.Options{
		Protocol:    clickhouse.HTTP,
		Addr:        []string{addr},
		Auth:        clickhouse.Auth{Database: database, Username: "default"},
		Compression: &clickhouse.Compression{Method: method},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t *testing.T, db driver.Conn, query string, args ...any) {
	t.Helper()
	if err := db.Exec(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func count(t *testing.T, db driver.Conn, query string, args ...any) uint64 {
	t.Helper()
	var n uint64
	if err := db.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// insertRows sends rows first..first+n of table t(a UInt64, b String) as one batch.
func insertRows(ctx context.Context, db driver.Conn, first, n int) error {
	batch, err := db.PrepareBatch(ctx, "INSERT INTO t (a, b)")
	if err != nil {
		return err
	}
	for i := first; i < first+n; i++ {
		if err := batch.Append(uint64(i), fmt.Sprint("row ", i)); err != nil {
			return err
		}
	}
	return batch.Send()
}

const tableT = "CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 1000"

func TestOneBatchBecomesOnePart(t *testing.T) {
	for _, method := range []clickhouse.CompressionMethod{clickhouse.CompressionNone, clickhouse.CompressionLZ4, clickhouse.CompressionZSTD, clickhouse.CompressionGZIP} {
		t.Run(method.String(), func(t *testing.T) {
			db := dial(t, method)
			run(t, db, tableT)
			if err := insertRows(t.Context(), db, 0, 50_000); err != nil {
				t.Fatal(err)
			}
			if n := count(t, db, "SELECT count() FROM t"); n != 50_000 {
				t.Errorf("%d rows, want 50000", n)
			}
			if n := count(t, db, "SELECT count() FROM system.parts WHERE database = currentDatabase() AND table = 't'"); n != 1 {
				t.Errorf("%d parts, want 1", n)
			}
		})
	}
}

func TestSameTokenIsStoredOnce(t *testing.T) {
	db := dial(t, clickhouse.CompressionLZ4)
	run(t, db, tableT)
	send := func(token string, first int) {
		ctx := clickhouse.Context(t.Context(), clickhouse.WithSettings(clickhouse.Settings{"insert_deduplication_token": token}))
		if err := insertRows(ctx, db, first, 100); err != nil {
			t.Fatal(err)
		}
	}
	send("lane@1", 0)
	send("lane@1", 0)
	send("lane@1", 100) // other rows under a used token: the first writer has won
	send("lane@2", 100)
	if n := count(t, db, "SELECT count() FROM t"); n != 200 {
		t.Errorf("%d rows, want 200", n)
	}
}

// post sends a body to the test engine and returns status, header and answer.
func post(t *testing.T, addr string, params url.Values, body string) (int, http.Header, string) {
	t.Helper()
	resp, err := http.Post("http://"+addr+"/?"+params.Encode(), "application/x-www-form-urlencoded", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

func TestCurlStyleRequestsAreAnswered(t *testing.T) {
	addr, database := enginetest.Database(t)
	enginetest.Exec(t, addr, "CREATE TABLE "+database+".t (a UInt64, b String DEFAULT 'none') ENGINE = MergeTree ORDER BY a")
	for _, c := range []struct {
		name, query, body, want string
		params                  url.Values
		status                  int
	}{
		{name: "query in the body", body: "SELECT 1+1", want: "2\n"},
		{name: "query in the URL", query: "SELECT 'x'", want: "x\n"},
		{name: "query in both", query: "SELECT", body: "42", want: "42\n"},
		{name: "trailing FORMAT", body: "SELECT 1 AS a FORMAT JSONEachRow", want: "{\"a\":1}\n"},
		{name: "default_format", body: "SELECT 1 AS a", params: url.Values{"default_format": {"CSVWithNames"}}, want: "\"a\"\n1\n"},
		{name: "totals in JSON come after the rows", body: "SELECT number % 2 AS a, count() AS n FROM numbers(4) GROUP BY a WITH TOTALS ORDER BY a FORMAT JSONCompactColumns", want: "[\n\t[0, 1],\n\t[2, 2]\n]\n"},
		{name: "a setting", body: "SELECT getSetting('max_threads')", params: url.Values{"max_threads": {"7"}}, want: "7\n"},
		{name: "and it is gone again", body: "SELECT getSetting('max_threads') = 7", want: "0\n"},
		{name: "a parameter", body: "SELECT {x:String}, {n:UInt8}", params: url.Values{"param_x": {"a'b\\\\c"}, "param_n": {"3"}}, want: "a\\'b\\\\c\t3\n"},
		{name: "semicolon at the end", body: "SELECT 1;\n", want: "1\n"},
		{name: "insert TSV", body: "INSERT INTO t FORMAT TabSeparated\n1\tone\n2\ttwo\n"},
		{name: "insert VALUES with an expression", body: "INSERT INTO t (a, b) VALUES (1+2, concat('th', 'ree')), (4, 'a;b')"},
		{name: "insert CSV, data in the body", query: "INSERT INTO t FORMAT CSV", body: "5,\"fi,ve\"\n"},
		{name: "insert JSONEachRow with a default", query: "INSERT INTO t FORMAT JSONEachRow", body: `{"a":6}` + "\n"},
		{name: "insert with settings", query: "INSERT INTO t SETTINGS input_format_skip_unknown_fields = 1 FORMAT JSONEachRow", body: `{"a":7,"b":"x","zzz":1}`},
		{name: "insert select", body: "INSERT INTO t SELECT 8, 'eight'"},
		{name: "zero bytes in data", query: "INSERT INTO t FORMAT TabSeparated", body: "9\ta\x00b\n"},
		{name: "and they are stored", body: "SELECT hex(b) FROM t WHERE a = 9", want: "610062\n"},
		{name: "zero byte in a query", body: "SELECT length('a\x00b')", want: "3\n"},
		{name: "all are there", body: "SELECT count(), sum(a) FROM t", want: "9\t45\n"},
		{name: "empty query", body: " ", status: 400, want: "Code: 62."},
		{name: "only a comment", body: "-- nothing", status: 400, want: "Code: 62."},
		{name: "syntax error", body: "SELEC 1", status: 400, want: "Code: 62."},
		{name: "no such table", body: "SELECT * FROM nothing", status: 404, want: "Code: 60."},
		{name: "no such database", body: "SELECT 1", params: url.Values{"database": {"no`pe"}}, status: 404, want: "Code: 81."},
		{name: "no such setting", body: "SELECT 1", params: url.Values{"max_treads": {"1"}}, status: 404, want: "Code: 115."},
		{name: "bad value of a setting", body: "SELECT 1", params: url.Values{"max_threads": {"many"}}, status: 400, want: "Code: 36."},
		{name: "two statements", body: "SELECT 1; DROP TABLE t", status: 400, want: "Code: 62."},
		{name: "bad insert data", query: "INSERT INTO t FORMAT CSV", body: "abc,def\n", status: 400, want: "Code: 27."},
		{name: "file of the server's machine", body: "SELECT 1 INTO OUTFILE '/tmp/never'", status: 501, want: "Code: 48."},
		{name: "a session", body: "SELECT 1", params: url.Values{"session_id": {"s"}}, status: 501, want: "Code: 48."},
	} {
		t.Run(c.name, func(t *testing.T) {
			params := url.Values{"database": {database}}
			if c.query != "" {
				params.Set("query", c.query)
			}
			for k, v := range c.params {
				params[k] = v
			}
			status, header, got := post(t, addr, params, c.body)
			wantStatus := max(c.status, 200)
			if c.status == 0 && got != c.want || c.status != 0 && !strings.HasPrefix(got, c.want) || status != wantStatus {
				t.Errorf("got %d %q, want %d %q", status, got, wantStatus, c.want)
			}
			if code := header.Get("X-ClickHouse-Exception-Code"); c.status != 0 && "Code: "+code+"." != c.want {
				t.Errorf("header says code %q, want %q", code, c.want)
			}
		})
	}
}
