package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/capture/mcpserver"
)

// rosterOptions are the flags of roster lint.
type rosterOptions struct {
	snapshotOptions
	lint   activation.LintOptions
	strict bool
	// own, external and summaryLimit are flags that win over the settings file.
	own, external []string
	summaryLimit  int
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
	o := rosterOptions{}
	c := &cobra.Command{
		Use:   "lint FILE | lint --mcp COMMAND|URL",
		Short: "Fail (status 3) on names and summaries that mislead a model; say what a cut loses and what a roster costs",
		Long: `Check a list of tools as a roster shows it to a model. Names that are missing, there twice, or different in case or separators alone fail, and
so do the team's own summaries over the limit; those of other people's servers are cut, and what the cut loses is said, with the how-to words in it.
Required ids are named with the tool that gives them. Tokens are estimates; docs/roster-lint.md says what they rest on.

The limits are those of --settings, activation.roster: the same file that a Go agent loads.

` + schemaFilesHelp + `
Of a file with releases of several servers the last one of each is taken, and so of each file of a directory. Tools without a server are the team's own, those of a server are
somebody else's, unless --own and --external say otherwise; both name servers of the list. With --mcp the list is taken twice, and both must be the same bytes.`,
		Args: argCount(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.settle(p.set.Settings, c.Flags()); err != nil {
				return usageError{err}
			}
			return p.rosterLint(c.Context(), o, args)
		},
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
	f.StringArrayVar(&o.own, "own", nil, "`name` of a server whose tools the team can change")
	f.StringArrayVar(&o.external, "external", nil, "`name` of a server whose tools are somebody else's; empty is the tools without a server")
	f.IntVar(&o.summaryLimit, "summary-limit", activation.DefaultTextOptions().SummaryLimit, "the longest summary, in `characters`")
	p.set.settingsFlag(f)
	return c
}

// settle takes the limits of a settings file, and what flags say before them.
func (o *rosterOptions) settle(settings string, flags *pflag.FlagSet) error {
	cfg := analyzer.DefaultConfig()
	if err := cfg.UseSettings(settings); err != nil {
		return err
	}
	o.lint = cfg.Activation.Roster.LintOptions()
	if flags.Changed("own") {
		o.lint.Own = o.own
	}
	if flags.Changed("external") {
		o.lint.External = o.external
	}
	if flags.Changed("summary-limit") {
		if o.lint.Text.SummaryLimit = o.summaryLimit; o.summaryLimit == 0 {
			o.lint.Text.SummaryLimit = -1 // zero is the default, and was not meant
		}
	}
	return o.lint.Validate()
}

func (p *program) rosterLint(ctx context.Context, o rosterOptions, args []string) error {
	if (o.mcp == "") == (len(args) == 0) {
		return usageError{errors.New("want a file, or --mcp with a command or a URL")}
	}
	if o.json && o.github {
		return usageError{errors.New("--json and --github: want one of them")}
	}
	var given *rosterGiven
	var err error
	file := ""
	if o.mcp == "" {
		file = args[0]
		given, err = rosterFile(file, o.server)
	} else {
		given, err = p.rosterListed(ctx, &o)
	}
	if err == nil {
		err = o.known(given)
	}
	if err != nil {
		return p.rosterUnread(err, o, file)
	}
	o.lint.Again, o.lint.Descriptions, o.lint.AgainDescriptions = given.again, given.descriptions, given.toldAgain
	r := activation.Lint(given.tools, o.lint)
	out := rosterCheck{
		Passed: r.Count(activation.LintError) == 0 && (!o.strict || r.Count(activation.LintWarning) == 0), Lists: given.lists, LintReport: r,
	}
	if err := p.printRoster(&out, o, file); err != nil {
		return err
	}
	if !out.Passed {
		return errFindings
	}
	return nil
}

var errNoTools = errors.New("no tools")

// rosterGiven is what is linted.
type rosterGiven struct {
	tools, again []activation.Tool
	// descriptions are the servers' instructions, and toldAgain those of the second time.
	descriptions, toldAgain map[string]string
	lists                   []rosterList
}

// rosterListed takes the tools of a live server twice.
func (p *program) rosterListed(ctx context.Context, o *rosterOptions) (*rosterGiven, error) {
	log, err := p.logger(slog.LevelError)
	if err != nil {
		return nil, err
	}
	cfg, err := o.config(p.Getenv, p.version, log)
	if err != nil {
		return nil, err
	}
	given := &rosterGiven{descriptions: map[string]string{}, toldAgain: map[string]string{}}
	for _, to := range []struct {
		tools *[]activation.Tool
		told  map[string]string
	}{{&given.tools, given.descriptions}, {&given.again, given.toldAgain}} {
		l, err := mcpserver.List(ctx, cfg)
		if err != nil {
			return nil, err
		}
		if *to.tools = rosterOf(l, o.server); len(*to.tools) == 0 {
			return nil, fmt.Errorf("read tools of the server: %w", errNoTools)
		}
		of := cmp.Or(o.server, l.Server)
		given.lists = []rosterList{{of, l.Release}}
		if l.Instructions != "" {
			to.told[of] = l.Instructions
		}
	}
	return given, nil
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
