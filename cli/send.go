package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/client"
)

// readOptions are the flags that say how to read files.
type readOptions struct {
	format, tools string
	strict        bool
	values        bool
}

// flags declares them; values is whether argument values are taken along where nothing is said.
func (o *readOptions) flags(fs *pflag.FlagSet, values bool) {
	o.formatFlags(fs)
	fs.BoolVar(&o.strict, "strict", false, "stop at the first line that can't be read")
	why := "off, since they would be kept"
	if values {
		why = "on, since nothing is kept"
	}
	fs.BoolVar(&o.values, "values", values, "take argument values along, not only their names, types and digests; "+why)
}

// formatFlags declares those that say what the files are.
func (o *readOptions) formatFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.format, "format", capture.FormatAuto, "`format` of the files: "+strings.Join(capture.FormatNames(), ", ")+"; auto chooses by content")
	fs.StringVar(&o.tools, "tools", "", "JSON `file` with the tools that the conversations had, for formats that don't say: openai-chat, claude-code, pi")
}

// choose opens every file and closes it again, so that a wrong name shows before anything is started, and returns those to read.
// Of several files, one whose format nobody knows is left out and told; with --strict, or when none is left, it is an error.
func (o *readOptions) choose(files []string, told io.Writer) ([]string, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	var readable []string
	var unknown error
	for _, name := range files {
		err := o.tryOpen(name)
		switch {
		case err == nil:
			readable = append(readable, name)
		case o.strict || !errors.Is(err, capture.ErrUnknownFormat):
			return nil, err
		default:
			unknown = err
			if len(files) > 1 {
				_, _ = fmt.Fprintf(told, "%s: %s; left out\n", report.Safe(name), report.Safe(formatReason(err)))
			}
		}
	}
	if len(readable) == 0 {
		return nil, unknown
	}
	return readable, nil
}

// formatReason says why nobody knows the format of a file, without its name and what to do.
func formatReason(err error) string {
	var unknown *capture.UnknownFormatError
	if errors.As(err, &unknown) {
		return unknown.Error()
	}
	return capture.ErrUnknownFormat.Error()
}

// check refuses a format that there is not, and a file of tools that is not there.
func (o *readOptions) check() error {
	if o.format != capture.FormatAuto {
		if _, err := capture.FormatByName(o.format); err != nil {
			return usageError{err}
		}
	}
	return tryOpen(o.tools, capture.Options{Format: capture.Formats()[0].Name})
}

// tryOpen opens a file and closes it again. Pipes it lets be: reading their head would take it away.
func tryOpen(name string, opt capture.Options) error {
	if !isRegular(name) {
		return nil
	}
	r, err := capture.Open(name, opt)
	if err != nil {
		return err
	}
	return r.Close()
}

// tryOpen is the function of that name; it refuses --tools for a format that has no use for it.
func (o *readOptions) tryOpen(name string) error {
	if !isRegular(name) {
		return nil
	}
	r, err := capture.Open(name, o.capture())
	if err != nil {
		return err
	}
	if format, _ := capture.FormatByName(r.Format()); o.tools != "" && !format.TakesTools {
		return errors.Join(usageError{fmt.Errorf("--tools: %s is %s, which says itself what tools there were", name, r.Format())}, r.Close())
	}
	return r.Close()
}

// isRegular reports whether name can be read twice. One that is not there counts, so that opening it says so.
func isRegular(name string) bool {
	if name == "" || name == "-" {
		return false
	}
	info, err := os.Stat(name)
	return err != nil || info.Mode().IsRegular() || info.IsDir()
}

func (o *readOptions) capture() capture.Options {
	return capture.Options{Format: o.format, ToolsFile: o.tools, Strict: o.strict, IncludeValues: o.values}
}

// sent is what sending files came to.
type sent struct {
	events int64
	// bad counts lines, or parts of lines, that could not be read, and badFiles the files that they are in.
	bad, badFiles int64
	// skipped counts lines that say nothing of tools, by the type that their file gives them.
	skipped map[string]int64
	// unfinished counts calls without a result that were left out.
	unfinished int64
	// newest is the time of the newest event.
	newest time.Time
	// unread is the error of a file of which not one line could be read, where there are other files.
	unread error
}

