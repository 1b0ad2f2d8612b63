package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/tooltrail/tooltrail/embedded"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
)

// serveForTest runs "nats" or "engine" on the folder that the environment
// names and prints its address.
func serveForTest(what string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	go func() { // ends with the test process, however that ends
		io.Copy(io.Discard, os.Stdin)
		os.Exit(2)
	}()
	dir := os.Getenv("TOOLTRAIL_TEST_DIR")
	ready := func(addr string) { fmt.Println(addr) }
	var err error
	switch what {
	case "reopen":
		err = reopen(ctx, dir)
	case "nats":
		cfg := embedded.DefaultNATSConfig(dir)
		cfg.Listen = "127.0.0.1:0"
		err = embedded.ServeNATS(ctx, cfg, ready)
	default:
		cfg := embedded.DefaultEngineConfig(dir)
		cfg.Listen = "127.0.0.1:0"
		cfg.CloseGrace = time.Second
		if idle, err := time.ParseDuration(os.Getenv("TOOLTRAIL_TEST_IDLE")); err == nil {
			cfg.ClientIdle = idle
		}
		cfg.SyncInserts = os.Getenv("TOOLTRAIL_TEST_SYNC") != ""
		cfg.Password = os.Getenv("TOOLTRAIL_TEST_PASSWORD")
		err = embedded.ServeEngine(ctx, cfg, ready)
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

// reopen opens and closes the engine several times on one folder; each time
// one row more must be there, and afterwards no goroutine of ours.
func reopen(ctx context.Context, dir string) error {
	cfg := embedded.DefaultEngineConfig(dir)
	cfg.Listen = "127.0.0.1:0"
	before := goleak.IgnoreCurrent()
	for round := range 4 {
		e, err := embedded.OpenEngine(cfg)
		if err != nil {
			return err
		}
		var out string
		for _, query := range []string{"CREATE TABLE IF NOT EXISTS t (a UInt8) ENGINE = MergeTree ORDER BY a", "INSERT INTO t VALUES (1)", "SELECT count() FROM t"} {
			resp, err := http.Post("http://"+e.Addr()+"/", "", strings.NewReader(query))
			if err != nil {
				return err
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			out = string(text)
		}
		if want := fmt.Sprintf("%d\n", round+1); out != want {
			return fmt.Errorf("round %d: got %q", round, out)
		}
		if err := e.Close(ctx); err != nil {
			return err
		}
	}
	http.DefaultClient.CloseIdleConnections()
	return goleak.Find(before)
}

// child is a server in a process of its own.
type child struct {
	cmd  *exec.Cmd
	addr string
}

func startChild(t *testing.T, what, dir string, env ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TOOLTRAIL_TEST_SERVE="+what, "TOOLTRAIL_TEST_DIR="+dir)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("start %s: %v", what, err)
	}
	return &child{cmd, strings.TrimSpace(line)}
}

// serveOnce runs a child that can't start and returns what it says.
func serveOnce(t *testing.T, env ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TOOLTRAIL_TEST_SERVE=engine", "TOOLTRAIL_TEST_DIR="+t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err == nil {
		return "ended well: " + string(out)
	}
	return string(out)
}

func (c *child) end(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := c.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	err := c.cmd.Wait()
	if sig == syscall.SIGTERM && err != nil {
		t.Errorf("after %v: %v", sig, err)
	}
}

func TestCommittedRowsOutliveAKilledEngine(t *testing.T) {
	enginetest.Start(t) // skips without the library
	dir := t.TempDir()
	var mu sync.Mutex
	committed := map[int]bool{}
	for round := range 4 {
		c := startChild(t, "engine", dir)
		post(t, c.addr, nil, "CREATE TABLE IF NOT EXISTS t (batch UInt32, n UInt32) ENGINE = MergeTree ORDER BY batch")
		checkCommitted(t, c.addr, committed)
		var wg sync.WaitGroup
		for worker := range 3 {
			wg.Go(func() {
				for i := 0; ; i++ {
					batch := round*1_000_000 + worker*100_000 + i
					params := url.Values{"query": {"INSERT INTO t FORMAT TSV"}}
					resp, err := http.Post("http://"+c.addr+"/?"+params.Encode(), "", strings.NewReader(strings.Repeat(fmt.Sprintf("%d\t1\n", batch), 1000)))
					if err != nil {
						return
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					if resp.StatusCode == http.StatusOK {
						mu.Lock()
						committed[batch] = true
						mu.Unlock()
					}
				}
			})
		}
		until(t, "enough is inserted", func() bool { mu.Lock(); defer mu.Unlock(); return len(committed) > (round+1)*40 })
		c.end(t, syscall.SIGKILL)
		wg.Wait()
	}
	c := startChild(t, "engine", dir)
	checkCommitted(t, c.addr, committed)
	c.end(t, syscall.SIGTERM)
}

// checkCommitted wants every answered batch whole, and no batch in part.
func checkCommitted(t *testing.T, addr string, committed map[int]bool) {
	t.Helper()
	_, _, text := post(t, addr, nil, "SELECT batch, count() FROM t GROUP BY batch")
	found := map[int]bool{}
	for line := range strings.Lines(text) {
		var batch, n int
		if _, err := fmt.Sscanf(line, "%d\t%d", &batch, &n); err != nil || n != 1000 {
			t.Errorf("batch %d has %d rows, want 1000 (%v)", batch, n, err)
		}
		found[batch] = true
	}
	for batch := range committed {
		if !found[batch] {
			t.Errorf("batch %d was answered and is gone", batch)
		}
	}
	t.Logf("%d batches answered, %d found", len(committed), len(found))
}

func TestAckedMessagesOutliveAKilledNATS(t *testing.T) {
	dir, acked := t.TempDir(), uint64(0)
	for range 3 {
		c := startChild(t, "nats", dir)
		nc, err := nats.Connect("nats://" + c.addr)
		if err != nil {
			t.Fatal(err)
		}
		js, _ := jetstream.New(nc)
		s, err := js.CreateOrUpdateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}})
		if err != nil {
			t.Fatal(err)
		}
		if info, err := s.Info(t.Context()); err != nil || info.State.LastSeq < acked {
			t.Errorf("last message %v, want %d (%v)", info, acked, err)
		}
		for range 500 {
			ack, err := js.Publish(t.Context(), "s", []byte("x"))
			if err != nil {
				t.Fatal(err)
			}
			acked = ack.Sequence
		}
		c.end(t, syscall.SIGKILL)
		nc.Close()
	}
	if acked != 1500 {
		t.Errorf("%d acked, want 1500", acked)
	}
}

