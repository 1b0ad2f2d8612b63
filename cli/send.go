package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/events"
)

// readOptions are the flags that say how to read files.
type readOptions struct {
	format, tools string
	strict        bool
	values        bool
}

// flags declares them; values is whether argument values are taken along where nothing is said.
func (o *readOptions) flags(fs *pflag.FlagSet, values bool) {
	fs.StringVar(&o.format, "format", capture.FormatAuto, "`format` of the files; auto chooses by content")
	fs.StringVar(&o.tools, "tools", "", "JSON `file` with the tools that the conversations had")
	fs.BoolVar(&o.strict, "strict", false, "stop at the first line that can't be read")
	fs.BoolVar(&o.values, "values", values, "take argument values along, not only their names, types and digests")
}

// choose opens every file and closes it again, so that a wrong name shows before anything is started, and returns those to read.
// Of several files, one whose format nobody knows is left out and told; with --strict, or when none is left, it is an error.
func (o *readOptions) choose(files []string, told io.Writer) ([]string, error) {
	if o.format != capture.FormatAuto {
		if _, err := capture.FormatByName(o.format); err != nil {
			return nil, usageError{err}
		}
	}
	if err := tryOpen(o.tools, capture.Options{Format: capture.Formats()[0].Name}); err != nil {
		return nil, err
	}
	var readable []string
	var unknown error
	for _, name := range files {
		err := tryOpen(name, o.capture())
		switch {
		case err == nil:
			readable = append(readable, name)
		case o.strict || !errors.Is(err, capture.ErrUnknownFormat):
			return nil, err
		default:
			unknown = err
			if len(files) > 1 {
				_, _ = fmt.Fprintf(told, "%s: format not recognised; left out\n", report.Safe(name))
			}
		}
	}
	if len(readable) == 0 {
		return nil, unknown
	}
	return readable, nil
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
	events   int64
	problems int64
}

// sendBatch is how many events are handed to the client at once: what one message holds at most.
const sendBatch = 512

// send reads the files and publishes their events. It waits for JetStream's acknowledgement and drops nothing.
func (p *program) send(ctx context.Context, b *backend, o readOptions, files []string, bar *progress, log *slog.Logger) (total sent, err error) {
	cfg := client.DefaultConfig()
	cfg.Conn, cfg.NoHeartbeat, cfg.Log = b.nc, true, log.With(slog.String("part", "client"))
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
		total.events += n.events
		total.problems += n.problems
		if err != nil {
			return total, err
		}
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
		n.events, err = readFile(ctx, c, name, opt)
		return err
	})
	if ctx.Err() != nil {
		return sent{}, fmt.Errorf("read %s: %w", name, context.Cause(ctx))
	}
	bar.clear()
	bad.write(p.Err)
	n.problems = int64(bad.count)
	if err == nil && n.events == 0 {
		_, _ = fmt.Fprintf(p.Err, "%s: no events\n", filepath.Base(name))
	}
	return n, err
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

// readFile reads one file, publishes its events and returns how many there were.
func readFile(ctx context.Context, c *client.Client, name string, opt capture.Options) (n int64, err error) {
	r, err := capture.Open(name, opt)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out := outbox{ctx: ctx, c: c}
	if _, err := r.Read(ctx, out.add); err != nil {
		return out.sent, err
	}
	err = out.flush()
	return out.sent, err
}

// outbox hands events to the client in batches.
type outbox struct {
	ctx  context.Context
	c    *client.Client
	wait []*events.Event
	sent int64
}

func (b *outbox) add(e *events.Event) error {
	b.wait = append(b.wait, e)
	if len(b.wait) < sendBatch {
		return nil
	}
	return b.flush()
}

func (b *outbox) flush() error {
	if len(b.wait) == 0 {
		return nil
	}
	if err := b.c.Publish(b.ctx, b.wait...); err != nil {
		return fmt.Errorf("publish events: %w", err)
	}
	b.sent += int64(len(b.wait))
	b.wait = b.wait[:0]
	return nil
}
