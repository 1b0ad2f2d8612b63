package cli

import (
	"bufio"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cli/report"
)

// print prints a report for a person or a script; all lists everything.
func (p *program) print(r *analyzer.Report, asJSON, all bool) error {
	if asJSON {
		return p.printJSON(r)
	}
	w := bufio.NewWriter(p.Out)
	s := report.StyleOf(p.Out, p.Getenv)
	s.All = all
	err := report.Write(w, r, s)
	if scope := r.Scope.String(); scope != "" {
		err = errors.Join(err, report.Note(w, "Only events of "+scope+" were looked at; dead letters and definitions are everybody's.", s))
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	return nil
}

// printJSON prints any value, its maps in order, so that the same facts give the same bytes, and fit for a terminal.
func (p *program) printJSON(v any) error {
	safe := report.NewSafeJSON(p.Out)
	w := bufio.NewWriter(safe)
	err := json.MarshalWrite(w, v, jsontext.WithIndent("  "), json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err == nil {
		err = w.WriteByte('\n')
	}
	if err = errors.Join(err, w.Flush(), safe.Close()); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}
