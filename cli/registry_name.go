package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

const toolNameHelp = `TOOL is SERVER/TOOL, an agent's own tool by its name alone, or any name that one registered tool alone has. Where a name has a / in it
or two tools would be meant, --server S and --tool T name one exactly; without --server, --tool names an agent's own.`

// toolFlags name a tool exactly.
type toolFlags struct {
	server, tool string
	// exact says that a flag was given.
	exact bool
}

// add declares the flags on a command that takes a tool and then least to most further arguments.
func (f *toolFlags) add(c *cobra.Command, least, most int) {
	c.Flags().StringVar(&f.server, "server", "", "exact `name` of the server; empty is an agent's own tools")
	c.Flags().StringVar(&f.tool, "tool", "", "exact `name` of the tool, in place of TOOL")
	c.Args = func(c *cobra.Command, args []string) error {
		f.exact = c.Flags().Changed("server") || c.Flags().Changed("tool")
		have, want := len(args)-1, c.Use
		if f.tool != "" {
			have, want = len(args), strings.Replace(c.Use, " TOOL", "", 1)+" with --tool"
		}
		if have < least || have > most {
			return fmt.Errorf("have %s, want: %s", report.Plural(int64(len(args)), "argument"), want)
		}
		if have < 0 && f.exact {
			return errors.New("--server: name a tool of it")
		}
		for _, name := range append([]string{f.server, f.tool}, args...) {
			if !utf8.ValidString(name) {
				return fmt.Errorf("the name %s is not UTF-8", report.Safe(name))
			}
		}
		return nil
	}
}

// take splits the arguments into the tool and the rest.
func (f *toolFlags) take(args []string) (toolName, []string) {
	if f.tool != "" {
		return toolName{key: drift.Key{Server: f.server, Tool: f.tool}, exact: true}, args
	}
	if len(args) == 0 {
		return toolName{}, nil
	}
	if f.exact {
		return toolName{key: drift.Key{Server: f.server, Tool: args[0]}, exact: true}, args[1:]
	}
	return toolName{text: args[0]}, args[1:]
}

// toolName is how a person named a tool.
type toolName struct {
	text  string
	key   drift.Key
	exact bool
}

// errTwoTools says that a name is that of more than one tool.
var errTwoTools = errors.New("more than one tool has that name")

// find looks a name up among the tools that are known. Where none is meant, found is false and the key is what the name says.
func (n toolName) find(known []drift.Key) (key drift.Key, found bool, err error) {
	if n.exact {
		return n.key, slices.Contains(known, n.key), nil
	}
	for _, is := range []func(k drift.Key) bool{
		func(k drift.Key) bool { return k.String() == n.text },
		func(k drift.Key) bool { return k.Tool == n.text },
	} {
		switch all := matching(known, is); len(all) {
		case 0:
		case 1:
			return all[0], true, nil
		default:
			return drift.Key{}, false, fmt.Errorf("%q: %w (%s): name it with --server and --tool", n.text, errTwoTools, listKeys(all))
		}
	}
	server, tool, ok := strings.Cut(n.text, "/")
	if !ok {
		server, tool = "", n.text
	}
	return drift.Key{Server: server, Tool: tool}, false, nil
}

func matching(known []drift.Key, is func(k drift.Key) bool) []drift.Key {
	var out []drift.Key
	for _, k := range known {
		if is(k) {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, compareKeys)
	return out
}

func compareKeys(a, b drift.Key) int {
	return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool))
}

// maxNamed is how many tools an error names.
const maxNamed = 5

// listKeys names tools for a person: exactly, where a server or a tool has a / in its name.
func listKeys(all []drift.Key) string {
	var out []string
	for _, k := range all[:min(len(all), maxNamed)] {
		out = append(out, fmt.Sprintf("server %q, tool %q", k.Server, k.Tool))
	}
	if len(all) > maxNamed {
		out = append(out, "...")
	}
	return strings.Join(out, "; ")
}

// errUnknownTool says that nobody registered a tool.
var errUnknownTool = errors.New("nobody registered that tool")

// unknownTool says that there is no such tool, and which name is near: for a person, who decides.
func unknownTool(k drift.Key, known []drift.Key) error {
	if near := nearestTool(k, known); near != "" {
		return fmt.Errorf("%s: %w: did you mean %s?", k, errUnknownTool, near)
	}
	return fmt.Errorf("%s: %w", k, errUnknownTool)
}

// nearestTool finds a registered tool of nearly the same name; empty where there is none.
func nearestTool(k drift.Key, known []drift.Key) string {
	in := activation.RosterInput{}
	known = slices.SortedFunc(slices.Values(known), func(a, b drift.Key) int {
		return cmp.Or(-compareBool(a.Server == k.Server, b.Server == k.Server), compareKeys(a, b))
	})
	named := map[string]bool{}
	for _, t := range known {
		if named[t.Tool] {
			continue // the first counts: that of the server that was given
		}
		named[t.Tool] = true
		in.Tools = append(in.Tools, activation.Tool{Name: t.Tool, Server: t.Server})
	}
	r := activation.NewState(activation.NewRoster(in)).Resolve(k.Tool)
	if r.Resolution == events.ResolvedUnknown || r.Name == "" {
		return ""
	}
	return drift.Key{Server: r.Server, Tool: r.Name}.String()
}

// compareBool puts false first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// findTool finds a tool among those that the registry knows.
func (b *buckets) findTool(ctx context.Context, n toolName) (drift.Key, error) {
	known, err := toolsIn(ctx, b.registry)
	if err != nil {
		return drift.Key{}, err
	}
	key, found, err := n.find(known)
	if err == nil && !found {
		err = unknownTool(key, known)
	}
	return key, err
}
