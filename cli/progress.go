package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/tooltrail/tooltrail/cli/report"
)

// progress says on one line of a terminal how far a command is; elsewhere it says nothing.
type progress struct {
	w     io.Writer // nil says nothing
	width int

	mu   sync.Mutex // reading goes on in a goroutine of its own
	last string
}

// newProgress speaks only when w is a terminal.
func newProgress(w io.Writer, getenv func(string) string) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	return &progress{w: w, width: report.StyleOf(w, getenv).Width}
}

// say replaces the line.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || text == p.last {
		return
	}
	p.last = text
	_, _ = fmt.Fprintf(p.w, "\r\x1b[2K%s", report.Cut(report.Safe(text), p.width-1))
}

// file says how much of a file was read.
func (p *progress) file(name string) func(done, total int64) {
	name = filepath.Base(name)
	return func(done, total int64) {
		if total <= 0 {
			p.say(fmt.Sprintf("reading %s: %s", name, megabytes(done)))
			return
		}
		p.say(fmt.Sprintf("reading %s: %d %% of %s", name, 100*done/total, megabytes(total)))
	}
}

// clear takes the line away, before other output.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || p.last == "" {
		return
	}
	p.last = ""
	_, _ = fmt.Fprint(p.w, "\r\x1b[2K")
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
