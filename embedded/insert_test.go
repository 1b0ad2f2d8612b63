package embedded_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
)

func TestInsertThatBreaksOffStoresNothing(t *testing.T) {
	addr, database := enginetest.Database(t)
	enginetest.Exec(t, addr, "CREATE TABLE "+database+".t (a UInt64, b String) ENGINE = MergeTree ORDER BY a")
	for _, format := range []string{"TabSeparated", "Values"} {
		reader, writer := io.Pipe()
		go func() {
			for i := range 200_000 {
				fmt.Fprintf(writer, map[string]string{"TabSeparated": "%d\tx\n", "Values": "(%d,'x'),"}[format], i)
			}
			writer.CloseWithError(errors.New("client dies"))
		}()
		params := url.Values{"database": {database}, "query": {"INSERT INTO t FORMAT " + format}}
		if resp, err := http.Post("http://"+addr+"/?"+params.Encode(), "text/plain", reader); err == nil {
			t.Errorf("%s: answered %s", format, resp.Status)
			resp.Body.Close()
		}
	}
	inserting := func() bool {
		_, _, n := post(t, addr, nil, "SELECT count() FROM system.processes WHERE query LIKE 'INSERT INTO t%'")
		return n != "0\n"
	}
	until(t, "the inserts are gone", func() bool { return !inserting() })
	if _, _, n := post(t, addr, url.Values{"database": {database}}, "SELECT count() FROM t"); n != "0\n" {
		t.Errorf("%s rows of broken inserts are stored", strings.TrimSpace(n))
	}
}

func TestInsertsOfEveryShapeBecomeOnePart(t *testing.T) {
	addr, database := enginetest.Database(t)
	params := url.Values{"database": {database}}
	for name, c := range map[string]struct {
		format string
		row    string
		rows   int
	}{
		"200,000 JSON rows":       {"JSONEachRow", `{"a":1,"b":"x"}` + "\n", 200_000},
		"900,000 TSV rows":        {"TabSeparated", "1\tx\n", 900_000},
		"100,000 VALUES":          {"Values", "(1,'x'),", 100_000},
		"200 MB of TSV, few rows": {"TabSeparated", "1\t" + strings.Repeat("y", 500_000) + "\n", 400},
	} {
		t.Run(name, func(t *testing.T) {
			post(t, addr, params, "DROP TABLE IF EXISTS t SYNC")
			post(t, addr, params, "CREATE TABLE t (a UInt64, b String) ENGINE = MergeTree ORDER BY a")
			status, _, text := post(t, addr, params, "INSERT INTO t FORMAT "+c.format+"\n"+strings.Repeat(c.row, c.rows))
			if status != 200 {
				t.Fatal(text)
			}
			_, _, text = post(t, addr, params, "SELECT count(), sum(rows) FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active")
			if want := fmt.Sprintf("1\t%d\n", c.rows); text != want {
				t.Errorf("parts and rows %q, want %q", text, want)
			}
		})
	}
}

func TestTruncatedFramesAreRefused(t *testing.T) {
	addr, database := enginetest.Database(t)
	enginetest.Exec(t, addr, "CREATE TABLE "+database+".t (a UInt64) ENGINE = MergeTree ORDER BY a")
	_, _, frames := post(t, addr, url.Values{"compress": {"1"}}, "SELECT number FROM numbers(1000) FORMAT TSV")
	params := url.Values{"database": {database}, "decompress": {"1"}, "query": {"INSERT INTO t FORMAT TSV"}}
	for _, cut := range []int{0, 1, 10, 30, len(frames) / 2} {
		status, _, text := post(t, addr, params, frames[:len(frames)-cut])
		if (status == 200) != (cut == 0) {
			t.Errorf("%d bytes short: got %d %s", cut, status, text)
		}
	}
	flipped := bytes.Clone([]byte(frames))
	flipped[len(flipped)/2] ^= 1
	if status, _, text := post(t, addr, params, string(flipped)); status == 200 {
		t.Errorf("flipped bit: got %d %s", status, text)
	}
	if _, _, n := post(t, addr, url.Values{"database": {database}}, "SELECT count() FROM t"); n != "1000\n" {
		t.Errorf("%q rows, want 1000", n)
	}
}
