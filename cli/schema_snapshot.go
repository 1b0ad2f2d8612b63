package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/capture/mcpserver"
)

// snapshotOptions are the flags of schema snapshot.
type snapshotOptions struct {
	schemaOptions
	mcp, server, file     string
	release               string
	headers, env          []string
	timeout               time.Duration
	dryRun                bool
	noRegister, noPublish bool
	command               []string
}

func (p *program) schemaSnapshotCommand() *cobra.Command {
	o := snapshotOptions{timeout: mcpserver.DefaultConfig().Timeout}
	c := &cobra.Command{
		Use:   "snapshot --mcp COMMAND|URL | snapshot -- COMMAND ARG...",
		Short: "Read the tools of a live MCP server, register them, and say what changed",
		Long: `Connect to an MCP server, take all of its tools, and compare them with what is known: the last release of the server in --file where that
has one, else the registry. Definitions not seen before are registered as those in events are, and published as events together with the
server's list of tools. Tools that are gone are named; nothing is taken away from the registry. A tool that can't be taken is named with its
place and left out, the others are taken all the same, and the status is 1.

COMMAND is split as a shell would, and no shell is started; the program gets HOME, PATH and a few more variables, and those of --env. A URL is
tried as streamable HTTP, then as the older HTTP with events. $NAME in a header's value is taken from the environment.

  tooltrail schema snapshot --mcp 'npx -y @modelcontextprotocol/server-memory' --server memory
  tooltrail schema snapshot --mcp https://example.com/mcp --header 'Authorization=Bearer $TOKEN' --file tools.jsonl

Without a running tooltrail, --file alone keeps the releases, a line each, as schema diff, changelog and check read them.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.command = args
			return p.schemaSnapshot(c.Context(), o)
		},
	}
	o.flags(c.Flags())
	f := c.Flags()
	f.StringVar(&o.mcp, "mcp", "", "the server: a `command` or a URL")
	f.StringVar(&o.server, "server", "", "`name` that agents call the server by (default the one that it gives itself)")
	f.StringVar(&o.release, "release", "", "`version` of the server (default the one that it gives itself, which many servers forget to raise)")
	f.StringArrayVar(&o.headers, "header", nil, "`NAME=VALUE` sent with each request to the URL's host")
	f.StringArrayVar(&o.env, "env", nil, "`NAME` or NAME=VALUE for the program's environment")
	spanVar(f, &o.timeout, "timeout", o.timeout, "how long all of it may take")
	f.StringVar(&o.file, "file", "", "add the release to `FILE`, where it differs from the last one there")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would change and change nothing")
	f.BoolVar(&o.noRegister, "no-register", false, "leave the registry as it is")
	f.BoolVar(&o.noPublish, "no-publish", false, "publish no events")
	f.StringVar(&o.failOn, "fail-on", "none", "exit with status 3 on changes of this `class`: none, breaking or unknown (which includes breaking)")
	return c
}

// config says what to read.
func (o *snapshotOptions) config(getenv func(string) string, version string, log *slog.Logger) (mcpserver.Config, error) {
	cfg := mcpserver.DefaultConfig()
	cfg.Timeout, cfg.ClientVersion, cfg.Log = o.timeout, version, log
	err := o.target(&cfg)
	if err == nil && len(cfg.Command) > 0 {
		cfg.Env, err = mcpserver.Environment(getenv, o.env)
	}
	if err == nil {
		cfg.Header, err = readHeaders(o.headers, getenv)
	}
	if err == nil {
		err = cfg.Validate()
	}
	if err != nil {
		return cfg, usageError{err}
	}
	return cfg, nil
}

var (
	errWhichMCP   = errors.New("--mcp: want a command or a URL, or the command after --")
	errNotHeaders = errors.New("--header: a command has none; --env is for its environment")
	errNotEnv     = errors.New("--env: a URL has no environment; --header is for its requests")
)

// target sets the command or the URL.
func (o *snapshotOptions) target(cfg *mcpserver.Config) (err error) {
	switch {
	case (o.mcp == "") == (len(o.command) == 0):
		return errWhichMCP
	case o.mcp == "":
		cfg.Command = o.command
	case strings.HasPrefix(o.mcp, "http://") || strings.HasPrefix(o.mcp, "https://"):
		cfg.URL = o.mcp
	default:
		cfg.Command, err = mcpserver.SplitCommand(o.mcp)
	}
	switch {
	case err != nil:
		return err
	case cfg.URL == "" && len(o.headers) > 0:
		return errNotHeaders
	case cfg.URL != "" && len(o.env) > 0:
		return errNotEnv
	}
	return nil
}

// readHeaders reads NAME=VALUE; the error does not quote a value.
func readHeaders(all []string, getenv func(string) string) (http.Header, error) {
	out := http.Header{}
	for _, h := range all {
		name, value, ok := strings.Cut(h, "=")
		if !ok || name == "" || strings.ContainsAny(name, " :\r\n") {
			return nil, errors.New("--header: want NAME=VALUE")
		}
		missing := ""
		value = os.Expand(value, func(variable string) string {
			if variable == "$" {
				return "$"
			}
			v := getenv(variable)
			if v == "" {
				missing = variable
			}
			return v
		})
		if missing != "" {
			return nil, fmt.Errorf("--header %s: %s is not set in the environment", name, missing)
		}
		if strings.ContainsAny(value, "\r\n") {
			return nil, fmt.Errorf("--header %s: want one line", name)
		}
		out.Add(name, value)
	}
	return out, nil
}

func (p *program) schemaSnapshot(ctx context.Context, o snapshotOptions) error {
	if err := o.checkFailOn(); err != nil {
		return err
	}
	lo, err := o.list()
	if err != nil {
		return err
	}
	log, err := p.logger(slog.LevelError)
	if err != nil {
		return err
	}
	cfg, err := o.config(p.Getenv, p.version, log)
	if err != nil {
		return err
	}
	s := &snapshot{p: p, o: o, compare: lo, at: time.Now().UTC()}
	return p.withRunning(ctx, o, func(b *buckets) error {
		s.b = b
		return s.take(ctx, cfg)
	})
}

func (o *snapshotOptions) checkFailOn() error {
	return oneOf("fail-on", o.failOn, []string{"none", "breaking", "unknown"})
}

// withRunning calls fn with the buckets of the running tooltrail; with nil where none runs and a file or a dry run can do without.
func (p *program) withRunning(ctx context.Context, o snapshotOptions, fn func(b *buckets) error) error {
	_, err := p.runningNATS()
	if (errors.Is(err, errNotRunning) || errors.Is(err, errNoHome)) && (o.file != "" || o.dryRun) {
		_, _ = fmt.Fprintln(p.Err, "tooltrail: no tooltrail is running: nothing is registered or published")
		return fn(nil)
	}
	if err != nil {
		return err
	}
	return p.withBuckets(ctx, fn)
}
