// Package enginetest gives tests a running ClickHouse engine.
//
// The engine's library keeps one storage path per process, so all tests of a
// package share one engine; [Database] gives each its own database in it.
package enginetest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/embedded"
)

// RequireEnv names the environment variable that, set to 1, makes tests fail
// where they would skip for want of the engine.
const RequireEnv = "TOOLTRAIL_REQUIRE_ENGINE"

var shared struct {
	sync.Once
	engine *embedded.Engine
	dir    string
	err    error
}

// Start returns the address, host:port, of the test process's engine, which it
// starts the first time. Without the engine's library the test is skipped, or
// fails when RequireEnv is 1. The engine ends with the process; its data lies
// in a temporary folder, which [Main] removes at once and the next test process
// otherwise.
func Start(t testing.TB) string {
	t.Helper()
	if _, err := embedded.FindLibrary(); err != nil {
		if os.Getenv(RequireEnv) == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	shared.Do(func() { shared.engine, shared.dir, shared.err = open() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.engine.Addr()
}

const folderPrefix = "tooltrail-engine-"

// sweep removes the folders of test processes that are gone.
func sweep() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Minute && !embedded.InUse(dir) {
			os.RemoveAll(dir)
		}
	}
}

func open() (*embedded.Engine, string, error) {
	sweep()
	dir, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return nil, "", fmt.Errorf("make engine folder: %w", err)
	}
	cfg := embedded.DefaultEngineConfig(dir)
	cfg.Listen = "127.0.0.1:0"
	engine, err := embedded.OpenEngine(cfg)
	if err != nil {
		os.RemoveAll(dir)
		return nil, "", err
	}
	return engine, dir, nil
}

// Main is a TestMain that ends the engine and removes its data after the tests.
func Main(m *testing.M) {
	code := m.Run()
	if shared.engine != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		if err := shared.engine.Close(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		cancel()
		os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// Database starts the engine as Start does and makes a database for this test
// alone, dropped at its end.
func Database(t testing.TB) (addr, database string) {
	t.Helper()
	addr = Start(t)
	name := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, t.Name())
	database = fmt.Sprintf("test_%.100s_%d", name, os.Getpid())
	Exec(t, addr, "CREATE DATABASE "+database)
	t.Cleanup(func() { Exec(t, addr, "DROP DATABASE IF EXISTS "+database+" SYNC") })
	return addr, database
}

// Exec runs one statement and fails the test if it fails.
func Exec(t testing.TB, addr, query string) {
	t.Helper()
	resp, err := http.Post("http://"+addr+"/?"+url.Values{"query": {query}}.Encode(), "text/plain", nil)
	if err != nil {
		t.Fatalf("run %s: %v", query, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		var text [2048]byte
		n, _ := resp.Body.Read(text[:])
		t.Fatalf("run %s: %s", query, text[:n])
	}
}
