package page

import (
	"context"
	"errors"

	"github.com/tooltrail/tooltrail/finding"
)

// Answer is what a query returned.
type Answer struct {
	Columns []string
	// Rows has a value for each column; nil for one that is not known.
	Rows [][]any
}

// Database runs the queries of panels.
type Database interface {
	Rows(ctx context.Context, query string) (Answer, error)
}

// Filter chooses findings; an empty field lets all pass.
type Filter struct {
	// Fingerprint is one, or its first digits.
	Fingerprint                                                   string
	State                                                         finding.State
	Severity                                                      finding.Severity
	Detector, Rule, Owner, Agent, Environment, Team, Tool, Server string
	// Limit is how many are returned at most.
	Limit int
}

// Findings reads findings and what was done to them.
type Findings interface {
	// Find returns the findings that a filter chooses, the worst first.
	Find(ctx context.Context, f Filter) ([]finding.Finding, error)
	// History returns what was done to one, the oldest first.
	History(ctx context.Context, fingerprint string) ([]finding.Action, error)
}

// Actor changes where a finding is.
type Actor interface {
	Act(ctx context.Context, fingerprint string, a finding.Action) error
}

// Sources are what a page reads and writes.
type Sources struct {
	Database Database
	Findings Findings
	// Actor may be nil: then nothing can be changed.
	Actor Actor
}

func (s Sources) validate() error {
	if s.Database == nil || s.Findings == nil {
		return errors.New("page: a database and findings are needed")
	}
	return nil
}