func TestFolderInUseNamesTheProcess(t *testing.T) {
	for _, what := range []string{"nats", "engine"} {
		t.Run(what, func(t *testing.T) {
			if what == "engine" {
				enginetest.Start(t)
			}
			dir := t.TempDir()
			c := startChild(t, what, dir)
			second := exec.Command(os.Args[0])
			second.Env = append(os.Environ(), "TOOLTRAIL_TEST_SERVE="+what, "TOOLTRAIL_TEST_DIR="+dir)
			if _, err := second.StdinPipe(); err != nil {
				t.Fatal(err)
			}
			out, err := second.CombinedOutput()
			want := fmt.Sprintf("in use by process %d", c.cmd.Process.Pid)
			if err == nil || !strings.Contains(string(out), want) {
				t.Errorf("got %v %s, want %q", err, out, want)
			}
			c.end(t, syscall.SIGTERM)
			startChild(t, what, dir).end(t, syscall.SIGTERM)
		})
	}
}

func TestNATSStartsServesAndStops(t *testing.T) {
	cfg := embedded.DefaultNATSConfig(t.TempDir())
	cfg.Listen, cfg.User, cfg.Password = "127.0.0.1:0", "u", "secret"
	n, err := embedded.StartNATS(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := embedded.StartNATS(cfg); !errors.Is(err, embedded.ErrInUse) {
		t.Errorf("second start: got %v, want ErrInUse", err)
	}
	other := cfg
	other.Dir, other.Listen = t.TempDir(), n.Addr()
	if _, err := embedded.StartNATS(other); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("taken port: got %v", err)
	}
	if _, err := nats.Connect(n.URL()); err == nil {
		t.Error("connected without the password")
	}
	nc, err := nats.Connect(n.URL(), nats.UserInfo("u", "secret"))
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := n.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if embedded.InUse(cfg.Dir) {
		t.Error("folder still in use after Shutdown")
	}
}
