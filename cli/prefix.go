package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

func (p *program) prefixCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use:   "prefix",
		Short: "Explain what broke the prompt cache, compare two requests, and fail a build whose recorded run lost too much",
		Long: `Providers keep the start of a prompt in a cache and read it again for a fraction of the price, as long as the next prompt starts with the same
bytes. A request that reads less of it than the one before has left there breaks the cache, and what it can't read is paid in full, or more.

  check    for CI: did recorded runs lose more than a limit?
  explain  one conversation, request by request: what broke the cache, why, and what it cost
  diff     two request bodies as they were sent: where they first differ, and what that puts at stake

tooltrail report and tooltrail analyze say it of all that is stored or given. docs/recording.md says how requests are recorded, docs/prefix.md what
the verdicts mean.`,
	})
	c.AddCommand(p.prefixCheckCommand(), p.prefixExplainCommand(), p.prefixDiffCommand())
	return c
}

// recorded is what files hold of requests.
type recorded struct {
	prefix.Recording
	// files counts those that were read; file is the first that had a request, by the id of its event.
	files int
	file  map[string]string
	// bad counts lines, or parts of lines, that could not be read.
	bad int
}

// record reads files, and says on stderr which lines could not be read. It starts no servers.
func (p *program) record(ctx context.Context, o readOptions, files []string) (*recorded, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	for _, name := range files { // a wrong name shows before anything is read
		if err := o.tryOpen(name); err != nil {
			return nil, err
		}
	}
	rec := &recorded{file: map[string]string{}}
	bar := newProgress(p.Err, p.Getenv)
	defer bar.clear()
	for _, name := range files {
		var bad problems
		opt := o.capture()
		opt.Problem, opt.Progress = bad.add, bar.file(name)
		var events int
		err := interruptible(ctx, func() (err error) {
			events, err = rec.read(ctx, name, opt)
			return err
		})
		if ctx.Err() != nil {
			return nil, fmt.Errorf("read %s: %w", name, context.Cause(ctx))
		}
		bar.clear()
		if err != nil {
			return nil, err
		}
		bad.write(p.Err)
		rec.bad += bad.count
		if events == 0 {
			if err := notRead(name, opt, bad.count); err != nil {
				return nil, err
			}
		}
	}
	return rec, nil
}

// read takes the events of one file, and counts them.
func (r *recorded) read(ctx context.Context, name string, opt capture.Options) (n int, err error) {
	in, err := capture.Open(name, opt)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	r.files++
	_, err = in.Read(ctx, func(e *events.Event) error {
		n++
		if e.Kind() == events.KindRequestPrefix && r.file[e.ID] == "" {
			r.file[e.ID] = name
		}
		r.Add(e)
		return nil
	})
	return n, err
}
