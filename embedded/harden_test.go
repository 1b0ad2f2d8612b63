package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
)

// until polls for a condition that other processes or threads bring about.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
		runtime.Gosched()
		<-time.After(20 * time.Millisecond)
	}
}

func TestQueryIsCancelledWhenItsClientGoesAway(t *testing.T) {
	db := dial(t, clickhouse.CompressionNone)
	addr := enginetest.Start(t)
	for name, query := range map[string]string{
		"computing":     "SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = %d",
		"streaming":     "SELECT number, repeat('x', 100) FROM numbers(1000000000000) WHERE %d",
		"in one piece":  "SELECT number FROM numbers(1000000000000) WHERE sipHash64(number) = %d FORMAT JSON",
		"insert select": "INSERT INTO FUNCTION null('n UInt64') SELECT number FROM numbers(1000000000000) WHERE sipHash64(number) = %d",
	} {
		t.Run(name, func(t *testing.T) {
			mark := rand.Uint32()
			running := func() bool {
				return count(t, db, "SELECT count() FROM system.processes WHERE position(query, toString(?)) > 0 AND query NOT LIKE '%processes%'", mark) > 0
			}
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			wg.Go(func() { abandon(ctx, addr, fmt.Sprintf(query, mark)) })
			until(t, "the query runs", running)
			cancel()
			wg.Wait()
			until(t, "the query is gone", func() bool { return !running() })
		})
	}
}

