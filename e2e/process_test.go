package e2e

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// programs builds the commands once for all tests and returns the folder they are in.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "tooltrail-e2e-bin-")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", dir+"/", "./cmd/...")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build commands: %w: %s", err, out)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := programs(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// process is one of our programs, started, killed and started again with the same arguments.
type process struct {
	t     *testing.T
	name  string
	args  []string
	env   []string
	ready string // address that answers when it is up
	log   *os.File

	cmd  *exec.Cmd
	done chan struct{}
}

func newProcess(t *testing.T, name, ready string, env []string, args ...string) *process {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatalf("create log: %v", err)
	}
	p := &process{t: t, name: name, args: args, env: env, ready: ready, log: log}
	t.Cleanup(p.cleanup)
	return p
}

func (p *process) start() {
	p.t.Helper()
	dir, err := programs()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, p.args[0]), p.args[1:]...)
	cmd.Env = append(os.Environ(), append(p.env, engineEnv(p.t))...)
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		p.t.Fatalf("start %s: %v", p.name, err)
	}
	done := make(chan struct{})
	p.cmd, p.done = cmd, done
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
}

// waitReady polls the process's address until it takes connections.
func (p *process) waitReady() {
	p.t.Helper()
	waitFor(p.t, 60*time.Second, p.name+" to listen on "+p.ready, func() bool {
		select {
		case <-p.done:
			p.t.Fatalf("%s ended: %s", p.name, p.tail())
		default:
		}
		conn, err := net.DialTimeout("tcp", p.ready, time.Second)
		if err != nil {
			return false
		}
		conn.Close()
		return true
	})
}

// kill ends the process as the kernel does when memory runs out, and waits for it to be gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatalf("signal %s: %v", p.name, err)
	}
}

func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// peakMB returns the most memory that the process has held, in MB.
func (p *process) peakMB() int {
	p.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatalf("read status of %s: %v", p.name, err)
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		p.t.Fatalf("read peak memory of %s: %v", p.name, err)
	}
	return kb / 1024
}

func (p *process) tail() string {
	b, _ := os.ReadFile(p.log.Name())
	return string(b[max(0, len(b)-3000):])
}

func (p *process) cleanup() {
	if p.cmd != nil && p.running() {
		_ = p.cmd.Process.Signal(syscall.SIGCONT)
		p.kill()
	}
	if p.t.Failed() {
		p.t.Logf("end of the log of %s:\n%s", p.name, p.tail())
	}
	p.log.Close()
}

// waitFor polls until ok, and fails the test when that takes longer than limit.
func waitFor(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited %s for %s", limit, what)
		case <-tick.C:
		}
	}
}

// pause waits for d, which is part of what a test does and not a guess at when something is done.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("find a free port: %v", err)
	}
	defer l.Close()
	return l.Addr().String()
}

// engineEnv names the engine's library for programs that do not stand in bin/; the test skips where it is missing.
func engineEnv(t *testing.T) string {
	t.Helper()
	lib, err := filepath.Abs("../engine/node_modules/@chdb/lib-linux-x64-gnu/libchdb.so")
	if err == nil {
		_, err = os.Stat(lib)
	}
	if err != nil {
		if os.Getenv("TOOLTRAIL_REQUIRE_ENGINE") == "1" {
			t.Fatalf("the engine's library is missing; run make engine: %v", err)
		}
		t.Skip("the engine's library is missing; run make engine")
	}
	return "TOOLTRAIL_ENGINE_LIB=" + lib
}
