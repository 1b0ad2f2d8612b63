package store

import (
	"context"
	_ "embed" // for the query
	"time"

	"github.com/tooltrail/tooltrail/finding"
)

// FindingFilter chooses findings; an empty field lets all pass.
type FindingFilter struct {
	// Fingerprints names findings one by one, Prefix by how their fingerprints begin.
	Fingerprints []string
	Prefix       string
	// Detector, Rule, State, Server, Tool and Owner must be equal.
	Detector, Rule, Server, Tool, Owner string
	State                               finding.State
	// Agent, Environment and Team must be that of the finding, or one of those of its events.
	Agent, Environment, Team string
	// MinSeverity is the mildest severity that passes.
	MinSeverity finding.Severity
	// SeenSince is the earliest last time that a finding was seen.
	SeenSince time.Time
	// Limit is how many to return at most; 0 is 1,000.
	Limit int
}

//go:embed queries/findings.sql
var findingsSQL string

// Findings returns the findings that f chooses, the worst first and then the newest, each in the state that it is in now.
func (db *DB) Findings(ctx context.Context, f FindingFilter) ([]finding.Finding, error) {
	var out []finding.Finding
	err := db.eachFinding(ctx, f, func(r *findingNow) { out = append(out, r.finding()) })
	return out, err
}

// SaveFindings stores findings. Of one that is stored already it keeps the first time it was seen, when it began and what changed then, and
// takes all else from the new one. A finding without times was seen now. States are not stored with findings, so that what people do at the
// same time is not lost: they follow from the history, to which a resolved finding whose fact has happened since gets an entry here.
// Two callers that save the same finding at the same time may lose one's numbers, never a finding.
func (db *DB) SaveFindings(ctx context.Context, fs []finding.Finding) error {
	if len(fs) == 0 {
		return nil
	}
	old, err := db.known(ctx, fs)
	if err != nil {
		return err
	}
	now := db.now()
	var rows []*findingRow
	var again []findingAction
	at := map[string]int{}
	for i := range fs {
		r := newFindingRow(fs[i], now)
		if o := old[r.Fingerprint]; o != nil {
			r.keep(&o.findingRow)
			again = append(again, o.reopenedBy(r)...)
		}
		if j, twice := at[r.Fingerprint]; twice {
			r.keep(rows[j])
			rows[j] = r
			continue
		}
		at[r.Fingerprint] = len(rows)
		rows = append(rows, r)
	}
	if err := db.writeFindings(ctx, rows); err != nil {
		return err
	}
	return db.writeActions(ctx, again)
}

// known returns the stored rows of findings, by fingerprint.
func (db *DB) known(ctx context.Context, fs []finding.Finding) (map[string]*findingNow, error) {
	f := FindingFilter{Limit: len(fs)}
	for i := range fs {
		f.Fingerprints = append(f.Fingerprints, fs[i].Fingerprint)
	}
	out := map[string]*findingNow{}
	err := db.eachFinding(ctx, f, func(r *findingNow) {
		kept := *r
		out[r.Fingerprint] = &kept
	})
	return out, err
}

func (db *DB) eachFinding(ctx context.Context, f FindingFilter, fn func(*findingNow)) error {
	names := f.Fingerprints
	if len(names) == 0 {
		names = []string{""}
	}
	args := []any{len(f.Fingerprints) == 0, names, f.Prefix}
	for _, s := range []string{f.Detector, f.Rule, string(f.State)} {
		args = append(args, s, s)
	}
	args = append(args, severitiesFrom(f.MinSeverity), f.Server, f.Server, f.Tool, f.Tool)
	for _, s := range []string{f.Agent, f.Environment, f.Team} {
		args = append(args, s, s, s)
	}
	args = append(args, f.Owner, f.Owner, bound(f.SeenSince), limit(f.Limit))
	var row findingNow
	return db.Each(ctx, findingsSQL, args, &row, func() error {
		fn(&row)
		return nil
	})
}

// severitiesFrom lists the severities from the mildest that passes on.
func severitiesFrom(least finding.Severity) []string {
	var out []string
	for _, s := range []finding.Severity{finding.Info, finding.Warning, finding.Critical} {
		if s.Rank() >= least.Rank() {
			out = append(out, string(s))
		}
	}
	return out
}

func (db *DB) writeFindings(ctx context.Context, rows []*findingRow) error {
	return db.writeBlock(ctx, "save findings", "INSERT INTO findings", len(rows), func(i int) any { return rows[i] })
}
