package embedded_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/embedded"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
)

func TestWrongSettingsAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*embedded.EngineConfig)
		want   string
	}{
		"no folder":        {func(c *embedded.EngineConfig) { c.Dir = "" }, "no data folder"},
		"open to all":      {func(c *embedded.EngineConfig) { c.Listen = "0.0.0.0:8123" }, "needs a password"},
		"open to all, IP6": {func(c *embedded.EngineConfig) { c.Listen = "[::]:8123" }, "needs a password"},
		"any interface":    {func(c *embedded.EngineConfig) { c.Listen = ":8123" }, "needs a password"},
		"no port":          {func(c *embedded.EngineConfig) { c.Listen = "127.0.0.1" }, "missing port"},
		"little memory":    {func(c *embedded.EngineConfig) { c.MaxMemory = 1 << 20 }, "MaxMemory"},
		"query over all":   {func(c *embedded.EngineConfig) { c.MaxQueryMemory = 99 << 30 }, "MaxQueryMemory"},
		"no statements":    {func(c *embedded.EngineConfig) { c.MaxConcurrent = 0 }, "MaxConcurrent"},
		"no cache":         {func(c *embedded.EngineConfig) { c.CacheBytes = 0 }, "CacheBytes"},
		"tiny statements":  {func(c *embedded.EngineConfig) { c.MaxQueryBytes = 1 }, "MaxQueryBytes"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := embedded.DefaultEngineConfig(t.TempDir())
			c.change(&cfg)
			if _, err := embedded.OpenEngine(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	cfg := embedded.DefaultEngineConfig("x")
	cfg.Listen, cfg.Password = "0.0.0.0:8123", "p"
	if err := cfg.Validate(); err != nil {
		t.Errorf("with a password: %v", err)
	}
}

func TestMissingLibraryTellsHowToGetIt(t *testing.T) {
	t.Setenv(embedded.LibraryEnv, filepath.Join(t.TempDir(), "libchdb.so"))
	_, err := embedded.FindLibrary()
	if !errors.Is(err, embedded.ErrLibraryMissing) || !strings.Contains(err.Error(), "make build") {
		t.Errorf("got %v", err)
	}
}

// TestLibraryForAnotherMachineIsRefused runs in a child: a process keeps the
// library that it loaded first.
func TestLibraryForAnotherMachineIsRefused(t *testing.T) {
	text := filepath.Join(t.TempDir(), "libchdb.so")
	// The head of an ELF file for a big-endian S/390.
	head := append([]byte("\x7fELF\x02\x02\x01"), make([]byte, 57)...)
	copy(head[16:], "\x00\x03\x00\x16\x00\x00\x00\x01")
	head[53], head[55], head[59] = 64, 56, 64
	for name, content := range map[string][]byte{"text": []byte("not a library"), "other machine": head, "empty": nil} {
		if err := os.WriteFile(text, content, 0o600); err != nil {
			t.Fatal(err)
		}
		out := serveOnce(t, embedded.LibraryEnv+"="+text)
		if !strings.Contains(out, "built for another machine") || !strings.Contains(out, "make build") {
			t.Errorf("%s: got %s", name, out)
		}
	}
}

func TestEngineOpensAgainInTheSameProcess(t *testing.T) {
	enginetest.Start(t)
	if out := serveOnce(t, "TOOLTRAIL_TEST_SERVE=reopen"); out != "ended well: " {
		t.Error(out)
	}
}

func TestStrayConfigurationIsNotRead(t *testing.T) {
	enginetest.Start(t)
	library, err := embedded.FindLibrary()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(embedded.LibraryEnv, library)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("config.xml", []byte("<rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := startChild(t, "engine", filepath.Join(t.TempDir(), "a b=c"), "TOOLTRAIL_TEST_SYNC=1")
	if _, _, text := post(t, c.addr, nil, "SELECT value FROM system.merge_tree_settings WHERE name = 'fsync_after_insert'"); text != "1\n" {
		t.Errorf("fsync_after_insert is %q, want 1", text)
	}
}

func TestSecondEngineInOneProcessIsRefused(t *testing.T) {
	enginetest.Start(t)
	cfg := embedded.DefaultEngineConfig(t.TempDir())
	if _, err := embedded.OpenEngine(cfg); !errors.Is(err, embedded.ErrEngineOpen) {
		t.Errorf("got %v, want ErrEngineOpen", err)
	}
}

func TestCredentialsAreChecked(t *testing.T) {
	enginetest.Start(t)
	c := startChild(t, "engine", t.TempDir(), "TOOLTRAIL_TEST_PASSWORD=sesame")
	for name, test := range map[string]struct {
		path string
		set  func(*http.Request)
		want int
	}{
		"nothing":          {"/?query=SELECT+1", func(*http.Request) {}, 403},
		"ping needs none":  {"/ping", func(*http.Request) {}, 200},
		"wrong password":   {"/?query=SELECT+1", func(r *http.Request) { r.SetBasicAuth("default", "x") }, 403},
		"wrong user":       {"/?query=SELECT+1", func(r *http.Request) { r.SetBasicAuth("root", "sesame") }, 403},
		"basic auth":       {"/?query=SELECT+1", func(r *http.Request) { r.SetBasicAuth("default", "sesame") }, 200},
		"headers":          {"/?query=SELECT+1", func(r *http.Request) { r.Header.Set("X-ClickHouse-Key", "sesame") }, 200},
		"URL":              {"/?query=SELECT+1&user=default&password=sesame", func(*http.Request) {}, 200},
		"web page with it": {"/?query=SELECT+1&password=sesame", func(r *http.Request) { r.Header.Set("Origin", "http://x") }, 200},
	} {
		t.Run(name, func(t *testing.T) {
			req, _ := http.NewRequest(http.MethodGet, "http://"+c.addr+test.path, nil)
			test.set(req)
			if got := statusOf(t, req); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestWebPagesAreRefusedWithoutAPassword(t *testing.T) {
	addr := enginetest.Start(t)
	for name, set := range map[string]func(*http.Request){
		"cross-site request": func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"rebound host name":  func(r *http.Request) { r.Host = "evil.example" },
	} {
		req, _ := http.NewRequest(http.MethodPost, "http://"+addr+"/?query=SELECT+1", nil)
		set(req)
		if got := statusOf(t, req); got != 403 {
			t.Errorf("%s: got %d, want 403", name, got)
		}
	}
}

func TestGETCannotWrite(t *testing.T) {
	addr := enginetest.Start(t)
	req, _ := http.NewRequest(http.MethodGet, "http://"+addr+"/?query=CREATE+DATABASE+written_by_get", nil)
	if got := statusOf(t, req); got != 500 {
		t.Errorf("got %d, want 500 (readonly)", got)
	}
}

func statusOf(t *testing.T, req *http.Request) int {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestSilentClientsAreCutOff(t *testing.T) {
	enginetest.Start(t)
	c := startChild(t, "engine", t.TempDir(), "TOOLTRAIL_TEST_IDLE=300ms")
	post(t, c.addr, nil, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
	for _, request := range map[string]string{
		"half an insert":   "POST /?query=INSERT+INTO+t+FORMAT+TSV HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n1\n2\n",
		"unread result":    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 39\r\n\r\nSELECT number FROM numbers(10000000000)",
		"half a statement": "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nSELECT",
	} {
		conn, err := net.Dial("tcp", c.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "nothing runs any more", func() bool {
		_, _, n := post(t, c.addr, nil, "SELECT count(), (SELECT count() FROM t) FROM system.processes")
		return n == "1\t0\n"
	})
}

func TestEngineThatIsClosedWhileQueriesRunEnds(t *testing.T) {
	enginetest.Start(t)
	dir := t.TempDir()
	c := startChild(t, "engine", dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		abandon(ctx, c.addr, "SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1")
	}()
	until(t, "the query runs", func() bool {
		_, _, n := post(t, c.addr, nil, "SELECT count() FROM system.processes")
		return n == "2\n"
	})
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	c.cmd.Wait()
	cancel()
	<-gone
	if embedded.InUse(dir) {
		t.Error("folder still in use")
	}
}
