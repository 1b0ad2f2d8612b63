package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/capture/mcpserver"
)

// rosterOptions are the flags of roster lint.
type rosterOptions struct {
	snapshotOptions
	lint   activation.LintOptions
	strict bool
}

func (p *program) rosterCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use:   "roster",
		Short: "Check lists of tools as a model reads them: names, summaries, and what they cost",
	})
	c.AddCommand(p.rosterLintCommand())
	return c
}

func (p *program) rosterLintCommand() *cobra.Command {
	o := rosterOptions{lint: activation.DefaultLintOptions()}
	c := &cobra.Command{
		Use:   "lint FILE | lint --mcp COMMAND|URL",
		Short: "Fail (status 3) on names and summaries that mislead a model; say what a cut loses and what a roster costs",
		Long: `Check a list of tools as a roster shows it to a model. Names that are missing, there twice, or different in case or separators alone fail, and
so do the team's own summaries over the limit; those of other people's servers are cut, and what the cut loses is said, with the how-to words in it.
Required ids are named with the tool that gives them. Tokens are an estimate: a quarter of the bytes.

` + schemaFilesHelp + `
Of a file with releases of several servers the last one of each is taken. Tools without a server are the team's own, those of a server are
somebody else's, unless --own and --external say otherwise. With --mcp the list is taken twice, and both must be the same bytes.`,
		Args: argCount(0, 1),
		RunE: func(c *cobra.Command, args []string) error { return p.rosterLint(c.Context(), o, args) },
	}
	f := c.Flags()
	f.BoolVar(&o.json, "json", false, "print as JSON")
	f.BoolVar(&o.github, "github", false, "print as annotations of GitHub Actions")
	f.BoolVar(&o.strict, "strict", false, "fail on warnings too")
	f.StringVar(&o.mcp, "mcp", "", "a live MCP server: a `command` or a URL")
	f.StringVar(&o.server, "server", "", "`name` of the server (default the one that the file or the server gives)")
	f.StringArrayVar(&o.headers, "header", nil, "`NAME=VALUE` sent with each request to the URL's host")
	f.StringArrayVar(&o.env, "env", nil, "`NAME` or NAME=VALUE for the program's environment")
	spanVar(f, &o.timeout, "timeout", mcpserver.DefaultConfig().Timeout, "how long each listing may take")
	f.StringArrayVar(&o.lint.Own, "own", nil, "`name` of a server whose tools the team can change")
	f.StringArrayVar(&o.lint.External, "external", nil, "`name` of a server whose tools are somebody else's; empty is the tools without a server")
	f.IntVar(&o.lint.Text.SummaryLimit, "summary-limit", o.lint.Text.SummaryLimit, "the longest summary, in `characters`")
	return c
}

func (p *program) rosterLint(ctx context.Context, o rosterOptions, args []string) error {
	if (o.mcp == "") == (len(args) == 0) {
		return usageError{errors.New("want a file, or --mcp with a command or a URL")}
	}
	if o.json && o.github {
		return usageError{errors.New("--json and --github: want one of them")}
	}
	if o.lint.Text.SummaryLimit == 0 {
		o.lint.Text.SummaryLimit = -1 // zero is the default, and was not meant
	}
	if err := o.lint.Validate(); err != nil {
		return usageError{err}
	}
	var tools []activation.Tool
	var err error
	file := ""
	if o.mcp == "" {
		file = args[0]
		tools, err = rosterFile(file, o.server)
	} else {
		tools, o.lint.Again, err = p.rosterListed(ctx, &o)
	}
	if err != nil {
		return err
	}
	r := activation.Lint(tools, o.lint)
	out := rosterCheck{LintReport: r, Passed: r.Count(activation.LintError) == 0 && (!o.strict || r.Count(activation.LintWarning) == 0)}
	if err := p.printRoster(&out, o, file); err != nil {
		return err
	}
	if !out.Passed {
		return errFindings
	}
	return nil
}

var errNoTools = errors.New("no tools")

// rosterFile reads the last list of each server of a file.
func rosterFile(path, server string) ([]activation.Tool, error) {
	last, err := readRelease(path)
	if err != nil {
		return nil, err
	}
	lists := map[string]int{}
	all, err := readReleases(path)
	if err != nil { // FILE@RELEASE
		all = append(all[:0], *last)
	}
	for i := range all {
		lists[all[i].Server] = i
	}
	var tools []activation.Tool
	for i := range all {
		if r := &all[i]; lists[r.Server] == i {
			for _, raw := range r.Tools {
				t := activation.Tool{Name: nameOf(raw), Server: r.Server, Definition: raw}
				if server != "" {
					t.Server = server
				}
				tools = append(tools, t)
			}
		}
	}
	if len(tools) == 0 {
		return nil, fmt.Errorf("read tools of %s: %w", path, errNoTools)
	}
	return tools, nil
}

// rosterListed takes the tools of a live server twice.
func (p *program) rosterListed(ctx context.Context, o *rosterOptions) (first, again []activation.Tool, err error) {
	log, err := p.logger(slog.LevelError)
	if err != nil {
		return nil, nil, err
	}
	cfg, err := o.config(p.Getenv, p.version, log)
	if err != nil {
		return nil, nil, err
	}
	for _, tools := range []*[]activation.Tool{&first, &again} {
		l, err := mcpserver.List(ctx, cfg)
		if err != nil {
			return nil, nil, err
		}
		if *tools = rosterOf(l, o.server); len(*tools) == 0 {
			return nil, nil, fmt.Errorf("read tools of the server: %w", errNoTools)
		}
	}
	return first, again, nil
}

// rosterOf makes tools of a listing. One that could not be taken, or has the name of another, stands in it without a definition, so that the
// lint names it.
func rosterOf(l *mcpserver.Listing, server string) []activation.Tool {
	server = cmp.Or(server, l.Server)
	out := []activation.Tool{}
	known := map[string]bool{}
	for i := range l.Tools {
		known[l.Tools[i].Name] = true
		out = append(out, activation.Tool{Name: l.Tools[i].Name, Server: server, Definition: l.Tools[i].Definition})
	}
	for i := range l.Problems {
		pr := &l.Problems[i]
		if second := strings.HasPrefix(pr.Reason, "a second tool"); pr.Page > 0 && (second || !known[pr.Tool]) {
			out = append(out, activation.Tool{Name: pr.Tool, Server: server})
		}
	}
	return out
}
