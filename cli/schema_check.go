package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// schemaCheck is what schema check says.
type schemaCheck struct {
	Passed bool `json:"passed"`
	// Reasons say why it did not pass.
	Reasons []string `json:"reasons,omitzero"`
	// MajorRaised says that the new release has a higher major version: it may break calls.
	MajorRaised bool `json:"major_raised"`
	// Raised are the tools that state a higher major version of their own: they may break calls, and are not replayed.
	Raised     []string              `json:"raised,omitzero"`
	Comparison *drift.ListComparison `json:"comparison"`
	Replay     drift.Replay          `json:"replay"`
}

// checkOptions are the flags of schema check.
type checkOptions struct {
	schemaOptions
	against, calls string
	// server is that of the new schemas, nil where it is not given; version is their schema version.
	server  *string
	version string
	strict  bool
}

func (p *program) schemaCheckCommand() *cobra.Command {
	var o checkOptions
	var server string
	c := &cobra.Command{
		Use:   "check --against FILE|DIR|registry[:SERVER] NEW",
		Short: "Fail (status 3) when new schemas break calls and raise no major version",
		Long: `Compare new schemas with those that are in use, and replay old calls against them: recorded ones from --calls (one a line: an event of
kind tool_call with its arguments, or {"tool": NAME, "arguments": {...}}), else calls generated from the old schemas. The check fails on a
breaking change, and on an old call that is refused, loses a value or runs with a default instead, unless the new release has a
higher major version than the old, or the tool itself does (--schema-version, or the const of its argument schema_version).

` + schemaFilesHelp + "\n" + schemaRegistryHelp + `
registry alone is the active versions of the server that NEW is of: the one of --server, the one that NEW names, or the only one there is.
NEW is taken to be all tools of that server; against registry:SERVER/TOOL it is one.`,
		Args: argCount(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if o.against == "" {
				return usageError{errors.New("--against: want the file or directory of the schemas in use, or registry")}
			}
			if c.Flags().Changed("server") {
				o.server = &server
			}
			return p.schemaCheck(c.Context(), o, args[0])
		},
	}
	o.flags(c.Flags())
	c.Flags().StringVar(&o.against, "against", "", "the schemas in use: `FILE`, FILE@RELEASE, directory, registry or registry:SERVER")
	c.Flags().StringVar(&o.calls, "calls", "", "recorded calls, one a line of `FILE`")
	c.Flags().StringVar(&server, "server", "", "`name` of the server that the new schemas are of; empty is an agent's own tools")
	c.Flags().StringVar(&o.version, "schema-version", "", "the schema `version` of all new schemas")
	c.Flags().BoolVar(&o.strict, "strict", false, "fail on unknown changes too")
	return c
}

func (p *program) schemaCheck(ctx context.Context, o checkOptions, file string) error {
	lo, err := o.list()
	if err != nil {
		return err
	}
	is, err := p.readSource(ctx, file, nil)
	if err != nil {
		return err
	}
	if o.server == nil && is.release.Server != "" {
		o.server = &is.release.Server
	}
	was, err := p.readSource(ctx, o.against, o.server)
	if err != nil {
		return err
	}
	if err := is.named(was); err != nil {
		return err
	}
	c, err := compareReleases(was.release, is.release, lo)
	if err != nil {
		return err
	}
	out := schemaCheck{Comparison: c, MajorRaised: drift.MajorRaised(was.release.Name, is.release.Name), Raised: was.raised(is, o.version)}
	if out.Replay, err = replay(was.without(out.Raised), is.release.Tools, o.calls); err != nil {
		return err
	}
	out.judge(o.strict)
	if err := p.printCheck(&out, o.schemaOptions, file); err != nil {
		return err
	}
	if !out.Passed {
		return errFindings
	}
	return nil
}

// judge says whether the check passed.
func (c *schemaCheck) judge(strict bool) {
	if !c.MajorRaised {
		if c.breaks() {
			c.Reasons = append(c.Reasons, "a breaking change without a new major version")
		}
		if n := c.Replay.Broken(); n > 0 {
			c.Reasons = append(c.Reasons, report.Plural(int64(n), "old call")+" refused or taken in another sense")
		}
	}
	if strict && hasUnknown(c.Comparison) {
		c.Reasons = append(c.Reasons, "a change of which it is not known whether it breaks calls")
	}
	c.Passed = len(c.Reasons) == 0
}

// breaks reports a breaking change of a tool that raises no major version of its own.
func (c *schemaCheck) breaks() bool {
	if c.Comparison.Class != drift.Breaking {
		return false
	}
	excused := false
	for i := range c.Comparison.Changed {
		raised := slices.Contains(c.Raised, c.Comparison.Changed[i].Tool)
		if c.Comparison.Changed[i].Class == drift.Breaking && !raised {
			return true
		}
		excused = excused || raised
	}
	return len(c.Comparison.Removed) > 0 || !excused
}

func hasUnknown(c *drift.ListComparison) bool {
	return slices.ContainsFunc(c.Changed, func(t drift.Comparison) bool {
		return t.Class == drift.UnknownClass || t.Count(drift.UnknownClass) > 0 || t.Incomplete
	})
}