// abandon sends a query, reads a little of its answer and goes when ctx ends.
func abandon(ctx context.Context, addr, query string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/", strings.NewReader(query))
	if err != nil {
		panic(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	io.CopyN(io.Discard, resp.Body, 1<<20)
	<-ctx.Done()
}

func TestErrorBehindTheDataReachesTheClient(t *testing.T) {
	for _, method := range []clickhouse.CompressionMethod{clickhouse.CompressionNone, clickhouse.CompressionLZ4} {
		t.Run(method.String(), func(t *testing.T) {
			db := dial(t, method)
			rows, err := db.Query(t.Context(), "SELECT number, throwIf(number = 500000, 'half way') FROM numbers(1000000) SETTINGS max_block_size = 1000")
			if err == nil {
				for rows.Next() {
				}
				err = rows.Err()
				rows.Close()
			}
			var exception *clickhouse.Exception
			if !errors.As(err, &exception) || exception.Code != 395 || !strings.Contains(exception.Message, "half way") {
				t.Errorf("got error %v, want code 395 half way", err)
			}
		})
	}
}

// residentMB reads this process's resident memory in MB.
func residentMB(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb >> 10
}

func TestLargeResultStreamsInBoundedMemory(t *testing.T) {
	addr := enginetest.Start(t)
	before := residentMB(t)
	resp, err := http.Post("http://"+addr+"/?default_format=TSV", "text/plain", strings.NewReader("SELECT number, repeat('0123456789', 10) FROM numbers(10000000)"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	buf, total, most := make([]byte, 1<<20), 0, 0
	for {
		n, err := resp.Body.Read(buf)
		total += n
		if total%(1<<22) < n {
			most = max(most, residentMB(t))
		}
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if total < 1_000_000_000 {
		t.Errorf("read %d bytes, want a gigabyte", total)
	}
	t.Logf("%d MB read, memory grew from %d to %d MB", total>>20, before, most)
	if most-before > 400 {
		t.Errorf("memory grew by %d MB", most-before)
	}
}

func TestTwoHundredClientsAtOnce(t *testing.T) {
	db := dial(t, clickhouse.CompressionLZ4)
	addr := enginetest.Start(t)
	run(t, db, tableT)
	var database string
	if err := db.QueryRow(t.Context(), "SELECT currentDatabase()").Scan(&database); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			params := url.Values{"database": {database}, "max_threads": {fmt.Sprint(1 + i%4)}}
			for j := range 3 {
				resp, err := http.Post("http://"+addr+"/?"+params.Encode(), "", strings.NewReader(fmt.Sprintf("INSERT INTO t VALUES (%d, 'x')", i*3+j)))
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("client %d: %v", i, err)
					return
				}
				resp.Body.Close()
				resp, err = http.Post("http://"+addr+"/?"+params.Encode(), "", strings.NewReader("SELECT getSetting('max_threads'), count() > 0 FROM t"))
				if err != nil {
					t.Errorf("client %d: %v", i, err)
					return
				}
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if want := fmt.Sprintf("%d\t1\n", 1+i%4); string(text) != want {
					t.Errorf("client %d: got %q, want %q", i, text, want)
				}
			}
		})
	}
	wg.Wait()
	if n := count(t, db, "SELECT count() FROM t"); n != 600 {
		t.Errorf("%d rows, want 600", n)
	}
}

func TestQueryOverTheMemoryCapFailsAndTheEngineLives(t *testing.T) {
	addr := enginetest.Start(t)
	status, header, text := post(t, addr, nil, "SELECT length(groupArray(repeat('x', 1000))) FROM numbers(20000000)")
	if status != 500 || header.Get("X-ClickHouse-Exception-Code") != "241" {
		t.Errorf("got %d %.200s, want code 241", status, text)
	}
	if _, _, text := post(t, addr, nil, "SELECT 1"); text != "1\n" {
		t.Errorf("got %q afterwards", text)
	}
}

func TestParametersArriveAsTheyWereGiven(t *testing.T) {
	db := dial(t, clickhouse.CompressionNone)
	for _, s := range []string{"", "plain", "it's", `back\slash`, "tab\tline\nend", "zero\x00byte", "ünïcödé \U0001F600", "{x:String}", "`'\"\\'"} {
		var got string
		if err := db.QueryRow(t.Context(), "SELECT ?", s).Scan(&got); err != nil || got != s {
			t.Errorf("positional: got %q, %v, want %q", got, err, s)
		}
		// ClickHouse reads a named parameter as a field of a TabSeparated line.
		escaped := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`).Replace(s)
		ctx := clickhouse.Context(t.Context(), clickhouse.WithParameters(clickhouse.Parameters{"x": escaped}))
		if err := db.QueryRow(ctx, "SELECT {x:String}").Scan(&got); err != nil || got != s {
			t.Errorf("named: got %q, %v, want %q", got, err, s)
		}
	}
}

func TestLargeResultsOfEveryFormatAreWhole(t *testing.T) {
	addr := enginetest.Start(t)
	for _, c := range []struct{ format, first, last string }{
		{"CSVWithNames", "\"number\"\n0\n", "\n299999\n"},
		{"JSONEachRow", `{"number":0}` + "\n", `{"number":299999}` + "\n"},
		{"TSVWithNamesAndTypes", "number\nUInt64\n0\n", "\n299999\n"},
		{"JSONCompact", "{\n", "}\n"},
		{"JSONEachRow SETTINGS output_format_json_array_of_rows = 1", "[\n{\"number\":0},\n", "{\"number\":299999}\n]\n"},
		{"Values", "(0),(1)", ",(299999)"},
	} {
		for _, hold := range []string{"0", "1"} {
			status, _, text := post(t, addr, url.Values{"wait_end_of_query": {hold}}, "SELECT number FROM numbers(300000) FORMAT "+c.format)
			_, again, _ := strings.Cut(text, c.first)
			again = strings.Replace(again, `"type": "UInt64"`, "", 1)
			if status != 200 || !strings.HasPrefix(text, c.first) || !strings.HasSuffix(text, c.last) || strings.Contains(again, "number\"\n") || strings.Contains(again, "UInt64") || strings.Contains(text, ")(") || strings.Contains(text, "]\n[") {
				t.Errorf("%s: got %d %.60q ... %q", c.format, status, text, text[max(0, len(text)-60):])
			}
			if n := strings.Count(text, "299999"); n != 1 {
				t.Errorf("%s: the last row is there %d times", c.format, n)
			}
		}
	}
}

func TestResultHeldToItsEndHasItsErrorAsStatus(t *testing.T) {
	addr := enginetest.Start(t)
	query := "SELECT repeat('x', 100), throwIf(number = 400000, 'late') FROM numbers(1000000)"
	status, header, text := post(t, addr, url.Values{"wait_end_of_query": {"1"}}, query)
	if status != 500 || header.Get("X-ClickHouse-Exception-Code") != "395" || !strings.Contains(text, "late") {
		t.Errorf("got %d %.100q", status, text)
	}
	status, _, text = post(t, addr, url.Values{"wait_end_of_query": {"1"}}, "SELECT repeat('x', 99) FROM numbers(300000)")
	if status != 200 || len(text) != 30_000_000 {
		t.Errorf("got %d and %d bytes, want 30000000", status, len(text))
	}
}

func TestHugeQueryTextIsReadOrRefused(t *testing.T) {
	addr := enginetest.Start(t)
	big := "SELECT length('" + strings.Repeat("x", 8<<20) + "')"
	if status, _, text := post(t, addr, nil, big); status != 200 || text != "8388608\n" {
		t.Errorf("8 MiB: got %d %.100q", status, text)
	}
	for _, start := range []string{"SELECT length('", "INSERT INTO t /*"} {
		huge := start + strings.Repeat("x", 20<<20) + "')"
		if status, _, text := post(t, addr, nil, huge); status != 400 || !strings.HasPrefix(text, "Code: 62.") {
			t.Errorf("20 MiB: got %d %.100q", status, text)
		}
	}
	if status, _, text := post(t, addr, url.Values{"query": {"SELECT length('" + strings.Repeat("x", 2<<20) + "')"}}, ""); status != 200 {
		t.Errorf("2 MiB in the URL: got %d %.100q", status, text)
	}
}
