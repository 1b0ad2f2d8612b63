package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/tooltrail/tooltrail/cli/report"
)

// Exit statuses of [Run].
const (
	exitOK = 0
	// exitError is for what went wrong while running.
	exitError = 1
	// exitUsage is for flags and arguments that can't be.
	exitUsage = 2
	// exitFindings is for findings at or over --fail-on.
	exitFindings = 3
	// exitInterrupted is for a command that was told to stop before it was done.
	exitInterrupted = 130
	// exitClosedPipe is for an output that nobody reads to its end, as the shell says it of other commands.
	exitClosedPipe = 141
)

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Getenv reads the environment.
	Getenv func(string) string
}

// OSStreams are the process's own.
func OSStreams() Streams {
	return Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv}
}

// program is one invocation.
type program struct {
	Streams
	version string
	set     settings
}

// errFindings ends a command whose findings reached --fail-on.
var errFindings = errors.New("findings at or over the severity of --fail-on")

// usageError is an invocation that can't be.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Run runs one command and returns the exit status: 0 done, 1 an error, 2 a wrong invocation, 3 findings that --fail-on asks
// about, 130 interrupted, 141 nobody
// reads the output to its end.
func Run(ctx context.Context, args []string, s Streams, version string) int {
	p := &program{Streams: s, version: version}
	p.set.read(s.Getenv)
	// A closed pipe is an error of one write, after which all is cleaned up, and not the end of the process.
	signal.Ignore(syscall.SIGPIPE)
	root := p.root()
	root.SetArgs(args)
	var refused error
	root.SetHelpFunc(groupHelp(root.HelpFunc(), func(err error) { refused = err }))
	return p.exit(ctx, cmp.Or(root.ExecuteContext(ctx), refused))
}

// exit says what went wrong and chooses the status.
func (p *program) exit(ctx context.Context, err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFindings):
		return exitFindings
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		_, _ = fmt.Fprintln(p.Err, "tooltrail: stopped")
		return exitInterrupted
	case isClosedPipe(err):
		return exitClosedPipe
	case errors.As(err, &usage):
		p.complain(err)
		return exitUsage
	}
	p.complain(err)
	return exitError
}

// complain says an error, each of several on a line of its own; those with a place in a file by their lines.
func (p *program) complain(err error) {
	lines := strings.Split(err.Error(), "\n")
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(lineIn(a), lineIn(b)) })
	for _, line := range lines {
		_, _ = fmt.Fprintf(p.Err, "tooltrail: %s\n", report.Safe(line))
	}
}

func (p *program) root() *cobra.Command {
	root := group(&cobra.Command{
		Use:   "tooltrail",
		Short: "The audit trail of what an agent's tools looked like, what the model called, and what it cost",
		Long: `Tooltrail answers three questions about an agent's tools:

  drift       are models still calling tools by an old schema?
  prefix      which bytes of the request broke the prompt cache, and what did that cost?
  activation  which tool names were guessed, unknown, not loaded or not permitted?

Start with: tooltrail analyze FILE...`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Version:           p.version,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := takeDefaults(c.Flags()); err != nil {
				return err
			}
			_, err := p.logger(slog.LevelError)
			return err
		},
	})
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	root.SetIn(p.In)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{flagError(err)} })
	root.SetHelpCommand(helpCommand())
	root.SetVersionTemplate(p.versionLine())
	p.set.logFlag(root.PersistentFlags())
	root.AddCommand(p.analyzeCommand(), p.upCommand(), p.pageCommand(), p.serveCommand(), p.importCommand(), p.reportCommand(),
		p.findingsCommand(), p.schemaCommand(), p.toolsCommand(), p.prefixCommand(), p.rosterCommand(), p.deadLettersCommand(),
		p.versionCommand())
	wrapArgs(root)
	return root
}

// takeDefaults sets what was not given to the defaults of these flags: commands share variables, and each of them has the default of the
// command that was made last.
func takeDefaults(fs *pflag.FlagSet) (err error) {
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Changed && f.Value.String() != f.DefValue {
			err = errors.Join(err, f.Value.Set(f.DefValue))
		}
	})
	return err
}

// wrapArgs makes a wrong number of arguments a wrong invocation, for every command.
func wrapArgs(c *cobra.Command) {
	check := c.Args
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	c.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usageError{err}
		}
		return nil
	}
	for _, sub := range c.Commands() {
		wrapArgs(sub)
	}
}

// logger writes to stderr from the level of --log-level on, or from that of the command where none is given.
func (p *program) logger(level slog.Level) (*slog.Logger, error) {
	if p.set.LogLevel == "" {
		return p.logTo(level), nil
	}
	if err := level.UnmarshalText([]byte(p.set.LogLevel)); err != nil {
		return nil, usageError{fmt.Errorf("read --log-level %q: want debug, info, warn or error", p.set.LogLevel)}
	}
	return p.logTo(level), nil
}

func (p *program) logTo(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(p.Err, &slog.HandlerOptions{Level: level}))
}

// placed matches an error that begins with a file and a line.
var placed = regexp.MustCompile(`^[^:\s]+:(\d+): `)

// lineIn is the line that an error begins with; 0 where it has none.
func lineIn(text string) int {
	found := placed.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found[1])
	return n
}

// isClosedPipe tells an output whose reader has gone from connections that broke.
func isClosedPipe(err error) bool {
	var file *fs.PathError
	return errors.As(err, &file) && file.Path == os.Stdout.Name() && errors.Is(err, syscall.EPIPE)
}

// isTerminal reports whether w leads to a person.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
