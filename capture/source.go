package capture

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// Problem is one place in a file that could not be read.
type Problem struct {
	// File is the name that the file was opened under.
	File string
	// Line counts from 1; 0 where the problem has no line.
	Line int
	// Reason says what is wrong, without quoting what the line says.
	Reason string
}

// Error gives file, line and reason.
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.File + ": " + p.Reason
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Reason)
}

// Source is an input while a [Format] reads it.
type Source struct {
	// Name is the name that the input was opened under.
	Name string
	// Options are what the caller asked for.
	Options Options
	// ModTime is when the file was last changed; zero where that is not known.
	ModTime time.Time

	r        io.Reader
	lines    *lineReader
	problems int
	skipped  map[string]int
	// unfinished counts calls that have no result and were left out.
	unfinished int
}

// Lines calls fn for each line of the input that is not blank. A line too long is a problem, and so is an error of fn that is
// or wraps a [LineError]; any other error of fn ends the reading. The line is valid until fn returns.
func (s *Source) Lines(fn func(number int, line []byte) error) error {
	for {
		line, err := s.lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = fn(s.lines.Number(), line)
		}
		if err = s.settle(err); err != nil {
			return err
		}
	}
}

// settle turns an error that is the fault of one line into a problem.
func (s *Source) settle(err error) error {
	var bad *LineError
	switch {
	case errors.As(err, &bad):
		return s.Problem(s.lines.Number(), bad.Reason)
	case errors.Is(err, ErrLineTooLong):
		return s.Problem(s.lines.Number(), err.Error())
	}
	return err
}

// Reader returns the rest of the input as bytes, for formats that are not lines. Use this or Lines, not both.
func (s *Source) Reader() io.Reader { return s.r }

// Problem reports and counts a problem. The error is nil unless [Options.Strict] is set; a format returns it.
func (s *Source) Problem(line int, reason string) error {
	p := &Problem{File: s.Name, Line: line, Reason: reason}
	s.problems++
	if s.Options.Problem != nil {
		s.Options.Problem(*p)
	}
	if s.Options.Strict {
		return fmt.Errorf("read strictly: %w", p)
	}
	return nil
}

// maxSkipped is how many types of lines are counted apart; the rest is counted as "other".
const maxSkipped = 64

// Skip counts a line that is as it should be and says nothing of interest. The type is what the file itself calls it.
func (s *Source) Skip(lineType string) {
	if s.skipped == nil {
		s.skipped = map[string]int{}
	}
	if _, known := s.skipped[lineType]; !known && (len(s.skipped) >= maxSkipped || len(lineType) > maxSkipped) {
		lineType = "other"
	}
	s.skipped[lineType]++
}

// Event puts data into an event whose id is derived by [EventID] from its kind, its conversation and parts.
func (s *Source) Event(at time.Time, data events.Data, parts ...string) *events.Event {
	c := data.Common()
	merge(c, s.Options.Context)
	return &events.Event{
		ID:     EventID(data.Kind(), c.ConversationID, parts...),
		Source: s.Options.Source,
		Time:   at,
		Data:   data,
	}
}

// LineError is the fault of one line: [Source.Lines] makes a [Problem] of it.
type LineError struct {
	Reason string
}

// Error gives the reason.
func (e *LineError) Error() string { return e.Reason }

// badLine returns a LineError.
func badLine(format string, args ...any) error {
	return &LineError{Reason: fmt.Sprintf(format, args...)}
}
