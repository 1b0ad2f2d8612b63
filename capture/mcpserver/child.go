package mcpserver

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// child is the program of a server, in a process group of its own: npx and shells start others, which are to end too.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	words  lastWords
	grace  time.Duration
	exited error
}

// newChild prepares the program; when ctx ends, it is killed.
func newChild(ctx context.Context, cfg Config) *child {
	c := &child{grace: cfg.Grace}
	c.cmd = exec.CommandContext(ctx, cfg.Command[0], cfg.Command[1:]...)
	c.cmd.Env, c.cmd.Dir, c.cmd.Stderr = cfg.Env, cfg.Dir, &c.words
	if c.cmd.Env == nil {
		c.cmd.Env = []string{} // nil would be ours
	}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.Cancel = func() error { return c.signal(syscall.SIGKILL) }
	c.cmd.WaitDelay = cfg.Grace // a grandchild may hold standard error open
	return c
}

func (c *child) start() (err error) {
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	if err = c.cmd.Start(); err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	return nil
}

// signal tells the whole group.
func (c *child) signal(s syscall.Signal) error { return syscall.Kill(-c.cmd.Process.Pid, s) }

// stop closes the program's input, tells it to end where that does not suffice, kills it where that does not either, and waits for it.
func (c *child) stop() error {
	done := make(chan error, 1)
	go func() { done <- c.cmd.Wait() }()
	_ = c.in.Close()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case c.exited = <-done:
			// What the program left behind. Its number can't be another's yet: while the group has members the kernel keeps it.
			_ = c.signal(syscall.SIGKILL)
			return nil
		case <-time.After(c.grace):
			_ = c.signal(s)
		}
	}
	c.exited = <-done
	return nil
}

// maxWords is how much of a program's standard error is kept, in bytes: the last.
const maxWords = 2 << 10

// lastWords keeps the end of what is written to it.
type lastWords struct {
	mu  sync.Mutex
	buf []byte
}

// Write keeps the end of what was written.
func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf, p[max(0, len(p)-maxWords):]...)
	if cut := len(w.buf) - maxWords; cut > 0 {
		w.buf = append(w.buf[:0], w.buf[cut:]...)
	}
	return len(p), nil
}

// String returns it as one line.
func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(strings.Fields(string(w.buf)), " ")
}
