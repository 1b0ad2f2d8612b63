package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/stream"
)

func (p *program) importCommand() *cobra.Command {
	var o readOptions
	c := &cobra.Command{
		Use:   "import FILE...",
		Short: "Send files into a running tooltrail",
		Long: `Send files into the tooltrail that runs on the data directory, or into the NATS at --nats, and wait until they are stored.
A file sent twice counts once, as long as no more than 262,144 events of one kind came since: ids are looked for no further back.
Formats as in analyze.

` + environmentHelp,
		Args: someFiles,
		RunE: func(c *cobra.Command, files []string) error { return p.importFiles(c.Context(), o, files) },
	}
	o.flags(c.Flags(), false)
	p.set.runningFlags(c.Flags())
	return c
}

func (p *program) importFiles(ctx context.Context, o readOptions, files []string) (err error) {
	log, err := p.logger(slog.LevelError)
	if err != nil {
		return err
	}
	s, err := p.runningNATS()
	if err != nil {
		return err
	}
	given := len(files)
	if files, err = o.choose(files, p.Err); err != nil {
		return err
	}
	var stops stack
	defer func() { err = errors.Join(err, stops.stop()) }()
	b, err := p.set.dialStream(ctx, &stops, s.NATS, log)
	if err != nil {
		return err
	}
	bar := newProgress(p.Err, p.Getenv)
	defer bar.clear()
	sum, err := p.send(ctx, b, o, files, bar, log)
	if err != nil {
		return err
	}
	done := "sent"
	if s.HTTP != "" {
		bar.say("storing")
		if err := drain(ctx, b.js, remoteLanes(s.HTTP)); err != nil {
			return err
		}
		done = "stored"
	}
	bar.clear()
	if old := s.tooOld(sum.newest, time.Now()); old != "" {
		_ = report.Note(p.Err, old, report.StyleOf(p.Err, p.Getenv))
	}
	_, err = fmt.Fprintf(p.Out, "%s from %s %s; see: tooltrail report\n", report.Plural(sum.events, "event"), report.Plural(int64(len(files)), "file"), done)
	if rest := leftOut(&sum, given-len(files)); rest != "" {
		_ = report.Note(p.Err, rest, report.StyleOf(p.Err, p.Getenv))
	}
	return err
}

// dialStream connects to a NATS that somebody else has set up.
func (s *settings) dialStream(ctx context.Context, stops *stack, url string, log *slog.Logger) (*backend, error) {
	nc, err := stream.Connect(s.stream(url), log)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	stops.push(func(context.Context) error { nc.Close(); return nil })
	dialing, cancel := context.WithTimeout(ctx, stopGrace)
	defer cancel()
	if err := stream.WaitConnected(dialing, nc); err != nil {
		return nil, fmt.Errorf("connect to NATS at %s: %w", url, err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("connect to JetStream: %w", err)
	}
	return &backend{nc: nc, js: js}, nil
}
