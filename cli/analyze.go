package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/ingest"
)

// analyzeOptions are the flags of analyze.
type analyzeOptions struct {
	reading readOptions
	json    bool
	all     bool
	failOn  string
	// html is the file to write the page into; empty for none.
	html string
}

func (p *program) analyzeCommand() *cobra.Command {
	var o analyzeOptions
	c := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Report on files: one shot, in a temporary directory, nothing kept",
		Long: `Send files through NATS, the ingester, the ClickHouse engine and the analyzer, all started in a temporary
directory, and print the report. "-" is standard input; files may be compressed with gzip. Exit status: 0, with findings
too; 1 an error; 2 a wrong invocation; 3 findings at or over --fail-on.

Formats:
` + formatList(),
		Example: `  tooltrail analyze ~/.claude/projects/*/*.jsonl
  tooltrail analyze --tools tools.json trajectories.jsonl
  tooltrail analyze --json --fail-on warning exchanges.jsonl`,
		Args: someFiles,
		RunE: func(c *cobra.Command, files []string) error { return p.analyze(c.Context(), o, files) },
	}
	o.reading.flags(c.Flags(), true)
	p.set.pricesFlag(c.Flags())
	p.set.settingsFlag(c.Flags())
	p.set.scopeFlags(c.Flags())
	c.Flags().BoolVar(&o.json, "json", false, "print the report as JSON")
	c.Flags().BoolVar(&o.all, "all", false, "list everything, not only the worst")
	c.Flags().StringVar(&o.html, "html", "", "write the page into this `file` too, to look at with a browser or to send to somebody; it needs nothing beside it")
	c.Flags().StringVar(&o.failOn, "fail-on", "", "exit with 3 when there is a finding of this `severity` or over: info, warning or critical")
	return c
}

func formatList() string {
	var b strings.Builder
	for _, f := range capture.Formats() {
		fmt.Fprintf(&b, "  %-13s %s\n", f.Name, f.About)
	}
	return b.String()
}

// analyze is the whole command.
func (p *program) analyze(ctx context.Context, o analyzeOptions, files []string) error {
	started := time.Now()
	limit, err := severity(o.failOn)
	if err != nil {
		return err
	}
	log, err := p.logger(slog.LevelError)
	if err != nil {
		return err
	}
	an, err := p.set.analyzer()
	if err != nil {
		return err
	}
	if err := cmp.Or(notOneOf("html", o.html, files), overwritesPage(o.html)); err != nil {
		return err
	}
	given := len(files)
	if files, err = o.reading.choose(files, p.Err); err != nil {
		return err
	}
	bar := newProgress(p.Err, p.Getenv)
	defer bar.clear()
	r, sum, err := p.oneShot(ctx, o, an, files, bar, log)
	bar.clear()
	if err != nil && len(r.Incomplete) == 0 {
		return err
	}
	var printed error
	if o.json {
		printed = p.printJSON(withSent(&r, &sum, given-len(files)))
	} else {
		printed = p.printAnalysis(&r, o.all, footer(&sum, started, given, len(files)))
	}
	if err == nil {
		printed = errors.Join(printed, p.sayPage(o))
	}
	if err = errors.Join(printed, err); err != nil {
		return err
	}
	return failOn(limit, r.Findings)
}

// sayPage says where the page is, which a report as JSON has no place for.
func (p *program) sayPage(o analyzeOptions) error {
	if o.html == "" || o.json {
		return nil
	}
	if _, err := fmt.Fprintf(p.Out, "\nThe page: %s\n", report.Safe(fileURL(o.html))); err != nil {
		return fmt.Errorf("print where the page is: %w", err)
	}
	return nil
}

// footer says how long it took, what was read and what was left out.
func footer(sum *sent, started time.Time, given, read int) string {
	text := fmt.Sprintf("%s, %s from %s.", report.Took(time.Since(started)), report.Plural(sum.events, "event"), report.Plural(int64(read), "file"))
	if rest := leftOut(sum, given-read); rest != "" {
		text += " " + rest
	}
	return text
}

// printAnalysis prints the report and its footer for a person.
func (p *program) printAnalysis(r *analyzer.Report, all bool, footer string) error {
	if err := p.print(r, false, all); err != nil {
		return err
	}
	s := report.StyleOf(p.Out, p.Getenv)
	_, err := fmt.Fprintln(p.Out)
	return errors.Join(err, report.Note(p.Out, footer, s))
}

// severity reads --fail-on; an empty one is nil.
func severity(s string) (*finding.Severity, error) {
	if s == "" {
		return nil, nil
	}
	v := finding.Severity(s)
	if v.Rank() < 0 {
		return nil, usageError{fmt.Errorf("--fail-on %q: want info, warning or critical", s)}
	}
	return &v, nil
}

func failOn(limit *finding.Severity, fs []finding.Finding) error {
	for i := range fs {
		if limit != nil && fs[i].Severity.Rank() >= limit.Rank() {
			return errFindings
		}
	}
	return nil
}

// oneShot takes the files through all of it in a temporary directory, which it removes.
func (p *program) oneShot(ctx context.Context, o analyzeOptions, an analyzer.Config, files []string, bar *progress, log *slog.Logger) (r analyzer.Report, sum sent, err error) {
	dir, err := os.MkdirTemp("", "tooltrail-")
	if err != nil {
		return r, sum, fmt.Errorf("make temporary directory: %w", err)
	}
	var stops stack
	defer func() {
		err = errors.Join(err, stops.stop(), os.RemoveAll(dir))
	}()
	bar.say("starting NATS and ClickHouse")
	line, err := p.startOneShot(ctx, &stops, dir, an, log)
	if err != nil {
		return r, sum, err
	}
	if sum, err = p.send(ctx, line.backend, o.reading, files, bar, log); err != nil {
		return r, sum, err
	}
	bar.say("storing")
	if err := drain(ctx, line.js, line.lanes); err != nil {
		return r, sum, err
	}
	bar.say("analyzing")
	if p.set.Scope != (finding.Scope{}) {
		r, err = p.onceWithin(ctx, line, an, log)
		if err == nil && o.html != "" { // the page reads them from the store
			err = line.db.SaveFindings(ctx, r.Findings)
		}
	} else {
		r, err = line.analyzer.Once(ctx, finding.Window{})
	}
	if o.html != "" && err == nil {
		bar.say("writing the page")
		err = p.writePage(ctx, line.db, &r, o.html, log)
	}
	return r, sum, err
}

// startOneShot starts the servers, on free ports, and the ingester.
func (p *program) startOneShot(ctx context.Context, stops *stack, dir string, an analyzer.Config, log *slog.Logger) (*pipeline, error) {
	set := p.set.private()
	at, err := set.startServers(stops, dir, endpoints{anyPort, anyPort}, log)
	if err != nil {
		return nil, err
	}
	b, err := set.openBackend(ctx, stops, at, log)
	if err != nil {
		return nil, err
	}
	in := ingest.DefaultConfig()
	in.MaxAge = oneShotAge
	an.Activation.JudgeAfter = 0 // all is stored by then
	line, err := newPipeline(ctx, b, in, an, false, log)
	if err != nil {
		return nil, err
	}
	stops.spawn(line.ingester.Run, func(err error) { log.Error("ingester ended", slog.Any("error", err)) })
	return line, nil
}

const (
	// anyPort listens on loopback, on a port that the kernel chooses.
	anyPort = "127.0.0.1:0"
	// oneShotAge is how long a batch waits for more when a person waits for the report.
	oneShotAge = 100 * time.Millisecond
)