// add adds up what two files came to.
func (s *sent) add(n sent) {
	s.events += n.events
	s.bad += n.bad
	s.unfinished += n.unfinished
	if n.bad > 0 {
		s.badFiles++
	}
	for kind, count := range n.skipped {
		if s.skipped == nil {
			s.skipped = map[string]int64{}
		}
		s.skipped[kind] += count
	}
	if n.newest.After(s.newest) {
		s.newest = n.newest
	}
	s.unread = cmp.Or(s.unread, n.unread)
}

// sendBatch is how many events are handed to the client at once: what one message holds at most.
const sendBatch = 512

// send reads the files and publishes their events. It waits for JetStream's acknowledgement and drops nothing.
func (p *program) send(ctx context.Context, b *backend, o readOptions, files []string, bar *progress, log *slog.Logger) (total sent, err error) {
	cfg := client.DefaultConfig()
	cfg.Conn, cfg.NoHeartbeat, cfg.NoRegistry, cfg.History, cfg.Log = b.nc, true, true, true, log.With(slog.String("part", "client"))
	c, err := client.Start(cfg)
	if err != nil {
		return total, fmt.Errorf("start client: %w", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		defer cancel()
		err = errors.Join(err, c.Close(closing))
	}()
	for _, name := range files {
		n, err := p.sendFile(ctx, c, name, o, bar)
		total.add(n)
		if err != nil {
			return total, err
		}
	}
	if total.events == 0 {
		return total, total.unread
	}
	return total, nil
}

// sendFile publishes the events of one file, and says on stderr which lines could not be read.
func (p *program) sendFile(ctx context.Context, c *client.Client, name string, o readOptions, bar *progress) (sent, error) {
	var n sent
	var bad problems
	opt := o.capture()
	opt.Problem, opt.Progress = bad.add, bar.file(name)
	err := interruptible(ctx, func() (err error) {
		n, err = readFile(ctx, c, name, opt)
		return err
	})
	if ctx.Err() != nil {
		return sent{}, fmt.Errorf("read %s: %w", name, context.Cause(ctx))
	}
	bar.clear()
	if err == nil || !o.strict { // the error of a strict reading is its one bad line
		bad.write(p.Err)
	}
	n.bad = int64(bad.count)
	if err == nil && n.events == 0 {
		n.unread = notRead(name, opt, bad.count)
	}
	if err == nil && n.events == 0 && n.unread == nil {
		_, _ = fmt.Fprintf(p.Err, "%s: no events\n", report.Safe(filepath.Base(name)))
	}
	return n, err
}

// errNotRead says that a file gave nothing at all.
var errNotRead = errors.New("not one line could be read")

// notRead says of a file without events what it looks like; nil when it is of its format and has none.
func notRead(name string, opt capture.Options, bad int) error {
	like := looksLike(name)
	switch {
	case opt.Format != capture.FormatAuto && like != "" && like != opt.Format:
		return fmt.Errorf("read %s: %w as %s: it looks like %s", name, errNotRead, opt.Format, like)
	case bad > 0:
		return fmt.Errorf("read %s: %w", name, errNotRead)
	}
	return nil
}

// looksLike returns the format that a file's content tells; empty when none does, or the file can be read only once.
func looksLike(name string) string {
	if !isRegular(name) {
		return ""
	}
	r, err := capture.Open(name, capture.Options{})
	if err != nil {
		return ""
	}
	defer func() { _ = r.Close() }()
	return r.Format()
}

// interruptible runs fn, which may wait for a terminal or a pipe, and goes on without it when ctx ends: fn's results are then
// not to be looked at.
func interruptible(ctx context.Context, fn func() error) error {
	done := make(chan error, 1)
	go func() { done <- fn() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// readFile reads one file, publishes its events and says what it came to.
func readFile(ctx context.Context, c *client.Client, name string, opt capture.Options) (n sent, err error) {
	r, err := capture.Open(name, opt)
	if err != nil {
		return n, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out := outbox{ctx: ctx, c: c}
	sum, err := r.Read(ctx, out.add)
	if err == nil {
		err = out.flush()
	}
	n = sent{events: out.sent, newest: out.newest, unfinished: int64(sum.Unfinished), skipped: map[string]int64{}}
	for kind, count := range sum.Skipped {
		n.skipped[kind] = int64(count)
	}
	return n, err
}
