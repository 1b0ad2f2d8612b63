package cli

import (
	"fmt"
	"io"

	"github.com/tooltrail/tooltrail/cli/report"
)

// print says what was found and done.
func (s *snapshot) print() error {
	r := &s.report
	if !s.o.json {
		for i := range r.Problems {
			_, _ = fmt.Fprintf(s.p.Err, "tooltrail: %s: %s\n", report.Safe(r.Server), report.Safe(problemOf(r, i)))
		}
	}
	switch {
	case s.o.json:
		return s.p.printJSON(r)
	case s.o.github:
		return s.p.buffered(func(w io.Writer) { annotateList(w, r.Comparison, s.o.file, "error") })
	}
	return s.p.buffered(func(w io.Writer) { s.write(w) })
}

func problemOf(r *snapshotReport, i int) string {
	p := &r.Problems[i]
	if p.Page == 0 && p.Tool != "" {
		return p.Tool + ": " + p.Reason
	}
	return p.Error()
}

func (s *snapshot) write(w io.Writer) {
	r := &s.report
	if r.Against != "" || r.DryRun || s.b == nil || s.o.noRegister { // else the registry lists the same tools as added below
		writeList(w, r.Comparison)
	}
	_, _ = fmt.Fprintf(w, "%s %s: %s on %s, by %s (MCP %s)\n", report.Safe(r.Server), report.Safe(orUnnamed(r.Release)),
		report.Plural(int64(r.Tools), "tool"), report.Plural(int64(r.Pages), "page"), r.Transport, report.Safe(r.Protocol))
	_, _ = fmt.Fprintf(w, "compared with %s\n", s.against())
	if r.DryRun {
		_, _ = fmt.Fprintln(w, "dry run: nothing was changed")
		return
	}
	for i := range r.Registered {
		c := &r.Registered[i]
		_, _ = fmt.Fprintf(w, "%-12s  %s %s in the registry\n", c.Change, report.Safe(c.Tool), report.Safe(c.Version+" "+string(c.State)))
	}
	if s.b != nil {
		_, _ = fmt.Fprintf(w, "registry: %s changed; %s published\n", report.Plural(int64(len(r.Registered)), "tool"),
			report.Plural(int64(r.Published), "event"))
	}
	if s.o.file != "" {
		what := "unchanged"
		if r.Written {
			what = "the release was added"
		}
		_, _ = fmt.Fprintf(w, "%s: %s\n", report.Safe(s.o.file), what)
	}
}

func orUnnamed(release string) string {
	if release == "" {
		return "without a version"
	}
	return release
}

// against says what the tools were compared with.
func (s *snapshot) against() string {
	switch s.report.Against {
	case againstFile:
		return report.Safe(s.o.file + ", release " + orUnnamed(s.report.AgainstRelease))
	case againstRegistry:
		return report.Safe("the registry, release " + orUnnamed(s.report.AgainstRelease))
	}
	return "nothing: the server was not known"
}
