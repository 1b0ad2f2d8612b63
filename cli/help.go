package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
)

// helpCommand shows the help of any command, and refuses a name that there is not.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "Help about a command",
		RunE: func(c *cobra.Command, args []string) error {
			of, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usageError{fmt.Errorf("unknown command %q: see tooltrail --help", strings.Join(args, " "))}
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// group makes a command that only holds others say its help, and refuse a name that it does not have.
func group(c *cobra.Command) *cobra.Command {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		hint := ""
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			hint = ", did you mean " + strings.Join(near, " or ") + "?"
		}
		return fmt.Errorf("unknown command %q for %q%s: see %s --help", args[0], c.CommandPath(), hint, c.CommandPath())
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.SuggestionsMinimumDistance = 2
	return c
}

// argCount wants least to most arguments; a command without arguments that is given one was meant to be another command.
func argCount(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case most == 0 && len(args) > 0:
			return fmt.Errorf("unknown command %q for %q: see %s --help", args[0], c.CommandPath(), c.CommandPath())
		case len(args) < least || len(args) > most:
			return fmt.Errorf("have %s, want: %s", report.Plural(int64(len(args)), "argument"), c.Use)
		}
		return nil
	}
}

// groupHelp is help that refuses a name which a group of commands does not have: refuse hears of it, since help returns no error.
func groupHelp(help func(*cobra.Command, []string), refuse func(error)) func(*cobra.Command, []string) {
	return func(c *cobra.Command, args []string) {
		if rest := c.Flags().Args(); c.HasSubCommands() && len(rest) > 0 {
			refuse(c.Args(c, rest))
			return
		}
		help(c, args)
	}
}

// errNoFiles says that a command needs something to read.
var errNoFiles = errors.New("name at least one file, or - for standard input")

// someFiles wants a file or more.
func someFiles(_ *cobra.Command, files []string) error {
	if len(files) == 0 {
		return errNoFiles
	}
	return nil
}