func (p *program) printCheck(c *schemaCheck, o schemaOptions, file string) error {
	switch {
	case o.json:
		return p.printJSON(c)
	case o.github:
		return p.buffered(func(w io.Writer) { annotateCheck(w, c, file) })
	}
	return p.buffered(func(w io.Writer) {
		writeList(w, c.Comparison)
		writeReplay(w, &c.Replay)
		switch {
		case !c.Passed:
			_, _ = fmt.Fprintf(w, "failed: %s\n", strings.Join(c.Reasons, "; "))
		case c.MajorRaised:
			_, _ = fmt.Fprintln(w, "passed: the major version is raised")
		case len(c.Raised) > 0:
			_, _ = fmt.Fprintf(w, "passed: the major version of %s is raised\n", report.Safe(strings.Join(c.Raised, ", ")))
		default:
			_, _ = fmt.Fprintln(w, "passed")
		}
	})
}

func annotateCheck(w io.Writer, c *schemaCheck, file string) {
	level := "error"
	if c.MajorRaised {
		level = "notice"
	}
	annotateList(w, c.Comparison, file, level)
	for i := range c.Replay.Problems {
		pr := &c.Replay.Problems[i]
		annotation(w, level, file, pr.Outcome+": "+pr.Tool, problemText(pr))
	}
	for _, r := range c.Reasons {
		annotation(w, "error", file, "schema check failed", r)
	}
}

func writeReplay(w io.Writer, r *drift.Replay) {
	for i := range r.Problems {
		_, _ = fmt.Fprintf(w, "%-14s  %s: %s\n", r.Problems[i].Outcome, report.Safe(r.Problems[i].Tool), report.Safe(problemText(&r.Problems[i])))
	}
	what := "recorded call"
	if r.Generated {
		what = "generated call"
	}
	var parts []string
	for _, outcome := range slices.Sorted(maps.Keys(r.Outcomes)) {
		parts = append(parts, fmt.Sprintf("%d %s", r.Outcomes[outcome], outcome))
	}
	text := report.Plural(int64(r.Calls), what)
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	_, _ = fmt.Fprintln(w, text)
	for _, outcome := range slices.Sorted(maps.Keys(r.Outcomes)) {
		if meaning := outcomeMeanings[outcome]; meaning != "" {
			_, _ = fmt.Fprintf(w, "  %-16s  %s\n", outcome, meaning)
		}
	}
}

func problemText(p *drift.ReplayProblem) string {
	text := report.Plural(int64(p.Calls), "call")
	for _, e := range p.Errors {
		text += fmt.Sprintf("; %s at %s", e.Keyword, orRoot(e.Path))
	}
	if len(p.Names) > 0 {
		text += "; not known: " + strings.Join(p.Names, ", ")
	}
	return text
}

// replay holds recorded calls, or generated ones, against both lists.
func replay(was, is []jsontext.Value, calls string) (drift.Replay, error) {
	was, is, stated := sameVersions(was, is)
	r := drift.NewReplayer(was, is)
	if calls == "" {
		r.Generate()
		return r.Report(), nil
	}
	raw, err := readWhole(calls)
	if err != nil {
		return drift.Replay{}, err
	}
	for i, line := range events.Lines(raw) {
		c, err := readCall(line)
		if err != nil {
			return drift.Replay{}, fmt.Errorf("read call %d of %s: %w", i+1, calls, err)
		}
		if c.Tool != "" {
			c.Arguments = claimNew(c.Arguments, stated[c.Tool])
			r.Call(c)
		}
	}
	return r.Report(), nil
}

// callJSON holds the members of a recorded call, or of an event that has one.
type callJSON struct {
	Type         string         `json:"type"`
	Tool         string         `json:"tool"`
	Name         string         `json:"name"`
	ToolName     string         `json:"tool_name"`
	ResolvedName string         `json:"resolved_name"`
	Arguments    jsontext.Value `json:"arguments"`
	Input        jsontext.Value `json:"input"`
	Data         *callJSON      `json:"data"`
}

// readCall reads one call; an event of another kind, or one without values, is none. Arguments in a string are what the string holds.
func readCall(line []byte) (drift.OldCall, error) {
	var j callJSON
	if err := json.Unmarshal(line, &j, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return drift.OldCall{}, errors.New("not a call in JSON")
	}
	if j.Data != nil {
		if !strings.Contains(j.Type, "tool_call") {
			return drift.OldCall{}, nil
		}
		j = *j.Data
		if len(j.Arguments) == 0 {
			return drift.OldCall{}, nil // its values were left at home
		}
	}
	c := drift.OldCall{Arguments: j.Arguments}
	if len(c.Arguments) == 0 {
		c.Arguments = j.Input
	}
	for _, name := range []string{j.ResolvedName, j.ToolName, j.Tool, j.Name} {
		if c.Tool == "" {
			c.Tool = name
		}
	}
	var text string
	if c.Arguments.Kind() == jsontext.KindString && json.Unmarshal(c.Arguments, &text) == nil {
		c.Arguments = jsontext.Value(text)
	}
	if c.Tool == "" || len(c.Arguments) == 0 {
		return drift.OldCall{}, errors.New("want the tool's name and the arguments")
	}
	return c, nil
}
