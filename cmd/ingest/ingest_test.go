package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/embedded"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/store"
)

func noEnv(string) string { return "" }

func TestHelpShowsTheWholeSurface(t *testing.T) {
	var out bytes.Buffer
	if _, err := readSettings([]string{"-h"}, noEnv, &out); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	for _, want := range []string{"-nats", "-clickhouse", "-batch-rows", "-memory", "-lease-ttl", "-intake-body-bytes", "-stream-max-age", "-settings", "TOOLTRAIL_SETTINGS", "TOOLTRAIL_INTAKE_TOKEN", "(default 20000)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("help lacks %s", want)
		}
	}
}

func TestFlagsWinOverTheEnvironment(t *testing.T) {
	env := map[string]string{"TOOLTRAIL_NATS": "nats://a:1", "TOOLTRAIL_CLICKHOUSE": "http://b:2", "TOOLTRAIL_PARTITIONS": "4", "TOOLTRAIL_INTAKE_TOKEN": "s"}
	s, err := readSettings([]string{"-nats", "nats://c:3", "-only", "0,2-3"}, func(k string) string { return env[k] }, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if s.stream.URL != "nats://c:3" || s.store.Address != "http://b:2" || s.intake.Partitions != 4 || s.intake.Token != "s" || !slices.Equal(s.ingest.Partitions, []int{0, 2, 3}) {
		t.Errorf("%+v", s)
	}
}

func TestTheSettingsFileSaysWhichToolsAreBridges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.yaml")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("activation:\n  bridges: [relay]\ndrift:\n  min_calls: 7\n")
	for _, from := range []struct {
		args []string
		env  string
	}{{[]string{"-settings", path}, ""}, {nil, path}, {[]string{"-settings", path}, "no-such-file"}} {
		s, err := readSettings(from.args, func(k string) string { return map[string]string{"TOOLTRAIL_SETTINGS": from.env}[k] }, &bytes.Buffer{})
		if err != nil || !slices.Equal(s.names.Settings.Bridges, []string{"relay"}) {
			t.Errorf("%v, %q: %v, %+v", from.args, from.env, err, s)
		}
	}
	write("activation:\n  bridge: [relay]\n")
	if _, err := readSettings([]string{"-settings", path}, noEnv, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), path+":2") {
		t.Errorf("a file with a field that does not exist: %v", err)
	}
}

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	for _, args := range [][]string{
		{"-partitions", "0"}, {"-partitions", "x"}, {"-partitions", "2", "-only", "2"}, {"-only", "1-0"}, {"-only", "a"},
		{"-log-level", "loud"}, {"-memory", "1"}, {"-clickhouse", ""}, {"-nats", ""}, {"-intake-bodies", "0"}, {"stray"}, {"-no-such-flag"},
	} {
		if _, err := readSettings(args, noEnv, &bytes.Buffer{}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}

// logLines is a log that may be read while it is written.
type logLines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(20 * time.Millisecond) // polling with a deadline around real I/O
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// The command starts while NATS is away, makes what it needs once it is there, moves what is posted, and stops with nothing left.
func TestTheCommandMovesWhatIsPosted(t *testing.T) {
	addr, database := enginetest.Database(t)
	natsAddr, listen := freeAddress(t), freeAddress(t)
	env := map[string]string{"TOOLTRAIL_CLICKHOUSE_DATABASE": database}
	log := &logLines{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := make(chan error, 1)
	go func() {
		result <- run(ctx, []string{
			"-nats", "nats://" + natsAddr, "-clickhouse", "http://" + addr, "-listen", listen, "-batch-age", "50ms", "-retry-max", "200ms",
		}, func(k string) string { return env[k] }, log)
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(log.String())
		}
	})
	eventually(t, "alive", func() bool { return status(listen, "/healthz") == http.StatusOK })
	if got := status(listen, "/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("ready without NATS: %d", got)
	}
	cfg := embedded.DefaultNATSConfig(t.TempDir())
	cfg.Listen = natsAddr
	srv, err := embedded.StartNATS(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = srv.Shutdown(context.Background()) }()
	eventually(t, "ready", func() bool { return status(listen, "/readyz") == http.StatusOK })
	body := `{"specversion":"1.0","id":"0190b3a0-0000-7000-8000-000000000001","source":"a","type":"dev.tooltrail.tool_call.v1",` +
		`"time":"2026-01-01T00:00:00Z","data":{"tool_name":"t","outcome":"ok"}}`
	resp, err := http.Post("http://"+listen+"/v1/events", "application/x-ndjson", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("post: %d", resp.StatusCode)
	}
	eventually(t, "stored", func() bool { return countCalls(t, addr, database) == 1 })
	cancel()
	if err := <-result; err != nil {
		t.Errorf("stop: %v", err)
	}
}

func status(addr, path string) int {
	resp, err := http.Get(fmt.Sprintf("http://%s%s", addr, path))
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

func countCalls(t *testing.T, addr, database string) (n uint64) {
	t.Helper()
	cfg := store.DefaultConfig()
	cfg.Address, cfg.Database = "http://"+addr, database
	db, err := store.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var row struct {
		N uint64 `ch:"n"`
	}
	if err := db.Each(t.Context(), "SELECT count() AS n FROM tool_calls", nil, &row, func() error { n = row.N; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}
